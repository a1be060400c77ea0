"""Random nodes of com.microsoft and ai.onnx.ml, for runtime_tests.py: `OPERATORS` has a function for each operator, which
draws a node as Case(op, inputs, attributes, outputs). Inputs are arrays, None for one that is left out, or constants
(`Constant`). Scales are powers of two in a part of the cases, so that many elements lie half-way between integers."""

import collections
import re

import numpy as np

F = np.float32


class Constant:
    """An operand that is an initializer of the model."""
    def __init__(self, array):
        self.array = np.asarray(array)


class Typed(Constant):
    """The same, of an element type that NumPy has not."""
    def __init__(self, array, type_):
        super().__init__(array)
        self.type = type_


# `then`: operators, with their attributes, that take the first result before it is compared. `reference` makes the nodes of
# ONNX Runtime's model, from the names of inputs and outputs, where it has no kernel of the operator. `exact`: of f16 that is
# rounded between operations, which the default class of numerics leaves out.
Case = collections.namedtuple("Case", "op inputs attributes outputs domain loose then reference opset exact",
                              defaults=(1, "com.microsoft", False, (), None, 21, False))


def sums_in_pairs():
    """Whether ONNX Runtime multiplies unsigned by signed bytes with an instruction that adds two products in 16 bits, and
    saturates: on x86 without VNNI."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            flags = set(re.findall(r"^flags\s*: (.*)$", file.read(), re.MULTILINE)[0].split())
    except (OSError, IndexError):
        return False
    return not flags & {"avx512_vnni", "avx_vnni"}


SUMS_IN_PAIRS = sums_in_pairs()


def draw_shape(rng, least, most, largest=12):
    """Of `least` to `most` dimensions; odd extents, and ones longer than a vector."""
    shape = [int(x) for x in rng.integers(1, largest, rng.integers(least, most + 1))]
    if rng.random() < 0.3:
        shape[-1] = int(rng.integers(16, 80))
    return tuple(shape)


def draw_scale(rng, shape=(), low=-5.0, high=-1.0):
    """Powers of two, or any numbers."""
    exponents = rng.uniform(low, high, shape)
    if rng.random() < 0.5:
        exponents = np.round(exponents)
    return np.asarray(np.exp2(exponents), F)


def draw_type(rng):
    return np.dtype(rng.choice(["u1", "i1"]))


def draw_integers(rng, shape, dtype):
    """All values, the least and the largest among them often."""
    info = np.iinfo(dtype)
    values = rng.integers(info.min, info.max + 1, shape)
    ends = rng.random(shape)
    values = np.where(ends < 0.05, info.min, np.where(ends > 0.95, info.max, values))
    return np.asarray(values, dtype)


def draw_weight_integers(rng, shape, dtype):
    """The same, of 7 bits where ONNX Runtime's sums of two products would saturate: it advises `reduce_range` there."""
    values = draw_integers(rng, shape, dtype)
    return values // 2 if dtype == np.int8 and SUMS_IN_PAIRS else values


def draw_zero(rng, dtype, shape=()):
    kind, info = rng.integers(3), np.iinfo(dtype)
    if kind == 0:
        return np.zeros(shape, dtype)
    return np.asarray(rng.integers(info.min, info.max + 1, shape), dtype)


def floats(rng, *shape, scale=1.0):
    return np.asarray(rng.standard_normal(shape) * scale, F)


def maybe(rng, value, probability=0.5):
    return value if rng.random() < probability else None


def keep(rng, array):
    """As an input, or as a constant."""
    return Constant(array) if rng.random() < 0.6 else array


def sometimes_half(draw):
    """The same node of f16 in a part of the cases; where ONNX Runtime has no such kernel, another one is drawn."""
    def convert(operand):
        if isinstance(operand, Constant):
            return Constant(convert(operand.array))
        return operand.astype(np.float16) if isinstance(operand, np.ndarray) and operand.dtype == F else operand

    def draw_either(rng):
        case = draw(rng)
        if rng.random() < 0.2:
            case = case._replace(inputs=[convert(operand) for operand in case.inputs])
        return case
    return draw_either


# Quantized element by element

def binary(op):
    def draw(rng):
        dtype = draw_type(rng)
        m, n, k = (int(x) for x in rng.integers(1, 40, 3))
        shapes = [((3, n, k), (3, n, k)), ((m, n), (n,)), ((2, m, n), (m, 1)), ((m,), (1,)), ((m, 1), (m, n))]
        a, b = shapes[rng.integers(len(shapes))]
        sides = [keep(rng, draw_scale(rng)) for _ in range(3)]
        zeros = [keep(rng, draw_zero(rng, dtype)) for _ in range(3)]
        return Case(op, [draw_integers(rng, a, dtype), sides[0], zeros[0], keep(rng, draw_integers(rng, b, dtype)),
                         sides[1], zeros[1], sides[2], zeros[2]], {})
    return draw


def unary(op, attributes=lambda rng: {}):
    def draw(rng):
        dtype = draw_type(rng)
        return Case(op, [draw_integers(rng, draw_shape(rng, 1, 3), dtype), keep(rng, draw_scale(rng)), keep(rng, draw_zero(rng, dtype)),
                         keep(rng, draw_scale(rng, low=-8)), keep(rng, draw_zero(rng, dtype))], attributes(rng),
                    1, loose=op == "QLinearSigmoid")
    return draw


def softmax(rng):
    dtype = draw_type(rng)
    shape = (2, 3, int(rng.integers(2, 20)))
    zero = np.array(0 if dtype == np.uint8 else -128, dtype)
    return Case("QLinearSoftmax", [draw_integers(rng, shape, dtype), keep(rng, draw_scale(rng)),
                                   keep(rng, draw_zero(rng, dtype)), keep(rng, np.array(1 / 256, F)), keep(rng, zero)],
                {"axis": int(rng.integers(-1, 3)), "opset": int(rng.choice([12, 13]))}, 1, loose=True)


def average_pool(rng):
    dtype = draw_type(rng)
    kernel = [int(k) for k in rng.integers(1, 4, 2)]
    last = int(rng.integers(2))
    height, width, channels = (int(x) for x in rng.integers(5, 14, 3))
    shape = (2, height, width, channels) if last else (2, channels, height, width)
    return Case("QLinearAveragePool",
                [draw_integers(rng, shape, dtype), keep(rng, draw_scale(rng)), keep(rng, draw_zero(rng, dtype)),
                 keep(rng, draw_scale(rng)), keep(rng, draw_zero(rng, dtype))],
                {"kernel_shape": kernel, "strides": [int(s) for s in rng.integers(1, 3, 2)],
                 "pads": [int(rng.integers(k)) for k in kernel * 2], "channels_last": last,
                 "count_include_pad": int(rng.integers(2))}, 1, loose=True)


def global_average_pool(rng):
    dtype = draw_type(rng)
    last = int(rng.integers(2))
    height, width, channels = (int(x) for x in rng.integers(1, 20, 3))
    shape = (2, height, width, channels) if last else (2, channels, height, width)
    return Case("QLinearGlobalAveragePool",
                [draw_integers(rng, shape, dtype), keep(rng, draw_scale(rng)), keep(rng, draw_zero(rng, dtype)),
                 keep(rng, draw_scale(rng)), keep(rng, draw_zero(rng, dtype))], {"channels_last": last})


def concat(rng):
    dtype = draw_type(rng)
    scale, zero = draw_scale(rng), draw_zero(rng, dtype)
    inputs = [Constant(scale), Constant(zero)]
    for size in rng.integers(1, 6, rng.integers(1, 4)):
        same = rng.random() < 0.4
        inputs += [draw_integers(rng, (3, int(size), 4), dtype), Constant(scale if same else draw_scale(rng)),
                   Constant(zero if same else draw_zero(rng, dtype))]
    return Case("QLinearConcat", inputs, {"axis": 1})


def where(rng):
    dtype = draw_type(rng)
    return Case("QLinearWhere", [rng.random((3, 1, 4)) < 0.5, draw_integers(rng, (3, 5, 4), dtype), Constant(draw_scale(rng)),
                                 Constant(draw_zero(rng, dtype)), draw_integers(rng, (5, 1), dtype),
                                 Constant(draw_scale(rng)), Constant(draw_zero(rng, dtype)), Constant(draw_scale(rng)),
                                 Constant(draw_zero(rng, dtype))], {})


# Integer products

def draw_weights(rng, shape, columns):
    """Weights with scales and zero points, of all or of each column."""
    dtype = draw_type(rng)
    each = (columns,) if rng.random() < 0.5 else ()
    zero = draw_zero(rng, dtype, each) if rng.random() < 0.5 else np.zeros(each, dtype)
    return keep(rng, draw_weight_integers(rng, shape, dtype)), Constant(draw_scale(rng, each, -9, -5)), Constant(zero)


def matmul_to_float(rng):
    k, n = (int(x) for x in rng.integers(1, 40, 2))
    weights, scale, zero = draw_weights(rng, (k, n), n)
    lhs = [(5, k), (2, 3, k), (1, k)][rng.integers(3)]
    return Case("MatMulIntegerToFloat",
                [draw_integers(rng, lhs, np.uint8), weights, keep(rng, draw_scale(rng)), scale,
                 maybe(rng, draw_zero(rng, np.uint8)), zero, maybe(rng, Constant(floats(rng, n)))], {})


def dynamic_matmul(rng):
    k, n = (int(x) for x in rng.integers(1, 40, 2))
    weights, scale, zero = draw_weights(rng, (k, n), n)
    lhs = [(5, k), (2, 3, k), (1, k)][rng.integers(3)]
    data = floats(rng, *lhs, scale=float(rng.choice([0.0, 1.0, 100.0])))
    if rng.random() < 0.2:
        data = np.abs(data)
    return Case("DynamicQuantizeMatMul", [data, weights, scale, zero, maybe(rng, Constant(floats(rng, n)))], {})


def qgemm(rng):
    m, k, n = (int(x) for x in rng.integers(1, 30, 3))
    dtype = np.dtype(np.uint8) if rng.random() < 0.7 else np.dtype(np.int8)
    trans_a, trans_b = (int(x) for x in rng.integers(2, size=2))
    other = dtype if dtype == np.int8 else draw_type(rng)
    each = (n,) if rng.random() < 0.5 else ()
    zero = draw_zero(rng, other, each)
    bias = rng.integers(-2000, 2000, [(n,), (1, n), (m, n)][rng.integers(3)]).astype(np.int32)
    inputs = [draw_integers(rng, (k, m) if trans_a else (m, k), dtype), Constant(draw_scale(rng)),
              Constant(draw_zero(rng, dtype)), Constant(draw_weight_integers(rng, (n, k) if trans_b else (k, n), other)),
              Constant(draw_scale(rng, each)), Constant(zero), maybe(rng, Constant(bias))]
    if rng.random() < 0.7:
        inputs += [Constant(draw_scale(rng, low=0, high=6)), Constant(draw_zero(rng, dtype))]
    return Case("QGemm", inputs, {"transA": trans_a, "transB": trans_b,
                                  "alpha": float(rng.choice([1.0, 0.5, 0.3]))})


def qlinear_conv(rng):
    dtype = draw_type(rng)
    groups = int(rng.choice([1, 1, 2]))
    channels, filters, k = groups * int(rng.integers(1, 5)), groups * int(rng.integers(1, 5)), int(rng.integers(1, 4))
    last = int(rng.integers(2))
    height, width = (int(x) for x in rng.integers(5, 14, 2))
    shape = (2, height, width, channels) if last else (2, channels, height, width)
    each = (filters,) if rng.random() < 0.5 else ()
    other = np.dtype(np.int8) if dtype == np.int8 else draw_type(rng)
    zero = np.zeros(each, other) if other == np.int8 else np.full(each, rng.integers(256), other)
    bias = rng.integers(-2000, 2000, filters).astype(np.int32)
    return Case("QLinearConv",
                [draw_integers(rng, shape, dtype), Constant(draw_scale(rng)), keep(rng, draw_zero(rng, dtype)),
                 Constant(draw_weight_integers(rng, (filters, channels // groups, k, k), other)), Constant(draw_scale(rng, each)),
                 Constant(zero), Constant(draw_scale(rng, low=0, high=5)), Constant(draw_zero(rng, dtype)),
                 maybe(rng, Constant(bias))],
                {"channels_last": last, "group": groups, "kernel_shape": [k, k],
                 "strides": [int(s) for s in rng.integers(1, 3, 2)], "pads": [int(p) for p in rng.integers(0, k, 4)]})


# Weights of blocks

def matmul_nbits(rng):
    bits, block = int(rng.choice([2, 4, 4, 8])), int(rng.choice([16, 32, 64, 128, 256]))
    k, n = int(rng.integers(1, 10)) * 32 + int(rng.choice([0, 0, 5])), int(rng.choice([1, 2, 7, 16, 39, 65]))
    if bits != 4:
        k = k // 32 * 32
    blocks = -(-k // block)
    weights = rng.integers(0, 256, (n, blocks, block * bits // 8)).astype(np.uint8)
    zeros = [None, Constant(rng.integers(0, 256, (n * -(-blocks * bits // 8),)).astype(np.uint8)),
             Constant(np.asarray(rng.uniform(0, 2**bits, n * blocks), F))][rng.integers(3 if bits == 4 else 2)]
    lhs = [(1, k), (5, k), (2, 3, k), (8, 1, k), (1, 17, k)][rng.integers(5)]
    accuracy = {"accuracy_level": int(rng.integers(3))} if rng.random() < 0.3 else {}
    return Case("MatMulNBits", [floats(rng, *lhs), Constant(weights), Constant(floats(rng, n * blocks, scale=0.1)), zeros, None,
                                maybe(rng, Constant(floats(rng, n)))],
                {"K": k, "N": n, "bits": bits, "block_size": block} | accuracy)


def gather_blocks(rng):
    bits, block = int(rng.choice([4, 8])), int(rng.choice([16, 32]))
    rows, width = int(rng.integers(1, 20)), int(rng.choice([32, 64]))
    blocks = -(-width // block)
    indices = rng.integers(-rows, rows, [(3,), (2, 3), ()][rng.integers(3)]).astype(rng.choice([np.int32, np.int64]))
    zeros = Constant(rng.integers(0, 256, (rows, -(-blocks * bits // 8))).astype(np.uint8))
    return Case("GatherBlockQuantized",
                [Constant(rng.integers(0, 256, (rows, width * bits // 8)).astype(np.uint8)), indices,
                 Constant(floats(rng, rows, blocks)), maybe(rng, zeros)],
                {"bits": bits, "block_size": block, "gather_axis": 0, "quantize_axis": 1})


# Recurrences

def draw_cell(rng, directions):
    attributes = {}
    if rng.random() < 0.2:
        attributes["clip"] = float(rng.choice([0.3, 2.0]))
    if rng.random() < 0.2:
        attributes["input_forget"] = 1
    if rng.random() < 0.2:
        others = [str(name) for name in rng.choice(["Tanh", "Relu", "Softsign"], 2)]
        attributes["activations"] = [str(rng.choice(["Sigmoid", "HardSigmoid"])), *others] * directions
    return attributes


def lstm(rng):
    length, batch, width, hidden = (int(x) for x in rng.integers(1, [12, 9, 7, 20]))
    direction = str(rng.choice(["forward", "reverse", "bidirectional"]))
    d = 2 if direction == "bidirectional" else 1
    dtype = draw_type(rng)
    each = (d, 4 * hidden) if rng.random() < 0.5 else (d,)
    zero = np.zeros(each, dtype) if dtype == np.int8 else np.full(each, 128, dtype)
    inputs = [floats(rng, length, batch, width), Constant(draw_weight_integers(rng, (d, width, 4 * hidden), dtype)),
              Constant(draw_weight_integers(rng, (d, hidden, 4 * hidden), dtype)), maybe(rng, Constant(floats(rng, d, 8 * hidden))),
              maybe(rng, rng.integers(1, length + 1, batch).astype(np.int32), 0.3),
              maybe(rng, floats(rng, d, batch, hidden)), None, maybe(rng, Constant(floats(rng, d, 3 * hidden)), 0.3),
              Constant(draw_scale(rng, each, -9, -6)), Constant(zero), Constant(draw_scale(rng, each, -9, -6)), Constant(zero)]
    if inputs[5] is not None:
        inputs[6] = floats(rng, d, batch, hidden)
    return Case("DynamicQuantizeLSTM", inputs, {"hidden_size": hidden, "direction": direction} | draw_cell(rng, d), 3)


OPERATORS = {
    "QLinearAdd": binary("QLinearAdd"), "QLinearMul": binary("QLinearMul"), "QLinearSigmoid": unary("QLinearSigmoid"),
    "QLinearLeakyRelu": unary("QLinearLeakyRelu", lambda rng: {"alpha": float(rng.choice([0.01, 0.25, 0.1]))}),
    "QLinearSoftmax": softmax, "QLinearAveragePool": average_pool, "QLinearGlobalAveragePool": global_average_pool,
    "QLinearConcat": concat, "QLinearWhere": where, "MatMulIntegerToFloat": matmul_to_float,
    "DynamicQuantizeMatMul": dynamic_matmul, "QGemm": qgemm, "QLinearConv": qlinear_conv, "MatMulNBits": sometimes_half(matmul_nbits),
    "GatherBlockQuantized": gather_blocks, "DynamicQuantizeLSTM": lstm,
}
