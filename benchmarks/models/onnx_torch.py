# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An ONNX model as a torch module, for Inductor: the operators that the benchmarks' models have, and no others."""

import numpy as np
import onnx
import torch
import torch.nn.functional as F
from onnx import numpy_helper
from onnx.reference import ReferenceEvaluator

DTYPES = {onnx.TensorProto.FLOAT: torch.float32, onnx.TensorProto.INT64: torch.int64, onnx.TensorProto.INT32: torch.int32,
          onnx.TensorProto.BOOL: torch.bool, onnx.TensorProto.DOUBLE: torch.float64}


def ints(x):
    return [int(value) for value in np.asarray(x).reshape(-1)]


def tensor(x):
    if not isinstance(x, np.ndarray):
        return x
    return x.item() if x.ndim == 0 and x.dtype.kind == "f" else torch.from_numpy(np.array(x))


class Graph(torch.nn.Module):
    """Arrays of floats are parameters; what depends on integers and shapes alone is computed when the module is traced."""

    def __init__(self, path):
        super().__init__()
        graph = onnx.load(path).graph
        self.nodes, self.known, self.names = [], {}, {}
        for array in graph.initializer:
            self.keep(array.name, numpy_helper.to_array(array))
        for node in graph.node:
            if node.op_type == "Constant":
                self.keep(node.output[0], ReferenceEvaluator(node).run(None, {})[0])
            else:
                attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
                self.nodes.append((node, attributes))
        self.inputs = [i.name for i in graph.input if i.name not in self.known and i.name not in self.names]
        self.outputs = [o.name for o in graph.output]

    def keep(self, name, array):
        array = np.asarray(array)
        if array.dtype.kind != "f" or array.size <= 1:
            self.known[name] = array
            return
        self.names[name] = f"w{len(self.names)}"
        self.register_parameter(self.names[name], torch.nn.Parameter(torch.from_numpy(np.array(array)), requires_grad=False))

    def forward(self, *inputs):
        values = dict(self.known)
        values.update({name: getattr(self, field) for name, field in self.names.items()})
        values.update(zip(self.inputs, inputs))
        for node, attributes in self.nodes:
            operands = [values[name] if name else None for name in node.input]
            if node.op_type == "Shape":
                shape = np.array(operands[0].shape, np.int64)
                results = shape[attributes.get("start", 0):attributes.get("end")]
            elif all(x is None or isinstance(x, np.ndarray) for x in operands):
                given = {name: value for name, value in zip(node.input, operands) if name}
                results = [np.asarray(result) for result in ReferenceEvaluator(node).run(None, given)]
            else:
                if node.op_type not in OPS:
                    raise NotImplementedError(f"the ONNX operator {node.op_type}")
                if node.op_type == "Split":
                    attributes = {"num_outputs": len(node.output), **attributes}
                results = OPS[node.op_type](*operands, **attributes)
            values.update(zip(node.output, results if isinstance(results, (list, tuple)) else [results]))
        return tuple(values[name] for name in self.outputs)


def gemm(a, b, c=None, alpha=1.0, beta=1.0, transA=0, transB=0):
    a, b = a.t() if transA else a, b.t() if transB else b
    return torch.addmm(c, a, b, alpha=alpha, beta=beta) if c is not None else alpha * (a @ b)


def window(pads, x, value=0.0):
    """The padding for torch's own, or the padded image where sides differ."""
    top, left, bottom, right = pads
    if (top, left) == (bottom, right):
        return x, (top, left)
    return F.pad(x, (left, right, top, bottom), value=value), (0, 0)


def conv(x, w, b=None, pads=(0, 0, 0, 0), strides=(1, 1), dilations=(1, 1), group=1, **_):
    x, padding = window(pads, x)
    return F.conv2d(x, w, b, tuple(strides), padding, tuple(dilations), group)


def max_pool(x, kernel_shape, pads=(0, 0, 0, 0), strides=(1, 1), dilations=(1, 1), **_):
    x, padding = window(pads, x, -float("inf"))
    return F.max_pool2d(x, tuple(kernel_shape), tuple(strides), padding, tuple(dilations))


def batch_norm(x, scale, offset, mean, variance, epsilon=1e-5, **_):
    return F.batch_norm(x, mean, variance, scale, offset, False, 0.0, epsilon)


def layer_norm(x, scale, offset=None, axis=-1, epsilon=1e-5, **_):
    return F.layer_norm(x, x.shape[axis % x.ndim:], scale, offset, epsilon)


def reduced(function):
    def reduce(x, axes=None, keepdims=1, **_):
        return function(x, dim=list(range(x.ndim)) if axes is None else ints(axes), keepdim=bool(keepdims))
    return reduce


def reshape(x, shape, **_):
    return x.reshape([x.shape[i] if extent == 0 else extent for i, extent in enumerate(ints(shape))])


def unsqueeze(x, axes):
    rank = x.ndim + len(ints(axes))
    for axis in sorted(axis % rank for axis in ints(axes)):
        x = x.unsqueeze(axis)
    return x


def squeeze(x, axes=None):
    return x.squeeze() if axes is None else x.squeeze(tuple(ints(axes)))


def gather(x, indices, axis=0):
    x, indices = tensor(x), tensor(indices)
    if indices.ndim == 0:
        return x.select(axis, int(indices))
    if axis == 0 and x.ndim == 2:
        return F.embedding(indices, x)
    found = x.index_select(axis, indices.reshape(-1))
    return found.reshape(*x.shape[:axis], *indices.shape, *x.shape[axis % x.ndim + 1:])


def split(x, sizes=None, axis=0, num_outputs=1):
    return torch.split(x, ints(sizes) if sizes is not None else -(-x.shape[axis] // num_outputs), axis)


def slice_(x, starts, ends, axes=None, steps=None):
    for i, (start, end) in enumerate(zip(ints(starts), ints(ends))):
        axis = ints(axes)[i] if axes is not None else i
        step = ints(steps)[i] if steps is not None else 1
        index = [slice(None)] * x.ndim
        index[axis] = slice(start, end, step)
        x = x[tuple(index)]
    return x


def clip(x, least=None, most=None):
    bound = lambda value: None if value is None else float(np.asarray(value))
    return torch.clamp(x, bound(least), bound(most))


def unary(function):
    return lambda x, **_: function(x)


def binary(function):
    return lambda x, y, **_: function(tensor(x), tensor(y))


OPS = {name: unary(function) for name, function in {
    "Relu": torch.relu, "Tanh": torch.tanh, "Sigmoid": torch.sigmoid, "Erf": torch.erf, "Exp": torch.exp, "Sqrt": torch.sqrt,
    "Neg": torch.neg, "Sin": torch.sin, "Cos": torch.cos, "Reciprocal": torch.reciprocal, "Identity": lambda x: x,
    "IsNaN": torch.isnan, "Not": torch.logical_not}.items()}
OPS.update({name: binary(function) for name, function in {
    "Add": lambda x, y: x + y, "Sub": lambda x, y: x - y, "Mul": lambda x, y: x * y, "Div": lambda x, y: x / y,
    "Pow": lambda x, y: x ** y, "MatMul": torch.matmul, "Equal": lambda x, y: x == y, "Less": lambda x, y: x < y,
    "Greater": lambda x, y: x > y, "LessOrEqual": lambda x, y: x <= y, "GreaterOrEqual": lambda x, y: x >= y,
    "And": torch.logical_and, "Or": torch.logical_or}.items()})
OPS.update({
    "Conv": conv, "MaxPool": max_pool, "BatchNormalization": batch_norm, "LayerNormalization": layer_norm, "Gemm": gemm,
    "GlobalAveragePool": lambda x: x.mean((2, 3), keepdim=True), "Flatten": lambda x, axis=1: torch.flatten(x, axis),
    "Reshape": reshape, "Unsqueeze": unsqueeze, "Squeeze": squeeze, "Gather": gather, "Split": split, "Slice": slice_,
    "Clip": clip, "Transpose": lambda x, perm: x.permute(*perm), "Softmax": lambda x, axis=-1: F.softmax(x, dim=axis),
    "Concat": lambda *xs, axis: torch.cat([torch.as_tensor(tensor(x)) for x in xs], axis),
    "Where": lambda c, x, y: torch.where(tensor(c), tensor(x), tensor(y)),
    "Cast": lambda x, to, **_: x.to(DTYPES[to]), "Expand": lambda x, shape: x.expand(
        *np.broadcast_shapes(tuple(x.shape), tuple(ints(shape)))),
    "Gelu": lambda x, approximate=b"none": F.gelu(x, approximate=approximate.decode()),
    "RMSNormalization": lambda x, scale, axis=-1, epsilon=1e-5, **_: F.rms_norm(x, x.shape[axis % x.ndim:], scale, epsilon),
    "ReduceMean": reduced(torch.mean), "ReduceSum": reduced(torch.sum), "ReduceMax": reduced(torch.amax)})
