"""Small float networks of the kinds that models are made of, for quantizer_tests.py. `NETWORKS` has a function for each, which
draws sizes and gives a model and the shapes of arrays for its inputs. Batches, lengths and images are open in a part."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

F = np.float32


class Net:
    def __init__(self, rng):
        self.rng, self.nodes, self.weights, self.inputs, self.shapes = rng, [], [], [], {}

    def input(self, name, *dims):
        """A dimension is a number, or a name with a number."""
        declared = [d if isinstance(d, int) else d[0] for d in dims]
        self.shapes[name] = [d if isinstance(d, int) else d[1] for d in dims]
        self.inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, declared))
        return name

    def size(self, low, high):
        return int(self.rng.integers(low, high + 1))

    def open(self, name, number):
        """Open in a half of the networks."""
        return (name, number) if self.rng.random() < 0.5 else number

    def batch(self):
        return self.open("batch", self.size(1, 5))

    def constant(self, array):
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def ints(self, *values):
        return self.constant(np.array(values, np.int64))

    def weight(self, *shape, scale=None):
        fan = np.prod(shape[1:]) if len(shape) > 2 else shape[0]
        return self.constant((self.rng.standard_normal(shape) * (scale or (1.5 / max(1, fan)) ** 0.5)).astype(F))

    def factors(self, count):
        return self.constant(self.rng.uniform(0.5, 1.5, count).astype(F))

    def add(self, op, *inputs, outputs=1, **attributes):
        names = [f"v{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op, list(inputs), names, name=f"{op}_{len(self.nodes)}", **attributes))
        return names[0] if outputs == 1 else names

    def number(self, value):
        return self.constant(F(value))

    def conv(self, x, channels, filters, kernel=3, stride=1, groups=1, rank=2, dilation=1, bias=True):
        pad = (kernel - 1) * dilation // 2
        inputs = [x, self.weight(filters, channels // groups, *[kernel] * rank)]
        if bias:
            inputs.append(self.weight(filters, scale=0.1))
        return self.add("Conv", *inputs, kernel_shape=[kernel] * rank, strides=[stride] * rank, pads=[pad] * (2 * rank),
                        dilations=[dilation] * rank, group=groups)

    def norm(self, x, channels):
        return self.add("BatchNormalization", x, self.factors(channels), self.weight(channels, scale=0.1),
                        self.weight(channels, scale=0.1), self.factors(channels))

    def layer_norm(self, x, width):
        return self.add("LayerNormalization", x, self.factors(width), self.weight(width, scale=0.1), axis=-1)

    def linear(self, x, wide, out, bias=True):
        product = self.add("MatMul", x, self.weight(wide, out))
        return self.add("Add", product, self.weight(out, scale=0.1)) if bias else product

    def gelu(self, y):
        half = self.add("Mul", y, self.number(0.5))
        return self.add("Mul", half, self.add("Add", self.add("Erf", self.add("Div", y, self.number(2 ** 0.5))), self.number(1)))

    def heads(self, x, heads, size, order):
        return self.add("Transpose", self.add("Reshape", x, self.ints(0, 0, heads, size)), perm=order)

    def attention(self, q, k, v, heads, size, mask=None):
        """Of what was projected; keys and values [B, heads, length, size]."""
        scores = self.add("MatMul", q, self.add("Transpose", k, perm=[0, 1, 3, 2]))
        scores = self.add("Mul", scores, self.number(size ** -0.5))
        if mask:
            scores = self.add("Add", scores, mask)
        mixed = self.add("Transpose", self.add("MatMul", self.add("Softmax", scores, axis=-1), v), perm=[0, 2, 1, 3])
        return self.add("Reshape", mixed, self.ints(0, 0, heads * size))

    def block(self, x, width, heads, mask=None):
        size = width // heads
        q, k, v = (self.heads(self.linear(x, width, width), heads, size, [0, 2, 1, 3]) for _ in range(3))
        x = self.layer_norm(self.add("Add", self.linear(self.attention(q, k, v, heads, size, mask), width, width), x), width)
        y = self.linear(self.gelu(self.linear(x, width, 2 * width)), 2 * width, width)
        return self.layer_norm(self.add("Add", y, x), width)

    def pool(self, x, channels, out):
        return self.add("Gemm", self.add("Flatten", self.add("GlobalAveragePool", x)), self.weight(out, channels, scale=0.3),
                        self.weight(out, scale=0.1), transB=1)

    def finish(self, *results):
        outputs = [helper.make_empty_tensor_value_info(r) for r in results]
        for o in outputs:
            o.type.tensor_type.elem_type = TensorProto.FLOAT
        graph = helper.make_graph(self.nodes, "network", self.inputs, outputs, self.weights)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), self.shapes


def image(g, channels, low=9, high=23):
    return g.input("x", g.batch(), channels, g.open("height", g.size(low, high)), g.open("width", g.size(low, high)))


def even_image(g, channels, unit):
    return g.input("x", g.batch(), channels, unit * g.size(2, 4), unit * g.size(2, 4))


def depthwise(g):
    x, c = image(g, 3), 8 * g.size(1, 3)
    x = g.add("Clip", g.norm(g.conv(x, 3, c, stride=2), c), g.number(0), g.number(6))
    for _ in range(2):
        y = g.add("Clip", g.norm(g.conv(x, c, 2 * c, 1, bias=False), 2 * c), g.number(0), g.number(6))
        y = g.add("Clip", g.conv(y, 2 * c, 2 * c, g.size(1, 2) * 2 + 1, groups=2 * c), g.number(0), g.number(6))
        x = g.add("Add", g.conv(y, 2 * c, c, 1), x)
    return g.finish(g.pool(x, c, 7))


def temporal(g):
    x, c = g.input("x", g.batch(), 5, g.open("length", g.size(17, 60))), g.size(6, 17)
    x = g.conv(x, 5, c, rank=1)
    for dilation in (1, 2, 4):
        y = g.conv(x, c, 2 * c, rank=1, dilation=dilation)
        a, b = g.add("Split", y, axis=1, outputs=2)
        x = g.add("Add", g.conv(g.add("Mul", g.add("Tanh", a), g.add("Sigmoid", b)), c, c, 1, rank=1), x)
    return g.finish(g.conv(g.add("Relu", x), c, 4, 1, rank=1))


def transposed(g):
    x, c = g.input("x", g.batch(), 8, g.size(3, 7), g.size(3, 7)), g.size(5, 12)
    for channels, filters, kernel in ((8, c, 4), (c, 3, g.size(2, 4))):
        x = g.add("ConvTranspose", x, g.weight(channels, filters, kernel, kernel), g.weight(filters, scale=0.1), strides=[2, 2],
                  pads=[1, 1, 1, 1] if kernel > 2 else [0] * 4, kernel_shape=[kernel] * 2)
        x = g.add("Relu", g.conv(x, filters, filters)) if filters == c else g.add("Tanh", x)
    return g.finish(x)


def recurrent(op, gates):
    def draw(g):
        length, wide, hidden = g.size(2, 12), g.size(3, 9), g.size(3, 17)
        two = g.size(0, 1)
        d, direction = two + 1, "bidirectional" if two else "forward"
        x = g.input("x", g.open("length", length), g.batch(), wide)
        extra = {"linear_before_reset": g.size(0, 1)} if op == "GRU" else {}
        x = g.add(op, x, g.weight(d, gates * hidden, wide, scale=0.3), g.weight(d, gates * hidden, hidden, scale=0.3),
                  g.weight(d, 2 * gates * hidden, scale=0.1), hidden_size=hidden, direction=direction, **extra)
        x = g.add("Reshape", g.add("Transpose", x, perm=[0, 2, 1, 3]), g.ints(0, 0, d * hidden))
        return g.finish(g.linear(g.add("Relu", g.linear(x, d * hidden, 10)), 10, 4))
    return draw


def unet(g):
    x, c = even_image(g, 3, 4), g.size(5, 10)
    a = g.add("Relu", g.conv(x, 3, c))
    b = g.add("Relu", g.conv(g.add("MaxPool", a, kernel_shape=[2, 2], strides=[2, 2]), c, 2 * c))
    y = g.add("Relu", g.conv(g.add("MaxPool", b, kernel_shape=[2, 2], strides=[2, 2]), 2 * c, 2 * c))
    mode = ("nearest", "linear")[g.size(0, 1)]
    for skip, channels in ((b, 2 * c), (a, c)):
        y = g.add("Resize", y, "", g.constant(np.array([1, 1, 2, 2], F)), mode=mode,
                  coordinate_transformation_mode="asymmetric" if mode == "nearest" else "half_pixel", nearest_mode="floor")
        y = g.add("Relu", g.conv(g.add("Concat", y, skip, axis=1), 2 * c + channels, 2 * c))
    return g.finish(g.add("Sigmoid", g.conv(y, 2 * c, 2, 1)))


def squeeze(gate):
    def draw(g):
        x, c = image(g, 3), 4 * g.size(2, 5)
        x = g.conv(x, 3, c, stride=2)
        x = g.add("HardSwish", x) if gate == "HardSigmoid" else g.add("Mul", x, g.add("Sigmoid", x))
        y = g.add("Relu", g.conv(g.add("GlobalAveragePool", x), c, c // 4, 1))
        y = g.add(gate, g.conv(y, c // 4, c, 1))
        x = g.add("Add", g.conv(g.add("Mul", x, y), c, c, 3, groups=c), x)
        return g.finish(g.pool(x, c, 5))
    return draw


def masked_encoder(g):
    heads = g.size(1, 4)
    width, length, batch = heads * 8, g.size(3, 19), g.batch()
    length = g.open("length", length)
    x, mask = g.input("x", batch, length, width), g.input("mask", batch, length)
    mask = g.add("Mul", g.add("Unsqueeze", g.add("Abs", mask), g.ints(1, 2)), g.number(-2))
    return g.finish(g.block(g.block(x, width, heads, mask), width, heads, mask))


def decoder(g):
    heads, size = g.size(1, 4), 8
    width, batch, past, length = heads * size, g.batch(), g.open("past", g.size(1, 9)), g.size(1, 3)
    x = g.input("x", batch, length, width)
    old = [g.input(name, batch, heads, past, size) for name in ("past_key", "past_value")]
    y = g.layer_norm(x, width)
    q, k, v = (g.heads(g.linear(y, width, width), heads, size, [0, 2, 1, 3]) for _ in range(3))
    k, v = g.add("Concat", old[0], k, axis=2), g.add("Concat", old[1], v, axis=2)
    x = g.add("Add", x, g.linear(g.attention(q, k, v, heads, size), width, width))
    y = g.layer_norm(x, width)
    gate = g.linear(y, width, 3 * size, False)
    gate = g.add("Mul", gate, g.add("Sigmoid", gate))
    y = g.linear(g.add("Mul", gate, g.linear(y, width, 3 * size, False)), 3 * size, width, False)
    return g.finish(g.linear(g.add("Add", x, y), width, 30, False), k, v)


def vit(g):
    patch, heads = g.size(2, 4), g.size(1, 3)
    width, rows, columns, batch = heads * 8, g.size(2, 4), g.size(2, 4), g.batch()
    x = g.input("x", batch, 3, patch * rows, patch * columns)
    x = g.add("Conv", x, g.weight(width, 3, patch, patch), g.weight(width, scale=0.1), strides=[patch] * 2, kernel_shape=[patch] * 2)
    x = g.add("Transpose", g.add("Reshape", x, g.ints(0, width, rows * columns)), perm=[0, 2, 1])
    x = g.add("Add", x, g.weight(1, rows * columns, width, scale=0.2))
    x = g.block(x, width, heads)
    return g.finish(g.linear(g.add("ReduceMean", x, axes=[1], keepdims=0), width, 6))


def mixer(g):
    tokens, width = g.size(5, 17), g.size(7, 20)
    x = g.input("x", g.batch(), tokens, width)
    y = g.add("Transpose", g.layer_norm(x, width), perm=[0, 2, 1])
    y = g.linear(g.gelu(g.linear(y, tokens, 2 * tokens)), 2 * tokens, tokens)
    x = g.add("Add", x, g.add("Transpose", y, perm=[0, 2, 1]))
    y = g.linear(g.gelu(g.linear(g.layer_norm(x, width), width, 24)), 24, width)
    return g.finish(g.linear(g.add("ReduceMean", g.add("Add", x, y), axes=[1], keepdims=0), width, 5))


def inception(g):
    x, c = image(g, 3), g.size(4, 9)
    x = g.add("Relu", g.conv(x, 3, c))
    for channels in (c, 4 * c):
        pooled = g.add(("MaxPool", "AveragePool")[g.size(0, 1)], x, kernel_shape=[3, 3], strides=[1, 1], pads=[1] * 4)
        x = g.add("Concat", g.add("Relu", g.conv(x, channels, c, 1)), g.add("Relu", g.conv(g.conv(x, channels, c, 1), c, c, 3)),
                  g.add("Relu", g.conv(x, channels, c, 5)), g.add("Relu", g.conv(pooled, channels, c, 1)), axis=1)
    return g.finish(g.pool(x, 4 * c, 9))


def grouped(g):
    x, groups = image(g, 4), g.size(2, 4)
    c = groups * g.size(2, 6)
    x = g.add("Relu", g.conv(x, 4, c))
    y = g.add("Relu", g.norm(g.conv(x, c, 2 * c, 3, 2, groups), 2 * c))
    y = g.conv(y, 2 * c, c, 1)
    return g.finish(g.pool(g.add("Relu", g.add("Add", y, g.conv(x, c, c, 1, 2))), c, 3))


def shuffled(g):
    h, w, batch = 2 * g.size(3, 6), 2 * g.size(3, 6), g.batch()
    x, c = g.input("x", batch, 3, h, w), 4 * g.size(1, 4)
    x = g.add("Relu", g.conv(x, 3, 2 * c))
    a, b = g.add("Split", x, axis=1, outputs=2)
    b = g.add("Relu", g.conv(g.conv(b, c, c, 3, groups=c), c, c, 1))
    x = g.add("Reshape", g.add("Concat", a, b, axis=1), g.ints(0, 2, c, h, w))
    x = g.add("Reshape", g.add("Transpose", x, perm=[0, 2, 1, 3, 4]), g.ints(0, 2 * c, h, w))
    return g.finish(g.conv(x, 2 * c, 3, 1))


def residual(g):
    x, c = image(g, 3, 15, 33), g.size(6, 12)
    x = g.add("Relu", g.norm(g.conv(x, 3, c, 7, 2), c))
    x = g.add("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    for _ in range(2):
        y = g.add("Relu", g.norm(g.conv(x, c, c, bias=False), c))
        x = g.add("Relu", g.add("Add", g.norm(g.conv(y, c, c, bias=False), c), x))
    return g.finish(g.pool(x, c, 10))


def volumes(g):
    x, c = g.input("x", g.batch(), 2, g.size(4, 7), g.size(4, 9), g.size(4, 9)), g.size(4, 9)
    x = g.add("Relu", g.conv(x, 2, c, rank=3))
    x = g.add("MaxPool", x, kernel_shape=[2, 2, 2], strides=[2, 2, 2])
    x = g.add("Flatten", g.add("GlobalAveragePool", g.conv(x, c, c, 1, rank=3)))
    return g.finish(g.add("Gemm", x, g.weight(c, 4), g.weight(4)))


def convnext(g):
    x, c = even_image(g, 3, 4), g.size(8, 17)
    x = g.add("Conv", x, g.weight(c, 3, 4, 4), g.weight(c, scale=0.1), strides=[4, 4], kernel_shape=[4, 4])
    y = g.add("Transpose", g.conv(x, c, c, 7, groups=c), perm=[0, 2, 3, 1])
    y = g.linear(g.gelu(g.linear(g.layer_norm(y, c), c, 4 * c)), 4 * c, c)
    x = g.add("Add", x, g.add("Transpose", y, perm=[0, 3, 1, 2]))
    return g.finish(g.pool(x, c, 6))


def superresolution(g):
    x, c = image(g, 1), g.size(6, 12)
    x = g.add("PRelu", g.conv(x, 1, c, 5), g.weight(c, 1, 1, scale=0.2))
    x = g.add("LeakyRelu", g.conv(x, c, c), alpha=0.1)
    return g.finish(g.add("DepthToSpace", g.conv(x, c, 4), blocksize=2))


def pyramid(g):
    x, c = even_image(g, 3, 8), g.size(5, 9)
    a = g.add("Relu", g.conv(x, 3, c, 3, 2))
    b = g.add("Relu", g.conv(a, c, c, 3, 2))
    d = g.add("Relu", g.conv(b, c, c, 3, 2))
    up = lambda y: g.add("Resize", y, "", g.constant(np.array([1, 1, 2, 2], F)), mode="nearest")  # noqa: E731
    b = g.add("Add", g.conv(b, c, c, 1), up(d))
    a = g.add("Add", g.conv(a, c, c, 1), up(b))
    return g.finish(g.conv(a, c, 4), g.conv(b, c, 4), g.conv(d, c, 4))


def detector(g):
    h, w, batch = g.size(4, 7), g.size(4, 7), g.batch()
    x, c = g.input("x", batch, 3, 2 * h, 2 * w), g.size(6, 10)
    x = g.conv(x, 3, c, 3, 2)
    x = g.add("Mul", x, g.add("Sigmoid", x))
    pooled = [x] + [g.add("MaxPool", x, kernel_shape=[k, k], strides=[1, 1], pads=[k // 2] * 4) for k in (3, 5)]
    x = g.conv(g.add("Concat", *pooled, axis=1), 3 * c, 14, 1)
    x = g.add("Sigmoid", g.add("Transpose", g.add("Reshape", x, g.ints(0, 2, 7, h * w)), perm=[0, 1, 3, 2]))
    xy, wh, rest = g.add("Split", x, g.ints(2, 2, 3), axis=3, outputs=3)
    xy = g.add("Add", g.add("Mul", xy, g.number(2)), g.weight(1, 1, h * w, 2, scale=1))
    wh = g.add("Mul", g.add("Pow", g.add("Mul", wh, g.number(2)), g.number(2)), g.weight(1, 2, 1, 2, scale=1))
    return g.finish(g.add("Reshape", g.add("Concat", xy, wh, rest, axis=3), g.ints(0, 2 * h * w, 7)))


def perceptron(g):
    wide = g.size(3, 30)
    x = g.input("x", g.batch(), wide)
    x = g.norm(g.add("Gemm", x, g.weight(wide, 33), g.weight(33, scale=0.1)), 33)
    x = g.add("Elu", x)
    x = g.add("Softplus", g.add("Gemm", x, g.weight(17, 33, scale=0.2), transB=1, alpha=0.5))
    return g.finish(g.add("Softmax", g.add("Gemm", x, g.weight(17, 5), g.weight(5), beta=2.0), axis=-1))


def gated(g):
    width, length = g.size(2, 5) * 8, g.open("length", g.size(2, 9))
    x = g.input("x", g.batch(), length, width)
    mean = g.add("ReduceMean", g.add("Mul", x, x), axes=[-1], keepdims=1)
    y = g.add("Mul", g.add("Div", x, g.add("Sqrt", g.add("Add", mean, g.number(1e-5)))), g.weight(width, scale=1))
    gate = g.linear(y, width, 40, False)
    y = g.add("Mul", g.add("Mul", gate, g.add("Sigmoid", gate)), g.linear(y, width, 40, False))
    return g.finish(g.add("Add", x, g.linear(y, 40, width, False)))


def listener(g):
    mel, length, hidden = 8, 4 * g.size(2, 6), g.size(4, 9)
    x = g.input("x", g.batch(), mel, g.open("frames", length))
    x = g.add("Relu", g.conv(x, mel, 12, rank=1, stride=2))
    x = g.add("Transpose", x, perm=[2, 0, 1])
    x = g.add("GRU", x, g.weight(2, 3 * hidden, 12, scale=0.3), g.weight(2, 3 * hidden, hidden, scale=0.3),
              g.weight(2, 6 * hidden, scale=0.1), hidden_size=hidden, direction="bidirectional")
    x = g.add("Reshape", g.add("Transpose", x, perm=[0, 2, 1, 3]), g.ints(0, 0, 2 * hidden))
    return g.finish(g.add("LogSoftmax", g.linear(x, 2 * hidden, 11), axis=-1))


def stylist(g):
    x, c = image(g, 3), g.size(4, 9)
    x = g.add("Pad", x, g.ints(0, 0, 2, 2, 0, 0, 2, 2), mode="reflect")
    x = g.add("Conv", x, g.weight(c, 3, 5, 5), g.weight(c, scale=0.1), kernel_shape=[5, 5])
    x = g.add("Relu", g.add("InstanceNormalization", x, g.weight(c, scale=1), g.weight(c, scale=0.1)))
    x = g.add("Mul", g.add("Tanh", g.conv(x, c, 3)), g.number(127.5))
    return g.finish(x)


def twins(g):
    wide, batch = g.size(5, 20), g.batch()
    a, b = g.input("a", batch, wide), g.input("b", batch, wide)
    w, v, bias = g.weight(wide, 24), g.weight(24, 8), g.weight(8, scale=0.1)
    tower = lambda x: g.add("Add", g.add("MatMul", g.add("Relu", g.add("MatMul", x, w)), v), bias)  # noqa: E731
    a, b = tower(a), tower(b)
    return g.finish(g.add("ReduceSum", g.add("Mul", a, b), g.ints(1), keepdims=0), g.add("Sub", a, b))


def words(g):
    """Embeddings are looked up by the elements of a float input, so that all calibration data are floats."""
    length, width = g.open("length", g.size(2, 12)), 16
    x = g.input("x", g.batch(), length)
    ids = g.add("Cast", g.add("Clip", g.add("Mul", g.add("Abs", x), g.number(9)), g.number(0), g.number(19)), to=TensorProto.INT64)
    x = g.add("Gather", g.weight(20, width, scale=1), ids)
    return g.finish(g.linear(g.add("ReduceMax", g.block(x, width, 2), axes=[1], keepdims=0), width, 4))


def distant(g):
    """Products of two computed operands, at several ranks."""
    batch, n, width = g.batch(), g.size(3, 9), g.size(4, 9)
    a, b = g.input("a", batch, n, width), g.input("b", batch, n + 2, width)
    a = g.linear(a, width, 12)
    b = g.linear(b, width, 12)
    scores = g.add("Softmax", g.add("MatMul", a, g.add("Transpose", b, perm=[0, 2, 1])), axis=-1)
    return g.finish(g.linear(g.add("Concat", g.add("MatMul", scores, b), a, axis=-1), 24, 6))


def segmenter(g):
    """Dilated convolutions side by side with a pooled image that is spread, as DeepLab has them."""
    x, c = even_image(g, 3, 4), g.size(4, 8)
    x = g.add("Relu", g.conv(x, 3, c, 3, 2))
    size = g.add("Slice", g.add("Shape", x), g.ints(2), g.ints(4), g.ints(0))
    y = g.conv(g.add("GlobalAveragePool", x), c, c, 1)
    channels = g.add("Slice", g.add("Shape", y), g.ints(0), g.ints(2), g.ints(0))
    y = g.add("Resize", y, "", "", g.add("Concat", channels, size, axis=0), mode="linear")
    x = g.add("Concat", *[g.add("Relu", g.conv(x, c, c, 3, dilation=d)) for d in (1, 2, 3)], y, axis=1)
    return g.finish(g.conv(x, 4 * c, 3, 1))


NETWORKS = {
    "depthwise": depthwise, "temporal": temporal, "transposed": transposed, "gru": recurrent("GRU", 3), "lstm": recurrent("LSTM", 4),
    "rnn": recurrent("RNN", 1), "unet": unet, "squeeze": squeeze("Sigmoid"), "hard-squeeze": squeeze("HardSigmoid"),
    "masked-encoder": masked_encoder, "decoder": decoder, "vit": vit, "mixer": mixer, "inception": inception, "grouped": grouped,
    "shuffled": shuffled, "residual": residual, "volumes": volumes, "convnext": convnext, "superresolution": superresolution,
    "pyramid": pyramid, "detector": detector, "perceptron": perceptron, "gated": gated, "listener": listener, "stylist": stylist,
    "twins": twins, "words": words, "distant": distant, "segmenter": segmenter,
}
