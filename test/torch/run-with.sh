#!/usr/bin/env bash
# run-with.sh PYTHON SCRIPT ARGUMENTS...: exits with 77 (skipped) where that Python was not made.
[ -x "$1" ] || { echo "no Python with the PyTorch"; exit 77; }
exec "$@"
