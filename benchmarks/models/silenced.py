# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import contextlib
import os
import sys


@contextlib.contextmanager
def silenced():
    """Sends what exporters and quantizers print, part of it from C++, nowhere."""
    sys.stdout.flush()
    saved = os.dup(1), os.dup(2)
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    try:
        yield
    finally:
        sys.stdout.flush()
        for number, stream in enumerate(saved, 1):
            os.dup2(stream, number)
            os.close(stream)
