#!/usr/bin/env python3
"""Ops along dimensions of open size: exported with each of them dynamic, compiled once, and run at several sizes: open_tests.py
[--only NAME]"""

import argparse
import math
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


@case(lambda n: (torch.randn(n, 2, n + 2, 7),))
def sizes_by_floats(x):
    """Sizes that are rounded floats of extents: those that are exact ratios, and others, up and down. Buffers of such sizes lie
    between kernels."""
    n, h = x.shape[0], x.shape[2]
    blocks = F.interpolate(x, size=(2 * math.ceil((h + 1) / 2), 8), mode="bilinear")
    parts = blocks.view(-1, 2, math.ceil((h + 1) / 2), 2, 8).softmax(2).sum(-1)
    larger = F.interpolate(x, size=(math.floor(h * 1.5), math.floor(h * 1.3) + 1), mode="nearest").cumsum(-1)
    return parts, larger, F.interpolate(x, scale_factor=1.7, mode="bicubic"), x.sum() * (n / 2 + h**0.5)


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


@case(lambda n: (torch.randn(n, 4, n + 5, 2 * n + 7), torch.randn(6, 2, 3, 3), torch.randn(6, 4, 2, 2), torch.randn(4, 3, 3, 3)))
def gradients_of_convolutions(x, grouped, cut, turned):
    """Of images of open sizes: where windows overlap, where the last rows are read by none, and of a transposed convolution."""
    backward = torch.ops.aten.convolution_backward
    overlapping = F.conv2d(x, grouped, None, 2, 2, 2, 2).sin(), x, grouped, [6], [2, 2], [2, 2], [2, 2], False, [0, 0], 2
    rest = F.conv2d(x, cut, None, 2).sin(), x, cut, None, [2, 2], [0, 0], [1, 1], False, [0, 0], 1
    transposed = F.conv_transpose2d(x, turned, None, 2, 1, 1).sin(), x, turned, [3], [2, 2], [1, 1], [1, 1], True, [1, 1], 1
    return backward(*overlapping, [True] * 3) + backward(*rest, [True, True, False])[:2] + backward(*transposed, [True] * 3)


@case(lambda n: (torch.randn(n, 2, n + 6, 2 * n + 5),))
def pools_with_indices(x):
    """And where their gradients go."""
    y, at = F.max_pool2d(x, 3, 2, 1, ceil_mode=True, return_indices=True)
    rows, places = F.max_pool1d(x[0], 2, return_indices=True)
    return y, at, rows, places, torch.ops.aten.max_pool2d_with_indices_backward(y.sin(), x, [3, 3], [2, 2], [1, 1], [1, 1], True, at)


@case(lambda n: (torch.randn(n, 2, n + 6, 2 * n + 5),))
def gradients_of_means(x):
    """Of windows' means that count padding, that do not, and of a last window that reaches beyond the image."""
    def gradient(*window):
        return torch.ops.aten.avg_pool2d_backward(torch.ops.aten.avg_pool2d(x, *window).sin(), x, *window)
    return (gradient([3, 2], [2, 1], [1, 0], False, True, None), gradient([3], [2], [1], False, False, None),
            gradient([3], [2], [0], True, True, None), gradient([2], [], [0], False, True, 5))


@case(lambda n: (torch.randn(n, 4, n + 3, 2 * n + 4, n + 6), torch.randn(6, 2, 3, 3, 2), torch.randn(4, 3, 2, 3, 3)))
def volumes(x, grouped, turned):
    """Whose extents all are open: convolved both ways, and pooled with a last window that reaches beyond them, and without."""
    y = F.conv3d(x, grouped, None, (2, 1, 2), (1, 0, 1), (1, 2, 1), 2)
    return (y, F.conv_transpose3d(x, turned, None, 2, 1, (1, 0, 1)), F.max_pool3d(x, 3, 2, 1), F.max_pool3d(x, 2, ceil_mode=True),
            F.avg_pool3d(x, 3, 2, 1), F.avg_pool3d(x, 2, 1), F.avg_pool3d(x, 3, 2, 1, count_include_pad=False), y.mean((2, 3, 4)))


@case(lambda n: (torch.randn(n, 4, n + 3, 2 * n + 4, n + 6), torch.randn(6, 2, 3, 3, 2)))
def gradients_of_volumes(x, w):
    y = F.conv3d(x, w, None, (2, 1, 2), (1, 0, 1), (1, 2, 1), 2)
    return torch.ops.aten.convolution_backward(y.sin() / 8, x, w, [6], [2, 1, 2], [1, 0, 1], [1, 2, 1], False, [0, 0, 0], 2, [True] * 3)


@case(lambda n: (torch.randn(n, 4, n + 3, 2 * n + 4, n + 6), torch.randn(4, 3, 2, 3, 3)))
def gradients_of_transposed_volumes(x, w):
    y = F.conv_transpose3d(x, w, None, 2, 1, (1, 0, 1))
    return torch.ops.aten.convolution_backward(y.sin(), x, w, [3], [2, 2, 2], [1, 1, 1], [1, 1, 1], True, [1, 0, 1], 1, [True] * 3)


@case(lambda n: (torch.randn(n, 2, n + 3, 6), torch.rand(n, n + 2, 3, 2) * 4 - 2))
def gradients_of_grids(x, g):
    """Of the image and of the grid, whose places lie beyond the image, too."""
    made = ()
    for mode, padding, is_aligned in ((0, 0, False), (0, 1, True), (0, 2, False), (0, 2, True), (1, 0, True), (1, 2, False)):
        y = torch.ops.aten.grid_sampler_2d(x, g, mode, padding, is_aligned).sin()
        made += torch.ops.aten.grid_sampler_2d_backward(y, x, g, mode, padding, is_aligned, [True, True])
    return made


@case(lambda n: (torch.randn(3, 4, 5) * 3, torch.tensor([0.02, 0.3, 0.05, 0.1]), torch.tensor([0, 3, -2, 1], dtype=torch.int32)))
def rounded_to_grids_of_integers(x, scales, zeros):
    """By one scale that is a number, by one that is a tensor, and by one for each channel. PyTorch itself has no open sizes here."""
    on = torch.ones(1, dtype=torch.int64)
    return (torch.fake_quantize_per_tensor_affine(x, 0.037, 3, -128, 127), torch.fake_quantize_per_channel_affine(x, scales, zeros, 1, -8, 7),
            torch.ops.aten._fake_quantize_per_tensor_affine_cachemask_tensor_qparams(x, scales[:1], zeros[1:2], on, 0, 255))


@case(lambda n: (torch.randn(n, 3, 2, 5),))
def windows_larger_than_images(x):
    """One window takes what there is of the rows, and the last one of the columns reaches beyond the image."""
    return F.avg_pool2d(x, 3, 2, ceil_mode=True), F.max_pool2d(x, 3, 2, ceil_mode=True), F.avg_pool2d(x, (3, 4), 3, (0, 1), ceil_mode=True)


@case(lambda n: (torch.randn(n, 5) * 9,))
def logarithms_of_sigmoids(x):
    """With what the gradient reads beside."""
    return torch.ops.aten.log_sigmoid_forward(x)


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
        as_tuple = torch.utils._pytree.tree_leaves
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
