#!/usr/bin/env bash
# Installs what is missing, builds fuse-run, and classifies the 360 digit scans of examples/digits.
# Fails unless every probability is within 1e-5 and 352 digits are recognized.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

utils/setup.sh
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
quietly() { "$@" >"$scratch/log" 2>&1 || { tail -n 50 "$scratch/log" >&2; exit 1; }; }

[ -f build/release/build.ninja ] || quietly cmake --preset release
if [ -t 1 ]; then
  cmake --build --preset release --target fuse-run
else
  quietly cmake --build --preset release --target fuse-run
fi

data=examples/digits
build/release/bin/fuse-run $data/digits.mlir \
  --inputs $data/digits_weights.npz --inputs $data/digits_test.npz \
  --expect $data/digits_test.npz --rtol 0 --atol 1e-5 \
  --outputs "$scratch/outputs.npz" --report --time 20

/usr/bin/python3 - "$scratch/outputs.npz" $data/digits_test.npz <<'PYTHON'
import sys
import numpy as np
got, want = np.load(sys.argv[1]), np.load(sys.argv[2])
error = np.abs(got["probability"].astype(np.float64) - want["probability"]).max()
correct, scans = int(got["correct"]), len(want["label"])
print(f"largest error = {error:.3g}")
print(f"correct = {correct} of {scans}")
sys.exit(not (error <= 1e-5 and correct == 352))
PYTHON
