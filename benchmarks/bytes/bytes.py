#!/usr/bin/env python3
# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: bytes.py FUSE-RUN [--peak N] [--threads N,…] [--seconds T] [--only TEXT]

Products and convolutions of bytes, whose sums are quantized: the layers of ResNet-50, of BERT and of a perceptron, with few
and many rows, and sizes that nothing divides. Beside each other stand its time and what the products alone would take,
with --peak, how many of them a core sums in a nanosecond (peak.c); the time of the same layer in f32; and, if there is
one, that of ONNX Runtime. Images have their channels last."""

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import table

try:
    import onnx
    import onnxruntime
except ImportError:
    onnxruntime = None

# images, channels, pixels, filters, window, stride
CONVOLUTIONS = [(1, 64, 56, 256, 1, 1), (1, 512, 28, 128, 1, 1), (1, 1024, 14, 256, 1, 1), (1, 2048, 7, 512, 1, 1),
                (1, 64, 56, 64, 3, 1), (1, 128, 28, 128, 3, 1), (1, 256, 14, 256, 3, 1), (1, 512, 7, 512, 3, 1),
                (1, 3, 224, 64, 7, 2), (1, 128, 56, 128, 3, 2), (8, 256, 14, 256, 3, 1)]
# rows, steps, columns
PRODUCTS = [(1, 768, 768), (1, 768, 3072), (1, 4096, 4096), (2, 768, 3072), (8, 768, 3072), (128, 768, 768),
            (128, 768, 3072), (128, 3072, 768), (17, 147, 1000)]
WANTED_PEAK, WANTED_F32, WANTED_PEER = 1.25, 0.6, 1.0


def tensor(shape, element):
    return f"tensor<{'x'.join([*map(str, shape), element])}>"


class Layer:
    def __init__(self, sizes):
        self.sizes = sizes
        if len(sizes) == 3:
            rows, steps, columns = sizes
            self.name, self.x, self.w, self.y = "product", (rows, steps), (steps, columns), (rows, columns)
            self.products = rows * steps * columns
            return
        images, channels, pixels, filters, window, self.stride = sizes
        self.pad = window // 2
        extent = (pixels + 2 * self.pad - window) // self.stride + 1
        self.name = f"convolution {window}x{window}" + (f"/{self.stride}" if self.stride > 1 else "")
        self.x, self.w = (images, pixels, pixels, channels), (window, window, channels, filters)
        self.y = (images, extent, extent, filters)
        self.products = int(np.prod(self.y)) * window * window * channels

    def multiplies(self):
        """Whether that is what takes time; few rows wait for their weights."""
        return len(self.y) == 4 or self.y[0] >= 8

    def program(self, is_short):
        x, w, sums = ("ui8", "i8", "i32") if is_short else ("f32",) * 3
        attributes = "" if len(self.sizes) == 3 else (
            f" strides = [{self.stride}, {self.stride}] dilations = [1, 1] padding = [{', '.join([str(self.pad)] * 4)}] "
            "groups = 1 layout = nhwc_hwcf")
        kind = "matmul" if len(self.sizes) == 3 else "conv2d"
        along, result, wide = self.y[-1:], tensor(self.y, sums), tensor(self.y, "f32")
        lines = [f"%0 = fuse.{kind} %x, %w{attributes} : ({tensor(self.x, x)}, {tensor(self.w, w)}) -> {result}",
                 f"%1 = fuse.binary add %0, %b : ({result}, {tensor(along, sums)}) -> {result}"]
        if is_short:
            lines += [f"%2 = fuse.cast %1 : ({result}) -> {wide}",
                      f"%3 = fuse.binary mul %2, %s : ({wide}, {tensor(along, 'f32')}) -> {wide}",
                      f"%4 = fuse.unary round_even %3 : {wide}", f"%5 = fuse.cast %4 : ({wide}) -> {tensor(self.y, x)}"]
        else:
            lines.append(f"%5 = fuse.unary relu %1 : {wide}")
        return (f"func.func @main(%x: {tensor(self.x, x)}, %w: {tensor(self.w, w)} {{fuse.param}}, %b: {tensor(along, sums)} "
                f"{{fuse.param}}, %s: {tensor(along, 'f32')} {{fuse.param}}) -> {tensor(self.y, x)} {{\n  " +
                "\n  ".join(lines) + f"\n  return %5 : {tensor(self.y, x)}\n}}\n")

    def model(self):
        """The same for ONNX Runtime; its operator for images in this order is not ONNX's own."""
        helper, numpy_helper = onnx.helper, onnx.numpy_helper
        rng = np.random.default_rng(0)
        w = rng.integers(-127, 128, self.w).astype(np.int8)
        values = {"xs": np.float32(0.02), "xz": np.uint8(0), "w": w, "ws": np.float32(0.01), "wz": np.int8(0),
                  "ys": np.float32(0.05), "yz": np.uint8(0)}
        inputs = ["x", "xs", "xz", "w", "ws", "wz", "ys", "yz"]
        if len(self.sizes) == 3:
            node = helper.make_node("QLinearMatMul", inputs, ["y"])
        else:
            values |= {"w": w.transpose(3, 2, 0, 1).copy(), "b": np.zeros(self.y[-1], np.int32)}
            node = helper.make_node("QLinearConv", [*inputs, "b"], ["y"], domain="com.microsoft", channels_last=1,
                                    strides=[self.stride] * 2, pads=[self.pad] * 4, kernel_shape=self.w[:2])
        info = helper.make_tensor_value_info
        graph = helper.make_graph([node], "layer", [info("x", onnx.TensorProto.UINT8, self.x)],
                                  [info("y", onnx.TensorProto.UINT8, self.y)],
                                  [numpy_helper.from_array(np.asarray(value), name) for name, value in values.items()])
        return helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17),
                                                                     helper.make_opsetid("com.microsoft", 1)])


def time_ours(tool, layer, is_short, threads, seconds, folder):
    path = os.path.join(folder, "layer.mlir")
    with open(path, "w", encoding="utf-8") as file:
        file.write(layer.program(is_short))
    done = subprocess.run([tool, path, "--random-inputs", "1", "--threads", str(threads), "--time", f"{seconds}s"],
                          capture_output=True, text=True)
    found = re.search(r"run: median ([\d.]+) ms", done.stdout + done.stderr)
    if done.returncode or not found:
        sys.exit(f"{tool}: exit {done.returncode}: {done.stderr}")
    return max(float(found.group(1)), 5e-4)  # it prints microseconds


def time_peer(layer, threads, seconds):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(layer.model().SerializeToString(), options, providers=["CPUExecutionProvider"])
    given, times, end = {"x": np.full(layer.x, 100, np.uint8)}, [], time.perf_counter() + seconds
    while len(times) < 5 or time.perf_counter() < end:
        start = time.perf_counter()
        session.run(None, given)
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e3


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("tool")
    parser.add_argument("--peak", type=float, default=0)
    parser.add_argument("--threads", default="1")
    parser.add_argument("--seconds", type=float, default=0.2)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    print(table.header())
    with tempfile.TemporaryDirectory() as folder:
        for threads in map(int, arguments.threads.split(",")):
            for layer in map(Layer, CONVOLUTIONS + PRODUCTS):
                size = "x".join(map(str, layer.sizes))
                if arguments.only not in f"{layer.name} {size}":
                    continue
                taken = time_ours(arguments.tool, layer, True, threads, arguments.seconds, folder)
                references = []
                if arguments.peak and layer.multiplies():
                    least = layer.products / arguments.peak / threads / 1e6
                    references.append(("all products at the peak", least, WANTED_PEAK))
                references.append(("f32", time_ours(arguments.tool, layer, False, threads, arguments.seconds, folder),
                                   WANTED_F32))
                if onnxruntime:
                    references.append(("ONNX Runtime", time_peer(layer, threads, arguments.seconds), WANTED_PEER))
                for reference, its, wanted in references:
                    print(table.row(layer.name, size, threads, taken, reference, its, wanted), flush=True)


if __name__ == "__main__":
    main()
