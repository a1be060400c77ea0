#!/usr/bin/env bash
# run-with.sh PYTHON ARGUMENTS...: exits with 77 (skipped) where that Python was not made.
[ -x "$1" ] && "$1" -c 'import jax' 2>/dev/null || { echo "no Python with JAX"; exit 77; }
exec "$@"
