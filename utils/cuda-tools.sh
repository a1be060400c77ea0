#!/usr/bin/env bash
# Makes a CUDA toolkit with what tests use of one, ptxas, nvdisasm and libdevice: cuda-tools.sh FOLDER leaves it
# in FOLDER/cuda, for CUDA_HOME. Quick where it is there already. Needs neither root nor a GPU.
set -euo pipefail
folder=$1
packages=(nvidia-cuda-nvcc-cu12==12.9.86 nvidia-cuda-nvdisasm==13.2.51)

if [ -x "$folder/cuda/bin/ptxas" ] && [ -x "$folder/cuda/bin/nvdisasm" ] && [ -f "$folder/cuda/nvvm/libdevice/libdevice.10.bc" ]; then
  exit 0
fi
rm -rf "$folder"
mkdir -p "$folder"
if ! /usr/bin/python3 -m venv "$folder/venv" 2>/dev/null && ! python3 -m venv "$folder/venv"; then
  echo "cuda-tools: cannot make a virtual environment: python3-venv is missing" >&2
  exit 1
fi
log=$folder/install.log
if ! "$folder/venv/bin/python" -m pip install --quiet --no-deps --only-binary :all: "${packages[@]}" >"$log" 2>&1; then
  tail -n 20 "$log" >&2
  echo "cuda-tools: cannot install ${packages[*]}" >&2
  exit 1
fi
# The rest of the package, a compiler for programs of its own, is of no use here.
part=$(echo "$folder"/venv/lib/python3*/site-packages/nvidia/cuda_nvcc)
mkdir -p "$folder/cuda/bin" "$folder/cuda/nvvm/libdevice"
mv "$part/bin/ptxas" "$folder/cuda/bin/"
mv "$part/nvvm/libdevice/libdevice.10.bc" "$folder/cuda/nvvm/libdevice/"
mv "$folder"/venv/lib/python3*/site-packages/nvidia/*/bin/nvdisasm "$folder/cuda/bin/"
chmod +x "$folder"/cuda/bin/*
rm -rf "$folder/venv"
