"""Writes models that scatter, and what they give: make_scatters.py FOLDER"""
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import onnx_writer as w  # noqa: E402

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
random = np.random.default_rng(1)


def save(name, nodes, inputs, output, initializers=None, open_dims=None):
    shapes = {each: list(array.shape) for each, array in inputs.items()}
    shapes.update(open_dims or {})
    values = [w.value(each, array.dtype, shapes[each]) for each, array in inputs.items()]
    text = w.model(w.graph(nodes, values, [w.value("y", output.dtype, output.shape)], initializers),
                   version=18)
    (folder / f"{name}.onnx").write_bytes(text)
    np.savez(folder / f"{name}.npz", y=output, **inputs)


def normal(*shape):
    return random.normal(size=shape).astype(np.float32)


x, i, u = normal(7, 5), random.integers(-7, 7, (40, 1)), normal(40, 5)
total = x.copy()
np.add.at(total, i[:, 0], u)
save("expanded", [w.node("Expand", ["i", "shape"], ["wide"]),
                  w.node("ScatterElements", ["x", "wide", "u"], ["y"], axis=0, reduction="add")],
     {"x": x, "i": i, "u": u}, total, {"shape": np.array([40, 5])})
scatter = [w.node("ScatterND", ["x", "i", "u"], ["y"], reduction="add")]
save("rows", scatter, {"x": x, "i": i, "u": u}, total)
save("open", scatter, {"x": x, "i": i, "u": u}, total,
     open_dims={"i": ["edges", 1], "u": ["edges", 5]})
outside = i.copy()
outside[3] = 7
np.savez(folder / "outside.npz", x=x, i=outside, u=u)

x, u = normal(3, 7), normal(3, 4)
most = x.copy()
np.maximum.at(most, (slice(None), [2, 0, 3, 0]), u)
save("known", [w.node("ScatterElements", ["x", "i", "u"], ["y"], axis=1, reduction="max")],
     {"x": x, "u": u}, most, {"i": np.array([[2, 0, 3, 0]] * 3)})

x, i, u = normal(7, 5), random.integers(-7, 7, (5, 3)), normal(5, 3)
last = x.copy()
for at in np.ndindex(5, 3):
    last[i[at], at[1]] = u[at]
save("elements", [w.node("ScatterElements", ["x", "i", "u"], ["y"], axis=0)],
     {"x": x, "i": i, "u": u}, last)
