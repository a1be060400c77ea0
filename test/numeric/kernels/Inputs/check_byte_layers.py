"""Chains of random quantized layers, planned and laid out as a whole, against the interpreter: bytes are equal.

    check_byte_layers.py FOLDER COUNT SEED

A layer is a convolution (padded with the zero point, grouped, strided) or a product, its bias, scales of its filters, rounding
and saturation; some layers add what an earlier one gave, or take the largest of a window."""
import pathlib
import subprocess
import sys

import numpy as np

DTYPES = {"i8": np.int8, "ui8": np.uint8}


class Chain:
    def __init__(self, rng):
        self.rng = rng
        self.element = str(rng.choice(["i8", "ui8"]))
        self.zero = int(rng.choice([0, 3, -128 if self.element == "i8" else 255]))
        self.shape = (int(rng.choice([1, 2])), int(rng.choice([3, 8, 18])), *[int(rng.choice([7, 9, 12]))] * 2)
        self.arguments, self.lines, self.inputs, self.count = [], [], {}, 0
        self.value = self.argument(self.bytes(self.shape, self.element), self.element, is_weight=False)
        self.earlier = []

    def bytes(self, shape, element):
        limits = np.iinfo(DTYPES[element])
        return self.rng.integers(limits.min, limits.max + 1, shape).astype(DTYPES[element])

    def type(self, shape, element):
        return f"tensor<{'x'.join([*map(str, shape), element])}>"

    def argument(self, array, element, is_weight=True):
        name = f"%arg{len(self.arguments)}"
        self.inputs[name[1:]] = array
        self.arguments.append(f"{name}: {self.type(array.shape, element)}{' {fuse.param}' if is_weight else ''}")
        return name

    def add(self, text):
        name = f"%v{self.count}"
        self.count += 1
        self.lines.append(f"  {name} = {text}\n")
        return name

    def scalar(self, value):
        return self.add(f"arith.constant dense<{value:.8e}> : tensor<f32>")

    def binary(self, kind, left, right, right_shape=()):
        f32 = self.type(self.shape, "f32")
        return self.add(f"fuse.binary {kind} {left}, {right} : ({f32}, {self.type(right_shape, 'f32')}) -> {f32}")

    def quantize(self, value):
        rounded = self.add(f"fuse.unary round_even {value} : {self.type(self.shape, 'f32')}")
        moved = self.binary("add", rounded, self.scalar(self.zero))
        return self.cast(moved, "f32", self.element)

    def cast(self, value, old, new):
        return self.add(f"fuse.cast {value} : ({self.type(self.shape, old)}) -> {self.type(self.shape, new)}")

    def rescale(self, sums, filters, along, steps):
        bias = self.argument(self.rng.integers(-2000, 2000, along).astype(np.int32), "i32")
        scale = self.argument((self.rng.uniform(0.5, 1.5, along) / (60 * np.sqrt(steps))).astype(np.float32), "f32")
        i32 = self.type(self.shape, "i32")
        sums = self.add(f"fuse.binary add {sums}, {bias} : ({i32}, {self.type(along, 'i32')}) -> {i32}")
        return self.quantize(self.binary("mul", self.cast(sums, "i32", "f32"), scale, along))

    def convolve(self):
        images, channels, height, width = self.shape
        window, stride = int(self.rng.choice([1, 3, 5])), int(self.rng.choice([1, 1, 2]))
        pad = window // 2 if height + width < 6 or self.rng.random() < 0.7 else 0
        is_depthwise = self.rng.random() < 0.2
        groups = channels if is_depthwise else int(self.rng.choice([g for g in (1, 1, 1, 2, 3) if channels % g == 0]))
        filters = channels if is_depthwise else groups * int(self.rng.choice([6, 16, 24, 33]))
        if height + 2 * pad < window:
            return
        value, old = self.value, self.shape
        if pad:
            self.shape = (images, channels, height + 2 * pad, width + 2 * pad)
            value = self.add(f"fuse.pad {value} low = [0, 0, {pad}, {pad}] high = [0, 0, {pad}, {pad}] value = {self.zero} : "
                             f"{self.element} : {self.type(old, self.element)} -> {self.type(self.shape, self.element)}")
        given = self.type(self.shape, self.element)
        weights = self.bytes((filters, channels // groups, window, window), "i8")
        extent = (self.shape[2] - window) // stride + 1
        self.shape = (images, filters, extent, extent)
        sums = self.add(
            f"fuse.conv2d {value}, {self.argument(weights, 'i8')} strides = [{stride}, {stride}] dilations = [1, 1] padding = "
            f"[0, 0, 0, 0] groups = {groups} layout = nchw_fchw : ({given}, {self.type(weights.shape, 'i8')}) -> "
            f"{self.type(self.shape, 'i32')}")
        self.value = self.rescale(sums, filters, (filters, 1, 1), weights[0].size)

    def join(self):
        same = [value for value, shape in self.earlier if shape == self.shape]
        if not same:
            return
        left = self.binary("mul", self.cast(self.value, self.element, "f32"), self.scalar(0.6))
        right = self.binary("mul", self.cast(same[0], self.element, "f32"), self.scalar(0.4))
        f32 = self.type(self.shape, "f32")
        self.value = self.quantize(self.add(f"fuse.binary add {left}, {right} : ({f32}, {f32}) -> {f32}"))

    def pool(self):
        if self.shape[2] < 4:
            return
        old, extent = self.shape, (self.shape[2] - 1) // 2 + 1
        self.shape = (*old[:2], extent, extent)
        self.value = self.add(
            f"fuse.max_pool2d {self.value} kernel = [3, 3] strides = [2, 2] dilations = [1, 1] padding = [1, 1, 1, 1] layout = "
            f"nchw_fchw : {self.type(old, self.element)} -> {self.type(self.shape, self.element)}")

    def multiply(self):
        steps, columns = int(np.prod(self.shape[1:])), int(self.rng.choice([10, 33, 64]))
        flat = self.type((self.shape[0], steps), self.element)
        value = self.add(f"fuse.reshape {self.value} : {self.type(self.shape, self.element)} -> {flat}")
        weights = self.bytes((columns, steps), "i8")
        self.shape = (self.shape[0], columns)
        sums = self.add(f"fuse.matmul {value}, {self.argument(weights, 'i8')} transpose_rhs : ({flat}, "
                        f"{self.type(weights.shape, 'i8')}) -> {self.type(self.shape, 'i32')}")
        self.value = self.rescale(sums, columns, (columns,), steps)

    def write(self, folder):
        for _ in range(int(self.rng.choice([2, 3, 4]))):
            self.earlier.append((self.value, self.shape))
            [self.convolve, self.convolve, self.convolve, self.join, self.pool][self.rng.integers(5)]()
        if self.rng.random() < 0.5:
            self.multiply()
        result = self.type(self.shape, self.element)
        (folder / "program.mlir").write_text(
            f"func.func @main({', '.join(self.arguments)}) -> {result} {{\n{''.join(self.lines)}"
            f"  return {self.value} : {result}\n}}\n")
        np.savez(folder / "inputs.npz", **self.inputs)


def main():
    folder, count, seed = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(seed, seed + count):
        Chain(np.random.default_rng(number)).write(folder)
        done = subprocess.run(["fuse-run", str(folder / "program.mlir"), "--inputs", str(folder / "inputs.npz"), "--check",
                               "--rtol", "0", "--atol", "0", *sys.argv[4:]], capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"seed {number}: exit {done.returncode}: {done.stdout.strip()} {done.stderr.strip()}")
    print(f"{count} chains of layers")


if __name__ == "__main__":
    main()
