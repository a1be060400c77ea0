#!/usr/bin/env python3
"""Predicts what transformers take on clusters that are not here, as `auto` divides them and as by hand.

usage: transformers.py [--fuse-opt PATH] [--models NAMES] [--ranks COUNTS] [--batch N] [--layers N]
                       [--target TEXT] [--memory BYTES] [--write-ir DIR] [--check]

For each model a program of the dialect is made from its configuration, with weights as parameters. It
is divided among N ranks by `fuse-distribute`: with `auto=N`, and with each grid of `tensor=T,data=N/T`
that a user of Megatron would choose from, T up to the ranks of a machine. Times are predictions by the
figures of the target, not measurements. --check fails where `auto` is predicted to take longer than by
hand.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

# layers, hidden, heads, groups of keys, features, vocabulary, sequence, batch, element type
CONFIGS = {
    "bert-large": dict(layers=24, hidden=1024, heads=16, groups=16, features=4096, vocabulary=30522,
                       sequence=512, batch=64, element="f32", kind="bert"),
    "gpt2-xl": dict(layers=48, hidden=1600, heads=25, groups=25, features=6400, vocabulary=50257,
                    sequence=1024, batch=64, element="f32", kind="gpt2"),
    "llama-8b": dict(layers=32, hidden=4096, heads=32, groups=8, features=14336, vocabulary=128256,
                     sequence=2048, batch=64, element="bf16", kind="llama"),
}


class Program:
    """Text of one function, op by op; values are (name, shape) pairs."""

    def __init__(self, element):
        self.element, self.arguments, self.lines = element, [], []

    def type(self, shape, element=None):
        return "tensor<" + "".join(f"{n}x" for n in shape) + (element or self.element) + ">"

    def argument(self, name, shape, element=None, parameter=True):
        attribute = " {fuse.param}" if parameter else ""
        self.arguments.append(f"%{name}: {self.type(shape, element)}{attribute}")
        return f"%{name}", tuple(shape)

    def emit(self, text, shape, element=None):
        name = f"%{len(self.lines)}"
        self.lines.append(f"  {name} = {text} -> {self.type(shape, element)}")
        return name, tuple(shape)

    def op(self, text, operands, shape):
        types = ", ".join(self.type(s) for _, s in operands)
        names = ", ".join(n for n, _ in operands)
        return self.emit(text.format(names) + f" : ({types})", shape)

    def matmul(self, x, w):
        return self.op("fuse.matmul {}", [x, w], x[1][:-1] + (w[1][-1],))

    def binary(self, kind, x, y):
        return self.op(f"fuse.binary {kind} {{}}", [x, y], x[1])

    def unary(self, kind, x):
        return self.op(f"fuse.unary {kind} {{}}", [x], x[1])

    def linear(self, x, name, width, bias):
        y = self.matmul(x, self.argument(name, (x[1][-1], width)))
        return self.binary("add", y, self.argument(name + "_bias", (width,))) if bias else y

    def reshape(self, x, shape):
        return self.emit(f"fuse.reshape {x[0]} : {self.type(x[1])}", shape)

    def transpose(self, x, order):
        return self.emit(f"fuse.transpose {x[0]} permutation = {list(order)} : {self.type(x[1])}",
                         [x[1][i] for i in order])

    def slice(self, x, dim, offset, size):
        offsets, sizes = [0] * len(x[1]), list(x[1])
        offsets[dim], sizes[dim] = offset, size
        return self.emit(f"fuse.slice {x[0]} offsets = {offsets} sizes = {sizes} strides = {[1] * len(sizes)} : "
                         f"{self.type(x[1])}", sizes)

    def norm(self, x, name, bias):
        scale = self.argument(name, (x[1][-1],))
        if bias:
            operands = [x, scale, self.argument(name + "_offset", (x[1][-1],))]
            return self.op("fuse.layer_norm {} dimensions = [2] epsilon = 1.0e-05", operands, x[1])
        square = self.binary("mul", x, x)
        mean = self.emit(f"fuse.reduce mean {square[0]} dimensions = [2] keep_dims : {self.type(x[1])}",
                         x[1][:2] + (1,))
        return self.binary("mul", self.binary("mul", x, self.unary("rsqrt", mean)), scale)

    def heads(self, x, heads):
        batch, rows, width = x[1]
        return self.transpose(self.reshape(x, (batch, rows, heads, width // heads)), (0, 2, 1, 3))

    def attention(self, q, k, v, causal):
        y = self.op("fuse.attention {} scale = 1.25e-01" + (" causal" if causal else ""), [q, k, v], q[1])
        y = self.transpose(y, (0, 2, 1, 3))
        return self.reshape(y, y[1][:2] + (y[1][2] * y[1][3],))

    def rotate(self, x, cos, sin):
        half = x[1][3] // 2
        a, b = self.slice(x, 3, 0, half), self.slice(x, 3, half, half)
        turned = self.op("fuse.concat {} dimension = 3", [self.unary("neg", b), a], x[1])
        return self.binary("add", self.binary("mul", x, cos), self.binary("mul", turned, sin))

    def text(self, result):
        arguments = ", ".join(self.arguments)
        body = "\n".join(self.lines)
        return f"func.func @main({arguments}) -> {self.type(result[1])} {{\n{body}\n  return {result[0]} : {self.type(result[1])}\n}}\n"


def make_program(c):
    p = Program(c["element"])
    batch, rows, hidden, heads, groups = c["batch"], c["sequence"], c["hidden"], c["heads"], c["groups"]
    kind = c["kind"]
    tokens = p.argument("tokens", (batch, rows), "i64", parameter=False)
    table = p.argument("embedding", (c["vocabulary"], hidden))
    x = p.emit(f"fuse.gather {table[0]}, {tokens[0]} dimension = 0 : ({p.type(table[1])}, {p.type(tokens[1], 'i64')})",
               (batch, rows, hidden))
    width = hidden // heads
    if kind == "llama":
        cos, sin = p.argument("cos", (rows, width)), p.argument("sin", (rows, width))
    else:
        x = p.binary("add", x, p.argument("positions", (rows, hidden)))
    bias = kind != "llama"
    for layer in range(c["layers"]):
        name = f"layer{layer}_"
        y = x if kind == "bert" else p.norm(x, name + "norm1", bias)
        if kind == "gpt2":
            joined = p.linear(y, name + "qkv", 3 * hidden, bias)
            q, k, v = (p.slice(joined, 2, i * hidden, hidden) for i in range(3))
        else:
            q = p.linear(y, name + "query", hidden, bias)
            k = p.linear(y, name + "key", groups * width, bias)
            v = p.linear(y, name + "value", groups * width, bias)
        q, k, v = p.heads(q, heads), p.heads(k, groups), p.heads(v, groups)
        if kind == "llama":
            q, k = p.rotate(q, cos, sin), p.rotate(k, cos, sin)
        y = p.linear(p.attention(q, k, v, causal=kind != "bert"), name + "out", hidden, bias)
        x = p.binary("add", x, y)
        if kind == "bert":
            x = p.norm(x, name + "norm1", bias)
        y = x if kind == "bert" else p.norm(x, name + "norm2", bias)
        if kind == "llama":
            gate, up = p.linear(y, name + "gate", c["features"], False), p.linear(y, name + "up", c["features"], False)
            y = p.binary("mul", p.unary("silu", gate), up)
        else:
            y = p.unary("gelu", p.linear(y, name + "up", c["features"], bias))
        x = p.binary("add", x, p.linear(y, name + "down", hidden, bias))
        if kind == "bert":
            x = p.norm(x, name + "norm2", bias)
    return p.text(p.norm(x, "norm", bias) if kind != "bert" else x)


CHOSEN = re.compile(r"chosen: grid (\S+), ([\d.]+) us \(([\d.]+) computing, ([\d.]+) in (\d+) collectives\), (\d+) bytes sent, (\d+) bytes of memory")


def price(fuse_opt, path, request, memory):
    """(grid, us, us computing, collectives, bytes sent, bytes of memory) of the best plan, or None."""
    options = f"shard={request} explain=true" + (f" memory-bytes={memory}" if memory else "")
    run = subprocess.run([fuse_opt, path, f"--fuse-distribute={options}", "-o", os.devnull],
                         capture_output=True, text=True)
    found = CHOSEN.search(run.stderr)
    if not found:
        return None
    grid, total, computing, _, count, sent, held = found.groups()
    return grid, float(total), float(computing), int(count), int(sent), int(held)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fuse-opt", default="fuse-opt")
    parser.add_argument("--models", default=",".join(CONFIGS))
    parser.add_argument("--ranks", default="1,2,4,8,16,64,256,1024")
    parser.add_argument("--target", help="a #fuse.target; default: H100s, eight to a machine, NVLink and 400 Gb/s per GPU")
    parser.add_argument("--memory", type=int, default=0, help="bytes for each rank; default: no limit")
    parser.add_argument("--write-ir", help="also keep the programs in this folder")
    parser.add_argument("--batch", type=int, help="rows of tokens; default: 64")
    parser.add_argument("--layers", type=int, help="default: the model's")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    slower = []
    target = options.target or (
        '#fuse.target<"cluster", gpu, {dispatch_ns = 2.5e+03, memory_bw = 3.352e+03, flops_per_ns = 5.068e+02, '
        'matmul_flops_per_ns = 5.068e+02, tensor_flops_per_ns = 4.647e+03, max_threads = 1.32e+02, '
        'collective_alpha_ns = 5.0e+03, collective_beta_bw = 4.5e+02, network_alpha_ns = 1.0e+04, '
        'network_bw = 4.0e+02, ranks_per_node = 8.0}>')
    folder = options.write_ir or tempfile.mkdtemp()
    os.makedirs(folder, exist_ok=True)
    print("| model | ranks | by hand: grid, ms | auto: grid, ms | auto / by hand | auto: GB for each rank | MB sent |")
    print("|---|---|---|---|---|---|---|")
    for name in options.models.split(","):
        path = os.path.join(folder, name + ".mlir")
        with open(path, "w") as file:
            config = dict(CONFIGS[name])
            config.update({key: value for key, value in (("batch", options.batch), ("layers", options.layers)) if value})
            file.write(f"module attributes {{fuse.target = {target}}} {{\n{make_program(config)}}}\n")
        for ranks in map(int, options.ranks.split(",")):
            hand = None
            tensor = 1
            while tensor <= min(ranks, 8):
                if ranks % tensor == 0:
                    request = f"tensor={tensor},data={ranks // tensor}"
                    one = price(options.fuse_opt, path, request, options.memory)
                    if one and (hand is None or one[1] < hand[1][1]):
                        hand = (request, one)
                tensor *= 2
            auto = price(options.fuse_opt, path, f"auto={ranks}", options.memory)
            by_hand = f"{hand[0]}, {hand[1][1] / 1000:.2f}" if hand else "no grid"
            by_price = f"{auto[0]}, {auto[1] / 1000:.2f}" if auto else "no grid"
            if hand and not (auto and auto[1] <= 1.0001 * hand[1][1]):
                slower.append(f"{name} on {ranks} ranks")
            ratio = f"{auto[1] / hand[1][1]:.2f}" if auto and hand else ""
            held = f"{auto[5] / 1e9:.2f}" if auto else ""
            sent = f"{auto[4] / 1e6:.1f}" if auto else ""
            print(f"| {name} | {ranks} | {by_hand} | {by_price} | {ratio} | {held} | {sent} |", flush=True)
    if options.check and slower:
        print("auto is predicted to take longer: " + ", ".join(slower))
    return 1 if options.check and slower else 0


if __name__ == "__main__":
    sys.exit(main())
