"""Writes small ONNX models with NumPy alone: each function returns the bytes of a protobuf message.

    w.model(w.graph([w.node("Relu", ["x"], ["y"], name="relu")],
                    inputs=[w.value("x", np.float32, [4, "batch"])],
                    outputs=[w.value("y", np.float32, [4, "batch"])]))
"""
import struct

import numpy as np

TYPES = {"float32": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5, "int32": 6, "int64": 7,
         "bool": 9, "float16": 10, "float64": 11, "uint32": 12, "uint64": 13}


def varint(number):
    number &= (1 << 64) - 1  # negative numbers take ten bytes
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out + bytes([number]))


def field(tag, value):
    """One field: an integer, a float, or text, bytes and messages with their length."""
    if isinstance(value, (int, np.integer)):
        return varint(tag << 3) + varint(int(value))
    if isinstance(value, float):
        return varint(tag << 3 | 5) + struct.pack("<f", value)
    data = value.encode() if isinstance(value, str) else value
    return varint(tag << 3 | 2) + varint(len(data)) + data


def fields(tag, values):
    return b"".join(field(tag, value) for value in values)


def tensor(name, array):
    array = np.asarray(array)
    return (fields(1, array.shape) + field(2, TYPES[array.dtype.name]) + field(8, name)
            + field(9, array.tobytes()))


def raw_tensor(name, kind, dims, data=None, location=None):
    """Says what it is told: the bytes need not fit the extents, and may be in another file."""
    outside = field(13, field(1, "location") + field(2, location)) + field(14, 1) if location else b""
    return (fields(1, dims) + field(2, kind) + field(8, name)
            + (field(9, data) if data is not None else b"") + outside)


def attribute(name, value):
    if isinstance(value, float):
        body = field(2, value) + field(20, 1)
    elif isinstance(value, int):
        body = field(3, value) + field(20, 2)
    elif isinstance(value, str):
        body = field(4, value) + field(20, 3)
    elif isinstance(value, np.ndarray):
        body = field(5, tensor("", value)) + field(20, 4)
    else:
        body = fields(8, value) + field(20, 7)
    return field(1, name) + body


def node(op, inputs, outputs, name="", domain="", **attributes):
    return (fields(1, inputs) + fields(2, outputs) + field(3, name) + field(4, op)
            + fields(5, [attribute(*each) for each in attributes.items()]) + field(7, domain))


def value(name, dtype, shape):
    dims = [field(2, each) if isinstance(each, str) else field(1, each) for each in shape]
    tensor_type = field(1, TYPES[np.dtype(dtype).name]) + field(2, fields(1, dims))
    return field(1, name) + field(2, field(1, tensor_type))


def graph(nodes, inputs, outputs, initializers=None):
    """`initializers`: arrays by name, or messages of tensors."""
    initializers = initializers or {}
    tensors = [tensor(*each) for each in initializers.items()] if isinstance(initializers, dict) \
        else initializers
    return (fields(1, nodes) + field(2, "graph") + fields(5, tensors) + fields(11, inputs)
            + fields(12, outputs))


def opset(version, domain=""):
    return field(1, domain) + field(2, version)


def function(name, domain, inputs, outputs, nodes, version=17):
    return (field(1, name) + fields(4, inputs) + fields(5, outputs) + fields(7, nodes)
            + field(9, opset(version)) + field(10, domain))


def model(graph, version=17, functions=(), domains=()):
    opsets = [opset(version)] + [opset(1, domain) for domain in domains]
    return field(1, 8) + field(7, graph) + fields(8, opsets) + fields(25, functions)
