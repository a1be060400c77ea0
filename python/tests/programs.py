"""Programs that several tests compile."""
import numpy as np

LAYER = b"""
func.func @layer(%x: tensor<?x4xf32> {fuse.name = "x", fuse.dim_names = ["rows", ""]},
                 %w: tensor<4x3xf32> {fuse.param, fuse.name = "w"})
    -> (tensor<?x3xf32> {fuse.name = "y"}) {
  %0 = fuse.matmul %x, %w : (tensor<?x4xf32>, tensor<4x3xf32>) -> tensor<?x3xf32>
  %1 = fuse.unary relu %0 : tensor<?x3xf32>
  return %1 : tensor<?x3xf32>
}
"""
WEIGHTS = (np.arange(12, dtype=np.float32).reshape(4, 3) - 6) / 8


def layer(x, w=WEIGHTS):
    return np.maximum(x @ w, 0)


def sums(dtype, count=2, shape="8"):
    """A program that adds `count` arrays of a type, x0 … xn."""
    type_ = f"tensor<{shape}x{dtype}>" if shape else f"tensor<{dtype}>"
    names = ", ".join(f'%x{i}: {type_} {{fuse.name = "x{i}"}}' for i in range(count))
    lines, last = [], "%x0"
    for i in range(1, count):
        lines.append(f"  %{i} = fuse.binary add {last}, %x{i} : {type_}")
        last = f"%{i}"
    body = "\n".join(lines)
    return (f'func.func @sum({names}) -> ({type_} {{fuse.name = "y"}}) {{\n{body}\n  return {last} : {type_}\n}}\n').encode()
