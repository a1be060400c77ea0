#!/usr/bin/env bash
# Makes a Python with JAX and the package fuse in a folder: make-python.sh FOLDER CXX CC. Exits with 77 (skipped) where what it
# needs cannot be had.
set -uo pipefail
folder=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
"$here/../../python/tests/make-python.sh" "$@" || exit $?
python=$folder/bin/python
"$python" -c 'import jax' 2>/dev/null && exit 0
if ! "$python" -m pip install --quiet jax==0.10.2 jaxlib==0.10.2; then
  echo "JAX cannot be installed here"
  exit 77
fi
"$python" -c 'import jax' || { echo "JAX cannot be imported here"; exit 77; }
