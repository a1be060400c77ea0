#!/usr/bin/env bash
# Builds the benchmarks and prints their figures, of one run on this machine. Let it be idle otherwise.
# The first argument says which (default: memory):
#   memory       kernels beside what memory allows, near and far, odd and dynamic sizes beside even ones, functions and
#                launches, in one table, scheduled for this machine as fuse-calibrate measures it first; and how long
#                planning takes per op; --rounds N, --only TEXT, --least
#   contractions products and convolutions beside OpenBLAS and oneDNN (Debian's, which it installs), on one thread and
#                on all; --rounds N, --only TEXT
#   cost-model   predicted against measured times of kernels and merges, on one thread and on all; --rounds N, --only TEXT
#   compile-time FILE…  how long programs take to become code, with an empty cache and a full one; --rounds N
#   plans FILE…  programs planned with the roofline model against other plans; --threads N, --rounds N
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

what=memory
case "${1:-}" in memory | contractions | cost-model | compile-time | plans) what=$1; shift ;; esac
utils/setup.sh
[ -f build/release/build.ninja ] || cmake --preset release >/dev/null
bin=build/release/bin
export OMP_PROC_BIND=true
case $what in
memory)
  cmake --build --preset release --target memory_bound fuse-calibrate fuse-opt >/dev/null
  $bin/fuse-calibrate --output build/target.json >/dev/null
  $bin/memory_bound --target build/target.json "$@"
  exec python3 benchmarks/planning/planning.py $bin/fuse-opt
  ;;
contractions)
  utils/setup.sh --with-libraries
  cmake --preset release >/dev/null # finds them
  cmake --build --preset release --target contractions >/dev/null
  # One OpenMP runtime for all, since the threads of each spin for a while after their work, and the kernels that
  # OpenBLAS 0.3.21 has for AVX-512, which it does not choose on every CPU that has it.
  blas=$(echo /usr/lib/*-linux-gnu/openblas-openmp)
  LD_LIBRARY_PATH=$(llvm-config-22 --libdir):$blas${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  export LD_LIBRARY_PATH
  if grep -q avx512f /proc/cpuinfo; then export OPENBLAS_CORETYPE=SkylakeX; fi
  for threads in 1 "$(nproc)"; do
    $bin/contractions --threads "$threads" "$@"
  done
  ;;
cost-model)
  cmake --build --preset release --target fuse-run fuse-calibrate >/dev/null
  mkdir -p build/cost_model
  $bin/fuse-calibrate --output build/cost_model/target.json
  for threads in 1 "$(nproc)"; do
    python3 -B benchmarks/cost_model/compare.py $bin/fuse-run build/cost_model/target.json build/cost_model --threads "$threads" "$@"
  done
  ;;
compile-time)
  cmake --build --preset release --target fuse-run >/dev/null
  exec python3 -B benchmarks/compile_time/compile_time.py $bin/fuse-run "$@"
  ;;
plans)
  cmake --build --preset release --target fuse-run >/dev/null
  exec python3 -B benchmarks/cost_model/plans.py $bin/fuse-run "$@"
  ;;
esac
