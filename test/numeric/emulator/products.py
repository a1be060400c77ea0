#!/usr/bin/env python3
"""Products of random shapes as kernels of a GPU: products.py FUSE_RUN [--count N] [--seed N|today] [--jobs N] [--no-async-copies]
            [--warpgroups]

Tiles of products have a path for each of: whole and partial tiles, contiguous rows or columns of
either operand, extents that are not known, tensor cores. Each product has random extents around the
sides of tiles, a random type, transposes, batch, and what follows it, and agrees with the
interpreter on the emulator. Prints each failure with its program; fails if there is one.
"""

import argparse
import concurrent.futures
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

EXTENTS = [1, 3, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 40, 63, 64, 65, 96, 100, 127, 128, 130, 160]


# As planned, op by op, with tensor cores for f32 (factors of TF32 have 11 bits), through registers instead of by
# asynchronous copies, and by warpgroups, with tiles that are given.
WARPGROUPS = ["--chip", "sm_90a"]
MODES = [[], ["--no-fusion"], ["--numerics", "reduced-precision", "--rtol", "2e-2", "--atol", "2e-2"], ["--no-async-copies"],
         WARPGROUPS]
# Of those, extents that are copied in pieces of 16 bytes, and some that are not; rows and columns of a tile.
WARPGROUP_EXTENTS = [8, 40, 64, 72, 96, 120, 128, 136, 160, 200, 256, 264, 320, 65, 100]
TILE_ROWS, TILE_COLUMNS = [64, 64, 60, 100, 128, 128, 256], [8, 24, 40, 64, 72, 100, 128, 128, 256]


def tensor(extents, element):
    return f"tensor<{'x'.join([*map(str, extents), element])}>"


def put_in_kernel(source, arguments, lines, result, rank):
    """The lines as those of a kernel whose tiles are as warpgroups may have them."""
    sizes = [1] * (rank - 2) + [source.choice(TILE_ROWS), source.choice(TILE_COLUMNS)]
    threads = source.choice([128, 128, 256])
    schedule = f"#fuse.schedule<levels = [<block, dims = {list(range(rank))}, sizes = {sizes}>], threads = {threads}>"
    names = [argument.split(":")[0] for argument in arguments]
    types = ", ".join(argument.split(": ")[1] for argument in arguments)
    operands = ", ".join(f"{name}x = {name}" for name in names)
    inner = [re.sub(r"(%[abc])", r"\1x", line) for line in lines]
    return [f"%k = fuse.kernel ({operands}) : ({types}) -> {result} attributes {{fuse.schedule = {schedule}}} {{", *inner,
            f"fuse.yield %{len(lines) - 1} : {result}", "}"]


def draw(source, name, warpgroups):
    """A function that multiplies, and maybe adds a bias and takes a row's softmax or relu."""
    m, n, k = (source.choice(WARPGROUP_EXTENTS if warpgroups else EXTENTS) for _ in range(3))
    element = source.choice(["f16", "bf16"] if warpgroups else ["f32", "f16", "f16", "bf16", "bf16", "f64", "i32", "i8", "i8"])
    # Bytes are summed as i32, and may differ in their sign.
    types = [source.choice(["i8", "ui8"]) for _ in range(2)] if element == "i8" else [element] * 2
    element = "i32" if element == "i8" else element
    batch = source.choice([[], [], [], [2], [3, 2]])
    left = batch + ([k, m] if (turns_left := source.random() < 0.3) else [m, k])
    # Tiles are given for loops as they are: two that run through the left operand alone would become one.
    right = batch if warpgroups or source.random() < 0.7 else []
    right = right + ([n, k] if (turns_right := source.random() < 0.3) else [k, n])
    # An extent that only calls tell: the rows of the left operand.
    if source.random() < 0.25:
        left[-1 if turns_left else -2] = m = "?"
    result = batch + [m, n]
    flags = (" transpose_lhs" if turns_left else "") + (" transpose_rhs" if turns_right else "")
    left, right, whole = tensor(left, types[0]), tensor(right, types[1]), tensor(result, element)
    arguments = [f"%a: {left}", f"%b: {right}"]
    lines = [f"%0 = fuse.matmul %a, %b{flags} : ({left}, {right}) -> {whole}"]
    tail = source.choice(["none", "bias", "relu"] if warpgroups else ["none", "bias", "relu", "softmax"])
    if tail == "bias":
        arguments.append(f"%c: {tensor([n], element)}")
        lines.append(f"%1 = fuse.binary add %0, %c : ({whole}, {tensor([n], element)}) -> {whole}")
    elif tail == "relu":
        lines.append(f"%1 = fuse.unary relu %0 : {whole}")
    elif tail == "softmax" and element != "i32":
        lines.append(f"%1 = fuse.softmax %0 dimension = {len(result) - 1} : {whole}")
    value = f"%{len(lines) - 1}"
    if warpgroups:
        lines, value = put_in_kernel(source, arguments, lines, whole, len(result)), "%k"
    body = "".join(f"  {line}\n" for line in lines)
    return (f"func.func @{name}({', '.join(arguments)}) -> {whole} {{\n{body}"
            f"  return {value} : {whole}\n}}\n")


def run(tool, path, mode):
    command = [tool, str(path), "--random-inputs", "1", "--check", "--target", "emulator", *mode]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else (done.stderr + done.stdout).strip()[-1000:]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tool")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--no-async-copies", action="store_true")
    parser.add_argument("--warpgroups", action="store_true", help="products of f16 and bf16 for sm_90a alone")
    arguments = parser.parse_args()
    seed = int(time.time()) // (24 * 3600) if arguments.seed == "today" else int(arguments.seed)
    source, failed = random.Random(seed), 0
    more = ["--no-async-copies"] if arguments.no_async_copies else []
    with tempfile.TemporaryDirectory() as temporary:
        paths, modes = [], [WARPGROUPS] if arguments.warpgroups else MODES
        for number in range(arguments.count):
            paths.append(pathlib.Path(temporary, f"{number}.mlir"))
            paths[-1].write_text(draw(source, "main", modes[number % len(modes)] == WARPGROUPS))
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            outcomes = pool.map(
                lambda case: run(os.path.abspath(arguments.tool), case[1],
                                 modes[case[0] % len(modes)] + more), enumerate(paths))
            for number, (path, text) in enumerate(zip(paths, outcomes)):
                if text:
                    failed += 1
                    mode = " ".join(modes[number % len(modes)])
                    print(f"failed {mode}: {text}\n{path.read_text()}", flush=True)
    print(f"seed {seed}: {len(paths)} products, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
