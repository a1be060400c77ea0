#!/usr/bin/env bash
# Installs the Debian 12 packages that building and testing need. Quick, and needs no root, where
# all of them are there already. --with-browser: what the test of the picture needs, too; --with-libraries:
# what some benchmarks compare with.
set -euo pipefail

packages=(
  # The toolchain and MLIR 22.
  libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools clang-22 lld-22 liblld-22-dev libomp-22-dev
  libclang-rt-22-dev
  # Build tools.
  binutils ccache cmake ninja-build
  # Libraries: ONNX models, arrays in .npz files, tests, benchmarks,
  # switches between the emulator's threads.
  libboost-context-dev libonnx-dev libprotobuf-dev protobuf-compiler libxxhash-dev libzip-dev libgtest-dev librapidcheck-dev libbenchmark-dev
  # Both kinds of MPI, for tests of programs of several processes.
  libmpich12 libopenmpi3 mpich openmpi-bin
  # Functions of AMD's GPUs.
  rocm-device-libs
  # Lays out the picture of a report.
  libgraphviz-dev
  # The Python package; tests and their data use Python, too; lit ends hanging tests with psutil.
  python3 python3-dev python3-jsonschema python3-mpmath python3-numpy python3-psutil python3-venv
)
# A browser, which is large: utils/test.sh asks for it.
[ "${1-}" != --with-browser ] || packages+=(chromium)
# What benchmarks/run.sh compares with.
[ "${1-}" != --with-libraries ] || packages+=(libopenblas-openmp-dev libdnnl-dev)

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

if [ "$(id -u)" -eq 0 ]; then
  root=()
elif command -v sudo >/dev/null; then
  root=(sudo)
else
  echo "setup: missing packages, and neither root nor sudo to install them: ${missing[*]}" >&2
  exit 1
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() { "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 "$@"; }
echo "setup: installing ${#missing[@]} packages" >&2
if ! { apt update && apt install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
  tail -n 20 "$log" >&2
  echo "setup: could not install: ${missing[*]}" >&2
  exit 1
fi
