# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks with seeded weights for the benchmark of models: kinds of layers that the usual models do not have.

write_networks(FOLDER) writes FOLDER/NAME/model.onnx and FOLDER/NAME/SIZE/inputs.npz for each, once, and returns the paths
of the folders. A network is a function of a Graph below; `NETWORKS` names each with its sizes.
"""

import os

import numpy as np


class Graph:
    """Collects nodes and weights; every method gives the name of its result."""

    def __init__(self):
        from onnx import helper, numpy_helper
        self.helper, self.numpy_helper = helper, numpy_helper
        self.nodes, self.weights, self.random = [], [], np.random.default_rng(1)

    def node(self, kind, *inputs, outputs=1, **attributes):
        names = [f"v{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(self.helper.make_node(kind, inputs, names, **attributes))
        return names[0] if outputs == 1 else names

    def constant(self, array):
        name = f"w{len(self.weights)}"
        self.weights.append(self.numpy_helper.from_array(array, name))
        return name

    def weight(self, *shape, scale=None):
        """Normally distributed, with the deviation that keeps a layer's values about 1."""
        scale = scale or 1 / np.sqrt(max(1, np.prod(shape[1:])))
        return self.constant((self.random.standard_normal(shape) * scale).astype(np.float32))

    def convolution(self, value, channels, filters, width=3, stride=1, rank=2):
        return self.node("Conv", value, self.weight(filters, channels, *[width] * rank), self.weight(filters, scale=0.1),
                         kernel_shape=[width] * rank, strides=[stride] * rank, pads=[width // 2] * (2 * rank))

    def dense(self, value, columns, results):
        return self.node("Add", self.node("MatMul", value, self.weight(columns, results, scale=columns ** -0.5)),
                         self.weight(results, scale=0.1))

    def batch_norm(self, value, channels):
        scale, shift, mean = (self.weight(channels, scale=0.1) for _ in range(3))
        variance = self.constant(self.random.uniform(0.5, 2, channels).astype(np.float32))
        return self.node("Relu", self.node("BatchNormalization", value, scale, shift, mean, variance))

    def group_norm(self, value, channels, groups=8):
        """As PyTorch exports it: an instance norm of the groups between reshapes, a scale, a shift; and SiLU."""
        shape = self.node("Shape", value)
        flat = self.node("Reshape", value, self.constant(np.array([0, groups, -1], np.int64)))
        normed = self.node("InstanceNormalization", flat, self.constant(np.ones(groups, np.float32)),
                           self.constant(np.zeros(groups, np.float32)), epsilon=1e-5)
        scaled = self.node("Mul", self.node("Reshape", normed, shape), self.weight(channels, 1, 1, scale=1))
        shifted = self.node("Add", scaled, self.weight(channels, 1, 1, scale=0.1))
        return self.node("Mul", shifted, self.node("Sigmoid", shifted))


def unet(graph, norm):
    """Three levels; each step up is a transposed convolution."""
    def block(value, channels, filters):
        for _ in range(2):
            value, channels = norm(graph, graph.convolution(value, channels, filters), filters), filters
        return value
    skips, value, channels = [], "x", 3
    for filters in (24, 48, 96):
        value, channels = block(value, channels, filters), filters
        skips.append(value)
        value = graph.node("MaxPool", value, kernel_shape=[2, 2], strides=[2, 2])
    value = block(value, 96, 192)
    for filters in (96, 48, 24):
        value = graph.node("ConvTranspose", value, graph.weight(2 * filters, filters, 2, 2, scale=(2 * filters) ** -0.5),
                           graph.weight(filters, scale=0.1), kernel_shape=[2, 2], strides=[2, 2])
        value = block(graph.node("Concat", skips.pop(), value, axis=1), 2 * filters, filters)
    return graph.convolution(value, 24, 2, width=1)


def recurrence(graph, kind, hidden, layers, directions):
    """`x` of [steps, batch, inputs]."""
    gates, value, columns = {"LSTM": 4, "GRU": 3}[kind], "x", 64
    attributes = dict(hidden_size=hidden, direction="bidirectional" if directions == 2 else "forward")
    for _ in range(layers):
        all_gates = gates * hidden
        outputs = graph.node(kind, value, graph.weight(directions, all_gates, columns, scale=columns ** -0.5),
                             graph.weight(directions, all_gates, hidden, scale=hidden ** -0.5),
                             graph.weight(directions, 2 * all_gates, scale=0.1), outputs=3 if kind == "LSTM" else 2,
                             **attributes)
        columns = directions * hidden
        turned = graph.node("Transpose", outputs[0], perm=[0, 2, 1, 3])
        value = graph.node("Reshape", turned, graph.constant(np.array([0, 0, columns], np.int64)))
    return graph.dense(value, columns, 32)


def stft(graph):
    """A filter bank as one convolution of one channel, magnitudes, 40 bands, their logarithms."""
    parts = graph.node("Conv", "x", graph.weight(258, 1, 256), kernel_shape=[256], strides=[128])
    squares = graph.node("Mul", parts, parts)
    real, imaginary = graph.node("Split", squares, outputs=2, axis=1)
    magnitude = graph.node("Sqrt", graph.node("Add", real, imaginary))
    bands = graph.node("MatMul", graph.constant(graph.random.uniform(0, 1, (40, 129)).astype(np.float32)), magnitude)
    return graph.node("Log", graph.node("Add", bands, graph.constant(np.float32(1e-6))))


def encoder(graph, width, heads, layers):
    """Layers of attention before feed-forward, norms first; `x` of [batch, rows, width]."""
    def norm(value):
        return graph.node("LayerNormalization", value, graph.weight(width, scale=1), graph.weight(width, scale=0.1), axis=-1)

    def split(value, perm):
        shape = graph.constant(np.array([0, 0, heads, width // heads], np.int64))
        return graph.node("Transpose", graph.node("Reshape", value, shape), perm=perm)
    value = "x"
    for _ in range(layers):
        normed = norm(value)
        query, key, rows = (split(graph.dense(normed, width, width), perm)
                            for perm in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]))
        scores = graph.node("Mul", graph.node("MatMul", query, key), graph.constant(np.float32((width / heads) ** -0.5)))
        mixed = graph.node("Transpose", graph.node("MatMul", graph.node("Softmax", scores, axis=-1), rows), perm=[0, 2, 1, 3])
        mixed = graph.node("Reshape", mixed, graph.constant(np.array([0, 0, width], np.int64)))
        value = graph.node("Add", value, graph.dense(mixed, width, width))
        wide = graph.dense(norm(value), width, 4 * width)
        error = graph.node("Erf", graph.node("Mul", wide, graph.constant(np.float32(0.5 ** 0.5))))
        gelu = graph.node("Mul", graph.node("Mul", wide, graph.node("Add", error, graph.constant(np.float32(1)))),
                          graph.constant(np.float32(0.5)))
        value = graph.node("Add", value, graph.dense(gelu, 4 * width, width))
    return norm(value)


def speech(graph):
    """Two convolutions over time, the second with stride 2, and layers of attention over what they give."""
    value = "x"
    for channels, stride in ((80, 1), (384, 2)):
        found = graph.convolution(value, channels, 384, stride=stride, rank=1)
        value = graph.node("Mul", found, graph.node("Sigmoid", found))
    graph.nodes.append(graph.helper.make_node("Transpose", [value], ["rows"], perm=[0, 2, 1]))
    first = len(graph.nodes)
    result = encoder(graph, 384, 6, 1)
    for node in graph.nodes[first:]:
        node.input[:] = ["rows" if name == "x" else name for name in node.input]
    return result


def digits(graph):
    """The convolutions of tutorials: no padding, a batch norm, a pool."""
    value, channels = "x", 1
    for filters in (24, 24):
        found = graph.node("Conv", value, graph.weight(filters, channels, 3, 3), graph.weight(filters, scale=0.1))
        value, channels = graph.batch_norm(found, filters), filters
    value = graph.node("Flatten", graph.node("MaxPool", value, kernel_shape=[2, 2], strides=[2, 2]))
    return graph.node("Softmax", graph.dense(value, 24 * 12 * 12, 10), axis=-1)


NETWORKS = {
    "unet-batch-norms": (lambda graph: unet(graph, Graph.batch_norm), ([1, 3, 128, 128], [2, 3, 96, 160])),
    "unet-group-norms": (lambda graph: unet(graph, Graph.group_norm), ([1, 3, 128, 128],)),
    "bilstm": (lambda graph: recurrence(graph, "LSTM", 128, 2, 2), ([50, 8, 64], [37, 3, 64])),
    "gru": (lambda graph: recurrence(graph, "GRU", 128, 1, 1), ([64, 8, 64], [101, 1, 64])),
    "stft": (stft, ([1, 1, 16000], [3, 1, 16133])),
    "encoder-512": (lambda graph: encoder(graph, 384, 6, 2), ([1, 512, 384], [3, 197, 384])),
    "speech": (speech, ([1, 80, 3000], [2, 80, 999])),
    "digits": (digits, ([1, 1, 28, 28], [3, 1, 28, 28], [8, 1, 28, 28])),
}


def write_network(folder, build, sizes):
    import onnx
    from onnx import TensorProto, helper
    graph = Graph()
    result = build(graph)
    open_shape = [f"d{i}" if len(extents) > 1 else next(iter(extents))
                  for i, extents in enumerate(map(set, zip(*sizes)))]
    values = [helper.make_tensor_value_info("x", TensorProto.FLOAT, open_shape),
              helper.make_tensor_value_info(result, TensorProto.FLOAT, None)]
    model = helper.make_model(helper.make_graph(graph.nodes, "network", values[:1], values[1:], graph.weights),
                              opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    for size in sizes:
        at = os.path.join(folder, "x".join(map(str, size)))
        os.makedirs(at, exist_ok=True)
        np.savez(os.path.join(at, "inputs.npz"), x=np.random.default_rng(2).standard_normal(size).astype(np.float32))
    onnx.save(onnx.shape_inference.infer_shapes(model), os.path.join(folder, "model.onnx"))


def write_networks(folder):
    found = []
    for name, (build, sizes) in NETWORKS.items():
        found.append(os.path.join(folder, name))
        if not os.path.exists(os.path.join(found[-1], "model.onnx")):
            write_network(found[-1], build, sizes)
    return found
