# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs around a convolution, drawn by chance: what networks have, and its neighbours."""

import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cost_model"))
from program import Program

CHANNELS = (3, 4, 8, 12, 16, 17, 24, 32, 40, 48, 56, 64, 80, 96, 120, 128, 160, 192, 256, 320, 384, 512)
EXTENTS = (7, 8, 12, 14, 15, 19, 24, 28, 29, 32, 40, 47, 56, 58, 60, 64, 75, 80, 97, 112, 114, 128, 160, 224, 242)
LENGTHS = (64, 100, 257, 500, 1000, 1500, 2048, 3000)
KERNELS = (1, 1, 3, 3, 3, 3, 5, 7)
FOLLOWERS = ("bn", "relu", "add", "sigmoid", "max_pool", "mean_pool")
STEPS = (1 << 17, 1 << 28)  # multiplications of a convolution
ELEMENTS = 1 << 23  # of an image


class Draw:
    """One program; `fits` says whether it is of a size worth timing."""

    def __init__(self, rng, number):
        self.rng = rng
        self.fits = True
        self.tail = []
        is_line = rng.random() < 0.15
        batch = rng.choice((1, 1, 1, 1, 2, 3, 4, 8))
        shape = [batch, rng.choice(CHANNELS), *((1, rng.choice(LENGTHS)) if is_line else [rng.choice(EXTENTS)] * 2)]
        self.is_line = is_line
        self.program = Program(f"{number:03}", "compute")
        x = self.program.argument(shape)
        if rng.random() < 0.15:
            x = self.follow(x, rng.choice(("bn", "relu")))
        x = self.convolve(x)
        for _ in range(rng.randrange(1, 5)):
            if self.fits:
                x = self.follow(x, rng.choice(FOLLOWERS))
        if self.fits and rng.random() < 0.3:
            x = self.convolve(x)
            for _ in range(rng.randrange(0, 3)):
                if self.fits:
                    x = self.follow(x, rng.choice(FOLLOWERS[:4]))
        self.program.returns(x)
        self.size = "x".join(map(str, shape))

    def convolve(self, x):
        rng = self.rng
        batch, channels, height, width = x.shape
        taps, stride = rng.choice(KERNELS), rng.choice((1, 1, 1, 2))
        kernel = (1, taps) if height == 1 else (taps, taps)
        is_padded = rng.random() < 0.5
        padding = [(k // 2 if is_padded else 0) for k in kernel]
        groups = channels if rng.random() < 0.12 and channels > 3 else 1
        filters = channels if groups > 1 or rng.random() < 0.4 else rng.choice(CHANNELS)
        strides = (1 if height == 1 else stride, stride)
        out = [(extent + 2 * p - k) // s + 1 for extent, p, k, s in zip((height, width), padding, kernel, strides)]
        steps = batch * filters * channels // groups * kernel[0] * kernel[1] * max(out[0], 0) * max(out[1], 0)
        if min(out) < 1 or not STEPS[0] <= steps <= STEPS[1] or max(
                batch * channels * height * width, batch * filters * out[0] * out[1]) > ELEMENTS:
            self.fits = False
            return x
        self.tail.append(f"{'dw' if groups > 1 else filters}k{taps}{f's{stride}' if stride > 1 else ''}"
                         f"{'p' if is_padded and taps > 1 else ''}")
        weights = self.program.argument([filters, channels // groups, *kernel], param=True)
        return self.program.conv2d(x, weights, strides, padding, groups)

    def follow(self, x, kind):
        p = self.program
        height, width = x.shape[2:]
        if kind.endswith("pool"):
            if height < 4 or width < 4:
                return x
            self.tail.append("max" if kind == "max_pool" else "mean")
            if kind == "max_pool":
                return p.max_pool(x, *self.rng.choice(((2, 2, 0), (3, 2, 1), (3, 1, 1))))
            return p.reduce("mean", x, [2, 3], keep=True)
        self.tail.append(kind)
        if kind == "bn":
            return p.batch_norm(x)
        if kind == "add":
            return p.binary("add", x, p.argument(x.shape))
        return p.unary(kind, x)

    @property
    def name(self):
        return f"{self.program.name} {'-'.join(self.tail)}"


def generate(count, seed):
    """`count` programs of a size worth timing; the same for the same seed."""
    rng = random.Random(seed)
    found = []
    while len(found) < count:
        draw = Draw(rng, len(found))
        if draw.fits:
            found.append(draw)
    return found
