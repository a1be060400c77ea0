# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes one function of the fuse dialect, op by op."""


def tensor(shape, element="f32"):
    return "tensor<" + "x".join([str(extent) for extent in shape] + [element]) + ">"


class Value:
    def __init__(self, name, shape, element):
        self.name, self.shape, self.element = name, list(shape), element

    @property
    def type(self):
        return tensor(self.shape, self.element)


class Program:
    """`kind` says what should bound the program's kernels: memory, compute, or nothing (small)."""

    def __init__(self, name, kind):
        self.name, self.kind = name, kind
        self.arguments, self.lines, self.results = [], [], []

    def argument(self, shape, element="f32", param=False):
        value = Value(f"%a{len(self.arguments)}", shape, element)
        self.arguments.append(f"{value.name}: {value.type}{' {fuse.param}' if param else ''}")
        return value

    def op(self, text, shape, element="f32"):
        value = Value(f"%v{len(self.lines)}", shape, element)
        self.lines.append(f"  {value.name} = {text}")
        return value

    def unary(self, kind, x, attributes=""):
        if kind == "gelu":
            attributes = " approximate = none"
        return self.op(f"fuse.unary {kind} {x.name}{attributes} : {x.type}", x.shape, x.element)

    def binary(self, kind, x, y):
        rank = max(len(x.shape), len(y.shape))
        padded = [[1] * (rank - len(v.shape)) + v.shape for v in (x, y)]
        shape = [max(a, b) for a, b in zip(*padded)]
        types = x.type if x.shape == y.shape else f"({x.type}, {y.type}) -> {tensor(shape, x.element)}"
        return self.op(f"fuse.binary {kind} {x.name}, {y.name} : {types}", shape, x.element)

    def reduce(self, kind, x, dims, keep=False):
        shape = [1 if i in dims else s for i, s in enumerate(x.shape) if keep or i not in dims]
        return self.op(f"fuse.reduce {kind} {x.name} dimensions = {list(dims)}{' keep_dims' if keep else ''} : "
                       f"{x.type} -> {tensor(shape, x.element)}", shape, x.element)

    def matmul(self, x, y):
        shape = x.shape[:-1] + [y.shape[-1]]
        return self.op(f"fuse.matmul {x.name}, {y.name} : ({x.type}, {y.type}) -> {tensor(shape, x.element)}", shape,
                       x.element)

    def conv2d(self, x, w, stride=1, padding=0, groups=1):
        """Stride and padding: of both dimensions, or a pair."""
        batch, _, *extents = x.shape
        strides, paddings = ([v, v] if isinstance(v, int) else list(v) for v in (stride, padding))
        shape = [batch, w.shape[0]] + [(size + 2 * pad - taps) // step + 1
                                       for size, pad, taps, step in zip(extents, paddings, w.shape[2:], strides)]
        return self.op(f"fuse.conv2d {x.name}, {w.name} strides = {strides} dilations = [1, 1] padding = "
                       f"{paddings * 2} groups = {groups} layout = nchw_fchw : ({x.type}, {w.type}) -> {tensor(shape)}",
                       shape)

    def pool(self, kind, x, kernel, stride, padding):
        extent = lambda size: (size + 2 * padding - kernel) // stride + 1
        shape = x.shape[:2] + [extent(size) for size in x.shape[2:]]
        return self.op(f"fuse.{kind}_pool2d {x.name} kernel = [{kernel}, {kernel}] strides = [{stride}, {stride}] dilations "
                       f"= [1, 1] padding = {[padding] * 4} layout = nchw_fchw : {x.type} -> {tensor(shape)}", shape)

    def max_pool(self, x, kernel, stride, padding):
        return self.pool("max", x, kernel, stride, padding)

    def avg_pool(self, x, kernel, stride, padding):
        return self.pool("avg", x, kernel, stride, padding)

    def batch_norm(self, x):
        values = [self.argument([x.shape[1]], param=True) for _ in range(4)]
        types = ", ".join([x.type] + [value.type for value in values])
        names = ", ".join([x.name] + [value.name for value in values])
        return self.op(f"fuse.batch_norm {names} epsilon = 1.000000e-05 feature_dimension = 1 : ({types}) -> {x.type}",
                       x.shape)

    def softmax(self, x):
        return self.op(f"fuse.softmax {x.name} dimension = -1 : {x.type}", x.shape, x.element)

    def layer_norm(self, x):
        scale, offset = (self.argument([x.shape[-1]], param=True) for _ in range(2))
        return self.op(f"fuse.layer_norm {x.name}, {scale.name}, {offset.name} dimensions = [{len(x.shape) - 1}] epsilon = "
                       f"1.000000e-05 : ({x.type}, {scale.type}, {offset.type}) -> {x.type}", x.shape)

    def attention(self, q, k, v):
        return self.op(f"fuse.attention {q.name}, {k.name}, {v.name} scale = 1.250000e-01 : ({q.type}, {k.type}, "
                       f"{v.type}) -> {q.type}", q.shape, q.element)

    def transpose(self, x, permutation):
        shape = [x.shape[i] for i in permutation]
        return self.op(f"fuse.transpose {x.name} permutation = {permutation} : {x.type} -> {tensor(shape, x.element)}",
                       shape, x.element)

    def slice(self, x, offsets, sizes):
        return self.op(f"fuse.slice {x.name} offsets = {offsets} sizes = {sizes} strides = {[1] * len(sizes)} : {x.type} "
                       f"-> {tensor(sizes, x.element)}", sizes, x.element)

    def concat(self, values, dim):
        shape = list(values[0].shape)
        shape[dim] = sum(value.shape[dim] for value in values)
        names, types = (", ".join(getattr(v, what) for v in values) for what in ("name", "type"))
        return self.op(f"fuse.concat {names} dimension = {dim} : ({types}) -> {tensor(shape)}", shape)

    def pad(self, x, low, high):
        shape = [a + b + c for a, b, c in zip(x.shape, low, high)]
        return self.op(f"fuse.pad {x.name} low = {low} high = {high} value = 0.000000e+00 : f32 : {x.type} -> "
                       f"{tensor(shape)}", shape)

    def gather(self, x, indices):
        shape = indices.shape + x.shape[1:]
        return self.op(f"fuse.gather {x.name}, {indices.name} dimension = 0 : ({x.type}, {indices.type}) -> "
                       f"{tensor(shape, x.element)}", shape, x.element)

    def cast(self, x, element):
        return self.op(f"fuse.cast {x.name} : ({x.type}) -> {tensor(x.shape, element)}", x.shape, element)

    def returns(self, *values):
        self.results += values
        return self

    def text(self):
        types = ", ".join(value.type for value in self.results)
        names = ", ".join(value.name for value in self.results)
        return (f"func.func @main({', '.join(self.arguments)}) -> ({types}) {{\n" + "\n".join(self.lines)
                + f"\n  return {names} : {types}\n}}\n")
