# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ops of the dialect `func`."""
from ._func_ops_gen import *  # noqa: F401, F403
