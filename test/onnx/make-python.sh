#!/usr/bin/env bash
# Makes a Python with the onnx packages in a folder: make-python.sh FOLDER. Exits with 77 (skipped)
# where they cannot be had.
set -uo pipefail
folder=$1
if "$folder/bin/python" -c 'import onnx, onnxruntime, numpy' 2>/dev/null; then
  exit 0
fi
rm -rf "$folder"
if ! /usr/bin/python3 -m venv "$folder" 2>/dev/null && ! python3 -m venv "$folder"; then
  echo "cannot make a virtual environment: python3-venv is missing"
  exit 77
fi
if ! "$folder/bin/python" -m pip install --quiet onnx==1.23.2 onnxruntime==1.31.1 numpy; then
  echo "the packages onnx and onnxruntime cannot be installed here"
  rm -rf "$folder"
  exit 77
fi
# What quantizers of weights of few bits need; without it such networks are no cases.
"$folder/bin/python" -m pip install --quiet onnx_ir || true
# What one test needs, which is skipped without it.
"$folder/bin/python" -m pip install --quiet skl2onnx==1.20.0 scikit-learn==1.9.1 || true
