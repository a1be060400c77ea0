#!/usr/bin/env python3
"""What torch.compile(backend="fuse") gives where sizes are open: views of arguments and of other results, strides, gradients."""

import copy
import sys

import torch
import torch.nn as nn
import torch.nn.functional as F

import fuse.torch_backend as backend
from backend_tests import check, explanations, leaves

VIEWS = {
    "half": lambda x: x[x.shape[0] // 2:],
    "expanded": lambda x: x[0].expand(x.shape),
    "joined": lambda x: x.reshape(x.shape[0] * 5),
    "argument": lambda x: (x * 2, x, x.t(), x.shape[0]),
    "of_another": lambda x: (lambda y: (y, y[y.shape[0] // 2:], y.t(), y.expand(2, *y.shape)))(x * 2),
    "of_a_turned": lambda x: (lambda y: (y[y.shape[0] // 2:], y, y.t(), y.contiguous()))(x.t() * 2),
    "turned": lambda x: (x[:, None] * x).permute(2, 0, 1),
    "turned_of_none": lambda x: (lambda y: (y[y.shape[0] // 2:], y.t()))(x.t() * 2),
    "sums": lambda x: (x.shape[0] + x.shape[0] // 2 + 7, x.new_ones(x.shape[0] + x.shape[0] // 2 + 7) * x[0, 0], x + 1),
    "numbers": lambda x: (3, None, x.shape[0] * 2, (x + 1).t(), x),
}


def compile_open(function):
    torch._dynamo.reset()
    return torch.compile(function, backend=backend.fuse, dynamic=True, options={"cache": False, "fullgraph": True})


def check_views(function, trains):
    compiled = compile_open(function)
    for batch in (2, 4, 3):
        x = torch.randn(batch, 5, requires_grad=trains)
        other = x.detach().clone().requires_grad_(trains)
        got, wanted = compiled(x), function(other)
        check(got, wanted)
        assert [g for g in torch.utils._pytree.tree_leaves(got) if isinstance(g, int)] == [w for w in torch.utils._pytree.tree_leaves(wanted) if isinstance(w, int)]
        for g, w in zip(leaves(got), leaves(wanted)):
            assert g.stride() == w.stride(), (g.stride(), w.stride())
            assert (g.data_ptr() - x.data_ptr() if g.untyped_storage().data_ptr() == x.untyped_storage().data_ptr() else None) == (
                w.data_ptr() - other.data_ptr() if w.untyped_storage().data_ptr() == other.untyped_storage().data_ptr() else None)
        if trains:
            for found in (got, wanted):
                sum((t * torch.arange(t.numel()).reshape(t.shape)).sum() for t in leaves(found)).backward()
            check(x.grad, other.grad)


def check_training(module, make):
    torch._dynamo.reset()
    compiled = torch.compile(module, backend=backend.fuse, options={"cache": False, "fullgraph": True})
    for batch in (2, 3, 4):
        found = []
        for call in (compiled, module):
            torch.manual_seed(batch)
            x, *rest = make(batch)
            x.requires_grad_()
            torch._dynamo.mark_dynamic(x, 0)
            results = call(x, *rest)
            sum(y.square().sum() for y in leaves(results)).backward()
            found.append([results, x.grad])
        check(*found)


def check_saved_extents():
    """Extents of what the graph computes, which that for the backward pass is given as numbers: of convolutions of open images. They
    are expressions of the arguments' extents, and nothing is left to PyTorch."""
    block = lambda ins: (nn.Conv2d(ins, 4, 3, 2, 1), nn.BatchNorm2d(4), nn.ReLU())
    module = nn.Sequential(*block(3), *block(4), *block(4))
    compiled, other = compile_open(module), copy.deepcopy(module)
    with explanations() as made:
        for batch, rows, columns in ((2, 16, 20), (3, 21, 17)):
            x = torch.randn(batch, 3, rows, columns)
            for each in (compiled, other):
                each(x).square().mean().backward()
            check([p.grad for p in module.parameters()], [p.grad for p in other.parameters()], 1e-3)
    assert made and not any(e.refusals for e in made), made


def check_many_refusals():
    """Each try to import a graph finds one more node that PyTorch runs: after some, all others of their op are PyTorch's, too."""
    function = lambda x: sum(torch.diagonal(x * k).sum() for k in range(70))
    torch._dynamo.reset()
    compiled = torch.compile(function, backend=backend.fuse, dynamic=True, options={"cache": False})
    with explanations() as made:
        for size in (5, 7):
            x = torch.randn(size, size + 1)
            check(compiled(x), function(x))
    assert len(made) == 1 and made[0].programs and len(made[0].refusals) == 70, made
    assert "extents that are known" in made[0].refusals[0].reason, made


def check_volumes():
    """An even depth beside an open batch."""
    for layer in (nn.Conv3d(2, 4, 3, padding=1), nn.ConvTranspose3d(2, 4, 2, 2), nn.MaxPool3d(2), nn.AvgPool3d(2)):
        torch._dynamo.reset()
        compiled = torch.compile(layer, backend=backend.fuse, options={"cache": False, "fullgraph": True})
        for batch in (2, 3):
            x = torch.randn(batch, 2, 4, 5, 6)
            torch._dynamo.mark_dynamic(x, 0)
            with torch.no_grad():
                check(compiled(x), layer(x))


class Attention(nn.Module):
    """A mask of the keys, and results that are views of what other kernels read."""

    def __init__(self):
        super().__init__()
        self.inner = nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, x):
        mask = torch.arange(x.shape[1])[None].expand(x.shape[0], -1) > 3
        return self.inner(x, x, x, key_padding_mask=mask)


class Causal(nn.Module):
    """F.scaled_dot_product_attention by queries whose weights are normalized."""

    def __init__(self):
        super().__init__()
        self.inner = nn.utils.parametrizations.weight_norm(nn.Linear(8, 8))

    def forward(self, x):
        heads = x.view(x.shape[0], 6, 2, 4).transpose(1, 2)
        queries = self.inner(x).view(x.shape[0], 6, 2, 4).transpose(1, 2)
        return F.scaled_dot_product_attention(queries, heads, heads, is_causal=True, scale=0.3)


def check_what_is_left():
    """An extent that no expression says: PyTorch takes the batches of both arguments for other sizes."""
    def function(x, y):
        split = (y * 2).reshape(y.shape[0] * 4).reshape(x.shape[0], -1)
        return x[:, :1] + split, x.shape[0] // y.shape[0]

    compiled = compile_open(function)
    for batch, other in ((2, 6), (3, 3), (4, 5)):
        x, y = torch.randn(batch, 5), torch.randn(other, 4)
        torch._dynamo.mark_dynamic(y, 0)
        check(compiled(x, y), function(x, y))


def check_places():
    """Begins and ends of slices that are counted from the end, or clamped, by sizes that are open."""
    cases = (
        (lambda x, y: x[:, -y.shape[1]:] * 2, (((2, 7), (2, 7)), ((3, 9), (3, 5)), ((3, 4), (3, 4)))),
        (lambda x, y: (x[:, -y.shape[1]:-2], x[:, :-y.shape[1]] + 1), (((2, 7), (2, 6)), ((3, 9), (3, 5)))),
        (lambda x, y: x[:, -6:] + 1, (((2, 7), (2, 7)), ((3, 4), (3, 4)), ((3, 9), (3, 4)))),
        (lambda x, y: x[:, x.shape[1] - y.shape[1]:] + 1, (((2, 7), (2, 4)), ((3, 5), (3, 5)), ((3, 4), (3, 6)))),
        (lambda x, y: x[:, -y.shape[1]] + 1, (((2, 7), (2, 4)), ((3, 5), (3, 5)))),
    )
    for function, shapes in cases:
        compiled = compile_open(function)
        for pair in shapes:
            arguments = [torch.randn(shape) for shape in pair]
            check(compiled(*arguments), function(*arguments))


def check_computed_places():
    """Begins, ends and steps of slices that min, max, remainders and floats make of sizes and of integers that may be negative: beyond
    the extent on either side, or with nothing between them. What is read is written to, too."""
    def write(x, part):
        x = x * 1.5
        x[part] = x[part] + 1
        return x

    def take(x, start, end=None, step=None):
        return x[start:end:step] * 2, x[start:end:step].t().softmax(0), write(x, slice(start, end, step))

    cases = (
        lambda x, a, b: take(x, a - min(a + 4, b)),
        lambda x, a, b: take(x, -min(a, b), max(a - b, 0)),
        lambda x, a, b: take(x, min(a - 3, b), -(a % 4)),
        lambda x, a, b: take(x, a % 3, a - min(a + 4, b)),
        lambda x, a, b: take(x, min(a, b), int(a * 1.3)),
        lambda x, a, b: take(x, b - a, -x.shape[0] - 1 + b, 2),
        lambda x, a, b: take(x, -max(a, b), None, b),
        lambda x, a, b: (x[-min(a % 3, x.shape[0])] * 2, x.narrow(0, -min(a % 3 + 1, x.shape[0]), 1)),
    )
    sizes = (8, 2, 2), (5, 2, 6), (2, 6, 9), (7, 9, 3), (3, 9, 10)
    for function in cases:
        compiled = compile_open(lambda x, y, z: function(x, y.shape[0], z.shape[0]))
        for a, b, rows in sizes:
            x = torch.randn(rows, 3)
            check(compiled(x, torch.zeros(a), torch.zeros(b)), function(x, a, b))
    for function in cases[:2]:
        compiled = compile_open(function)
        for a, b, rows in sizes + ((-3, 2, 5), (-7, -2, 4)):
            x = torch.randn(rows, 3)
            check(compiled(x, a, b), function(x, a, b))


def check_windows():
    """Windows as columns (im2col) of images of open extents."""
    for options in ({"kernel_size": (3, 1), "padding": (1, 0)}, {"kernel_size": (2, 3), "stride": (2, 3), "dilation": (1, 2), "padding": 2}):
        function = lambda x: (F.unfold(x, **options), F.unfold(x[0], **options))
        compiled = compile_open(function)
        for batch, rows, columns in ((2, 7, 9), (3, 4, 6), (5, 8, 3)):
            x = torch.randn(batch, 3, rows, columns)
            check(compiled(x), function(x))


def check_shapes(cases):
    """Functions of one tensor, each with the shapes that it is called with, one after the other."""
    for function, shapes in cases:
        compiled = compile_open(function)
        for shape in shapes:
            x = torch.randn(shape)
            check(compiled(x), function(x))


def check_pads():
    """Pads of open sizes, which may cut off as well, and borders of an open image's own elements."""
    cases = [
        (lambda x: F.pad(x, (0, 0, 0, -x.shape[1] % 4)) + 1, ((2, 7, 3), (3, 8, 3), (2, 5, 3))),
        (lambda x: F.pad(x, (x.shape[0] - 3, 5 - x.shape[1]), value=2.5), ((3, 5), (2, 7), (4, 4), (5, 6))),
    ]
    for mode in ("reflect", "replicate", "circular"):
        cases.append((lambda x, mode=mode: F.pad(x, (2, 3, 1, 0), mode=mode) * 2, ((2, 3, 5, 7), (3, 3, 4, 4), (2, 3, 8, 6))))
    check_shapes(cases)


def check_strided():
    """Elements by their places in the memory of a tensor of open sizes."""
    def chunks(x):  # every second one laps over both its neighbours
        x = (x * 2).view(x.shape[0], x.shape[1] // 4, 4, 3)
        size, stride = list(x.size()), list(x.stride())
        size[1], stride[1] = size[1] * 2 - 1, stride[1] // 2
        return x.as_strided(size, stride)

    check_shapes((
        (chunks, ((2, 8, 3), (3, 12, 3), (2, 20, 3))),
        (lambda x: (x + 1).as_strided((x.shape[1], x.shape[0]), (1, x.shape[1])), ((2, 5), (4, 3))),
        (lambda x: (x + 1).as_strided((x.shape[0] - 1, 2), (x.shape[1], 2), 1), ((3, 5), (4, 7))),
    ))


def check_ranges():
    """Ranges of whole floats, and sums and quotients of sizes."""
    check_shapes((
        (lambda x: torch.arange(x.shape[1], -x.shape[1], -1.0) + x[0, 0], ((2, 5), (3, 4))),
        (lambda x: torch.arange(0, x.shape[1], 2.0, dtype=torch.int64), ((2, 5), (3, 4))),
        (lambda x: x * torch.div(x.shape[0] * 3, 4, rounding_mode="trunc"), ((2, 5), (3, 4))),
        (lambda x: x.new_ones(x.shape[0] + x.shape[1] + 3) * x[0, 0], ((2, 5), (3, 4))),
    ))


def check_scaled_products():
    """Factors of sums of products are applied before the sums are rounded, once: no further from f64 than eager mode is."""
    shapes = {torch.addmm: ((8, 40), (40, 9)), torch.addbmm: ((5, 8, 20), (5, 20, 9)), torch.baddbmm: ((5, 8, 40), (5, 40, 9))}
    for dtype in (torch.bfloat16, torch.float16):
        for op, (left, right) in shapes.items():
            call = lambda bias, x, y: op(bias, x, y, beta=0.6, alpha=0.2)
            arguments = [torch.randn(9, dtype=dtype), (8 * torch.randn(left)).to(dtype), torch.randn(right).to(dtype)]
            exact = call(*(each.double() for each in arguments))
            torch._dynamo.reset()
            got = torch.compile(call, backend=backend.fuse, options={"cache": False, "fullgraph": True})(*arguments)
            errors = [(each.double() - exact).abs().max().item() for each in (got, exact.to(dtype))]
            assert got.dtype == dtype and errors[0] <= 1.01 * errors[1], (op, dtype, errors)


class Upsampler(nn.Module):
    """Gradients are scattered into an image of an open batch."""

    def forward(self, x):
        return F.interpolate(x, scale_factor=2.0), F.interpolate(x, size=(5, 9), mode="bilinear")


def main():
    torch.manual_seed(0)
    for name, function in VIEWS.items():
        for trains in (False, True):
            check_views(function, trains)
            print(f"{name} passed{', training' if trains else ''}", flush=True)
    check_saved_extents()
    print("saved extents passed")
    check_many_refusals()
    print("many refusals passed")
    check_volumes()
    print("volumes passed")
    check_what_is_left()
    print("what is left passed")
    check_places()
    print("places passed")
    check_computed_places()
    print("computed places passed")
    check_windows()
    print("windows passed")
    check_pads()
    print("pads passed")
    check_strided()
    print("strided passed")
    check_ranges()
    print("ranges passed")
    check_scaled_products()
    print("scaled products passed")
    check_training(Attention().eval(), lambda batch: (torch.randn(batch, 6, 8),))
    print("attention passed")
    check_training(Causal(), lambda batch: (torch.randn(batch, 6, 8),))
    print("causal passed")
    check_training(Upsampler(), lambda batch: (torch.randn(batch, 2, 8, 7),))
    print("upsampler passed")


if __name__ == "__main__":
    sys.exit(main())
