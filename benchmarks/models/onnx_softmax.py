# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An ONNX model of one softmax, written as protobuf's bytes: no package is needed for it."""

FLOAT, OPSET, IR_VERSION, INT_ATTRIBUTE = 1, 17, 8, 2


def varint(value):
    """Of a number; negative ones as 64 bits."""
    value &= (1 << 64) - 1
    found = b""
    while True:
        found += bytes([(value & 127) | (128 if value > 127 else 0)])
        value >>= 7
        if not value:
            return found


def field(number, value):
    """A field of a message: an integer, or text or a message as bytes."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def tensor_value(name, *shape):
    dims = b"".join(field(1, field(1, extent)) for extent in shape)
    return field(1, name) + field(2, field(1, field(1, FLOAT) + field(2, dims)))


def write_softmax(path, rows, columns):
    axis = field(1, "axis") + field(3, -1) + field(20, INT_ATTRIBUTE)
    node = field(1, "x") + field(2, "y") + field(3, "softmax") + field(4, "Softmax") + field(5, axis)
    graph = (field(1, node) + field(2, "softmax") + field(11, tensor_value("x", rows, columns))
             + field(12, tensor_value("y", rows, columns)))
    model = field(1, IR_VERSION) + field(7, graph) + field(8, field(1, "") + field(2, OPSET))
    with open(path, "wb") as file:
        file.write(model)
    return path
