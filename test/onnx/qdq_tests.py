#!/usr/bin/env python3
"""Convolutions and products between DequantizeLinear and QuantizeLinear, drawn by chance, against ONNX Runtime, fused and
unfused: qdq_tests.py FUSE_RUN [--count N] [--seed N]

Operands of both signs with zero points of any value, scales by tensor and by channel, paddings, strides, dilations, groups,
odd sizes, batches of 1 and more, biases that are quantized or not, what comes behind (relu, clip, a residual, a pool, a
transpose), and results of floats and of bytes. The default seed is that of the day.
"""

import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from running import run_drawn

TIE = 1e-3  # how near a result may be to half-way between two integers


class Model:
    def __init__(self, rng):
        self.rng, self.random = rng, np.random.default_rng(rng.getrandbits(32))
        self.nodes, self.weights, self.inputs, self.arrays = [], [], [], {}

    def add(self, op, *inputs, **attributes):
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, list(inputs), [name], name=f"n{len(self.nodes)}", **attributes))
        return name

    def constant(self, array):
        name = f"c{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def input(self, array):
        name = f"x{len(self.inputs)}"
        kind = helper.np_dtype_to_tensor_dtype(array.dtype)
        self.inputs.append(helper.make_tensor_value_info(name, kind, array.shape))
        self.arrays[name] = array
        return name

    def scale(self, *shape):
        exact = self.rng.random() < 0.2
        return (np.exp2(self.random.integers(-7, -3, shape)) if exact else self.random.uniform(0.005, 0.05, shape)).astype(np.float32)

    def zero(self, kind, *shape):
        info = np.iinfo(kind)
        symmetric = (int(info.min) + int(info.max) + 1) // 2
        if self.rng.random() < 0.4:
            return np.full(shape, self.rng.choice([symmetric, info.min, info.max]), kind)
        return self.random.integers(info.min, info.max + 1, shape).astype(kind)

    def bytes(self, kind, *shape):
        info = np.iinfo(kind)
        return self.random.integers(info.min, info.max + 1, shape).astype(kind)

    def kind(self):
        return self.rng.choice([np.int8, np.uint8])

    def activation(self, *shape):
        """A dequantized tensor, and its scale; of bytes that are an input, or that the model quantizes."""
        kind = self.kind()
        scale, zero = self.scale(), self.zero(kind)
        parameters = self.constant(scale), self.constant(zero)
        if self.rng.random() < 0.5:
            quantized = self.input(self.bytes(kind, *shape))
        else:
            numbers = (self.bytes(kind, *shape).astype(np.float32) - np.float32(zero)) * scale
            quantized = self.add("QuantizeLinear", self.input(numbers + np.float32(0.2) * scale), *parameters)
        return self.add("DequantizeLinear", quantized, *parameters), float(scale)

    def weight(self, axis, *shape):
        """Dequantized weights, with one scale or one along an axis, and the scales."""
        kind = np.int8 if self.rng.random() < 0.7 else np.uint8
        each = (shape[axis],) if self.rng.random() < 0.6 else ()
        scale = self.scale(*each)
        zero = np.zeros(each, kind) if self.rng.random() < 0.6 and kind == np.int8 else self.zero(kind, *each)
        return self.add("DequantizeLinear", self.constant(self.bytes(kind, *shape)), self.constant(scale), self.constant(zero),
                        axis=axis), scale

    def bias(self, x_scale, w_scale, count):
        if self.rng.random() < 0.3:
            return None
        if self.rng.random() < 0.3:
            return self.constant(self.random.standard_normal(count).astype(np.float32))
        scale = (np.float32(x_scale) * w_scale).astype(np.float32)
        return self.add("DequantizeLinear", self.constant(self.random.integers(-5000, 5000, count).astype(np.int32)),
                        self.constant(scale), axis=0)

    def convolution(self):
        rng = self.rng
        groups = rng.choice([1, 1, 1, 2, 0])
        channels, filters = rng.randint(1, 20), rng.randint(1, 20)
        if groups == 0:  # one filter for each channel
            groups = filters = channels
        elif groups > 1:
            channels, filters = channels * groups, filters * groups
        kernel = [rng.choice([1, 1, 2, 3, 5]) for _ in range(2)]
        image = [rng.randint(kernel[i] * 2, 14) for i in range(2)]
        x, x_scale = self.activation(rng.choice([1, 1, 2, 3]), channels, *image)
        w, w_scale = self.weight(0, filters, channels // groups, *kernel)
        bias = self.bias(x_scale, w_scale, filters)
        dilations = [rng.choice([1, 1, 2]) if kernel[i] > 1 and image[i] > 2 * kernel[i] else 1 for i in range(2)]
        return self.add("Conv", x, w, *([bias] if bias else []), kernel_shape=kernel, strides=[rng.choice([1, 1, 2]) for _ in range(2)],
                        dilations=dilations, group=groups, pads=[rng.choice([0, 0, 1, 2]) for _ in range(4)])

    def product(self):
        rng = self.rng
        rows, depth, columns = rng.choice([1, 2, 3, 5, 8, 17]), rng.randint(1, 70), rng.choice([1, 10, 16, 33, 64])
        x, x_scale = self.activation(rows, depth)
        if rng.random() < 0.5:
            w, w_scale = self.weight(1, depth, columns)
            return self.add("MatMul", x, w)
        transposed = rng.random() < 0.5
        w, w_scale = self.weight(0 if transposed else 1, *((columns, depth) if transposed else (depth, columns)))
        bias = self.bias(x_scale, w_scale, columns)
        return self.add("Gemm", x, w, *([bias] if bias else []), transB=int(transposed))

    def attention(self):
        """Both sides computed."""
        rng = self.rng
        heads, rows, depth, keys = rng.randint(1, 3), rng.randint(1, 9), rng.randint(3, 33), rng.randint(1, 12)
        x, _ = self.activation(heads, rows, depth)
        y, _ = self.activation(heads, keys, depth)
        return self.add("MatMul", x, self.add("Transpose", y, perm=[0, 2, 1]))

    def finish(self, output, kind):
        graph = helper.make_graph(self.nodes, "drawn", self.inputs, [helper.make_tensor_value_info(output, kind, None)], self.weights)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def compute(model, arrays):
    options = onnxruntime.SessionOptions()
    options.log_severity_level, options.intra_op_num_threads = 4, 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"]).run(None, arrays)[0]


def draw(rng):
    m = Model(rng)
    shape = rng.choice(["convolution", "convolution", "product", "attention"])
    y = getattr(m, shape)()
    behind = rng.choice(["none", "relu", "clip"])
    if behind == "relu":
        y = m.add("Relu", y)
    elif behind == "clip":
        y = m.add("Clip", y, m.constant(np.float32(0)), m.constant(np.float32(6)))
    floats = compute(m.finish(y, TensorProto.FLOAT), m.arrays)
    name = f"{shape} {floats.shape} {behind}"
    if rng.random() < 0.3 or floats.size == 0:
        return name, (m.finish(y, TensorProto.FLOAT), m.arrays, {y: floats})
    # A scale at which no element lies half-way between two integers.
    kind = m.kind()
    for _ in range(100):
        scale = np.float32(max(np.abs(floats).max(), 1e-3) / rng.uniform(90, 200))
        steps = floats / scale
        if np.abs(steps - np.floor(steps) - 0.5).min() > TIE:
            break
    else:
        return name, (m.finish(y, TensorProto.FLOAT), m.arrays, {y: floats})
    zero = m.zero(kind)
    parameters = m.constant(scale), m.constant(zero)
    y = m.add("QuantizeLinear", y, *parameters)
    after = rng.choice(["none", "pool", "transpose", "floats", "both"])
    output = TensorProto.INT8 if kind == np.int8 else TensorProto.UINT8
    if after in ("pool", "transpose"):
        y = m.add("DequantizeLinear", y, *parameters)
        if after == "pool" and shape == "convolution":
            y = m.add("MaxPool", y, kernel_shape=[1, 1], strides=[2, 2]) if min(floats.shape[2:]) < 2 else \
                m.add("MaxPool", y, kernel_shape=[2, 2], pads=[0, 1, 0, 1])
        else:
            y = m.add("Transpose", y)
        y = m.add("QuantizeLinear", y, *parameters)
    elif after == "floats":
        y, output = m.add("DequantizeLinear", y, *parameters), TensorProto.FLOAT
    elif after == "both":  # two readers of what is dequantized
        y = m.add("DequantizeLinear", y, *parameters)
        y, output = m.add("Add", m.add("Transpose", m.add("Transpose", m.add("Exp", m.add("Neg", m.add("Abs", y))))), y), TensorProto.FLOAT
    model = m.finish(y, output)
    return f"{name} {after}", (model, m.arrays, {y: compute(model, m.arrays)})


if __name__ == "__main__":
    # By default as products of bytes where the CPU has an instruction, as `exact` where floats round nothing either.
    sys.exit(run_drawn(__doc__, draw, 60, (("fused", ()), ("fused", ("--numerics", "exact")), ("unfused", ()))))
