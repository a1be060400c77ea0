"""Layers of a transformer encoder as MLIR text: 29 ops each, with composites as users write them."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "planning"))
from graphs import Program, tensor


class Encoder(Program):
    def text(self, results):
        text = super().text(results)
        for i in range(1, len(self.arguments)):
            text = text.replace(f"%a{i}: {self.arguments[i]}",
                                f"%a{i}: {self.arguments[i]} {{fuse.param}}", 1)
        return text

    def reshaped(self, text, x, *shape):
        self.ops += 1
        return self.view(text, x, *shape)


def encoder(layers=32, length=128, hidden=256, heads=4):
    """Encoder layers with weights as parameters; gives the text and the number of ops."""
    program = Encoder()
    x, depth = program.argument(length, hidden), hidden // heads

    def linear(v, n):
        return program.binary("add", program.matmul(v, program.argument(v[1][-1], n)),
                              program.argument(n))

    def split(v):
        v = program.reshaped("reshape {}", v, length, heads, depth)
        return program.reshaped("transpose {} permutation = [1, 0, 2]", v, heads, length, depth)

    def normalize(v):
        scale, offset = program.argument(hidden), program.argument(hidden)
        types = ", ".join(tensor(shape) for shape in (v[1], scale[1], offset[1]))
        return program.emit(f"fuse.layer_norm {v[0]}, {scale[0]}, {offset[0]} dimensions = [1] "
                            f"epsilon = 1.0e-05 : ({types}) -> {tensor(v[1])}", *v[1])

    for _ in range(layers):
        q, k, v = (split(linear(x, hidden)) for _ in range(3))
        scores = program.binary("mul", program.matmul(q, k, transposed=True), program.argument(1))
        p = program.emit(f"fuse.softmax {scores[0]} dimension = 2 : {tensor(scores[1])}", *scores[1])
        o = program.reshaped("transpose {} permutation = [1, 0, 2]", program.matmul(p, v),
                             length, heads, depth)
        o = program.reshaped("reshape {}", o, length, hidden)
        h = normalize(program.binary("add", linear(o, hidden), x))
        y = linear(program.unary("gelu", linear(h, 4 * hidden)), hidden)
        x = normalize(program.binary("add", y, h))
    return program.text([x]), program.ops
