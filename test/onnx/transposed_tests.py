#!/usr/bin/env python3
"""Transposed convolutions drawn by chance against NumPy: transposed_tests.py FUSE_RUN [--count N] [--seed N]

One to three dimensions; kernels, strides, dilations, pads, paddings of the result and groups that do and do not
divide each other, extents of 1, phases without taps, and what is given as output_shape or SAME. The default seed is
that of the day. Each is run fused and unfused, with an activation behind it or without.
"""

import itertools

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from running import run_drawn


def transposed(x, w, bias, strides, dilations, before, extents, groups):
    """x[i] * w[t] is added to y[stride * i + dilation * t - before]."""
    batch, channels = x.shape[:2]
    features = w.shape[1]
    full = [s * (i - 1) + d * (k - 1) + 1 for s, i, d, k in zip(strides, x.shape[2:], dilations, w.shape[2:])]
    room = [max(f, b + e) for f, b, e in zip(full, before, extents)]
    y = np.zeros((batch, features * groups, *room))
    for tap in itertools.product(*map(range, w.shape[2:])):
        at = tuple(slice(d * t, d * t + s * (i - 1) + 1, s)
                   for d, t, s, i in zip(dilations, tap, strides, x.shape[2:]))
        for group in range(groups):
            ins = slice(group * channels // groups, (group + 1) * channels // groups)
            outs = slice(group * features, (group + 1) * features)
            y[(slice(None), outs, *at)] += np.einsum("nc...,cf->nf...", x[:, ins], w[(ins, slice(None), *tap)])
    y = y[(slice(None), slice(None), *(slice(b, b + e) for b, e in zip(before, extents)))]
    return y + bias.reshape(-1, *[1] * len(extents))


def draw(rng):
    """A model, its input, and what it gives."""
    rank = rng.choice((1, 2, 2, 2, 3))
    groups = rng.choice((1, 1, 1, 2))
    channels, features = groups * rng.choice((1, 3, 8)), rng.choice((1, 2, 5, 16))
    pick = lambda *values: [rng.choice(values) for _ in range(rank)]
    extents, kernel = pick(1, 2, 5, 8) if rank > 2 else pick(1, 3, 7, 12), pick(1, 2, 3, 4, 5)
    strides, dilations = pick(1, 2, 2, 3, 5), pick(1, 1, 1, 2, 3)
    reach = [d * (k - 1) + 1 for d, k in zip(dilations, kernel)]
    added = [rng.randrange(0, max(s, d)) for s, d in zip(strides, dilations)]
    full = [s * (i - 1) + a + r for s, i, a, r in zip(strides, extents, added, reach)]
    attributes = {"strides": strides, "dilations": dilations, "group": groups, "kernel_shape": kernel,
                  "output_padding": added}
    form = rng.choice(("pads", "pads", "pads", "output_shape", "SAME_UPPER", "SAME_LOWER"))
    if form == "pads":
        before, after = ([rng.randrange(0, 1 + (f - 1) // 2) % (r + 1) for f, r in zip(full, reach)] for _ in range(2))
        attributes["pads"] = before + after
        wanted = [f - b - a for f, b, a in zip(full, before, after)]
    else:
        wanted = [i * s for i, s in zip(extents, strides)]
        if form == "output_shape":
            wanted = attributes["output_shape"] = [rng.randrange(max(1, f - r), f + 1) for f, r in zip(full, reach)]
        else:
            attributes["auto_pad"] = form
        total = [f - o for f, o in zip(full, wanted)]
        before = [t // 2 if form == "SAME_UPPER" else t - t // 2 for t in total]
        if min(before) < 0 or min(t - b for t, b in zip(total, before)) < 0:
            return draw(rng)
    numbers = np.random.default_rng(rng.randrange(1 << 30))
    x = numbers.standard_normal((rng.choice((1, 2)), channels, *extents)).astype(np.float32)
    w = numbers.standard_normal((channels, features, *kernel)).astype(np.float32)
    bias = numbers.standard_normal(features * groups).astype(np.float32)
    y = transposed(x.astype(np.float64), w.astype(np.float64), bias.astype(np.float64), strides, dilations, before,
                   wanted, groups)
    activates = rng.random() < 0.5
    nodes = [helper.make_node("ConvTranspose", ["x", "w", "b"], ["t" if activates else "y"], **attributes)]
    if activates:
        nodes.append(helper.make_node("Relu", ["t"], ["y"]))
        y = np.maximum(y, 0)
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, y.shape)],
                              [numpy_helper.from_array(w, "w"), numpy_helper.from_array(bias, "b")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    return f"{x.shape} {w.shape} {attributes}", (model, {"x": x}, {"y": y.astype(np.float32)})


if __name__ == "__main__":
    raise SystemExit(run_drawn(__doc__, draw, count=200))
