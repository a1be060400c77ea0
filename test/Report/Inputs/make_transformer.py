"""Writes a transformer's encoder in the fuse dialect, its ops named as exporters name nodes: what BERT-base is
with 12 layers, a mask that all of them read, and layer norms.

usage: make_transformer.py LAYERS [WIDTH]
"""
import sys

HEADS, ROWS = 12, 128


def main(layers, width):
    lines, weights, count = [], [], 0
    depth = width // HEADS
    tensor = lambda *shape: "tensor<" + "x".join(map(str, shape)) + "xf32>"
    rows, heads = tensor(1, ROWS, width), tensor(1, HEADS, ROWS, depth)
    scores = tensor(1, HEADS, ROWS, ROWS)

    def emit(text, place):
        nonlocal count
        count += 1
        lines.append(f'  %{count} = {text} loc("/{place}")')
        return f"%{count}"

    def weight(*shape):
        weights.append(f"%w{len(weights)}: {tensor(*shape)} {{fuse.param}}")
        return weights[-1].split(":")[0]

    def linear(x, inner, outer, place):
        product = emit(f"fuse.matmul {x}, {weight(1, inner, outer)} : ({tensor(1, ROWS, inner)}, {tensor(1, inner, outer)}) -> "
                       f"{tensor(1, ROWS, outer)}", place + "/MatMul")
        return emit(f"fuse.binary add {product}, {weight(outer)} : ({tensor(1, ROWS, outer)}, {tensor(outer)}) -> "
                    f"{tensor(1, ROWS, outer)}", place + "/Add")

    def norm(x, residual, place):
        total = emit(f"fuse.binary add {x}, {residual} : {rows}", place + "/Add")
        return emit(f"fuse.layer_norm {total}, {weight(width)}, {weight(width)} dimensions = [2] epsilon = 1.0e-05 : "
                    f"({rows}, {tensor(width)}, {tensor(width)}) -> {rows}", place + "/LayerNorm")

    def split(x, place):
        parts = emit(f"fuse.reshape {x} : {rows} -> {tensor(1, ROWS, HEADS, depth)}", place + "/Reshape")
        return emit(f"fuse.transpose {parts} permutation = [0, 2, 1, 3] : {tensor(1, ROWS, HEADS, depth)} -> {heads}",
                    place + "/Transpose")

    mask = emit(f"fuse.unary neg %mask : {tensor(1, 1, 1, ROWS)}", "mask/Neg")
    x = "%x"
    for layer in range(layers):
        place = f"encoder/layer.{layer}"
        own = place + "/attention/self"
        q, k, v = (split(linear(x, width, width, f"{own}/{name}"), own) for name in ("query", "key", "value"))
        k = emit(f"fuse.transpose {k} permutation = [0, 1, 3, 2] : {heads} -> {tensor(1, HEADS, depth, ROWS)}", own + "/Transpose")
        weighed = emit(f"fuse.matmul {q}, {k} : ({heads}, {tensor(1, HEADS, depth, ROWS)}) -> {scores}", own + "/MatMul")
        masked = emit(f"fuse.binary add {weighed}, {mask} : ({scores}, {tensor(1, 1, 1, ROWS)}) -> {scores}", own + "/Add")
        parts = emit(f"fuse.softmax {masked} dimension = -1 : {scores}", own + "/Softmax")
        context = emit(f"fuse.matmul {parts}, {v} : ({scores}, {heads}) -> {heads}", own + "/MatMul_1")
        turned = emit(f"fuse.transpose {context} permutation = [0, 2, 1, 3] : {heads} -> {tensor(1, ROWS, HEADS, depth)}", own + "/Transpose")
        joined = emit(f"fuse.reshape {turned} : {tensor(1, ROWS, HEADS, depth)} -> {rows}", own + "/Reshape")
        x = norm(linear(joined, width, width, place + "/attention/output/dense"), x, place + "/attention/output")
        inner = linear(x, width, 4 * width, place + "/intermediate/dense")
        active = emit(f"fuse.unary gelu {inner} approximate = none : {tensor(1, ROWS, 4 * width)}", place + "/intermediate/act/Gelu")
        x = norm(linear(active, 4 * width, width, place + "/output/dense"), x, place + "/output")
    print(f'func.func @encoder(%x: {rows} {{fuse.name = "x"}}, %mask: {tensor(1, 1, 1, ROWS)} {{fuse.name = "attention_mask"}}, '
          f'{", ".join(weights)}) -> ({rows} {{fuse.name = "y"}}) {{')
    print("\n".join(lines))
    print(f"  return {x} : {rows}\n}}")


main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 768)
