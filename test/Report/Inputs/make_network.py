"""Writes a network of dense layers, norms, skips and branches in the fuse dialect.

usage: make_network.py OPS [SEED]
"""
import random
import sys


def main(ops, seed):
    generator = random.Random(seed)
    size = "64x64xf32"
    lines, weights, values = [], [], ["%x"]

    def emit(text):
        name = f"%v{len(lines)}"
        lines.append(f"  {name} = {text}")
        values.append(name)
        return name

    def weight():
        weights.append(f'%w{len(weights)}: tensor<{size}> {{fuse.param, fuse.name = "layer{len(weights)}.weight"}}')
        return f"%w{len(weights) - 1}"

    unary = lambda kind, x: emit(f"fuse.unary {kind} {x} : tensor<{size}>")
    binary = lambda kind, x, y: emit(f"fuse.binary {kind} {x}, {y} : tensor<{size}>")
    matmul = lambda x, y: emit(f"fuse.matmul {x}, {y} : (tensor<{size}>, tensor<{size}>) -> tensor<{size}>")
    while len(lines) + 12 <= ops:
        x = values[-1]
        branches = [binary("add", matmul(x, weight()), weight()) for _ in range(generator.randint(1, 3))]
        total = unary(generator.choice(["relu", "sigmoid", "tanh"]), branches[0])
        for branch in branches[1:]:
            total = binary("mul", total, branch)
        if generator.random() < 0.3:
            total = emit(f"fuse.softmax {total} dimension = -1 : tensor<{size}>")
        # Mostly the block's own input, now and then what was computed long ago.
        binary("add", total, x if generator.random() < 0.8 else generator.choice(values[-60:]))
    while len(lines) < ops:
        unary("exp", unary("neg", values[-1]) if len(lines) + 1 < ops else values[-1])
    print(f'func.func @network(%x: tensor<{size}> {{fuse.name = "x"}}, {", ".join(weights)}) -> '
          f'(tensor<{size}> {{fuse.name = "y"}}) {{')
    print("\n".join(lines))
    print(f"  return {values[-1]} : tensor<{size}>\n}}")


main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1)
