#!/usr/bin/env bash
# Builds the benchmarks and prints their figures: times, and ratios to what memory allows, of one run
# on this machine, and how long planning takes per op. Let it be idle otherwise. Options go to the
# first: --rounds N, --only TEXT.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

utils/setup.sh
[ -f build/release/build.ninja ] || cmake --preset release >/dev/null
cmake --build --preset release --target memory_bound fuse-opt >/dev/null
export OMP_PROC_BIND=true
build/release/bin/memory_bound "$@"
exec python3 benchmarks/planning/planning.py build/release/bin/fuse-opt
