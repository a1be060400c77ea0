"""Writes a program's arrays among others that nobody asks for: a large one and one that is none.

usage: make_unused.py FOLDER
"""
import io
import pathlib
import sys
import zipfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import onnx_writer as w  # noqa: E402


def encode(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def write(path, members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name + ".npy", data)


folder = pathlib.Path(sys.argv[1])
x, n = np.ones((2, 3), np.float32), np.arange(4, dtype=np.int32)
write(folder / "in.npz", {"x": encode(x), "n": encode(n), "y": encode(x + 1),
                          "large": encode(np.zeros(100 << 20, np.uint8)), "none": b"no array"})
write(folder / "bad.npz", {"x": b"no array"})
write(folder / "empty.npz", {})
(folder / "two.mlir").write_text("""func.func @two() -> tensor<f32> {
  %0 = arith.constant dense<2.0> : tensor<f32>
  %1 = fuse.unary neg %0 : tensor<f32>
  return %1 : tensor<f32>
}
""")
rows = [w.node("Concat", ["x", "x"], ["y"], axis=0)]
(folder / "m.onnx").write_bytes(w.model(w.graph(
    rows, [w.value("x", np.float32, ["n", 3])], [w.value("y", np.float32, [4, 3])])))
