#!/usr/bin/env bash
# Builds the benchmarks and prints their figures: times, and ratios to what memory allows, of one run
# on this machine. Let it be idle otherwise. Options go to the program: --rounds N, --only TEXT.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

utils/setup.sh
[ -f build/release/build.ninja ] || cmake --preset release >/dev/null
cmake --build --preset release --target memory_bound >/dev/null
export OMP_PROC_BIND=true
exec build/release/bin/memory_bound "$@"
