"""A network some of whose weights are denormal, and what came of it.

  denormals.py make FOLDER    writes FOLDER/m.onnx and FOLDER/in.npz
  denormals.py show FILE...   prints an element of each output in each file

Of four products of 2^127 that a sum has, two are by the normal number 2^-126, two by the denormal 2^-127:
6 in all, and 4 without the denormals; 54 and 36 in a convolution of nine taps.
"""
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import onnx_writer as w  # noqa: E402

NAMES = ("product", "convolution", "quotient")


def make(folder):
    large, normal, denormal = np.ldexp(np.float32(1), [127, -126, -127])
    rows = np.array([normal, denormal, normal, denormal], np.float32)
    weights = {"matrix": np.tile(rows[:, None], (1, 96)), "filter": np.tile(rows[:, None, None], (16, 1, 3, 3)),
               "bias": np.full(16, denormal), "divisor": np.full(24, denormal)}
    inputs = {"x": np.full((5, 4), large), "image": np.full((1, 4, 6, 7), large), "z": np.full(24, denormal)}
    nodes = [w.node("MatMul", ["x", "matrix"], ["product"]),
             w.node("Conv", ["image", "filter", "bias"], ["convolution"]),
             w.node("Div", ["z", "divisor"], ["quotient"])]
    outputs = zip(NAMES, ([5, 96], [1, 16, 4, 5], [24]))
    (folder / "m.onnx").write_bytes(w.model(w.graph(
        nodes, [w.value(name, np.float32, array.shape) for name, array in inputs.items()],
        [w.value(name, np.float32, shape) for name, shape in outputs], weights)))
    np.savez(folder / "in.npz", **inputs)


def show(file):
    arrays = np.load(file)
    print(pathlib.Path(file).stem, *(f"{name} {arrays[name].min()} {arrays[name].max()}" for name in NAMES))


if sys.argv[1] == "make":
    make(pathlib.Path(sys.argv[2]))
else:
    for each in sys.argv[2:]:
        show(each)
