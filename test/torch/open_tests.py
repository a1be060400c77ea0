#!/usr/bin/env python3
"""Ops along dimensions of open size: exported with each of them dynamic, compiled once, and run at several sizes: open_tests.py
[--only NAME]"""

import argparse
import sys
import traceback
import warnings

import torch
import torch.nn as nn
import torch.nn.functional as F

import fuse

warnings.filterwarnings("ignore")
torch.set_num_threads(2)
CASES = {}


def case(make):
    """Of a function of tensors: what makes its arguments of a size."""
    def note(function):
        CASES[function.__name__] = (function, make)
        return function
    return note


@case(lambda n: (torch.randint(0, 4, (n, 2)), torch.randn(n, 2, 5)))
def updates_of_lists(i, v):
    """Lists of indices of rank 2: their number of elements is no number before the program runs."""
    return torch.zeros(4, 5).index_put((i,), v, accumulate=True)


@case(lambda n: (torch.randn(n, n + 3, 6),))
def rolls(x):
    """By less than the extent, by more, over several dimensions, and of all elements in a row."""
    return x.roll(1, 1), x.roll(-1, 0), x.roll(9, 0), x.roll((-7, 2), (0, 1)), x.roll(3)


@case(lambda n: (torch.randn(n, n + 5, 3),))
def windows(x):
    return x.unfold(1, 3, 2), x.unfold(0, 1, 1), x.unfold(1, 4, 4).sum(-1)


@case(lambda n: (torch.randn(n, 2, n + 6, 7),))
def columns_of_images(x):
    """Windows that overlap, that are spread and that leave gaps."""
    return (F.fold(F.unfold(x, 3, padding=1, stride=2), x.shape[2:], 3, padding=1, stride=2),
            F.fold(F.unfold(x, 2, dilation=2), x.shape[2:], 2, dilation=2), F.fold(F.unfold(x, 2, stride=3), x.shape[2:], 2, stride=3))


class Instances(nn.Module):
    def __init__(self):
        super().__init__()
        self.plain, self.affine = nn.InstanceNorm2d(4), nn.InstanceNorm2d(4, affine=True)
        nn.init.normal_(self.affine.weight)

    def forward(self, x):
        return self.plain(x), self.affine(x)


CASES["instance_norms"] = (Instances().eval(), lambda n: (torch.randn(n, 4, n + 3, 6),))


@case(lambda n: (torch.randn(n, 2, n + 2, 6), torch.rand(n, 4, 3, 2) * 2.6 - 1.3))
def grids(x, g):
    return (F.grid_sample(x, g, align_corners=False), F.grid_sample(x, g, padding_mode="border", align_corners=True),
            F.grid_sample(x, g, padding_mode="reflection", align_corners=True),
            F.grid_sample(x, g, mode="nearest", padding_mode="reflection", align_corners=False))


class Joined(nn.Module):
    """Of one part the length is 8, of the other an expression that is 8 wherever the program runs."""
    def __init__(self):
        super().__init__()
        self.conv, self.other = nn.Conv1d(4, 4, 3, 4, 3), nn.Parameter(torch.randn(1, 4, 8))

    def forward(self, x):
        y, z = self.conv(x), self.other.expand(x.shape[0], -1, -1)
        return torch.cat((y, z), 1), torch.stack((z, y))


CASES["parts_of_known_extents"] = (Joined().eval(), lambda n: (torch.randn(n, 4, 23 + n),))


@case(lambda n: (torch.randint(0, 9, (n, 3)),))
def shifts(x):
    return 1 << x, 1000 >> x


def run(function, make):
    torch.manual_seed(0)
    arguments = make(2)
    class Module(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = function

        def forward(self, *given):
            return self.inner(*given)

    is_open = lambda a, b: [dim for dim in range(a.dim()) if a.shape[dim] != b.shape[dim]]
    shapes = tuple(dict.fromkeys(is_open(a, b), torch.export.Dim.DYNAMIC) for a, b in zip(arguments, make(3)))
    program = fuse.compile(torch.export.export(Module(), arguments, dynamic_shapes=(shapes,)), cache=False, progress=False)
    for n in (2, 3, 5):
        given = make(n)
        with torch.no_grad():
            wanted, got = function(*given), program(*given)
        as_tuple = lambda v: v if isinstance(v, tuple) else (v,)
        for g, w in zip(as_tuple(got), as_tuple(wanted), strict=True):
            torch.testing.assert_close(g, w, rtol=1e-4, atol=1e-5)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="")
    options, failed = parser.parse_args(), []
    for name, given in CASES.items():
        if options.only not in name:
            continue
        try:
            run(*given)
        except Exception:
            failed.append(name)
            traceback.print_exc(limit=4)
        print(f"{name:24} {'FAILED' if name in failed else 'passed'}", flush=True)
    print(f"{len(failed)} failed")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
