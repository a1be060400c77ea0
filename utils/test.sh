#!/usr/bin/env bash
# Installs what is missing, builds everything (preset release) and runs every test. Skipped and
# failed tests are listed at the end; the last line is "N passed, N failed". Exits 0 only if
# nothing failed.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python=/usr/bin/python3

# What fails before there are tests counts as one failure.
broken() {
  echo "$1" >&2
  echo "0 passed, 1 failed"
  exit 1
}

utils/setup.sh --with-browser || broken "test: the set-up failed"
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
build=build/release
cmake --preset release -D FUSE_BUILD_TESTS=ON -D FUSE_BUILD_BENCHMARKS=ON || broken "test: configuring failed"
cmake --build --preset release || broken "test: the build failed"
# Tests of code for GPUs assemble it. Where there is no assembler, they fail: ctest's cuda/tools says why.
if utils/cuda-tools.sh "$PWD/$build/cuda-tools"; then
  export CUDA_HOME=$PWD/$build/cuda-tools/cuda
fi

results=$build/test-results
rm -rf "$results"
mkdir -p "$results"
lit=$(llvm-config-22 --prefix)/bin/lit
"$python" "$lit" --succinct --verbose --no-progress-bar --timeout 300 \
  --xunit-xml-output "$PWD/$results/lit.xml" "$build/test"
lit_status=$?
ctest --test-dir "$build" -j "$(nproc)" --timeout 600 --output-on-failure \
  --output-junit "$PWD/$results/ctest.xml"
ctest_status=$?

"$python" utils/summarize_tests.py "$results/lit.xml=$lit_status" "$results/ctest.xml=$ctest_status"
