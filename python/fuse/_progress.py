# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A line on stderr that says how far a compilation is, as tqdm draws them."""
import os
import sys
import threading
import time
from collections.abc import Callable


class ProgressBar:
    """Drawn over and over, from half a second on, and erased in the end."""

    QUIET_SECONDS = 0.5
    WIDTH = 24

    def __init__(self, label: str) -> None:
        self.label = label
        self.start = time.monotonic()
        self.part, self.stage = 0.0, ""
        self.is_drawn = False
        self.lock = threading.Lock()
        self.done = threading.Event()
        self.ticker = threading.Thread(target=self._tick, daemon=True)
        self.ticker.start()

    def __call__(self, part: float, stage: str) -> None:
        with self.lock:
            self.part, self.stage = part, stage

    def _tick(self) -> None:
        # A stage may be long: the time goes on all the same.
        while not self.done.wait(0.2):
            if time.monotonic() - self.start >= self.QUIET_SECONDS:
                self._draw()

    def _draw(self) -> None:
        with self.lock:
            part, stage = self.part, self.stage
        seconds = int(time.monotonic() - self.start)
        full = int(part * self.WIDTH)
        bar = "█" * full + " " * (self.WIDTH - full)
        sys.stderr.write(f"\r\x1b[K{self.label}: {part:4.0%}|{bar}| {stage} [{seconds // 60:02}:{seconds % 60:02}]")
        sys.stderr.flush()
        self.is_drawn = True

    def close(self) -> None:
        self.done.set()
        self.ticker.join()
        if self.is_drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def make_progress(wanted: bool | Callable[[float, str], None] | None, label: str) -> Callable[[float, str], None] | None:
    """The callback for a compilation: the caller's, a bar, or, of None, a bar where stderr is a terminal."""
    if wanted is None:
        wanted = sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
    if not wanted:
        return None
    return ProgressBar(label) if wanted is True else wanted
