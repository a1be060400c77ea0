"""variant_counts.py FOLDER: a program that takes every second row of a parameter, as many as there are columns of an input."""
import pathlib
import sys

import numpy as np

folder = pathlib.Path(sys.argv[1])
(folder / "m.mlir").write_text("""
func.func @main(%x: tensor<?x17x?xf32> {fuse.name = "x", fuse.dim_names = ["batch", "", "width"]},
                %w: tensor<?x96xf32> {fuse.param, fuse.name = "w", fuse.dim_names = ["width", ""]}) -> (tensor<?x96xf32> {fuse.name = "y"}) {
  %two = arith.constant 2 : index
  %width = tensor.dim %x, %two : tensor<?x17x?xf32>
  %rows = affine.apply affine_map<()[s0] -> ((s0 + 1) floordiv 2)>()[%width]
  %y = fuse.slice %w offsets = [0, 0] sizes = [%rows, 96] strides = [2, 1] : tensor<?x96xf32> -> tensor<?x96xf32>
  return %y : tensor<?x96xf32>
}
""")
for width in (1, 4):
    w = np.arange(96 * width, dtype=np.float32).reshape(width, 96)
    np.savez(folder / f"{width}.npz", x=np.zeros((1, 17, width), np.float32), w=w)
    np.savez(folder / f"want{width}.npz", y=w[::2])
