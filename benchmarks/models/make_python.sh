#!/usr/bin/env bash
# Prints a Python that has the peers: that of FUSE_PEERS_PYTHON, or python3, where it has ONNX Runtime and OpenVINO, else
# one in FOLDER, where they are installed: make_python.sh FOLDER [--with-torch [MODULE …]]. What cannot be installed is left
# out.
set -uo pipefail
folder=$1
needed=(numpy onnx onnxruntime openvino)
[ "${2:-}" != --with-torch ] || needed+=(torch "${@:3}")

lacks() { # PYTHON: the modules that it does not have
  local name
  for name in "${needed[@]}"; do
    "$1" -c "import importlib.util, sys; sys.exit(importlib.util.find_spec('$name') is None)" 2>/dev/null || echo "$name"
  done
}

for python in "${FUSE_PEERS_PYTHON:-python3}" "$folder/bin/python"; do
  if [ -z "$(lacks "$python")" ]; then
    echo "$python"
    exit 0
  fi
done
if [ ! -x "$folder/bin/python" ] && ! python3 -m venv "$folder" >&2; then
  echo "cannot make a virtual environment: python3-venv is missing" >&2
  exit 1
fi
for name in $(lacks "$folder/bin/python"); do
  "$folder/bin/python" -m pip install --quiet "$name" >&2 || echo "$name cannot be installed here" >&2
done
echo "$folder/bin/python"
