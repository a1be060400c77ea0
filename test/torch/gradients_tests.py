#!/usr/bin/env python3
"""Gradients by torch.compile(backend="fuse") beside those of eager mode in f64, of functions that PyTorch has a backward op of its own
for: compiled for one size and for open ones, and no node left to PyTorch. gradients_tests.py [--only NAME]"""

import argparse
import sys

import torch
import torch.nn.functional as F

import fuse.torch_backend as backend
from backend_tests import explanations

CASES = {}


def images(n):
    return torch.randn(n, 4, n + 7, 9 + 2 * n)


def volumes(n):
    return torch.randn(n, 2, n + 5, 8, n + 7)


def rows(n):
    return torch.randn(n, 4, 9 + n)


def case(make, opens=True):
    """Of a function of one tensor: what makes it of a size, and whether all sizes of the tensor may be open, or the batch alone."""
    def note(function):
        CASES[function.__name__] = (function, make, opens)
        return function
    return note


def joined(*results):
    return torch.cat([r.flatten() for r in results])


@case(images)
def means_of_bins(x):
    """Bins that overlap, and more of them than there are pixels."""
    return joined(F.adaptive_avg_pool2d(x, (3, 4)), F.adaptive_avg_pool2d(x, (12, 20)), F.adaptive_avg_pool2d(x[0], (1, 5)))


@case(volumes)
def means_of_volumes(x):
    return joined(F.adaptive_avg_pool3d(x, (2, 3, 1)), F.avg_pool3d(x, 2), F.avg_pool3d(x, (2, 3, 2), 2, divisor_override=3),
                  F.avg_pool3d(x, 3, 2, 1, count_include_pad=False))


@case(images)
def means_beyond_padding(x):
    """Of windows that count the padding, and of which the last reaches beyond that."""
    return joined(F.avg_pool2d(x, 3, 2, 1, ceil_mode=True), F.avg_pool2d(x[0], (3, 4), 3, (0, 1), ceil_mode=True))


@case(lambda n: torch.randn(n, 2, 4, 6, 8), opens=False)
def extremes_of_volumes(x):
    return joined(F.max_pool3d(x, 3, 2, 1), F.max_pool3d(x[0], 2), F.adaptive_max_pool3d(x, (2, 2, 4)))


@case(lambda n: torch.randn(n, 4, 6, 12), opens=False)
def extremes_of_bins(x):
    return joined(F.adaptive_max_pool2d(x, (3, 4)), F.adaptive_max_pool2d(x, 1))


@case(images)
def repeated_borders(x):
    return joined(F.pad(x, (1, 2, 0, 3), mode="replicate"), F.pad(x[0], (2, 1), mode="replicate"), F.pad(x[:, :, None], (1, 0, 2, 1, 1, 3), mode="replicate"))


@case(rows)
def distances(x):
    """Some of which are 0."""
    y = torch.cat((x[:, :1], x[:, 1:3] * 2), 1)
    return joined(*(torch.cdist(x, y, p=p) for p in (1.0, 1.5, 2.0, 3.0, float("inf"))), torch.cdist(x[:1], y))


@case(rows)
def counted_rows(x):
    """Of a table of which rows are read several times, and one is padding."""
    return F.embedding(torch.tensor([[1, 2, 1, 0], [1, 3, 3, 0]]), x[0], padding_idx=0, scale_grad_by_freq=True)


@case(rows)
def bags_of_rows(x):
    """Of which one is empty, and of which rows are read several times, weighed, or padding."""
    index, offsets = torch.tensor([1, 2, 1, 0, 3, 3, 1]), torch.tensor([0, 3, 3, 5])
    each = x[0, :, :7].sum(0)
    return joined(*(F.embedding_bag(index, x[0], offsets, mode=mode) for mode in ("sum", "mean", "max")), F.embedding_bag(index.view(1, 7), x[0], padding_idx=1),
                  F.embedding_bag(index, x[0], offsets, mode="sum", per_sample_weights=each), F.embedding_bag(index, x[0], offsets, scale_grad_by_freq=True),
                  F.embedding_bag(index, x[0], torch.tensor([0, 2, 7]), mode="max", padding_idx=3, include_last_offset=True))


@case(lambda n: torch.randn(n, 2, 11, 14), opens=False)
def images_without_aliases(x):
    return joined(*(F.interpolate(x, size=size, mode=mode, antialias=True, align_corners=corners) for mode in ("bilinear", "bicubic")
                    for size in ((4, 5), (13, 6), (11, 1)) for corners in (False, True)), F.interpolate(x, scale_factor=0.4, mode="bilinear", antialias=True))


@case(rows)
def from_one_element_to_the_next(x):
    return joined(x.cummax(1).values, x.cummin(2).values, x.logcumsumexp(2), x.logcumsumexp(0), torch.erfinv(x.tanh()), torch.ldexp(x, torch.arange(4)[:, None]))


@case(rows)
def places_by_a_mask(x):
    """Fewer than there are elements for them."""
    return joined(torch.zeros_like(x).masked_scatter(x.detach() > 0.5, x * 2), x.sin().masked_scatter(x.detach() < 0, x[:, :, 1:]))


@case(lambda n: torch.randn(n, 4, 6, 8), opens=False)
def shared_heads(x):
    """Heads of keys and values that several of the query share."""
    k = x[:, 1:3]
    return joined(F.scaled_dot_product_attention(x, k * 2, k, enable_gqa=True), F.scaled_dot_product_attention(x, k, k.sin(), is_causal=True, enable_gqa=True))


@case(images)
def groups_of_filters(x):
    """As many groups as channels, and groups of several channels and filters."""
    each = x[0, :, :3, :3].unsqueeze(1)
    pairs = x[0, :2, :2, :3].unsqueeze(0).expand(6, 2, 2, 3) * torch.arange(1.0, 7)[:, None, None, None]
    return joined(F.conv2d(x, each, padding=1, groups=4), F.conv2d(x, each, None, 2, 2, 2, groups=4), F.conv2d(x, pairs, None, (2, 1), groups=2),
                  F.conv1d(x[:, :, 0], each[:, :, 0], None, 2, groups=4))


@case(lambda n: torch.randn(2, 4, 11))
def places_in_memory(x):
    """Written to, in the order that the memory has."""
    turned = x.detach().transpose(0, 1).contiguous().transpose(0, 1) * 2  # PyTorch has no gradient of such
    return joined(torch.as_strided_scatter(x, x[:1, :2, :3] * 2, (1, 2, 3), (44, 11, 2), 3),
                  torch.as_strided_scatter(turned, x[0, 1, :4].detach() * 3, (4,), (9,), 2))


@case(rows)
def ranges_of_floats(x):
    """Whose number of elements the backward pass is given as an expression of sizes."""
    return (torch.arange(x.shape[2], -x.shape[2], -1.0)[:, None] * x[0, 0]).sin()


def check_counts():
    """Numbers at the borders of steps, beyond the range, and ranges that are those of the elements."""
    torch.manual_seed(0)
    for x in (torch.randn(200), (torch.randn(200) * 9).round() / 9, torch.full((7,), 3.0), torch.randn(5, 6).double()):
        call = lambda x: (torch.histc(x, 5, -1.0, 1.0), torch.histc(x, 18, -2, 2), torch.histc(x, 7))
        torch._dynamo.reset()
        with explanations() as made:
            got = torch.compile(call, backend=backend.fuse, options={"cache": False})(x)
        assert not any(e.refusals for e in made), made
        for g, w in zip(got, call(x), strict=True):
            assert torch.equal(g, w), (g, w)


def check_special_numbers():
    """Infinities, and what is no number, among those that come before."""
    inf, nan = float("inf"), float("nan")
    x = torch.tensor([[1.0, -inf, 3.0, 3.0, nan, 9.0, nan], [-inf, -inf, inf, inf, 2.0, -inf, 1.0], [nan, 1.0, 1.0, 0.0, -0.0, 5.0, 5.0], [-inf, -inf, 1.0, 1.0, 1.0, 0.5, 1.0]])
    y = torch.tensor([-1.0, 1.0, 1.5, -2.0, nan, 0.0, 0.7, -0.7, 0.9999999, 1e-30, -0.99999])

    def call(x, y):
        return (*x.cummax(1), *x.cummin(1), *x.cummax(0), x.logcumsumexp(1), torch.erfinv(y))

    for dtype in (torch.float32, torch.float64, torch.bfloat16):
        torch._dynamo.reset()
        got = torch.compile(call, backend=backend.fuse, fullgraph=True, options={"cache": False})(x.to(dtype), y.to(dtype))
        for g, w in zip(got, call(x.to(dtype), y.to(dtype)), strict=True):
            torch.testing.assert_close(g, w, equal_nan=True)


def check(function, make, opens, is_open):
    torch._dynamo.reset()
    compiled = torch.compile(function, backend=backend.fuse, dynamic=is_open and (opens or None), options={"cache": False})
    with explanations() as made:
        for n in (2, 3) if is_open else (2,):
            torch.manual_seed(n)
            x = make(n).requires_grad_()
            if is_open and not opens:
                torch._dynamo.mark_dynamic(x, 0)
            exact = x.detach().double().requires_grad_()
            got, wanted = compiled(x), function(exact)
            weights = torch.linspace(-1, 2, got.numel(), dtype=torch.float64).reshape(got.shape)
            (got * weights.float()).sum().backward()
            (wanted * weights).sum().backward()
            for g, w in ((got, wanted), (x.grad, exact.grad)):
                torch.testing.assert_close(g.double(), w.detach().double(), rtol=1e-4, atol=1e-4 * w.abs().max().item() + 1e-6)
    refusals = [r for e in made for r in e.refusals]
    assert not refusals, refusals


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="")
    only = parser.parse_args().only
    for name, given in CASES.items():
        if only in name:
            for is_open in (False, True):
                check(*given, is_open)
            print(f"{name} passed", flush=True)
    check_counts()
    print("counts passed")
    check_special_numbers()
    print("special numbers passed")


if __name__ == "__main__":
    sys.exit(main())
