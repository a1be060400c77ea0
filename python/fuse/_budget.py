# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What programs may cost."""
import contextlib
import contextvars
from collections.abc import Iterator

_limits: contextvars.ContextVar[tuple[dict[str, int], ...]] = contextvars.ContextVar("fuse.budget", default=())


@contextlib.contextmanager
def budget(*, launches: int | None = None, syncs: int | None = None, readback_bytes: int | None = None,
           traffic_bytes: int | None = None) -> Iterator[None]:
    """Within it, compiling a program fails whose one run costs more: the error says which limit does not hold, and what
    keeps kernels apart. Of budgets within budgets all hold."""
    given = {"launches": launches, "syncs": syncs, "readback_bytes": readback_bytes, "traffic_bytes": traffic_bytes}
    limits = {name: limit for name, limit in given.items() if limit is not None}
    token = _limits.set(_limits.get() + (limits,))
    try:
        yield
    finally:
        _limits.reset(token)


def current_options() -> list[tuple[str, str]]:
    """The option `budget`, once for each budget around."""
    return [("budget", ",".join(f"{name}={limit}" for name, limit in limits.items()))
            for limits in _limits.get() if limits]
