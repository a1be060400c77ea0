# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutional networks of many nodes: convolutional.py FOLDER

Writes densenet.onnx (58 dense layers, whose results are concatenated with all that a block has) and efficientnet.onnx
(16 blocks with depthwise convolutions, squeeze and excitation), with seeded weights, for images of 224 x 224.
"""

import argparse
import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "models"))
from networks import Graph


class Images(Graph):
    """Layers as exporters write them before anything is folded."""

    def convolution(self, value, channels, filters, width=3, stride=1, groups=1):
        return self.node("Conv", value, self.weight(filters, channels // groups, width, width), strides=[stride] * 2,
                         kernel_shape=[width] * 2, pads=[width // 2] * 4, group=groups)

    def norm(self, value, channels):
        scale, shift, mean = (self.weight(channels, scale=0.1) for _ in range(3))
        variance = self.constant(self.random.uniform(0.5, 2, channels).astype(np.float32))
        return self.node("BatchNormalization", value, scale, shift, mean, variance)

    def norm_relu(self, value, channels):
        return self.node("Relu", self.norm(value, channels))

    def swish(self, value):
        return self.node("Mul", value, self.node("Sigmoid", value))

    def head(self, value, channels):
        mean = self.node("Flatten", self.node("GlobalAveragePool", value))
        return self.node("Gemm", mean, self.weight(channels, 1000, scale=channels ** -0.5), self.weight(1000, scale=0.1))


def densenet(graph, blocks=(6, 12, 24, 16), growth=32):
    value = graph.norm_relu(graph.convolution("x", 3, 64, width=7, stride=2), 64)
    value = graph.node("MaxPool", value, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    channels = 64
    for number, layers in enumerate(blocks):
        parts = [value]
        for _ in range(layers):
            joined = graph.node("Concat", *parts, axis=1) if len(parts) > 1 else parts[0]
            narrow = graph.convolution(graph.norm_relu(joined, channels), channels, 4 * growth, width=1)
            parts.append(graph.convolution(graph.norm_relu(narrow, 4 * growth), 4 * growth, growth))
            channels += growth
        value = graph.norm_relu(graph.node("Concat", *parts, axis=1), channels)
        if number + 1 < len(blocks):
            value = graph.convolution(value, channels, channels // 2, width=1)
            value = graph.node("AveragePool", value, kernel_shape=[2, 2], strides=[2, 2])
            channels //= 2
    return graph.head(value, channels)


# expansion, filters, how often, stride, width of the depthwise convolution
STAGES = ((1, 16, 1, 1, 3), (6, 24, 2, 2, 3), (6, 40, 2, 2, 5), (6, 80, 3, 2, 3), (6, 112, 3, 1, 5), (6, 192, 4, 2, 5),
          (6, 320, 1, 1, 3))


def efficientnet(graph):
    value, channels = graph.swish(graph.norm(graph.convolution("x", 3, 32, stride=2), 32)), 32
    for expansion, filters, count, first_stride, width in STAGES:
        for number in range(count):
            stride, wide, start = first_stride if number == 0 else 1, channels * expansion, value
            if expansion > 1:
                value = graph.swish(graph.norm(graph.convolution(value, channels, wide, width=1), wide))
            value = graph.convolution(value, wide, wide, width, stride, groups=wide)
            value = graph.swish(graph.norm(value, wide))
            squeezed = graph.node("GlobalAveragePool", value)
            squeezed = graph.swish(graph.convolution(squeezed, wide, max(1, channels // 4), width=1))
            gate = graph.node("Sigmoid", graph.convolution(squeezed, max(1, channels // 4), wide, width=1))
            value = graph.norm(graph.convolution(graph.node("Mul", value, gate), wide, filters, width=1), filters)
            if stride == 1 and channels == filters:
                value = graph.node("Add", value, start)
            channels = filters
    return graph.head(graph.swish(graph.norm(graph.convolution(value, channels, 1280, width=1), 1280)), 1280)


NETWORKS = {"densenet": densenet, "efficientnet": efficientnet}


def write_networks(folder):
    os.makedirs(folder, exist_ok=True)
    for name, build in NETWORKS.items():
        graph = Images()
        values = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 224, 224]),
                  helper.make_tensor_value_info(build(graph), TensorProto.FLOAT, None)]
        model = helper.make_model(helper.make_graph(graph.nodes, name, values[:1], values[1:], graph.weights),
                                  opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        onnx.save(model, os.path.join(folder, name + ".onnx"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("folder")
    write_networks(parser.parse_args().folder)
