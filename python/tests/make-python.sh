#!/usr/bin/env bash
# Makes a Python with the package fuse in a folder: make-python.sh FOLDER CXX CC. Exits with 77 (skipped) where what it
# needs cannot be had.
set -uo pipefail
folder=$1 cxx=$2 cc=$3
package=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
skip() {
  echo "$1"
  exit 77
}
packages=("numpy>=2" nanobind==3.1.0 ml_dtypes==0.6.0 onnx==1.23.2 onnxruntime==1.31.1 pytest)
if ! "$folder/bin/python" -c 'import numpy, nanobind, ml_dtypes, onnx, onnxruntime, pytest' 2>/dev/null; then
  rm -rf "$folder"
  if ! /usr/bin/python3 -m venv "$folder" 2>/dev/null && ! python3 -m venv "$folder"; then
    skip "cannot make a virtual environment: python3-venv is missing"
  fi
  "$folder/bin/python" -m pip install --quiet "${packages[@]}" || { rm -rf "$folder"; skip "packages cannot be installed here"; }
fi
# What runs the notebook as its readers do; its test is skipped without.
"$folder/bin/python" -c 'import nbclient, ipykernel, nbconvert, PIL' 2>/dev/null ||
  "$folder/bin/python" -m pip install --quiet nbclient ipykernel nbconvert pillow || echo "Jupyter cannot be installed here"
"$folder/bin/python" -c 'import sysconfig, pathlib; pathlib.Path(sysconfig.get_path("include"), "Python.h").read_text()' \
  2>/dev/null || skip "Python's headers are missing (Debian's package python3-dev)"
# A failure to build is one of this test.
set -e
cmake -S "$package" -B "$folder/core" -G Ninja -DPython_EXECUTABLE="$folder/bin/python" -DCMAKE_CXX_COMPILER="$cxx" \
  -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER_LAUNCHER=ccache > "$folder/core.log" || { cat "$folder/core.log"; exit 1; }
cmake --build "$folder/core" >> "$folder/core.log" || { cat "$folder/core.log"; exit 1; }
# The sources in place, with the module beside them as it would be installed.
site=$("$folder/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
rm -rf "$site/fuse"
mkdir -p "$site/fuse"
ln -s "$package"/fuse/*.py "$package"/fuse/*.pyi "$package"/fuse/py.typed "$site/fuse/"
ln -s "$package"/fuse/mlir "$site/fuse/mlir"
ln -s "$folder"/core/_core*.so "$site/fuse/"
