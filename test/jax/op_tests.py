#!/usr/bin/env python3
"""Each op of StableHLO that JAX makes, with odd shapes and all types: op_tests.py [--only NAME] [--every N [--today]] [--unfused]

A case is a function of few ops. Its results must be those of jax.jit: the same integers and booleans, floats within a bound of their
type. Ops that no case has are listed at the end, which is an error when all cases have run."""
import argparse
import re
import sys
import time

import jax

jax.config.update("jax_enable_x64", True)

import jax.numpy as jnp
import numpy as np
from jax import lax

import fuse
import fuse.jax

F = ("float32", "float64", "float16", "bfloat16")
I = ("int8", "int16", "int32", "int64")
U = ("uint8", "uint16", "uint32", "uint64")
B = ("bool",)
BOUNDS = {"float64": 1e-12, "float32": 2e-6, "float16": 2e-3, "bfloat16": 2e-2}
# Functions that jax.jit or fuse approximate: the relative bound in f32, and in f64 where it is another one.
LOOSE = {"erf_inv": (1e-4, 1e-5), "erfc": (1e-5, 1e-5), "lgamma": (2e-5, 1e-10), "tan": (1e-5, 1e-11), "cumsum": (1e-5, 1e-11),
         "cumprod": (1e-5, 1e-11), "cumlogsumexp": (2e-5, 1e-11), "logsumexp": (1e-5, 1e-11), "power": (1e-5, 1e-11), "cbrt": (1e-5, 1e-10)}
# Ops that JAX makes of open sizes (function_tests.py, test_api.py), or no more.
ELSEWHERE = {f"stablehlo.{n}" for n in ("custom_call", "get_dimension_size", "real_dynamic_slice", "dynamic_broadcast_in_dim", "dynamic_gather",
                                        "dynamic_iota", "dynamic_pad", "dynamic_reshape", "if", "logistic", "tan")} | {"chlo.is_inf", "chlo.tan"}
random = np.random.default_rng(3)
CASES = []


def array(dtype, *shape, low=-3.0, high=3.0):
    if dtype == "bool":
        return jnp.asarray(random.random(shape) > 0.5)
    if np.dtype(jnp.dtype(dtype)).kind in "iu":
        low = max(low, 0) if dtype.startswith("u") else low
        return jnp.asarray(random.integers(int(low), int(high) + 1, shape), dtype)
    return jnp.asarray(random.uniform(low, high, shape), dtype)


def case(name, function, *shapes, types=F[:1], low=-3.0, high=3.0, extra=()):
    """A function of arrays of these shapes, and of other arrays."""
    for dtype in types:
        made = [array(dtype, *shape, low=low, high=high) for shape in shapes]
        CASES.append((f"{name}/{dtype}", function, (*made, *extra)))


def special(dtype):
    """Zeros of both signs, infinities, NaN, halves."""
    values = [0.0, -0.0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 1.0, -1.0, np.inf, -np.inf, np.nan, 30.0, -30.0]
    return jnp.asarray(values, dtype)


#===- Element-wise ---------------------------------------------------------------------------===#
for name in ("exp", "expm1", "floor", "ceil", "sin", "cos", "tanh", "logistic", "erf", "erfc", "atan", "asinh", "sign", "abs", "neg",
             "is_finite", "square", "cbrt", "sinh", "cosh"):
    case(name, getattr(lax, name), (3, 5), types=F)
    CASES.append((f"{name}/special", getattr(lax, name), (special("float32"),)))
for name in ("log", "log1p", "sqrt", "rsqrt", "lgamma", "acosh"):
    case(name, getattr(lax, name), (7,), types=F, low=1.0, high=9.0)
for name in ("asin", "acos", "atanh", "erf_inv"):
    case(name, getattr(lax, name), (7,), types=F[:3], low=-0.9, high=0.9)
case("tan_logistic", lambda x: (jnp.tan(x), jax.nn.sigmoid(x), jnp.isinf(x)), (5,), types=F[:1], low=-1.2, high=1.2)
case("lgamma_negative", lax.lgamma, (9,), types=F[:2], low=-4.7, high=0.4)
case("tan", lax.tan, (3, 5), types=F[:2], low=-1.2, high=1.2)
case("round", lambda x: (lax.round(x), lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN)), (9,), types=F)
CASES.append(("round/special", lambda x: (lax.round(x), lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN)), (special("float32"),)))
CASES.append(("sqrt/special", lambda x: (lax.sqrt(x), lax.rsqrt(x), lax.log(x), lax.log1p(x)), (special("float32"),)))
for name in ("abs", "sign", "neg", "square"):
    case(name, getattr(lax, name), (3, 5), types=I)
case("neg", lax.neg, (5,), types=U)
for name in ("add", "sub", "mul", "max", "min"):
    case(name, getattr(lax, name), (2, 3), (2, 3), types=F + I + U)
case("maxmin", lambda x, y: (lax.max(x, y), lax.min(x, y)), (5,), (5,), types=B)
CASES.append(("max/special", lambda x: (lax.max(x, x[::-1]), lax.min(x, x[::-1])), (special("float32"),)))
case("div", lax.div, (2, 3), (2, 3), types=F + I + U, low=1)
case("rem", lax.rem, (9,), (9,), types=F[:2] + I + U, low=1, high=7)
case("rem_negative", lambda x, y: lax.rem(-x, y), (9,), (9,), types=F[:2] + I, low=1, high=7)
case("power", lax.pow, (9,), (9,), types=F[:3], low=0.2)
case("integer_power", lambda x: (x ** 3, x ** -2), (9,), types=F)
case("integer_power", lambda x: x ** 3, (9,), types=I)
case("atan2", lax.atan2, (9,), (9,), types=F[:2])
CASES.append(("atan2/special", lambda x: lax.atan2(x[:, None] + 0 * x, x[None] + 0 * x[:, None]), (special("float32"),)))
for name in ("bitwise_and", "bitwise_or", "bitwise_xor"):
    case(name, getattr(lax, name), (9,), (9,), types=I + U + B)
case("bitwise_not", lax.bitwise_not, (9,), types=I + U + B)
shifts = {t: jnp.asarray([0, 1, 7, 8, 31, 2, 3, 64, 5], t) for t in I + U}
for name in ("shift_left", "shift_right_logical", "shift_right_arithmetic"):
    for t in I + U:
        case(name, getattr(lax, name), (9,), types=(t,), low=-120, high=120, extra=(shifts[t],))
for name in ("lt", "le", "gt", "ge", "eq", "ne"):
    case(name, getattr(lax, name), (9,), (9,), types=F[:2] + I[2:] + U[:1])
CASES.append(("compare/special", lambda x: (x < x[::-1], x >= x[::-1], x == x, x != x[::-1]), (special("float32"),)))
case("select", lambda x, y: jnp.where(x > y, x, y), (4, 3), (4, 3), types=F + I + U)
case("select_scalar", lambda x, y: lax.select(x[0] > y[0], x, y), (4,), (4,), types=F[:1] + I[2:3])
case("clamp", lambda x: lax.clamp(jnp.asarray(-1, x.dtype), x, jnp.asarray(2, x.dtype)), (4, 3), types=F + I)
case("clamp_arrays", lax.clamp, (5,), (5,), (5,), types=F[:1])
for source in F + I + U + B:
    case("convert", lambda x: tuple(lax.convert_element_type(x, t) for t in F + I + U + B), (7,), types=(source,),
         low=0 if source.startswith("u") else -3)
case("bitcast", lambda x: (lax.bitcast_convert_type(x, jnp.int32), lax.bitcast_convert_type(lax.bitcast_convert_type(x, jnp.uint32), jnp.float32)), (5,))
case("reduce_precision", lambda x: (lax.reduce_precision(x, 8, 7), lax.reduce_precision(x, 5, 10)), (9,))
case("complement", lambda x: x @ x.T + lax.optimization_barrier(x) @ x.T, (3, 4))

#===- Shapes ---------------------------------------------------------------------------------===#
case("iota", lambda: tuple(lax.broadcasted_iota(t, (3, 5), d) for t in F + I + U for d in (0, 1)))
case("constants", lambda x: (x + np.arange(15, dtype=x.dtype).reshape(3, 5), np.arange(200).reshape(10, 20), np.float32(2.5) * jnp.ones(()),
                             np.tile([True, False, True], 50), np.zeros((0, 3), np.float32)), (3, 5), types=F + I + U)
case("broadcast", lambda x: (lax.broadcast_in_dim(x, (4, 3, 5), (1, 2)), lax.broadcast_in_dim(x[:, :1], (3, 5), (0, 1)), lax.broadcast(x, (2,)),
                             lax.broadcast_in_dim(x, (5, 2, 3), (2, 0))), (3, 5), types=F[:1] + I[2:3] + B)
case("reshape", lambda x: (x.reshape(5, 3), x.reshape(-1), x.reshape(1, 3, 1, 5), jnp.ones((3, 4), x.dtype).reshape(2, 6)), (3, 5), types=F[:1] + B)
case("transpose", lambda x: (x.transpose(2, 0, 1), jnp.broadcast_to(x[0, 0], (3, 2, 5)).transpose(1, 2, 0)), (2, 3, 5), types=F + B)
case("concatenate", lambda x, y: (jnp.concatenate([x, y, x], 1), jnp.stack([x, x], -1)), (2, 3), (2, 4), types=F + I + B)
case("pad", lambda x: (lax.pad(x, x.dtype.type(1), ((1, 2, 0), (0, 0, 2))), lax.pad(x, x.dtype.type(0), ((-1, 0, 1), (3, -2, 0))),
                       lax.pad(x, x[0, 0], ((1, 1, 1), (0, 2, 0)))), (3, 5), types=F[:1] + I[2:3])
case("reverse", lambda x: (lax.rev(x, (0,)), x[::-1, ::-1]), (3, 5), types=F + B)
case("slice", lambda x: (x[1:3, ::2], x[2:, 4:5], lax.slice(x, (0, 1), (4, 6), (3, 2)), x[1:1]), (4, 6), types=F + I + B)
case("dynamic_slice", lambda x, i: (lax.dynamic_slice(x, (i, jnp.int32(0)), (2, 6)), lax.dynamic_slice(x, (i, i - 2), (2, 3)), x[i], lax.dynamic_slice(x, (9, -4), (2, 2))),
     (4, 6), types=F[:1] + I[2:3] + B, extra=(jnp.int32(3),))
case("dynamic_update_slice", lambda x, y, i: (lax.dynamic_update_slice(x, y, (i, jnp.int32(0))), lax.dynamic_update_slice(x, y[:1, :2], (i, i - 2)),
                                              lax.dynamic_update_slice(x, x, (i, i)), lax.dynamic_update_slice(x, y, (0, 1))),
     (4, 6), (2, 5), types=F[:1] + I[2:3] + B, extra=(jnp.int32(3),))

#===- Products -------------------------------------------------------------------------------===#
case("matmul", lambda x, y: x @ y, (5, 7), (7, 3), types=F + I[2:3])
case("matvec", lambda x, y: (x @ y, y @ x.T, y @ y), (5, 7), (7,))
case("batched", lambda x, y: (jnp.einsum("bij,bkj->bik", x, y), jnp.einsum("bij,bkj->kib", x, y), jnp.einsum("bij,bij->b", x, y)), (3, 4, 5), (3, 4, 5))
case("tensordot", lambda x, y: (jnp.tensordot(x, y, ((0, 2), (1, 0))), jnp.einsum("abc,dea->bcde", x, y)), (3, 4, 2), (2, 3, 3))
case("outer", lambda x, y: (jnp.outer(x, y), jnp.einsum("i,j,k->kij", x, y, x)), (3,), (4,))
case("wide_products", lambda x, y: lax.dot(x, y, preferred_element_type=jnp.float32), (5, 7), (7, 3), types=F[2:])
case("integer_products", lambda x, y: lax.dot(x, y, preferred_element_type=jnp.int32), (5, 7), (7, 3), types=I[:2], low=-90, high=90)
case("empty_product", lambda x, y: x @ y, (3, 0), (0, 4))


def convolve(x, w, strides=(1, 1), padding="SAME", numbers=("NHWC", "HWIO", "NHWC"), **more):
    return lax.conv_general_dilated(x, w, strides, padding, dimension_numbers=numbers, **more)


case("conv", convolve, (2, 7, 6, 3), (3, 2, 3, 4), types=F)
case("conv_strides", lambda x, w: (convolve(x, w, (2, 3), "VALID"), convolve(x, w, (2, 1), ((2, 0), (1, 3)))), (1, 9, 8, 2), (3, 3, 2, 3))
case("conv_nchw", lambda x, w: convolve(x, w, numbers=("NCHW", "OIHW", "NCHW")), (1, 3, 6, 7), (4, 3, 3, 3))
case("conv_odd_orders", lambda x, w: convolve(x, w, numbers=("HWNC", "OHWI", "CWNH")), (6, 7, 2, 3), (4, 3, 3, 3))
case("conv_groups", lambda x, w: convolve(x, w, feature_group_count=3), (1, 5, 5, 6), (3, 3, 2, 9))
case("conv_depthwise", lambda x, w: convolve(x, w, (2, 2), feature_group_count=6), (2, 8, 8, 6), (3, 3, 1, 6))
case("conv_dilated", lambda x, w: (convolve(x, w, rhs_dilation=(2, 1)), convolve(x, w, padding=((2, 1), (0, 2)), lhs_dilation=(2, 3))), (1, 7, 6, 2), (3, 2, 2, 3))
case("conv_negative_pads", lambda x, w: convolve(x, w, padding=((-1, 2), (1, -2))), (1, 9, 8, 2), (3, 3, 2, 3))
case("conv_batch_groups", lambda x, w: convolve(x, w, batch_group_count=2), (4, 5, 5, 3), (3, 3, 3, 6))
case("conv_reversal", lambda x, w: lax.conv_transpose(x, w, (2, 2), "SAME", transpose_kernel=False), (1, 4, 5, 3), (3, 3, 3, 2))
case("conv_gradients", lambda x, w: jax.grad(lambda x, w: (convolve(x, w, (2, 2)) ** 2).sum(), (0, 1))(x, w), (2, 7, 6, 3), (3, 3, 3, 4))
case("conv_lines", lambda x, w: lax.conv_general_dilated(x, w, (2,), "SAME", dimension_numbers=("NWC", "WIO", "NWC")), (2, 11, 3), (4, 3, 5))
case("conv_volumes", lambda x, w: lax.conv_general_dilated(x, w, (1, 2, 1), "SAME", dimension_numbers=("NDHWC", "DHWIO", "NDHWC")), (1, 4, 5, 6, 2), (2, 3, 3, 2, 3))

#===- Reductions -----------------------------------------------------------------------------===#
for name, types in (("sum", F + I + U), ("prod", F[:3] + I), ("max", F + I + U), ("min", F + I + U)):
    case(name, lambda x, f=getattr(jnp, name): (f(x), f(x, 0), f(x, (0, 2)), f(x, 1, keepdims=True)), (3, 4, 5), types=types, low=0.5, high=2)
case("any_all", lambda x: (x.any(), x.all(1), jnp.any(x, 0)), (3, 4), types=B)
case("argmax", lambda x: (x.argmax(), x.argmax(0), x.argmin(1), jnp.argmin(x, 0)), (6, 7), types=F[:2] + I[2:] + U[:1])
CASES.append(("argmax/special", lambda x: (x.argmax(), x.argmin(), x[:12].argmax(), x[:12].argmin()), (special("float32"),)))
case("reduce_first", lambda x: lax.reduce(x, x[0, 0], lax.add, (1,)), (3, 4))
case("reduce_others", lambda x: lax.reduce((x, -x), (x[0, 0], jnp.float32(1)), lambda a, b: (a[0] * b[0], a[1] + b[1] - a[1] * b[1]), (0,)), (5, 3))
case("reduce_xor", lambda x: lax.reduce_xor(x, (0,)), (5, 3), types=I[2:3])
case("logsumexp", lambda x: (jax.nn.logsumexp(x, 0), jax.nn.softmax(x, 1), jnp.var(x, 0)), (5, 3), types=F[:2])
case("empty_reductions", lambda x: (x.sum(0), x.prod(0), jnp.max(x, 0, initial=-2.0)), (0, 3))
case("one_hot_argmax", lambda x: jax.nn.one_hot(x.argmax(-1), x.shape[-1]), (4, 5))

#===- Windows --------------------------------------------------------------------------------===#
for name, types in (("max", F + I), ("min", F[:1] + I[2:3]), ("add", F + I[2:3]), ("mul", F[:1])):
    first = {"max": -np.inf, "min": np.inf, "add": 0, "mul": 1}[name]
    for t in types:
        limits = None if "float" in t else np.iinfo(t)
        init = first if limits is None else {"max": limits.min, "min": limits.max}.get(name, first)
        init = np.asarray(init, jnp.dtype(t))[()]
        case(f"window_{name}", lambda x, f=getattr(lax, name), i=init: (
            lax.reduce_window(x, i, f, (1, 2, 3, 1), (1, 2, 2, 1), "VALID"), lax.reduce_window(x, i, f, (1, 3, 3, 1), (1, 1, 2, 1), "SAME")),
            (2, 7, 6, 3), types=(t,))
case("window_dilated", lambda x: (lax.reduce_window(x, 0.0, lax.add, (2, 2), (1, 1), ((1, 0), (0, 2)), (2, 1), (1, 2)),
                                  lax.reduce_window(x, -jnp.inf, lax.max, (2, 2), (1, 2), "VALID", (2, 2), (1, 1))), (5, 6))
case("window_first", lambda x: (lax.reduce_window(x, np.float32(0.5), lax.max, (2, 2), (1, 1), "SAME"), lax.reduce_window(x, np.float32(2), lax.add, (2, 2), (2, 2), "VALID")), (5, 6))
case("window_four", lambda x: lax.reduce_window(x, 0.0, lax.add, (2, 2, 2, 2), (1, 1, 1, 1), "VALID"), (3, 4, 3, 5))
case("window_others", lambda x: lax.reduce_window((x, -x), (jnp.float32(0), jnp.float32(1)), lambda a, b: (a[0] + b[0], jnp.minimum(a[1], b[1])), (2, 2), (1, 2), "VALID"), (4, 5))
for name in ("cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp"):
    case(name, lambda x, f=getattr(lax, name): (f(x, axis=0), f(x, axis=1, reverse=True)), (7, 5), types=F[:2], low=0.5, high=1.5)
case("cumsum", lambda x: lax.cumsum(x, axis=0), (7, 5), types=I[2:3])
case("pool_gradients", lambda x: (jax.grad(lambda x: (lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME") ** 2).sum())(x),
                                  jax.grad(lambda x: (lax.reduce_window(x, 0.0, lax.add, (1, 2, 2, 1), (1, 2, 2, 1), "VALID") ** 2).sum())(x)), (2, 7, 6, 3))

#===- Indices --------------------------------------------------------------------------------===#
rows = jnp.asarray([[3, 0, 1], [2, 2, -1]], jnp.int32)
case("take", lambda x, i: (jnp.take(x, i, 0), jnp.take(x, i, 1), x[i], x[:, i]), (4, 5, 2), types=F[:1] + I[2:3] + B, extra=(rows,))
case("take_modes", lambda x, i: (jnp.take(x, i * 3, 0, mode="clip"), jnp.take(x, i * 3, 0, mode="fill"), jnp.take(x, i * 3, 0, mode="wrap")), (4, 5), extra=(rows,))
case("take_along", lambda x, i: (jnp.take_along_axis(x, i, 1), jnp.take_along_axis(x, jnp.pad(i, ((0, 0), (0, 2))), 0)), (2, 5), extra=(jnp.abs(rows % 2),))
case("gather_pairs", lambda x, i: (x[i, i], x[i, :, i % 2], x[1, i], x[..., i[0], 0]), (4, 5, 4), extra=(jnp.abs(rows),))
case("gather_batches", lambda x, i: jax.vmap(lambda x, i: x[i])(x, i), (2, 6, 3), extra=(jnp.abs(rows),))
case("gather_blocks", lambda x, i: jax.vmap(lambda i: lax.dynamic_slice(x, (i, i), (2, 3)))(i), (6, 7), extra=(jnp.asarray([0, 3, 9], jnp.int32),))
case("index_mask", lambda x: (x[jnp.arange(3), jnp.asarray([2, 0, 1])], x[::-2, None, 1:3]), (5, 4))
for name in ("set", "add", "multiply", "max", "min"):
    case(f"scatter_{name}", lambda x, y, i, n=name: (getattr(x.at[i[0]], n)(y), getattr(x.at[:, i[1, :2]], n)(y[:, :2].sum(0)), getattr(x.at[i[0], i[1]], n)(y[:, 0])),
         (4, 5), (3, 5), types=F[:1] + I[2:3], extra=(jnp.asarray([[3, 0, 1], [2, 4, 0]], jnp.int32),))
case("scatter_again", lambda x, y, i: (x.at[i].add(y), x.at[i, 1].add(y[..., 0]), x.at[i].max(y)), (4, 5), (2, 3, 5), extra=(rows,))
case("scatter_outside", lambda x, y, i: (x.at[i * 5].set(y, mode="drop"), x.at[i * 5].add(y, mode="clip")), (4, 5), (2, 3, 5), extra=(jnp.asarray([[0, 1, 2], [3, 4, 5]], jnp.int32),))
case("scatter_blocks", lambda x, y: (x.at[1:3, 2:4].set(y), x.at[::2].multiply(2.0), x.at[-1].add(y[0, 0])), (5, 4), (2, 2))
case("scatter_batches", lambda x, y, i: jax.vmap(lambda x, i, y: x.at[i].set(y))(x, i, y), (2, 6), (2, 3), extra=(jnp.asarray([[3, 0, 1], [2, 4, 5]], jnp.int32),))
case("segment_sum", lambda x, i: jax.ops.segment_sum(x, i, 4), (6, 3), extra=(jnp.asarray([0, 3, 1, 1, 0, 3]),))

#===- Sorts ----------------------------------------------------------------------------------===#
case("sort", lambda x: (jnp.sort(x, 0), jnp.sort(x, 1), jnp.sort(x, 1, descending=True)), (5, 6), types=F + I + U[:2])
case("argsort", lambda x: (jnp.argsort(x, 0), jnp.argsort(x, 1, descending=True)), (5, 6), types=F[:2] + I[2:3])
CASES.append(("sort/special", lambda x: (jnp.sort(x), jnp.argsort(x)), (special("float32"),)))
case("sort_others", lambda x, y: lax.sort((x, y, y > 0), num_keys=1), (7,), (7,))
case("top_k", lambda x: (lax.top_k(x, 3), lax.top_k(x, 1)), (4, 6), types=F[:2] + I[2:3])

#===- Control --------------------------------------------------------------------------------===#
case("scan", lambda x: lax.scan(lambda c, r: (c + r, (c * r, r.sum())), jnp.zeros(5), x), (4, 5))
case("scan_back", lambda x, y: lax.scan(lambda c, r: (c + r[0], c * r[1]), jnp.zeros(5), (x, y), reverse=True), (4, 5), (4, 5))
case("scan_both_ways", lambda x: lax.fori_loop(0, 4, lambda i, v: (v[0] + x[i] * x[3 - i], v[1].at[3 - i].set(v[0])), (jnp.zeros(5), jnp.zeros((4, 5)))), (4, 5))
case("scan_nothing", lambda x: lax.scan(lambda c, _: (jnp.sin(c), None), x, None, length=3)[0], (4, 5))
case("scan_none", lambda x: lax.scan(lambda c, r: (c + r, c), jnp.ones(5), x[:0]), (4, 5))
case("scan_inner_axis", lambda x: lax.fori_loop(0, 5, lambda i, v: v.at[:, i].set(x[:, i] * 2), jnp.zeros((4, 5))), (4, 5))
case("scan_in_scan", lambda x: lax.scan(lambda c, r: (lax.scan(lambda d, e: (d * 0.5 + e, None), c, r)[0], c), jnp.zeros(2), x), (3, 4, 2))
case("loop_counts", lambda x: (lax.fori_loop(2, 9, lambda i, v: v + i * x, x), lax.fori_loop(0, 6, lambda i, v: v + (i % 3) // 2 * x, x)), (3,))
case("loop_update", lambda x: lax.fori_loop(1, 5, lambda i, v: v.at[i].set(v[i - 1] + v[i]), x), (6,))
case("loop_buffer_read", lambda x: lax.fori_loop(0, 6, lambda i, v: lax.dynamic_update_slice(v, v[i:i + 1] if False else (v.sum() * x[i])[None], (i,)), x), (6,))
case("switch", lambda x, i: (lax.switch(i, [lambda v: v, lambda v: -v, lambda v: v * 2], x), lax.cond(i > 1, jnp.sin, jnp.cos, x)), (3,), extra=(jnp.int32(2),))
case("calls", lambda x: jax.jit(lambda v: jax.jit(jnp.tanh)(v) + jax.jit(jnp.tanh)(v * 2))(x), (3, 2))
case("checkpoint", lambda x: jax.grad(lambda v: jax.checkpoint(lambda u: jnp.sin(jnp.sin(u)))(v).sum())(x), (3,))
case("vmap", lambda x, y: jax.vmap(lambda a, b: jnp.dot(a, b) + a.max())(x, y), (4, 5), (4, 5))
case("scalars", lambda x, y: (x + y, x * 2, jnp.float32(1) / x), (), ())
CASES.append(("threefry", lambda key: (jax.random.bits(key, (5,)), jax.random.permutation(key, 7), jax.random.bernoulli(key, 0.3, (9,))), (jax.random.key(5),)))
CASES.append(("no_inputs", lambda: (jnp.arange(5) * 2, jnp.eye(3)), ()))


def compare(wanted, found, name):
    wanted, tree = jax.tree.flatten(wanted)
    found, other = jax.tree.flatten(found)
    assert tree == other, f"expected {tree}, found {other}"
    for i, (w, f) in enumerate(zip(wanted, found)):
        assert (w.dtype, w.shape) == (f.dtype, f.shape), f"result {i}: expected {w.dtype}{w.shape}, found {f.dtype}{f.shape}"
        kind = str(w.dtype)
        w, f = np.asarray(w), np.asarray(f)
        if kind not in BOUNDS:
            np.testing.assert_array_equal(f, w, err_msg=f"result {i}")
            continue
        loose = LOOSE.get(name.split("/")[0].removesuffix("_negative"), (0, 0))[kind == "float64"]
        bound = max(BOUNDS[kind], loose)
        w, f = w.astype(np.float64), f.astype(np.float64)
        scale = np.abs(w[np.isfinite(w)]).max(initial=0)
        np.testing.assert_allclose(f, w, rtol=bound, atol=bound * scale, err_msg=f"result {i}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--today", action="store_true")
    parser.add_argument("--unfused", action="store_true")
    arguments = parser.parse_args()
    offset = int(time.time() // 86400) if arguments.today else 0
    failed, passed, seen, start = [], 0, set(), time.time()
    for place, (name, function, operands) in enumerate(CASES):
        if (arguments.only and arguments.only not in name) or (place + offset) % arguments.every:
            continue
        try:
            jitted = jax.jit(function)
            text = str(jitted.lower(*operands).compiler_ir("stablehlo"))
            seen |= set(re.findall(r"\b(?:stablehlo|chlo)\.[a-z_0-9]+", text))
            made = fuse.jax.jit(function, cache=False, fusion=not arguments.unfused, threads=1)
            compare(jitted(*operands), made(*operands), name)
            passed += 1
        except Exception as error:
            failed.append(name)
            print(f"{name}: {type(error).__name__}: {str(error)[:1200]}", flush=True)
    print(f"{passed} passed, {len(failed)} failed in {time.time() - start:.0f} s" + (": " + ", ".join(failed) if failed else ""))
    missing = sorted(op for op in fuse.jax.supported_ops() - ELSEWHERE if op.split(".")[0] in ("stablehlo", "chlo") and op not in seen)
    whole = arguments.every == 1 and not arguments.only
    if whole and missing:
        print("ops without a case: " + ", ".join(missing))
    return bool(failed or (whole and missing))


if __name__ == "__main__":
    sys.exit(main())
