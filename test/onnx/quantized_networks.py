"""Small float networks with seeded weights, for quantized_tests.py: a CNN with residuals, an MLP, and a transformer's
encoder block. `NETWORKS` maps names to functions that give a model and its input's shape; the batch is open."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper


class Graph:
    def __init__(self, seed):
        self.rng, self.nodes, self.weights = np.random.default_rng(seed), [], []

    def weight(self, *shape, scale=None):
        fan = np.prod(shape[1:]) if len(shape) > 2 else shape[0]
        array = self.rng.standard_normal(shape) * (scale or (1.5 / max(1, fan)) ** 0.5)
        return self.constant(array.astype(np.float32))

    def constant(self, array):
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def add(self, op, *inputs, **attributes):
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, list(inputs), [name], name=f"{op}_{len(self.nodes)}", **attributes))
        return name

    def finish(self, result, shape, out):
        graph = helper.make_graph(self.nodes, "network",
                                  [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", *shape])],
                                  [helper.make_tensor_value_info(result, TensorProto.FLOAT, ["batch", *out])], self.weights)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), shape


def cnn():
    g = Graph(1)

    def conv(x, channels, filters, kernel, stride=1, groups=1):
        return g.add("Conv", x, g.weight(filters, channels // groups, kernel, kernel), g.weight(filters, scale=0.1),
                     kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[kernel // 2] * 4, group=groups)

    x = g.add("Relu", conv("x", 3, 16, 3, 2))
    x = g.add("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    y = g.add("Relu", conv(x, 16, 16, 3, groups=16))
    x = g.add("Relu", g.add("Add", conv(y, 16, 16, 1), x))
    x = g.add("Clip", conv(x, 16, 24, 3, 2), g.constant(np.float32(0)), g.constant(np.float32(6)))
    x = g.add("Flatten", g.add("GlobalAveragePool", x))
    x = g.add("Gemm", x, g.weight(10, 24, scale=0.3), g.weight(10, scale=0.1), transB=1)
    return g.finish(x, (3, 32, 32), (10,))


def mlp():
    g = Graph(2)
    x = "x"
    for width, out in ((20, 48), (48, 32), (32, 5)):
        x = g.add("Add", g.add("MatMul", x, g.weight(width, out)), g.weight(out, scale=0.1))
        if out != 5:
            x = g.add("Relu", x)
    return g.finish(x, (20,), (5,))


def encoder():
    g, width, heads = Graph(3), 32, 4

    def linear(x, wide, out):
        return g.add("Add", g.add("MatMul", x, g.weight(wide, out)), g.weight(out, scale=0.1))

    def split(x, order):
        shape = g.constant(np.array([0, 0, heads, width // heads], np.int64))
        return g.add("Transpose", g.add("Reshape", x, shape), perm=order)

    def norm(x):
        return g.add("LayerNormalization", x, g.constant(np.ones(width, np.float32)), g.weight(width, scale=0.1), axis=-1)

    q, k, v = split(linear("x", width, width), [0, 2, 1, 3]), split(linear("x", width, width), [0, 2, 3, 1]), \
        split(linear("x", width, width), [0, 2, 1, 3])
    scores = g.add("Mul", g.add("MatMul", q, k), g.constant(np.float32(0.35)))
    mixed = g.add("Transpose", g.add("MatMul", g.add("Softmax", scores, axis=-1), v), perm=[0, 2, 1, 3])
    mixed = g.add("Reshape", mixed, g.constant(np.array([0, 0, width], np.int64)))
    x = norm(g.add("Add", linear(mixed, width, width), "x"))
    y = linear(x, width, 64)
    y = g.add("Mul", g.add("Mul", y, g.constant(np.float32(0.5))),
              g.add("Add", g.add("Erf", g.add("Div", y, g.constant(np.float32(2 ** 0.5)))), g.constant(np.float32(1))))
    return g.finish(norm(g.add("Add", linear(y, 64, width), x)), (9, width), (9, width))


NETWORKS = {"cnn": cnn, "mlp": mlp, "encoder": encoder}
