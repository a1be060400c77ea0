"""Random nodes of ONNX that quantize, dequantize and multiply integers, and NhwcConv, for runtime_tests.py."""

import ml_dtypes
import numpy as np
import onnxruntime
from onnx import TensorProto, helper

from runtime_cases import (Case, Constant, F, Typed, draw_integers, draw_scale, draw_shape, draw_type, draw_weight_integers,
                           draw_zero, floats, keep, maybe)

# Formats that fewer bits than a byte's hold, or floats of 8 bits: a model's constants and results, which NumPy has not.
SHORT = {"INT4": ml_dtypes.int4, "UINT4": ml_dtypes.uint4}
FLOAT8 = {"FLOAT8E4M3FN": ml_dtypes.float8_e4m3fn, "FLOAT8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
          "FLOAT8E5M2": ml_dtypes.float8_e5m2, "FLOAT8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz}
WIDE = {"INT8": np.int8, "UINT8": np.uint8, "INT16": np.int16, "UINT16": np.uint16}
# Whether ONNX Runtime rounds quotients of f16 before it quantizes them, as ONNX says since opset 23; before 1.32 it divides in
# f32 in all opsets.
ROUNDS_QUOTIENTS = tuple(map(int, onnxruntime.__version__.split(".")[:2])) >= (1, 32)


def draw_format(rng, names):
    return str(rng.choice(list(names)))


def make_constant(name, array):
    """An initializer of a format that NumPy has not."""
    return Typed(array.astype(F if name in FLOAT8 else np.int32), getattr(TensorProto, name))


def draw_granularity(rng, shape, kinds):
    """The shape of scales, and the attributes that say it: one number, a list along an axis, or one of each block."""
    kind, axis = int(rng.integers(kinds)), int(rng.integers(len(shape)))
    written = axis - len(shape) if rng.random() < 0.3 else axis
    if kind == 0:
        return (), {}
    if kind == 1:
        return (shape[axis],), {"axis": written}
    block = int(rng.integers(2, 6))
    return (*shape[:axis], -(-shape[axis] // block), *shape[axis + 1:]), {"axis": written, "block_size": block}


def quantize(domain):
    def draw(rng):
        shape = draw_shape(rng, 1, 4)
        names = [*WIDE, *SHORT] if domain else [*WIDE, *SHORT, *FLOAT8]
        name = draw_format(rng, names)
        each, attributes = draw_granularity(rng, shape, 2 if domain else 3)
        scale = draw_scale(rng, each)
        # Multiples of half a step, some of them far beyond the ends; scales are repeated as the operator does.
        steps = rng.integers(-40, 40, shape) / 2 * rng.choice([1, 1, 30, 5000])
        spread = scale
        if "block_size" in attributes:
            axis = attributes["axis"] % len(shape)
            spread = np.take(np.repeat(scale, attributes["block_size"], axis), np.arange(shape[axis]), axis)
        elif each:
            spread = scale.reshape([-1 if i == attributes["axis"] % len(shape) else 1 for i in range(len(shape))])
        half = rng.random() < 0.3
        dtype = np.float16 if half else F
        x = np.asarray((steps if name not in FLOAT8 else floats(rng, *shape, scale=30)) * spread, dtype)
        zero, then = None, ()
        if name in WIDE:
            zero = keep(rng, draw_zero(rng, np.dtype(WIDE[name]), each))
        elif name in SHORT:
            info = ml_dtypes.iinfo(SHORT[name])
            zero = make_constant(name, rng.integers(info.min, info.max + 1, each))
            then = (("Cast", {"to": TensorProto.INT8 if name == "INT4" else TensorProto.UINT8}),)
        else:
            zero = make_constant(name, np.zeros(each))
            then = (("Cast", {"to": TensorProto.FLOAT}),)
            attributes["saturate"] = int(rng.integers(2))
        if rng.random() < 0.2 and not domain:
            zero, attributes["output_dtype"] = None, getattr(TensorProto, name)
        opset = int(rng.choice([21, 23]))
        if half and not ROUNDS_QUOTIENTS:
            opset = 21
        return Case("QuantizeLinear", [x, keep(rng, scale.astype(dtype)), zero], attributes, 1, domain, then=then, opset=opset,
                    exact=half and opset >= 23)
    return draw


def dequantize(domain):
    def draw(rng):
        shape = draw_shape(rng, 1, 4)
        names = [*WIDE, *SHORT, "INT32"] if domain else [*WIDE, *SHORT, *FLOAT8, "INT32"]
        name = draw_format(rng, names)
        each, attributes = draw_granularity(rng, shape, 2 if domain else 3)
        scale, zero = draw_scale(rng, each), None
        if name in WIDE or name == "INT32":
            dtype = np.dtype(WIDE.get(name, np.int32))
            x = draw_integers(rng, shape, dtype)
            if name != "INT32":
                zero = maybe(rng, keep(rng, draw_zero(rng, dtype, each)), 0.8)
        elif name in SHORT:
            info = ml_dtypes.iinfo(SHORT[name])
            x = make_constant(name, rng.integers(info.min, info.max + 1, shape))
            zero = maybe(rng, make_constant(name, rng.integers(info.min, info.max + 1, each)), 0.8)
        else:
            x = make_constant(name, floats(rng, *shape, scale=20).astype(FLOAT8[name]).astype(F))
        # A result that is no constant: scales are inputs where elements are not.
        scale = scale if isinstance(x, Constant) else keep(rng, scale)
        return Case("DequantizeLinear", [x, scale, zero], attributes, 1, domain)
    return draw


def quantize_dynamically(rng):
    shape = draw_shape(rng, 1, 4)
    x = floats(rng, *shape, scale=float(rng.choice([0.0, 1e-3, 1.0, 1e4])))
    kind = rng.integers(4)
    x = [x, np.abs(x), -np.abs(x), np.round(x * 2) / 2][kind]
    return Case("DynamicQuantizeLinear", [x], {}, 3, "")


def product_shapes(rng):
    m, k, n = (int(x) for x in rng.integers(1, 40, 3))
    return m, k, n, [((m, k), (k, n)), ((3, m, k), (k, n)), ((2, 1, m, k), (3, k, n)), ((k,), (k, n)), ((m, k), (k,)),
                     ((2, m, k), (2, k, n))][rng.integers(6)]


def matmul_integer(rng):
    _, _, n, (lhs, rhs) = product_shapes(rng)
    x, w = draw_type(rng), draw_type(rng)
    each = (n,) if len(rhs) == 2 and rng.random() < 0.4 else ()
    return Case("MatMulInteger", [draw_integers(rng, lhs, x), keep(rng, draw_weight_integers(rng, rhs, w)),
                                  maybe(rng, keep(rng, draw_zero(rng, x)), 0.7),
                                  maybe(rng, keep(rng, draw_zero(rng, w, each)), 0.7)], {}, 1, "")


def qlinear_matmul(rng):
    _, k, n, (lhs, rhs) = product_shapes(rng)
    x = draw_type(rng)
    w = x if x == np.int8 else draw_type(rng)
    each = (n,) if len(rhs) == 2 and rng.random() < 0.4 else ()
    # A step of the result that sums reach the ends of, and pass.
    step = np.asarray(2.0 ** np.round(np.log2(k) / 2 - rng.integers(1, 5)), F)
    return Case("QLinearMatMul",
                [draw_integers(rng, lhs, x), Constant(draw_scale(rng)), keep(rng, draw_zero(rng, x)),
                 keep(rng, draw_weight_integers(rng, rhs, w)), Constant(draw_scale(rng, each)),
                 keep(rng, draw_zero(rng, w, each)), Constant(step), Constant(draw_zero(rng, x))], {}, 1, "")


def draw_window(rng, rank):
    kernel = [int(k) for k in rng.integers(1, 4, rank)]
    attributes = {"kernel_shape": kernel, "strides": [int(s) for s in rng.integers(1, 3, rank)],
                  "dilations": [int(d) for d in rng.integers(1, 3, rank)]}
    if rng.random() < 0.3:
        attributes |= {"auto_pad": str(rng.choice(["SAME_UPPER", "SAME_LOWER", "VALID"])), "dilations": [1] * rank}
    else:
        attributes["pads"] = [int(rng.integers(0, k)) for k in kernel * 2]
    extents = [int(e) for e in rng.integers(7, 14, rank)]
    return kernel, extents, attributes


def draw_convolution(rng, rank):
    """The shapes of an image and of filters, with the attributes."""
    kernel, extents, attributes = draw_window(rng, rank)
    groups, each = int(rng.choice([1, 1, 2, 5])), int(rng.integers(1, 5))
    filters = groups * int(rng.integers(1, 5))
    attributes["group"] = groups
    return (int(rng.integers(1, 4)), groups * each, *extents), (filters, each, *kernel), attributes


def conv_integer(rng):
    image, filters, attributes = draw_convolution(rng, 2)
    x, w = np.dtype(np.uint8), draw_type(rng)
    return Case("ConvInteger", [draw_integers(rng, image, x), keep(rng, draw_weight_integers(rng, filters, w)),
                                maybe(rng, keep(rng, draw_zero(rng, x)), 0.7),
                                maybe(rng, Constant(draw_zero(rng, w)), 0.5)], attributes, 1, "")


def qlinear_conv(rng):
    image, filters, attributes = draw_convolution(rng, int(rng.choice([1, 2, 2, 2, 3])))
    x = draw_type(rng)
    w = x if x == np.int8 else draw_type(rng)
    each = (filters[0],) if rng.random() < 0.5 else ()
    zero = np.zeros(each, w) if w == np.int8 else np.full(each, rng.integers(256), w)
    bias = rng.integers(-2000, 2000, filters[0]).astype(np.int32)
    return Case("QLinearConv",
                [draw_integers(rng, image, x), Constant(draw_scale(rng)), keep(rng, draw_zero(rng, x)),
                 Constant(draw_weight_integers(rng, filters, w)), Constant(draw_scale(rng, each)), Constant(zero),
                 Constant(draw_scale(rng, low=0, high=5)), Constant(draw_zero(rng, x)), maybe(rng, Constant(bias))],
                attributes, 1, "")


def nhwc_conv(rng):
    """ONNX Runtime has kernels of NhwcConv on other devices only: what its optimizer makes of Conv is compared with that."""
    image, filters, attributes = draw_convolution(rng, 2)

    def reference(names, outputs):
        return [helper.make_node("Transpose", [names[0]], ["image"], perm=[0, 3, 1, 2]),
                helper.make_node("Transpose", [names[1]], ["filters"], perm=[0, 3, 1, 2]),
                helper.make_node("Conv", ["image", "filters", *names[2:]], ["convolved"], **attributes),
                helper.make_node("Transpose", ["convolved"], outputs, perm=[0, 2, 3, 1])]

    x = floats(rng, image[0], *image[2:], image[1])
    return Case("NhwcConv", [x, keep(rng, floats(rng, filters[0], *filters[2:], filters[1])),
                             maybe(rng, Constant(floats(rng, filters[0])))], attributes, reference=reference)


def resize(rng):
    """Integers between others are cut off: weights are multiples of powers of two, so that none lies next to a whole number."""
    rank = int(rng.integers(1, 3))
    shape = (int(rng.integers(1, 4)), int(rng.integers(1, 6)), *(int(e) for e in rng.integers(1, 9, rank)))
    scales = np.array([1, 1, *rng.choice([1.0, 2.0, 4.0], rank)], F)
    x = draw_integers(rng, shape, rng.choice([np.uint8, np.int8, np.int32]))
    if x.dtype == np.int32 and np.any(scales != 1):
        x >>= 15  # 17 bits, and 3 of a weight along each of two dimensions: what f32 holds
    places = str(rng.choice(["half_pixel", "asymmetric", "pytorch_half_pixel"]))
    return Case("Resize", [x, None, Constant(scales)], {"mode": "linear", "coordinate_transformation_mode": places}, 1, "",
                opset=18)


# Two domains have operators of one name.
OPERATORS = {
    "QuantizeLinear": quantize(""), "com.microsoft.QuantizeLinear": quantize("com.microsoft"),
    "DequantizeLinear": dequantize(""), "com.microsoft.DequantizeLinear": dequantize("com.microsoft"),
    "DynamicQuantizeLinear": quantize_dynamically, "MatMulInteger": matmul_integer, "ConvInteger": conv_integer,
    "QLinearMatMul": qlinear_matmul, "onnx.QLinearConv": qlinear_conv, "NhwcConv": nhwc_conv, "Resize": resize,
}
