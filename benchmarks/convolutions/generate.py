# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs around a convolution, drawn by chance: what networks have, and its neighbours.

A program is a convolution and a tail: some, in any order, of a batch norm, a relu, a residual addition and a pool.
Some programs have something in front of the convolution, or a second convolution and another tail behind it."""

import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cost_model"))
from program import Program

CHANNELS = (3, 4, 8, 12, 16, 17, 24, 31, 32, 40, 48, 56, 64, 65, 80, 96, 100, 120, 128, 129, 160, 192, 255, 256, 320,
            384, 512)
EXTENTS = (7, 8, 12, 14, 15, 19, 24, 28, 29, 32, 40, 47, 56, 58, 60, 64, 75, 80, 97, 112, 114, 128, 160, 224, 242)
LENGTHS = (64, 100, 257, 500, 1000, 1500, 2048, 3000)
KERNELS = (1, 1, 1, 2, 3, 3, 3, 3, 4, 5, 5, 6, 7)
GROUPS = (2, 4, 8, 32)
TAIL = ("bn", "relu", "add", "pool")
POOLS = ("max", "max", "avg", "mean")  # `mean` is that of a whole image
WINDOWS = ((2, 2, 0), (3, 2, 1), (3, 1, 1), (3, 2, 0), (3, 3, 0))  # of pools: taps, stride, padding
STEPS = (1 << 20, 1 << 28)  # multiplications of a convolution
ELEMENTS = 1 << 23  # of an image
LEAST_IMAGE = 4  # pixels along a side, for a pool


class Draw:
    """One program; `fits` says whether it is of a size worth timing."""

    def __init__(self, rng, number):
        self.rng = rng
        self.fits = True
        self.tail = []
        self.variances = []
        is_line = rng.random() < 0.1
        batch = rng.choice((1, 1, 1, 1, 1, 1, 2, 3, 4, 8))
        extent = rng.choice(EXTENTS) if rng.random() < 0.7 else rng.randint(EXTENTS[0], EXTENTS[-1])
        shape = [batch, rng.choice(CHANNELS), *((1, rng.choice(LENGTHS)) if is_line else [extent] * 2)]
        self.is_line = is_line
        self.program = Program(f"{number:03}", "compute")
        x = self.program.argument(shape)
        if rng.random() < 0.15:
            x = self.follow(x, rng.choice(("bn", "relu")))
        x = self.draw_tail(self.convolve(x), TAIL, 1)
        if rng.random() < 0.2:
            x = self.draw_tail(self.convolve(x), TAIL[:3], 0)
        self.program.returns(x)
        self.size = "x".join(map(str, shape))

    def draw_tail(self, x, kinds, least):
        for kind in self.rng.sample(kinds, self.rng.randint(least, len(kinds))):
            x = self.follow(x, kind)
        return x

    def draw_groups(self, channels):
        """How many groups a convolution of `channels` has, and how many filters."""
        rng = self.rng
        groups = rng.choices((1, channels, rng.choice(GROUPS)), (80, 12, 8))[0]
        if channels <= 3 or channels % groups:
            groups = 1
        if groups == channels or rng.random() < 0.4:
            return groups, channels
        return groups, rng.choice([filters for filters in CHANNELS if filters % groups == 0])

    def convolve(self, x):
        rng = self.rng
        batch, channels, height, width = x.shape
        taps, stride = rng.choice(KERNELS), rng.choice((1, 1, 1, 2))
        kernel = (1, taps) if height == 1 else (taps, taps)
        is_padded = rng.random() < 0.5
        padding = [(k // 2 if is_padded else 0) for k in kernel]
        groups, filters = self.draw_groups(channels)
        strides = (1 if height == 1 else stride, stride)
        out = [(extent + 2 * p - k) // s + 1 for extent, p, k, s in zip((height, width), padding, kernel, strides)]
        steps = batch * filters * channels // groups * kernel[0] * kernel[1] * max(out[0], 0) * max(out[1], 0)
        if not self.fits or min(out) < 1 or not STEPS[0] <= steps <= STEPS[1] or max(
                batch * channels * height * width, batch * filters * out[0] * out[1]) > ELEMENTS:
            self.fits = False
            return x
        kind = filters if groups == 1 else "dw" if groups == channels else f"{filters}g{groups}"
        self.tail.append(f"{kind}k{taps}{f's{stride}' if stride > 1 else ''}{'p' if is_padded and taps > 1 else ''}")
        weights = self.program.argument([filters, channels // groups, *kernel], param=True)
        return self.program.conv2d(x, weights, strides, padding, groups)

    def follow(self, x, kind):
        p = self.program
        if not self.fits:
            return x
        if kind == "pool":
            return self.pool(x)
        self.tail.append(kind)
        if kind == "bn":
            self.variances.append(len(p.arguments) + 3)
            return p.batch_norm(x)
        if kind == "add":
            return p.binary("add", x, p.argument(x.shape))
        return p.unary(kind, x)

    def pool(self, x):
        if min(x.shape[2:]) < LEAST_IMAGE:
            return x
        kind = self.rng.choice(POOLS)
        if kind == "mean":
            self.tail.append(kind)
            return self.program.reduce("mean", x, [2, 3], keep=True)
        taps, stride, padding = self.rng.choice(WINDOWS)
        self.tail.append(f"{kind}{taps}s{stride}{'p' if padding else ''}")
        return getattr(self.program, f"{kind}_pool")(x, taps, stride, padding)

    @property
    def name(self):
        return f"{self.program.name} {'-'.join(self.tail)}"

    def arrays(self):
        """Arrays that inputs must not be made up for, by name: variances, which are positive. Each is a list of f32."""
        extent = lambda i: int(self.program.arguments[i].split("tensor<")[1].split("x")[0])
        return {f"arg{i}": [0.5 + (j % 7) / 7 for j in range(extent(i))] for i in self.variances}


def generate(count, seed):
    """`count` programs of a size worth timing; the same for the same seed."""
    rng = random.Random(seed)
    found = []
    while len(found) < count:
        draw = Draw(rng, len(found))
        if draw.fits:
            found.append(draw)
    return found
