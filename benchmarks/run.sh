#!/usr/bin/env bash
# Builds the benchmarks and prints their figures, of one run on this machine. Let it be idle otherwise. All tables have
# the same columns; a * marks what is above what is wanted. The first argument says which (default: memory):
#   all [FILE…]  memory, contractions, compile-time, unfused and models as one table; in the last line, how many rows are
#                above what is wanted; --rounds N, --only TEXT (of kernels), --numerics [NAME:]CLASS, --with-torch
#   memory       kernels beside what memory allows, near and far, odd and dynamic sizes beside even ones, functions and
#                launches, scheduled for this machine as fuse-calibrate measures it first; and how long
#                planning takes per op; --rounds N, --only TEXT, --least
#   contractions products and convolutions beside OpenBLAS and oneDNN (Debian's, which it installs), on one thread and
#                on all; --rounds N, --only TEXT
#   models FILE… models (files, or folders of a model and sizes; --made: networks made for this) beside ONNX Runtime, OpenVINO and Inductor, softmax beside ONNX Runtime; --rounds N, --runs N,
#                --threads N,…, --peers NAME,…, --numerics [NAME:]CLASS, --each, --with-torch (installs PyTorch)
#   open         networks of transformers and torchvision compiled once for open batches and lengths, beside bundles for each
#                size, ONNX Runtime and OpenVINO; installs PyTorch; --threads N,…, --seconds T, --only NAME, --size SIZE,
#                --peers NAME,…
#   quantized    networks that onnxruntime.quantization makes integers of, in its three forms, beside ONNX Runtime, OpenVINO and
#                our code of them in f32; installs PyTorch; --only NAME,…, --forms NAME,…, --threads N,…, --rounds N, --runs N
#   torch        modules by torch.compile: backend="fuse" beside Inductor and eager mode, first calls and later ones, on one
#                thread and two; installs PyTorch, or takes that of the Python that FUSE_TORCH_PYTHON names; options of
#                benchmarks/torch/table.py: --only NAME,…, --threads N,…, --small, --large, --freezing, --stages, …
#   unfused [FILE…]  fused kernels beside the unfused ones that compute the same; --rounds N, --runs N, --threads N,…,
#                --only TEXT, --every, --least, --numerics [NAME:]CLASS
#   convolutions programs around convolutions, drawn by chance, fused beside unfused, and predicted beside measured, on one
#                thread; --count N, --seed N, --threads N,…, --against unfused|chains, --seconds T, --rounds N, --only TEXT,
#                --keep FOLDER
#   builds BIN [FILE…]  all programs of unfused and cost-model and the files with the tools here beside those that are built in the folder
#                BIN, of another commit; which are slower, and which have more kernels; --threads N,…, --seconds T, --rounds N,
#                --only TEXT, --no-programs, --cache FOLDER, --numerics [NAME:]CLASS
#   bytes        products and convolutions of 8-bit numbers beside what the CPU can multiply, beside f32, and beside ONNX Runtime
#                where Python has it; --threads N,…, --seconds T, --only TEXT
#   cost-model   predicted against measured times of kernels, convolutions of networks and merges, on one thread and on all; --rounds N, --only TEXT
#   compile-time FILE…  how long programs take to become code, with an empty cache and a full one; --rounds N, --stages
#   gpu          kernels and networks on an NVIDIA GPU, checked against the interpreter, beside PyTorch and beside what was
#                predicted: compiled into build/gpu for the GPU here, else for sm_90a and sm_80 (--chip NAME,…), and run where
#                there is a GPU: here, or by python3 measure.py FOLDER on a machine that the folder is copied to, which also
#                calibrates (target.json for --cost-target); --minutes N (8), of which programs are tuned in the last sixth
#                where the GPU is here (schedules.json), --only TEXT, --group check,calibrate,time,network,model; --dry-run
#                under the tests' driver, --folder F in place of build/gpu
#   weights      products of one row with weights of 4 and 8 bits beside what memory gives and ONNX Runtime (installs it), on one
#                thread and two; --rows N,…, --threads N,…, --rounds N, --only TEXT, --no-large
#   plans FILE…  programs planned with the roofline model against other plans; --threads N, --rounds N
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

what=memory
case "${1:-}" in
all | memory | contractions | models | open | quantized | torch | unfused | convolutions | builds | bytes | cost-model | compile-time | gpu | weights | plans) what=$1; shift ;;
esac
# FUSE_BENCHMARK_BIN: a folder of tools that are built already, for tests.
bin=${FUSE_BENCHMARK_BIN:-build/release/bin}
build() { [ -n "${FUSE_BENCHMARK_BIN:-}" ] || cmake --build --preset release --target "$@" >/dev/null; }
if [ -z "${FUSE_BENCHMARK_BIN:-}" ]; then
  utils/setup.sh
  [ -f build/release/build.ninja ] || cmake --preset release >/dev/null
fi
export OMP_PROC_BIND=true

run_memory() {
  build memory_bound fuse-calibrate fuse-opt
  $bin/fuse-calibrate --output build/target.json >/dev/null
  $bin/memory_bound --target build/target.json "$@"
}

run_contractions() {
  utils/setup.sh --with-libraries
  cmake --preset release >/dev/null # finds them
  build contractions
  # One OpenMP runtime for all, since the threads of each spin for a while after their work, and the kernels that
  # OpenBLAS 0.3.21 has for AVX-512, which it does not choose on every CPU that has it.
  local blas threads path head=()
  blas=$(echo /usr/lib/*-linux-gnu/openblas-openmp)
  path=$(llvm-config-22 --libdir):$blas${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  local environment=("LD_LIBRARY_PATH=$path")
  if grep -q avx512f /proc/cpuinfo; then environment+=(OPENBLAS_CORETYPE=SkylakeX); fi
  for threads in $(printf '%s\n' 1 "$(nproc)" | sort -nu); do
    env "${environment[@]}" $bin/contractions --threads "$threads" "${head[@]}" "$@"
    head=(--no-head)
  done
}

run_compile_time() {
  build fuse-run
  python3 -B benchmarks/compile_time/compile_time.py $bin/fuse-run "$@"
}

run_unfused() {
  build fuse-run memory_bound
  mkdir -p build/unfused
  $bin/memory_bound --write-programs build/unfused
  python3 -B benchmarks/unfused/unfused.py $bin/fuse-run --programs build/unfused "$@"
}

run_models() {
  local python torch=() rest=() argument
  for argument in "$@"; do
    if [ "$argument" = --with-torch ]; then torch=(--with-torch); else rest+=("$argument"); fi
  done
  build fuse-compile
  python=$(benchmarks/models/make_python.sh build/peers "${torch[@]}")
  "$python" -B benchmarks/models/models.py $bin build/models "${rest[@]}"
}

# Each piece takes the options that it has.
run_all() {
  local files=() rounds=() only=() numerics=() torch=()
  while [ $# -gt 0 ]; do
    case $1 in
    --rounds) rounds=(--rounds "$2"); shift 2 ;;
    --only) only=(--only "$2"); shift 2 ;;
    --numerics) numerics+=(--numerics "$2"); shift 2 ;;
    --with-torch) torch=(--with-torch); shift ;;
    --*) echo "run.sh: all has no option $1" >&2; exit 2 ;;
    *) files+=("$1"); shift ;;
    esac
  done
  run_memory "${rounds[@]}" "${only[@]}" # prints the head
  run_contractions --no-head "${rounds[@]}" "${only[@]}"
  run_compile_time --no-head "${files[@]}"
  run_unfused --no-head "${only[@]}" "${numerics[@]}" "${files[@]}"
  run_models --no-head "${numerics[@]}" "${torch[@]}" "${files[@]}"
}

case $what in
all)
  log=$(mktemp)
  trap 'rm -f "$log"' EXIT
  run_all "$@" | tee "$log"
  python3 -B benchmarks/table.py summary "$log"
  ;;
memory)
  run_memory "$@"
  exec python3 benchmarks/planning/planning.py $bin/fuse-opt
  ;;
contractions) run_contractions "$@" ;;
compile-time) run_compile_time "$@" ;;
models) run_models "$@" ;;
open)
  build fuse-compile fuse-translate
  python=$(benchmarks/models/make_python.sh build/peers --with-torch transformers torchvision onnxscript)
  exec "$python" -B benchmarks/models/open_sizes.py $bin build/open "$@"
  ;;
quantized)
  build fuse-compile fuse-run
  python=$(benchmarks/models/make_python.sh build/peers --with-torch transformers torchvision onnxscript)
  exec "$python" -B benchmarks/quantized/quantized.py $bin build/quantized "$@"
  ;;
torch)
  build fuse-compiler fuse-runtime
  test/torch/make-python.sh build/torch "$(command -v "${CXX:-clang++}" || command -v g++)" "$(command -v "${CC:-clang}" || command -v gcc)"
  FUSE_LIBRARY_DIR=$PWD/build/release/lib exec build/torch/bin/python -B benchmarks/torch/table.py "$@"
  ;;
unfused) run_unfused "$@" ;;
convolutions)
  build fuse-run fuse-calibrate
  mkdir -p build/convolutions
  $bin/fuse-calibrate --output build/convolutions/target.json
  exec python3 -B benchmarks/convolutions/convolutions.py $bin/fuse-run --target build/convolutions/target.json "$@"
  ;;
builds)
  build fuse-run memory_bound
  mkdir -p build/unfused
  $bin/memory_bound --write-programs build/unfused
  exec python3 -B benchmarks/builds/builds.py $bin "${1:?builds needs a folder of tools}" --programs build/unfused "${@:2}"
  ;;
bytes)
  build fuse-run
  clang-22 -O2 -march=native benchmarks/bytes/peak.c -o build/peak-of-bytes
  peak=$(build/peak-of-bytes)
  exec python3 -B benchmarks/bytes/bytes.py $bin/fuse-run --peak "${peak:-0}" "$@"
  ;;
cost-model)
  build fuse-run fuse-calibrate
  mkdir -p build/cost_model
  $bin/fuse-calibrate --output build/cost_model/target.json
  for threads in 1 "$(nproc)"; do
    python3 -B benchmarks/cost_model/compare.py $bin/fuse-run build/cost_model/target.json build/cost_model --threads "$threads" "$@"
  done
  ;;
gpu)
  build fuse-compile fuse-run fuse-tune
  prepared=() measured=() tuned=() minutes=8 folder=build/gpu groups=network
  while [ $# -gt 0 ]; do
    case $1 in
    --chip) prepared+=("$1" "$2") tuned+=("$1" "$2") ;;
    --minutes) minutes=$2 ;;
    --folder) folder=$2 ;;
    --only) prepared+=("$1" "$2") measured+=("$1" "$2") tuned+=("$1" "$2") ;;
    --group) prepared+=("$1" "$2") measured+=("$1" "$2") tuned+=("$1" "$2") groups=$2 ;;
    --dry-run) measured+=("$1") tuned+=("$1"); shift; continue ;;
    *) measured+=("$1" "$2") ;;
    esac
    shift 2
  done
  # Networks are PyTorch's.
  python=${FUSE_PEERS_PYTHON:-python3}
  case $groups in
  *network*) python=$(benchmarks/models/make_python.sh build/peers --with-torch transformers torchvision onnxscript) ;;
  *) "$python" -c "import numpy" 2>/dev/null || python=$(benchmarks/models/make_python.sh build/peers) ;;
  esac
  "$python" -B benchmarks/gpu/prepare.py "$bin" "$folder" "${prepared[@]}"
  if [ -z "${FUSE_CUDA_DRIVER:-}" ] && ! nvidia-smi -L >/dev/null 2>&1; then
    # Bundles have the runtime's code in common.
    tar -C "$folder/.." -cJf "$folder.tar.xz" "$(basename "$folder")"
    echo "no GPU here; $folder.tar.xz ($(du -m "$folder.tar.xz" | cut -f1) MB) goes to a machine with one: tar xf $(basename "$folder").tar.xz &&" \
      "python3 $(basename "$folder")/measure.py $(basename "$folder") --minutes $minutes"
    exit 0
  fi
  status=0
  "$python" -B "$folder/measure.py" "$folder" --minutes "$(awk "BEGIN { print $minutes * 5 / 6 }")" "${measured[@]}" || status=$?
  "$python" -B benchmarks/gpu/tune.py "$bin" "$folder" --minutes "$(awk "BEGIN { print $minutes / 6 }")" "${tuned[@]}" || status=$?
  exit $status
  ;;
weights)
  build fuse-run
  python=$(benchmarks/models/make_python.sh build/peers)
  CC=$(command -v clang-22 || command -v cc) exec "$python" -B benchmarks/quantized/weights.py $bin/fuse-run build/weights "$@"
  ;;
plans)
  build fuse-run
  exec python3 -B benchmarks/cost_model/plans.py $bin/fuse-run "$@"
  ;;
esac
