"""Convolutions with channels first, and products with long rows, drawn by chance, against the interpreter.

    check_channels_first.py FOLDER COUNT SEED [OPTIONS OF FUSE-RUN]

The channels of an image that lies channels first are rows pages apart: from 1024 elements of f32 on, groups of them go through
runs of pixels (docs/kernel-nest.md). Pixels are few more than a run, many more, or no whole vectors. A filter sees all channels or
those of its group, which may have one filter, a few, or whole vectors of them. What follows the sums is nothing, a residual, a
bias and a maximum, a pool, or a residual and a pool, which takes it with a border. One extent may be open."""
import pathlib
import subprocess
import sys

import numpy as np


class Extent(int):
    """A number, printed as `?` where it is open."""
    isOpen = False

    def __format__(self, spec):
        return "?" if self.isOpen else str(int(self))


def choose(rng, extents):
    return Extent(rng.choice(extents))


def maybe_open(rng, extents):
    """Leaves one of `extents` open, or none."""
    if rng.random() < 0.3:
        extents[int(rng.integers(len(extents)))].isOpen = True


def draw_convolution(rng):
    images, height, width = choose(rng, [1, 2]), choose(rng, [7, 14, 32, 33, 47]), choose(rng, [7, 32, 37, 61])
    window, pad = int(rng.choice([1, 1, 2, 3])), int(rng.choice([0, 1]))
    pad = min(pad, window - 1)
    groups = int(rng.choice([1, 1, 2, 4, 8]))
    of_group = int(rng.choice([1, 3, 8, 17]))
    filters = groups * int(rng.choice([7, 11, 24, 40, 57] if groups == 1 else [1, 2, 3, 4, 6, 8, 12]))
    maybe_open(rng, [images, height, width])
    after = [Extent(side + 2 * pad - window + 1) for side in (height, width)]
    after[0].isOpen, after[1].isOpen = height.isOpen, width.isOpen
    given = f"tensor<{images}x{groups * of_group}x{height}x{width}xf32>"
    filter_type = f"tensor<{filters}x{of_group}x{window}x{window}xf32>"
    result = f"tensor<{images}x{filters}x{after[0]}x{after[1]}xf32>"
    line = (f"  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [{pad}, {pad}, {pad}, {pad}] groups = {groups} "
            f"layout = nchw_fchw : ({given}, {filter_type}) -> {result}\n")
    shapes = ((images, groups * of_group, height, width), (filters, of_group, window, window), (images, filters, *after), (filters, 1, 1))
    return given, filter_type, result, f"tensor<{filters}x1x1xf32>", line, shapes


def draw_product(rng):
    rows, steps, columns = choose(rng, [11, 30, 64]), choose(rng, [5, 40, 300]), choose(rng, [1024, 1099, 1555, 2056])
    maybe_open(rng, [rows, steps, columns])
    left, right, result = f"tensor<{rows}x{steps}xf32>", f"tensor<{steps}x{columns}xf32>", f"tensor<{rows}x{columns}xf32>"
    line = f"  %0 = fuse.matmul %w, %x : ({left}, {right}) -> {result}\n"
    return right, left, result, f"tensor<{rows}x1xf32>", line, ((steps, columns), (rows, steps), (rows, columns), (rows, 1))


def draw(rng):
    draw_sums = draw_convolution if rng.random() < 0.7 else draw_product
    given, weights, result, bias, line, shapes = draw_sums(rng)
    lines, value, output = [line], "%0", result
    tail = str(rng.choice(["none", "residual", "bias", "pool", "residual and pool"]))
    if "residual" in tail:
        lines.append(f"  %1 = fuse.binary add %0, %r : {result}\n")
        value = "%1"
    if tail == "bias":
        lines.append(f"  %1 = fuse.binary add %0, %b : ({result}, {bias}) -> {result}\n  %2 = fuse.unary relu %1 : {result}\n")
        value = "%2"
    if "pool" in tail and draw_sums is draw_convolution:
        lines.append(f"  %3 = fuse.max_pool2d {value} kernel = [3, 3] strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] layout = "
                     f"nchw_fchw : {result} -> {result}\n")
        value = "%3"
    param = str(rng.choice(["", " {fuse.param}"]))
    text = (f"func.func @main(%x: {given}, %w: {weights}{param}, %r: {result}, %b: {bias}) -> {output} {{\n"
            f"{''.join(lines)}  return {value} : {output}\n}}\n")
    arrays = {f"arg{i}": rng.standard_normal([int(extent) for extent in shape]).astype(np.float32) for i, shape in enumerate(shapes)}
    return text, arrays


def main():
    folder, count, seed = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(seed, seed + count):
        program, inputs = folder / "program.mlir", folder / "inputs.npz"
        text, arrays = draw(np.random.default_rng(number))
        program.write_text(text)
        np.savez(inputs, **arrays)
        done = subprocess.run(["fuse-run", str(program), "--inputs", str(inputs), "--check", *sys.argv[4:]],
                              capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"seed {number}: exit {done.returncode}: {done.stdout.strip()} {done.stderr.strip()}\n{program.read_text()}")
    print(f"{count} programs")


if __name__ == "__main__":
    main()
