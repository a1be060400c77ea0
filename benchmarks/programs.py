# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What programs are run with."""

import os
import re


def inputs_of(path):
    """Options of fuse-run: X.inputs.npz beside X.onnx, else random inputs."""
    given = re.sub(r"\.onnx$", ".inputs.npz", path)
    return ["--inputs", given] if given != path and os.path.exists(given) else ["--random-inputs", "1"]


def numerics_of(path, classes):
    """Options of fuse-run and fuse-compile from texts CLASS, for all programs, and NAME:CLASS, for those whose file's name
    begins with NAME; the first that fits."""
    name = os.path.basename(path)
    for text in classes:
        prefix, _, value = text.rpartition(":")
        if name.startswith(prefix):
            return ["--numerics", value]
    return []
