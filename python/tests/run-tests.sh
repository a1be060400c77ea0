#!/usr/bin/env bash
# run-tests.sh FOLDER FILE: runs a file of tests with the Python that make-python.sh made; exits with 77 (skipped) where it
# was not made, or where the file skips itself as a whole.
[ -x "$1/bin/python" ] || { echo "no Python with the package fuse"; exit 77; }
"$1/bin/python" -B -m pytest -q -p no:cacheprovider "$2"
status=$?
# 5: pytest found nothing to run.
[ $status -eq 5 ] && exit 77
exit $status
