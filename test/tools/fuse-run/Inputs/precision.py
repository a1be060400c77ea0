"""make FOLDER: a network of two matrix products that share their activations and a convolution with a batch norm, and inputs.
check FOLDER TYPE OUTPUTS…: compares outputs with the network, computed here with operands of that type."""
import pathlib
import sys

import numpy as np

PROGRAM = """
func.func @main(%x: tensor<?x16xf32> {fuse.name = "x"}, %image: tensor<2x4x9x9xf32> {fuse.name = "image"},
                %w: tensor<16x24xf32> {fuse.param, fuse.name = "w"}, %v: tensor<24x16xf32> {fuse.param, fuse.name = "v"},
                %filter: tensor<8x4x3x3xf32> {fuse.param, fuse.name = "filter"}, %bias: tensor<8xf32> {fuse.param, fuse.name = "bias"},
                %scale: tensor<8xf32> {fuse.param, fuse.name = "scale"})
    -> (tensor<?x24xf32> {fuse.name = "y"}, tensor<?x24xf32> {fuse.name = "z"}, tensor<2x8x9x9xf32> {fuse.name = "features"}) {
  %y = fuse.matmul %x, %w : (tensor<?x16xf32>, tensor<16x24xf32>) -> tensor<?x24xf32>
  %z = fuse.matmul %x, %v transpose_rhs : (tensor<?x16xf32>, tensor<24x16xf32>) -> tensor<?x24xf32>
  %c = fuse.conv2d %image, %filter, %bias strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nchw_fchw
      : (tensor<2x4x9x9xf32>, tensor<8x4x3x3xf32>, tensor<8xf32>) -> tensor<2x8x9x9xf32>
  %n = fuse.batch_norm %c, %scale, %bias, %bias, %scale epsilon = 1.000000e-05 feature_dimension = 1
      : (tensor<2x8x9x9xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x8x9x9xf32>
  %r = fuse.unary relu %n : tensor<2x8x9x9xf32>
  return %y, %z, %r : tensor<?x24xf32>, tensor<?x24xf32>, tensor<2x8x9x9xf32>
}
"""


def make(folder):
    numbers = np.random.default_rng(1)
    draw = lambda *shape: numbers.normal(size=shape).astype(np.float32)
    (folder / "m.mlir").write_text(PROGRAM)
    weights = {"w": draw(16, 24), "v": draw(24, 16), "filter": draw(8, 4, 3, 3), "bias": draw(8), "scale": np.abs(draw(8)) + 1}
    weights["w"][:, 3] = 0  # a column that has no scale
    np.savez(folder / "weights.npz", **weights)
    for name, rows in (("first", 5), ("second", 17)):
        np.savez(folder / f"{name}.npz", x=draw(rows, 16), image=draw(2, 4, 9, 9) + 1)
    np.savez(folder / "infinite.npz", x=np.full((1, 16), np.inf, np.float32), image=draw(2, 4, 9, 9))
    np.savez(folder / "empty.npz", x=draw(0, 16), image=draw(2, 4, 9, 9))
    np.savez(folder / "image.npz", image=draw(2, 4, 9, 9))


def to_bf16(x):
    bits = x.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)


def to_bytes(x, seen):
    """x, quantized to ui8 for the range of `seen` and 0."""
    low, high = min(seen.min(), 0.0), max(seen.max(), 0.0)
    scale = np.float32((high - low) / 255)
    zero = np.rint(-low / scale)
    return (np.clip(np.rint(x / scale) + zero, 0, 255) - zero) * scale


def to_columns(w, axes):
    scale = np.maximum(np.abs(w).max(axes, keepdims=True) / np.float32(127), np.float32(1e-30))
    return np.rint(w / scale) * scale


def convolve(image, filters):
    padded = np.pad(image, ((0, 0), (0, 0), (1, 1), (1, 1)))
    return sum(np.einsum("nchw,fc->nfhw", padded[:, :, i : i + 9, j : j + 9].astype(np.float64), filters[:, :, i, j].astype(np.float64))
               for i in range(3) for j in range(3))


def check(folder, kind, outputs):
    w, first, second = (np.load(folder / f"{name}.npz") for name in ("weights", "first", "second"))
    # The batch norm is folded: its factor is in the filter before that is rounded.
    factor = w["scale"] / np.sqrt(w["scale"] + np.float32(1e-5))
    filters = w["filter"] * factor[:, None, None, None]
    bias = (w["bias"] - w["bias"]) * factor + w["bias"]
    if kind == "bf16":
        x, image = to_bf16(first["x"]), to_bf16(first["image"])
        parts = to_bf16(w["w"]), to_bf16(w["v"]), to_bf16(filters)
    else:
        x = to_bytes(first["x"], np.concatenate([first["x"], second["x"]]))
        image = to_bytes(first["image"], np.concatenate([first["image"], second["image"]]))
        parts = to_columns(w["w"], 0), to_columns(w["v"], 1), to_columns(filters, (1, 2, 3))
    want = {"y": x.astype(np.float64) @ parts[0], "z": x.astype(np.float64) @ parts[1].T,
            "features": np.maximum(convolve(image, parts[2]) + bias[:, None, None], 0)}
    for path in outputs:
        got = np.load(path)
        for name, value in want.items():
            error = np.abs(got[name] - value)
            # A quotient beside a half may be rounded either way: single factors are one step off then.
            bound = 1e-4 if kind == "bf16" else 0.08
            assert np.quantile(error, 0.9) < 1e-4 and error.max() < bound, (path, name, np.quantile(error, 0.9), error.max())
    print("equal", kind)


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(pathlib.Path(sys.argv[2]))
    else:
        check(pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4:])
