"""Convolutions and products whose results have rows pages apart, drawn by chance, against the interpreter.

    check_channel_runs.py FOLDER COUNT SEED [OPTIONS OF FUSE-RUN]

The channels of an image that lies channels first are such rows: from 1024 elements of f32 on, groups of them go through runs of
pixels (docs/kernel-nest.md). Pixels are few more than a run, many more, or no whole vectors; what follows the sums is nothing,
a residual, a bias and a maximum, or a pool."""
import pathlib
import subprocess
import sys

import numpy as np


def draw_convolution(rng):
    images, channels, filters = int(rng.choice([1, 2])), int(rng.choice([1, 3, 8, 17])), int(rng.choice([7, 11, 24, 40, 57]))
    height, width = int(rng.choice([32, 33, 47])), int(rng.choice([32, 37, 61]))
    window, pad = int(rng.choice([1, 1, 2, 3])), int(rng.choice([0, 1]))
    pad = min(pad, window - 1)
    given = f"tensor<{images}x{channels}x{height}x{width}xf32>"
    filter_type = f"tensor<{filters}x{channels}x{window}x{window}xf32>"
    height, width = height + 2 * pad - window + 1, width + 2 * pad - window + 1
    result = f"tensor<{images}x{filters}x{height}x{width}xf32>"
    line = (f"  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [{pad}, {pad}, {pad}, {pad}] groups = 1 layout = "
            f"nchw_fchw : ({given}, {filter_type}) -> {result}\n")
    return given, filter_type, result, f"tensor<{filters}x1x1xf32>", line


def draw_product(rng):
    rows, steps, columns = int(rng.choice([11, 30, 64])), int(rng.choice([5, 40, 300])), int(rng.choice([1024, 1099, 1555, 2056]))
    left, right, result = f"tensor<{rows}x{steps}xf32>", f"tensor<{steps}x{columns}xf32>", f"tensor<{rows}x{columns}xf32>"
    line = f"  %0 = fuse.matmul %w, %x : ({left}, {right}) -> {result}\n"
    return right, left, result, f"tensor<{rows}x1xf32>", line


def draw(rng):
    draw_sums = draw_convolution if rng.random() < 0.7 else draw_product
    given, weights, result, bias, line = draw_sums(rng)
    lines, value, output = [line], "%0", result
    tail = str(rng.choice(["none", "residual", "bias", "pool"]))
    if tail == "residual":
        lines.append(f"  %1 = fuse.binary add %0, %r : {result}\n")
        value = "%1"
    if tail == "bias":
        lines.append(f"  %1 = fuse.binary add %0, %b : ({result}, {bias}) -> {result}\n  %2 = fuse.unary relu %1 : {result}\n")
        value = "%2"
    if tail == "pool" and draw_sums is draw_convolution:
        lines.append(f"  %1 = fuse.max_pool2d %0 kernel = [3, 3] strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] layout = "
                     f"nchw_fchw : {result} -> {result}\n")
        value = "%1"
    return (f"func.func @main(%x: {given}, %w: {weights}, %r: {result}, %b: {bias}) -> {output} {{\n"
            f"{''.join(lines)}  return {value} : {output}\n}}\n")


def main():
    folder, count, seed = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(seed, seed + count):
        program = folder / "program.mlir"
        program.write_text(draw(np.random.default_rng(number)))
        done = subprocess.run(["fuse-run", str(program), "--random-inputs", str(number), "--check", *sys.argv[4:]],
                              capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"seed {number}: exit {done.returncode}: {done.stdout.strip()} {done.stderr.strip()}\n{program.read_text()}")
    print(f"{count} programs")


if __name__ == "__main__":
    main()
