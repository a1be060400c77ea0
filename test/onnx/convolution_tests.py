#!/usr/bin/env python3
"""Convolutions drawn by chance against NumPy: convolution_tests.py FUSE_RUN [--count N] [--seed N]

One to three dimensions, batches of 1 to 3; dilations and pads below, near and above the image's extents, so that taps meet
padding alone for some pixels or for all; strides, groups, narrow and wide ones, and a bias. A power of 1, 2, 3, -1 or 2.5 of what was computed, or an
activation, may follow. The default seed is that of the day. Each is run fused and unfused.
"""

import itertools

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from running import run_drawn


def convolve(x, w, bias, strides, dilations, pads, groups):
    """y[i] is the sum over the taps t of x[stride * i + dilation * t - pad] * w[t]."""
    rank = x.ndim - 2
    padded = np.pad(x, [(0, 0), (0, 0), *zip(pads[:rank], pads[rank:])])
    extents = [(p - d * (k - 1) - 1) // s + 1
               for p, d, k, s in zip(padded.shape[2:], dilations, w.shape[2:], strides)]
    features, channels = w.shape[0] // groups, w.shape[1]
    y = np.zeros((x.shape[0], w.shape[0], *extents))
    for tap in itertools.product(*map(range, w.shape[2:])):
        at = tuple(slice(d * t, d * t + s * (e - 1) + 1, s) for d, t, s, e in zip(dilations, tap, strides, extents))
        for group in range(groups):
            ins = slice(group * channels, (group + 1) * channels)
            outs = slice(group * features, (group + 1) * features)
            y[:, outs] += np.einsum("nc...,fc->nf...", padded[(slice(None), ins, *at)], w[(outs, slice(None), *tap)])
    return y + bias.reshape(-1, *[1] * rank)


def draw(rng):
    """A model, its input, and what it gives."""
    rank = rng.choice((1, 2, 2, 2, 3))
    groups = rng.choice((1, 1, 1, 2))
    channels, features = rng.choice((1, 3, 8, 33)), groups * rng.choice((1, 2, 5, 16, 65, 100))
    pick = lambda *values: [rng.choice(values) for _ in range(rank)]
    extents, kernel = pick(1, 2, 5, 8) if rank > 2 else pick(1, 3, 7, 14), pick(1, 2, 3, 3, 5)
    strides, dilations = pick(1, 1, 2, 3), pick(1, 1, 2, 6, 12, 24)
    reach = [d * (k - 1) for d, k in zip(dilations, kernel)]
    same = rng.random() < 0.6
    pads = [r // 2 if same else rng.randrange(0, r + 2) for r in 2 * reach]
    if any(e + p + q <= r for e, p, q, r in zip(extents, pads[:rank], pads[rank:], reach)):
        return draw(rng)
    numbers = np.random.default_rng(rng.randrange(1 << 30))
    x = numbers.standard_normal((rng.choice((1, 2, 3)), groups * channels, *extents)).astype(np.float32)
    w = numbers.standard_normal((features, channels, *kernel)).astype(np.float32)
    bias = numbers.standard_normal(features).astype(np.float32)
    y = convolve(x.astype(np.float64), w.astype(np.float64), bias.astype(np.float64), strides, dilations, pads, groups)
    nodes = [helper.make_node("Conv", ["x", "w", "b"], ["t"], strides=strides, dilations=dilations, pads=pads, group=groups)]
    weights = [numpy_helper.from_array(w, "w"), numpy_helper.from_array(bias, "b")]
    behind = rng.choice(("Relu", "Pow", "Identity"))
    if behind == "Pow":
        power = rng.choice((1.0, 2.0, 3.0, -1.0, 2.5))
        nodes.append(helper.make_node("Abs", ["t"], ["a"]))
        nodes.append(helper.make_node("Add", ["a", "one"], ["m"]))
        nodes.append(helper.make_node("Pow", ["m", "power"], ["y"]))
        weights.append(numpy_helper.from_array(np.float32(power), "power"))
        weights.append(numpy_helper.from_array(np.float32(1), "one"))
        y = (np.abs(y) + 1) ** power
    else:
        nodes.append(helper.make_node(behind, ["t"], ["y"]))
        y = np.maximum(y, 0) if behind == "Relu" else y
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, y.shape)], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    return f"{x.shape} {w.shape} strides {strides} dilations {dilations} pads {pads} groups {groups} {behind}", (
        model, {"x": x}, {"y": y.astype(np.float32)})


if __name__ == "__main__":
    raise SystemExit(run_drawn(__doc__, draw, count=200))
