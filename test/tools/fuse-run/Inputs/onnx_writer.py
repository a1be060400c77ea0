"""Writes small ONNX models, damaged ones too, without the onnx package: its messages in the wire format.

usage: onnx_writer.py FOLDER
"""
import os
import struct
import sys

FLOAT, INT64, STRING = 1, 7, 8


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(number, value):
    """An integer, text, or the bytes of a message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def tensor(name, kind, dims, raw=None, location=None):
    parts = b"".join(field(1, extent) for extent in dims) + field(2, kind) + field(8, name)
    if raw is not None:
        parts += field(9, raw)
    if location is not None:
        parts += field(13, field(1, "location") + field(2, location)) + field(14, 1)
    return parts


def value(name, dims, kind=FLOAT):
    """Extents that are text are symbolic."""
    shape = b"".join(field(1, field(2 if isinstance(d, str) else 1, d)) for d in dims)
    return field(1, name) + field(2, field(1, field(1, kind) + field(2, shape)))


def attribute(name, integer):
    return field(1, name) + field(3, integer) + field(20, 2)


def node(op, inputs, outputs, name="", attributes=(), domain=""):
    return (b"".join(field(1, each) for each in inputs) + b"".join(field(2, each) for each in outputs)
            + field(3, name) + field(4, op) + b"".join(field(5, each) for each in attributes)
            + field(7, domain))


def model(nodes, inputs, outputs, tensors=(), opset=17):
    graph = (b"".join(field(1, each) for each in nodes) + field(2, "g")
             + b"".join(field(5, each) for each in tensors)
             + b"".join(field(11, each) for each in inputs)
             + b"".join(field(12, field(1, each)) for each in outputs))
    return field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, opset))


def floats(*values):
    return struct.pack(f"<{len(values)}f", *values)


def integers(*values):
    return struct.pack(f"<{len(values)}q", *values)


x = value("x", [2, 3])
relu = node("Relu", ["x"], ["y"], "act")
good = model([relu], [x], ["y"])


def adds(w):
    return model([node("Add", ["x", "w"], ["y"], "sum")], [x], ["y"], [w])


def reshapes(*shape):
    return model([node("Reshape", ["x", "s"], ["y"], "view")], [x], ["y"],
                 [tensor("s", INT64, [len(shape)], integers(*shape))])


MODELS = {
    "good": good,
    "symbolic": model([relu], [value("x", ["batch", 3])], ["y"]),
    "shaped": model([node("Reshape", ["x", "s"], ["y"], "view")], [x, value("s", [2], INT64)], ["y"]),
    "cut": good[:40],
    "empty": b"",
    "text": b"module { func.func @main() { return } }",
    "no-opset": good[:good.rindex(field(8, field(1, "") + field(2, 17)))],
    "unsupported": model([node("Loop", ["x"], ["a"], "loop"), relu,
                          node("Fast", ["a"], ["b"], "own", domain="com.x")], [x], ["y"]),
    "cycle": model([node("Add", ["x", "b"], ["a"], "first"), node("Relu", ["a"], ["b"], "second")],
                   [x], ["b"]),
    "missing": model([node("Add", ["x", "w"], ["y"], "sum")], [x], ["y"]),
    "no-result": model([relu], [x], ["z"]),
    "twice": model([relu, relu], [x], ["y"]),
    "operands": model([node("Add", ["x"], ["y"], "sum")], [x], ["y"]),
    "mismatch": adds(tensor("w", FLOAT, [4], floats(1, 2, 3, 4))),
    "bytes": adds(tensor("w", FLOAT, [4], floats(1, 2, 3))),
    "negative": adds(tensor("w", FLOAT, [-4], floats(1, 2, 3))),
    "huge": adds(tensor("w", FLOAT, [1 << 40, 1 << 40], floats(1))),
    "strings": adds(tensor("w", STRING, [1])),
    "outside": adds(tensor("w", FLOAT, [4], location="../w.bin")),
    "gone": adds(tensor("w", FLOAT, [4], location="w.bin")),
    "shape": reshapes(4, 4),
    "extent": reshapes(-7, 3),
    "axis": model([node("Softmax", ["x"], ["y"], "soft", [attribute("axis", 5)])], [x], ["y"]),
    "open": model([relu], [field(1, "x") + field(2, field(1, field(1, FLOAT)))], ["y"]),
    "odd-name": model([node("Relu", ["nothing"], ["y"], "a'\n\"b")], [x], ["y"]),
}

if __name__ == "__main__":
    os.makedirs(sys.argv[1], exist_ok=True)
    for name, data in MODELS.items():
        with open(os.path.join(sys.argv[1], name + ".onnx"), "wb") as file:
            file.write(data)
