# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Outputs as the package of the inputs has arrays, without a copy."""
import sys
from typing import Any

import numpy

from . import _core


def _to_torch(output: numpy.ndarray, torch: Any) -> Any:
    if output.dtype.name == "bfloat16":
        return torch.from_numpy(output.view(numpy.int16)).view(torch.bfloat16)
    return torch.from_numpy(output)


def convert(output: numpy.ndarray, example: Any) -> Any:
    """The output as an array of the package that `example` is of; where it has no way to take arrays over, as NumPy's."""
    package = type(example).__module__.partition(".")[0]
    if package == "torch" or (torch := sys.modules.get("torch")) and isinstance(example, torch.Tensor):
        return _to_torch(output, sys.modules["torch"])
    if package in ("jax", "jaxlib"):
        jax = sys.modules["jax"]
        # DLPack takes the memory over; NumPy exports no bfloat16.
        return jax.numpy.asarray(output) if output.dtype.name == "bfloat16" else jax.numpy.from_dlpack(output)
    module = sys.modules.get(package)
    from_dlpack = getattr(module, "from_dlpack", None) or getattr(getattr(module, "dlpack", None), "from_dlpack", None)
    return from_dlpack(output) if from_dlpack and output.dtype.name != "bfloat16" else output


_core.set_converter(convert)
