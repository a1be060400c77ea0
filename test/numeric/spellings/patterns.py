"""The named patterns: how each may be spelled, its inputs, and what it computes in double."""
import math

import numpy as np

from spelling import (ACTIVATIONS, CASTS, RELUS, SILUS, UNITS, add_units, relu, silu, there_and_back)

erf = np.vectorize(math.erf)

ACTIVATE = {
    "relu": lambda x: np.maximum(x, 0),
    "silu": lambda x: x / (1 + np.exp(-x)),
    "gelu_tanh": lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3))),
    "gelu_erf": lambda x: 0.5 * x * (1 + erf(x / math.sqrt(2))),
}


class Pattern:
    """`choices`: what may be chosen at each place; `inputs`: arrays by name, in double."""


class ElementwiseChain(Pattern):
    name = "elementwise-chain"
    choices = {"scale": ["mul", "mul-swapped", "div", "reciprocal"], "shift": ["add", "add-swapped", "sub-neg"],
               "activation": ["silu"] * 2 + SILUS, "gate": [False, True], "cast": CASTS, "units": UNITS,
               "layout": ["none", "none", "transposed", "flat"], "relu": RELUS, "at": [0, 1, 2]}

    def __init__(self, random):
        self.inputs = {n: random.standard_normal((2, 24, 20, 28)) for n in ("x", "g")}
        self.inputs["s"] = random.standard_normal((28,)) + 3
        self.inputs["t"] = random.standard_normal((28,))

    def reference(self, c):
        i = self.inputs
        return np.maximum(ACTIVATE["silu"](i["x"] * i["s"] + i["t"]), 0) * i["g"]

    def write(self, f, c):
        shape = (2, 24, 20, 28)
        x, g = f.argument("x", shape), f.argument("g", shape)
        s, t = f.argument("s", (28,)), f.argument("t", (28,))
        between = lambda x, at: (add_units(f, there_and_back(f, x, c["cast"]), c["units"])
                                 if c["at"] == at else x)
        x = between(x, 0)
        if c["scale"] == "div":
            x = f.binary("div", x, f.binary("div", f.constant(1), s))
        elif c["scale"] == "reciprocal":
            x = f.binary("div", x, f.unary("reciprocal", s))
        else:
            x = f.either("mul", x, s, c["scale"].endswith("swapped"))
        if c["shift"] == "sub-neg":
            x = f.binary("sub", x, f.unary("neg", t))
        else:
            x = f.either("add", x, t, c["shift"].endswith("swapped"))
        x = between(x, 1)
        if c["layout"] == "transposed":
            x, g = f.transpose(x, (0, 3, 1, 2)), f.transpose(g, (0, 3, 1, 2))
        elif c["layout"] == "flat":
            x, g = f.reshape(x, (48, 560)), f.reshape(g, (48, 560))
        x = relu(f, silu(f, x, c["activation"]), c["relu"])
        x = f.either("mul", x, g, c["gate"])
        if c["layout"] == "transposed":
            x = f.transpose(x, (0, 2, 3, 1))
        x = f.reshape(x, shape)
        x = between(x, 2)
        return x


class MatmulAddActivation(Pattern):
    name = "matmul-add-activation"
    choices = {"matmul": ["plain", "transposed", "transpose-op", "transpose-lhs", "flat", "unit-batch"],
               "bias": ["add", "add-swapped", "unit", "broadcast", "late", "none-then-residual"],
               "activation": ACTIVATIONS, "cast": CASTS, "units": UNITS, "residual": [None, None, "add", "swapped"],
               "at": [0, 1, 2]}

    def __init__(self, random):
        self.inputs = {"x": random.standard_normal((4, 32, 48)), "w": random.standard_normal((48, 64)) / 7,
                       "b": random.standard_normal((64,)), "r": random.standard_normal((4, 32, 64))}
        self.inputs["wt"] = self.inputs["w"].T.copy()
        self.inputs["xt"] = self.inputs["x"].swapaxes(1, 2).copy()

    def reference(self, c):
        i = self.inputs
        y = ACTIVATE[c["activation"][0]](i["x"] @ i["w"] + i["b"])
        return y + i["r"] if c["residual"] else y

    def write(self, f, c):
        between = lambda x, at: (add_units(f, there_and_back(f, x, c["cast"]), c["units"])
                                 if c["at"] == at else x)
        w = f.argument("w", (48, 64)) if c["matmul"] not in ("transposed", "transpose-op") else f.argument(
            "wt", (64, 48))
        shape = (4, 32, 64)
        if c["matmul"] == "transpose-lhs":
            y = f.matmul(f.argument("xt", (4, 48, 32)), w, transpose_lhs=True)
        else:
            x = between(f.argument("x", (4, 32, 48)), 0)
            if c["matmul"] == "flat":
                y = f.matmul(f.reshape(x, (128, 48)), w)
                if c["bias"] != "late":
                    y = f.reshape(y, shape)
            elif c["matmul"] == "unit-batch":
                y = f.reshape(f.matmul(f.reshape(x, (1, 4, 32, 48)), f.reshape(w, (1, 1, 48, 64))), shape)
            elif c["matmul"] == "transposed":
                y = f.matmul(x, w, transpose_rhs=True)
            elif c["matmul"] == "transpose-op":
                y = f.matmul(x, f.transpose(w, (1, 0)))
            else:
                y = f.matmul(x, w)
        y = between(y, 1)
        b = f.argument("b", (64,))
        if c["bias"] == "unit":
            b = f.reshape(b, (1, 64))
        elif c["bias"] == "broadcast":
            b = f.broadcast(b, range(len(y.shape) - 1), y.shape)
        y = f.reshape(f.either("add", y, b, c["bias"] == "add-swapped"), shape)
        y = between(c["activation"][1](f, y, c["activation"][2]), 2)
        if c["residual"]:
            y = f.either("add", y, f.argument("r", shape), c["residual"] == "swapped")
        return y


class ConvBnRelu(Pattern):
    name = "conv-bn-relu"
    choices = {"layout": ["nchw", "nchw", "nhwc", "nhwc-outside"], "bias": [None, "op", "add", "add-swapped"],
               "norm": ["op", "div-sqrt", "rsqrt", "reciprocal", "affine", "affine-swapped", "scaled-gamma"],
               "vectors": ["reshape", "unit-batch", "broadcast"], "relu": RELUS, "cast": CASTS, "units": UNITS,
               "at": [0, 1, 2]}

    def __init__(self, random):
        self.inputs = {"x": random.standard_normal((2, 16, 14, 14)),
                       "w": random.standard_normal((16, 16, 3, 3)) / 12}
        for n in ("b", "gamma", "beta", "mean"):
            self.inputs[n] = random.standard_normal((16,))
        self.inputs["var"] = random.uniform(0.5, 2, (16,))
        self.inputs["xn"] = self.inputs["x"].transpose(0, 2, 3, 1).copy()
        self.inputs["wn"] = self.inputs["w"].transpose(2, 3, 1, 0).copy()
        padded = np.pad(self.inputs["x"], ((0, 0), (0, 0), (1, 1), (1, 1)))
        self.conv = sum(np.einsum("nchw,fc->nfhw", padded[:, :, i:i + 14, j:j + 14], self.inputs["w"][:, :, i, j])
                        for i in range(3) for j in range(3))

    def reference(self, c):
        v = lambda n: self.inputs[n][:, None, None]
        y = self.conv + (v("b") if c["bias"] else 0)
        y = np.maximum((y - v("mean")) / np.sqrt(v("var") + 1e-5) * v("gamma") + v("beta"), 0)
        return y.transpose(0, 2, 3, 1) if c["layout"] == "nhwc-outside" else y

    def write(self, f, c):
        between = lambda x, at: (add_units(f, there_and_back(f, x, c["cast"]), c["units"])
                                 if c["at"] == at else x)
        last = c["layout"] != "nchw"
        channel = 3 if last else 1
        if last:
            x = (f.argument("xn", (2, 14, 14, 16)) if c["layout"] == "nhwc-outside" else
                 f.transpose(f.argument("x", (2, 16, 14, 14)), (0, 2, 3, 1)))
            w = f.argument("wn", (3, 3, 16, 16))
            shape = (2, 14, 14, 16)
        else:
            x, w, shape = f.argument("x", (2, 16, 14, 14)), f.argument("w", (16, 16, 3, 3)), (2, 16, 14, 14)
        x = between(x, 0)
        attributes = ("@ strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = " +
                      ("nhwc_hwcf" if last else "nchw_fchw"))
        operands = [x, w] + ([f.argument("b", (16,))] if c["bias"] == "op" else [])
        y = f.functional(operands, "fuse.conv2d" + attributes, shape)

        def vector(v):
            if last and c["vectors"] == "reshape":
                return v
            if c["vectors"] == "broadcast":
                return f.broadcast(v, [d for d in range(4) if d != channel], shape)
            plain = (16,) if last else (16, 1, 1)
            return f.reshape(v, (1,) * (4 - len(plain)) + plain if c["vectors"] == "unit-batch" else plain)

        if c["bias"] in ("add", "add-swapped"):
            y = f.either("add", y, vector(f.argument("b", (16,))), c["bias"] == "add-swapped")
        y = between(y, 1)
        gamma, beta, mean, var = (f.argument(n, (16,)) for n in ("gamma", "beta", "mean", "var"))
        how = c["norm"]
        if how == "op":
            y = f.functional([y, gamma, beta, mean, var],
                             f"fuse.batch_norm@ epsilon = 1.0e-05 feature_dimension = {channel}", shape)
        else:
            shifted = f.binary("add", var, f.constant(1e-5))
            if how in ("affine", "affine-swapped", "scaled-gamma"):
                swapped = how.endswith("swapped")
                scale = f.either("mul", gamma, f.unary("rsqrt", shifted), swapped)
                if how == "scaled-gamma":
                    y = f.binary("mul", f.binary("sub", y, vector(mean)), vector(scale))
                    y = f.binary("add", y, vector(beta))
                else:
                    shift = f.binary("sub", beta, f.either("mul", mean, scale, swapped))
                    y = f.either("add", f.either("mul", y, vector(scale), swapped), vector(shift), swapped)
            else:
                y = f.binary("sub", y, vector(mean))
                if how == "div-sqrt":
                    y = f.binary("div", y, vector(f.unary("sqrt", shifted)))
                elif how == "rsqrt":
                    y = f.binary("mul", y, vector(f.unary("rsqrt", shifted)))
                else:
                    y = f.binary("mul", vector(f.unary("reciprocal", f.unary("sqrt", shifted))), y)
                y = f.binary("add", f.binary("mul", y, vector(gamma)), vector(beta))
        y = relu(f, y, c["relu"])
        if c["layout"] == "nhwc":
            y = f.transpose(y, (0, 3, 1, 2))
        return between(y, 2)


class LayerNormLinear(Pattern):
    name = "layernorm-linear"
    choices = {"norm": ["op", "two-pass", "two-pass", "squares"], "mean": ["mean", "sum-div", "sum-mul"],
               "keep": [True, False], "scale": ["div-sqrt", "rsqrt", "rsqrt-swapped", "reciprocal", "pow"],
               "affine": ["plain", "swapped", "early"], "linear": ["plain", "transposed", "transpose-op", "flat",
                                                                   "unit-batch"],
               "bias": [None, "add", "add-swapped", "unit", "late"], "square": ["mul", "pow"], "cast": CASTS,
               "units": UNITS, "at": [0, 1, 2]}

    def __init__(self, random):
        self.inputs = {"x": random.standard_normal((2, 64, 48)) + 0.3, "w": random.standard_normal((48, 56)) / 7,
                       "b": random.standard_normal((56,)), "gamma": random.standard_normal((48,)),
                       "beta": random.standard_normal((48,))}
        self.inputs["wt"] = self.inputs["w"].T.copy()

    def reference(self, c):
        i = self.inputs
        x = i["x"] - i["x"].mean(-1, keepdims=True)
        x = x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * i["gamma"] + i["beta"]
        return x @ i["w"] + (i["b"] if c["bias"] else 0)

    def write(self, f, c):
        between = lambda x, at: (add_units(f, there_and_back(f, x, c["cast"]), c["units"])
                                 if c["at"] == at else x)
        shape = (2, 64, 48)
        x = between(f.argument("x", shape), 0)
        gamma, beta = f.argument("gamma", (48,)), f.argument("beta", (48,))

        def mean(v):
            m = f.reduce("mean" if c["mean"] == "mean" else "sum", v, [2], c["keep"])
            if c["mean"] == "sum-div":
                m = f.binary("div", m, f.constant(48))
            elif c["mean"] == "sum-mul":
                m = f.binary("mul", f.constant(1 / 48), m)
            return f.reshape(m, (2, 64, 1))

        square = lambda v: f.binary("mul", v, v) if c["square"] == "mul" else f.binary("pow", v, f.constant(2))
        if c["norm"] == "op":
            y = f.functional([x, gamma, beta], "fuse.layer_norm@ dimensions = [2] epsilon = 1.0e-05", shape)
        else:
            mu = mean(x)
            y = f.binary("sub", x, mu)
            if c["norm"] == "squares":
                var = f.binary("sub", mean(square(x)), square(mu))
            else:
                var = mean(square(y))
            var = f.binary("add", var, f.constant(1e-5))
            if c["scale"] == "div-sqrt":
                scaled = lambda v: f.binary("div", v, f.unary("sqrt", var))
            elif c["scale"] == "reciprocal":
                scaled = lambda v: f.binary("mul", v, f.unary("reciprocal", f.unary("sqrt", var)))
            elif c["scale"] == "pow":
                scaled = lambda v: f.binary("mul", v, f.binary("pow", var, f.constant(-0.5)))
            else:
                scaled = lambda v: f.either("mul", v, f.unary("rsqrt", var), c["scale"] == "rsqrt-swapped")
            swapped = c["affine"] == "swapped"
            if c["affine"] == "early":
                y = scaled(f.binary("mul", y, gamma))
            else:
                y = f.either("mul", scaled(y), gamma, swapped)
            y = f.either("add", y, beta, swapped)
        y = between(y, 1)
        out = (2, 64, 56)
        if c["linear"] == "transposed":
            y = f.matmul(y, f.argument("wt", (56, 48)), transpose_rhs=True)
        elif c["linear"] == "transpose-op":
            y = f.matmul(y, f.transpose(f.argument("wt", (56, 48)), (1, 0)))
        else:
            w = f.argument("w", (48, 56))
            if c["linear"] == "flat":
                y = f.matmul(f.reshape(y, (128, 48)), w)
                if c["bias"] != "late":
                    y = f.reshape(y, out)
            elif c["linear"] == "unit-batch":
                y = f.reshape(f.matmul(f.reshape(y, (1, 2, 64, 48)), f.reshape(w, (1, 1, 48, 56))), out)
            else:
                y = f.matmul(y, w)
        if c["bias"]:
            b = f.argument("b", (56,))
            y = f.either("add", y, f.reshape(b, (1, 56)) if c["bias"] == "unit" else b,
                         c["bias"] == "add-swapped")
        return between(f.reshape(y, out), 2)


PATTERNS = [ConvBnRelu, MatmulAddActivation, ElementwiseChain, LayerNormLinear]
