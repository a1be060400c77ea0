"""Programs of about a given number of ops, as MLIR text: chains, transformers and random graphs. With `extent` Open their rows
are an open dimension, of which the number is what is planned for."""

import random


def tensor(shape):
    return "tensor<" + "".join(f"{extent}x" for extent in shape) + "f32>"


class Open(int):
    """A number that types do not say."""

    def __format__(self, _):
        return "?"


def argument_text(number, shape):
    hints = ", ".join(str(int(extent)) if isinstance(extent, Open) else "-1" for extent in shape)
    stated = f" {{fuse.dim_hints = array<i64: {hints}>}}" if any(isinstance(extent, Open) for extent in shape) else ""
    return f"%a{number}: {tensor(shape)}{stated}"


class Program:
    def __init__(self):
        self.arguments, self.lines, self.ops = [], [], 0

    def argument(self, *shape):
        self.arguments.append(shape)
        return f"%a{len(self.arguments) - 1}", shape

    def emit(self, text, *shape):
        self.ops += 1
        name = f"%v{self.ops}"
        self.lines.append(f"  {name} = {text}")
        return name, shape

    def unary(self, kind, x):
        return self.emit(f"fuse.unary {kind} {x[0]} : {tensor(x[1])}", *x[1])

    def binary(self, kind, x, y):
        rank = max(len(x[1]), len(y[1]))
        pad = lambda shape: (1,) * (rank - len(shape)) + tuple(shape)
        shape = [max(a, b) for a, b in zip(pad(x[1]), pad(y[1]))]
        return self.emit(f"fuse.binary {kind} {x[0]}, {y[0]} : ({tensor(x[1])}, {tensor(y[1])}) -> "
                         f"{tensor(shape)}", *shape)

    def reduce(self, kind, x):
        shape = (*x[1][:-1], 1)
        return self.emit(f"fuse.reduce {kind} {x[0]} dimensions = [{len(x[1]) - 1}] keep_dims : "
                         f"{tensor(x[1])} -> {tensor(shape)}", *shape)

    def matmul(self, x, y, transposed=False):
        shape = (*x[1][:-1], y[1][-2] if transposed else y[1][-1])
        return self.emit(f"fuse.matmul {x[0]}, {y[0]} {'transpose_rhs ' if transposed else ''}: "
                         f"({tensor(x[1])}, {tensor(y[1])}) -> {tensor(shape)}", *shape)

    def view(self, text, x, *shape):
        self.lines.append(f"  %w{len(self.lines)} = fuse.{text.format(x[0])} : {tensor(x[1])} -> "
                          f"{tensor(shape)}")
        return f"%w{len(self.lines) - 1}", shape

    def text(self, results):
        arguments = ", ".join(argument_text(i, shape) for i, shape in enumerate(self.arguments))
        types = ", ".join(tensor(shape) for _, shape in results)
        names = ", ".join(name for name, _ in results)
        body = "\n".join(self.lines)
        return f"func.func @f({arguments}) -> ({types}) {{\n{body}\n  return {names} : {types}\n}}\n"


def chains(count, extent=int):
    """Element-wise chains of 64 ops side by side."""
    program = Program()
    x, results = program.argument(extent(64), 1024), []
    while program.ops < count:
        y = x
        for i in range(64):
            y = program.unary(("relu", "exp", "neg", "tanh")[i % 4], y)
        results.append(y)
    return program.text(results)


def normalize(program, x, scale, offset):
    centered = program.binary("sub", x, program.reduce("mean", x))
    variance = program.reduce("mean", program.binary("mul", centered, centered))
    normal = program.binary("mul", centered, program.unary("rsqrt", variance))
    return program.binary("add", program.binary("mul", normal, scale), offset)


def transformers(count, extent=int, hidden=256, heads=4):
    """Encoder layers in primitives."""
    program, length = Program(), extent(128)
    x, depth = program.argument(length, hidden), hidden // heads
    weight = lambda *shape: program.argument(*shape)
    while program.ops < count:
        linear = lambda v, n: program.binary("add", program.matmul(v, weight(v[1][-1], n)), weight(n))

        def split(v):
            v = program.view("reshape {}", v, length, heads, depth)
            return program.view("transpose {} permutation = [1, 0, 2]", v, heads, length, depth)

        q, k, v = (split(linear(x, hidden)) for _ in range(3))
        scores = program.binary("mul", program.matmul(q, k, transposed=True), weight(1))
        e = program.unary("exp", program.binary("sub", scores, program.reduce("max", scores)))
        p = program.binary("div", e, program.reduce("sum", e))
        o = program.view("transpose {} permutation = [1, 0, 2]", program.matmul(p, v), length, heads, depth)
        o = program.view("reshape {}", o, length, hidden)
        h = normalize(program, program.binary("add", linear(o, hidden), x), weight(hidden), weight(hidden))
        y = linear(program.unary("silu", linear(h, 4 * hidden)), hidden)
        x = normalize(program, program.binary("add", y, h), weight(hidden), weight(hidden))
    return program.text([x])


def randoms(count, extent=int, seed=1):
    """Ops that read two of the last 200 values each; some values are reduced and spread again."""
    generator = random.Random(seed)
    program = Program()
    values = [program.argument(extent(64), 256) for _ in range(8)]
    while program.ops < count:
        pick = lambda: generator.choice(values[-200:])
        kind = generator.random()
        if kind < 0.4:
            values.append(program.unary(generator.choice(["relu", "exp", "neg", "tanh"]), pick()))
        elif kind < 0.9:
            values.append(program.binary(generator.choice(["add", "mul", "max"]), pick(), pick()))
        else:
            x = pick()
            values.append(program.binary("sub", x, program.reduce("max", x)))
    return program.text(values[-20:])


GRAPHS = {"chains": chains, "transformers": transformers, "random": randoms}
