#!/usr/bin/env bash
# Makes a Python with PyTorch and the package fuse in a folder: make-python.sh FOLDER CXX CC. Exits with 77 (skipped) where
# what it needs cannot be had. FUSE_TORCH_PYTHON names a Python that has PyTorch already: its packages are used then, in
# place of some gigabytes that are fetched.
set -uo pipefail
folder=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
"$here/../../python/tests/make-python.sh" "$@" || exit $?
python=$folder/bin/python
has='import torch, torchvision, transformers, expecttest'
site=$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
if [ -n "${FUSE_TORCH_PYTHON:-}" ]; then
  "$FUSE_TORCH_PYTHON" -c 'import sysconfig; print(sysconfig.get_path("purelib"))' > "$site/fuse-torch.pth" || exit 77
fi
"$python" -c "$has" 2>/dev/null && exit 0
# PyPI's wheel is the one for CUDA; on a CPU it is content with a few of the libraries that it lists.
if ! "$python" -m pip install --quiet --no-deps torch torchvision nvidia-cufile nvidia-cusparselt-cu13 nvidia-nvshmem-cu13 \
    nvidia-nccl-cu13 nvidia-cudnn-cu13 ||
  ! "$python" -m pip install --quiet filelock typing-extensions sympy networkx jinja2 fsspec pillow transformers expecttest; then
  echo "PyTorch cannot be installed here"
  exit 77
fi
"$python" -c "$has" || { echo "PyTorch cannot be imported here"; exit 77; }
