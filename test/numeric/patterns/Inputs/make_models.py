"""usage: make_models.py MODEL [small]

A block of a model in primitives: `bert` (12 heads, 768, sequence 128), `llama` (RMS norm, RoPE, grouped
heads, SwiGLU), `resnet` (a bottleneck of 64 channels at 56 x 56), `resnet-wide` (with 1 x 1 on the
skip), `resnet-down` (with stride 2). `small`: the same block, narrower. Weights and variances are given such
that values stay near 1 and comparisons mean something.
"""
import sys


def write(shape, element="f32"):
    return "tensor<" + "".join(f"{extent}x" for extent in shape) + element + ">"


class Value:
    def __init__(self, name, shape):
        self.name, self.shape, self.type = name, list(shape), write(shape)


class Function:
    def __init__(self):
        self.lines, self.arguments, self.given = [], [], []

    def emit(self, text, shape):
        value = Value(f"%v{len(self.lines)}", shape)
        self.lines.append(f"{value.name} = {text}{value.type}")
        return value

    def argument(self, *shape):
        value = Value(f"%a{len(self.arguments)}", shape)
        self.arguments.append(value)
        return value

    def constant(self, number):
        return self.emit(f"arith.constant dense<{number:.9e}> : ", [])

    def unary(self, kind, x):
        suffix = " approximate = none" if kind == "gelu" else ""
        return self.emit(f"fuse.unary {kind} {x.name}{suffix} : ", x.shape)

    def binary(self, kind, x, y):
        rank = max(len(x.shape), len(y.shape))
        pad = lambda shape: [1] * (rank - len(shape)) + shape
        shape = [max(p, q) for p, q in zip(pad(x.shape), pad(y.shape))]
        return self.emit(f"fuse.binary {kind} {x.name}, {y.name} : ({x.type}, {y.type}) -> ", shape)

    def matmul(self, x, y):
        rank = max(len(x.shape), len(y.shape)) - 2
        pad = lambda shape: [1] * (rank + 2 - len(shape)) + shape[:-2]
        batch = [max(p, q) for p, q in zip(pad(x.shape), pad(y.shape))]
        return self.emit(f"fuse.matmul {x.name}, {y.name} : ({x.type}, {y.type}) -> ",
                         batch + [x.shape[-2], y.shape[-1]])

    def reduce(self, kind, x):
        return self.emit(f"fuse.reduce {kind} {x.name} dimensions = [{len(x.shape) - 1}] keep_dims : "
                         f"{x.type} -> ", x.shape[:-1] + [1])

    def reshape(self, x, *shape):
        return self.emit(f"fuse.reshape {x.name} : {x.type} -> ", shape)

    def transpose(self, x, *order):
        return self.emit(f"fuse.transpose {x.name} permutation = {list(order)} : {x.type} -> ",
                         [x.shape[i] for i in order])

    def slice(self, x, offsets, sizes):
        return self.emit(f"fuse.slice {x.name} offsets = {offsets} sizes = {sizes} strides = "
                         f"{[1] * len(sizes)} : {x.type} -> ", sizes)

    def concat(self, x, y, dimension):
        shape = list(x.shape)
        shape[dimension] += y.shape[dimension]
        return self.emit(f"fuse.concat {x.name}, {y.name} dimension = {dimension} : "
                         f"({x.type}, {y.type}) -> ", shape)

    def weight(self, terms, *shape):
        """Of such a size that sums of so many products stay near 1."""
        value = self.argument(*shape)
        self.given.append(f"{value.name} = {terms ** -0.5:.6f} * np.random.default_rng("
                          f"{len(self.arguments)}).standard_normal(shape)")
        return value

    def linear(self, x, columns, has_bias=True):
        product = self.matmul(x, self.weight(x.shape[-1], x.shape[-1], columns))
        return self.binary("add", product, self.argument(columns)) if has_bias else product

    def layer_norm(self, x):
        centered = self.binary("sub", x, self.reduce("mean", x))
        variance = self.reduce("mean", self.binary("mul", centered, centered))
        deviation = self.unary("sqrt", self.binary("add", variance, self.constant(1e-5)))
        normal = self.binary("div", centered, deviation)
        scaled = self.binary("mul", normal, self.argument(x.shape[-1]))
        return self.binary("add", scaled, self.argument(x.shape[-1]))

    def rms_norm(self, x):
        square = self.reduce("mean", self.binary("mul", x, x))
        factor = self.unary("rsqrt", self.binary("add", square, self.constant(1e-5)))
        return self.binary("mul", self.binary("mul", x, factor), self.argument(x.shape[-1]))

    def softmax(self, x):
        weight = self.unary("exp", self.binary("sub", x, self.reduce("max", x)))
        return self.binary("div", weight, self.reduce("sum", weight))

    def conv(self, x, channels, size, stride=1):
        pad = size // 2
        batch, inputs, height, width = x.shape
        kernel = self.weight(inputs * size * size, channels, inputs, size, size)
        height, width = [(extent + 2 * pad - size) // stride + 1 for extent in (height, width)]
        return self.emit(f"fuse.conv2d {x.name}, {kernel.name} strides = [{stride}, {stride}] dilations = "
                         f"[1, 1] padding = [{pad}, {pad}, {pad}, {pad}] groups = 1 layout = nchw_fchw : "
                         f"({x.type}, {kernel.type}) -> ", [batch, channels, height, width])

    def batch_norm(self, x):
        values = [self.argument(x.shape[1]) for _ in range(4)]
        self.given.append(f"{values[3].name} = np.linspace(0.5, 2, {x.shape[1]})")
        names = ", ".join(value.name for value in [x, *values])
        return self.emit(f"fuse.batch_norm {names} epsilon = 1.0e-05 feature_dimension = 1 : "
                         f"({', '.join([x.type] + 4 * [values[0].type])}) -> ", x.shape)

    def write(self, name, result, expect):
        arguments = ", ".join(f"{value.name}: {value.type}" for value in self.arguments)
        body = "".join(f"  {line}\n" for line in self.lines)
        given = "".join(f"// with {line}\n" for line in self.given)
        return (f"// expect {expect}\n{given}func.func @{name}({arguments}) -> {result.type} {{\n{body}"
                f"  return {result.name} : {result.type}\n}}\n")


def make_bert(small):
    sequence, width, heads, inner = (64, 192, 3, 768) if small else (128, 768, 12, 3072)
    f, depth = Function(), width // heads
    x, mask = f.argument(1, sequence, width), f.argument(1, 1, 1, sequence)
    split = lambda t: f.transpose(f.reshape(t, 1, sequence, heads, depth), 0, 2, 1, 3)
    q, k, v = (split(f.linear(x, width)) for _ in range(3))
    scores = f.binary("mul", f.matmul(q, f.transpose(k, 0, 1, 3, 2)), f.constant(depth ** -0.5))
    context = f.matmul(f.softmax(f.binary("add", scores, mask)), v)
    joined = f.reshape(f.transpose(context, 0, 2, 1, 3), 1, sequence, width)
    hidden = f.layer_norm(f.binary("add", f.linear(joined, width), x))
    gelu = f.unary("gelu", f.linear(hidden, inner))
    return f.write("bert", f.layer_norm(f.binary("add", f.linear(gelu, width), hidden)),
                   f"kernels<={7 if small else 6} blocks>=16")


def make_llama(small):
    sequence, width, heads, groups, inner = (64, 192, 6, 2, 512) if small else (128, 768, 12, 4, 2048)
    f, depth = Function(), width // heads
    x, cos, sin = f.argument(1, sequence, width), f.argument(sequence, depth), f.argument(sequence, depth)
    mask = f.argument(sequence, sequence)
    split = lambda t, count: f.transpose(f.reshape(t, 1, sequence, count, depth), 0, 2, 1, 3)

    def rotate(t):
        sizes = [1, t.shape[1], sequence, depth // 2]
        low, high = f.slice(t, [0, 0, 0, 0], sizes), f.slice(t, [0, 0, 0, depth // 2], sizes)
        turned = f.concat(f.unary("neg", high), low, 3)
        return f.binary("add", f.binary("mul", t, cos), f.binary("mul", turned, sin))

    normal = f.rms_norm(x)
    q, k, v = (split(f.linear(normal, count * depth, False), count) for count in (heads, groups, groups))
    q = f.reshape(rotate(q), 1, groups, heads // groups, sequence, depth)
    k, v = (f.reshape(t, 1, groups, 1, sequence, depth) for t in (rotate(k), v))
    scores = f.binary("mul", f.matmul(q, f.transpose(k, 0, 1, 2, 4, 3)), f.constant(depth ** -0.5))
    context = f.matmul(f.softmax(f.binary("add", scores, mask)), v)
    joined = f.transpose(f.reshape(context, 1, heads, sequence, depth), 0, 2, 1, 3)
    hidden = f.binary("add", f.linear(f.reshape(joined, 1, sequence, width), width, False), x)
    normal = f.rms_norm(hidden)
    gate = f.binary("mul", f.unary("silu", f.linear(normal, inner, False)),
                    f.linear(normal, inner, False))
    return f.write("llama", f.binary("add", f.linear(gate, width, False), hidden),
                   "kernels<=7 blocks>=16")


def make_bottleneck(small, inputs, channels, stride, expect):
    scale = 4 if small else 1
    f, inputs, channels = Function(), inputs // scale, channels // scale
    x = f.argument(1, inputs, 20 if small else 56, 20 if small else 56)
    y = f.unary("relu", f.batch_norm(f.conv(x, channels, 1)))
    y = f.unary("relu", f.batch_norm(f.conv(y, channels, 3, stride)))
    y = f.batch_norm(f.conv(y, 4 * channels, 1))
    skip = x if inputs == 4 * channels else f.batch_norm(f.conv(x, 4 * channels, 1, stride))
    return f.write("resnet", f.unary("relu", f.binary("add", y, skip)), expect)


MODELS = {
    "bert": make_bert,
    "llama": make_llama,
    "resnet": lambda small: make_bottleneck(small, 256, 64, 1, "kernels<=3"),
    "resnet-wide": lambda small: make_bottleneck(small, 64, 64, 1, "kernels<=4"),
    "resnet-down": lambda small: make_bottleneck(small, 256, 128, 2, "kernels<=4"),
}
print(MODELS[sys.argv[1]](len(sys.argv) > 2))
