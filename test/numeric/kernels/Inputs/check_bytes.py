"""Products and convolutions of random bytes with weights that are prepared, on every CPU level that runs here, against NumPy.

    check_bytes.py FOLDER COUNT SEED

Sizes are drawn from those that no group of steps, vector or group of rows divides, and bytes from all that there are."""
import pathlib
import subprocess
import sys

import numpy as np

LEVELS = ["native", "x86-64-v4", "x86-64-v3", "x86-64-v2"]
DTYPES = {"i8": np.int8, "ui8": np.uint8}
SIZES = [1, 2, 3, 4, 5, 7, 8, 10, 16, 17, 31, 33, 48, 64, 65, 80, 96, 147, 160]


def tensor(shape, element):
    return f"tensor<{'x'.join(map(str, shape))}x{element}>"


def draw_bytes(rng, shape, element):
    limits = np.iinfo(DTYPES[element])
    if rng.random() < 0.2:  # the largest sums
        return np.full(shape, rng.choice([limits.min, limits.max]), DTYPES[element])
    return rng.integers(limits.min, limits.max + 1, shape).astype(DTYPES[element])


def draw_types(rng):
    return [("i8", "i8"), ("ui8", "i8"), ("i8", "ui8"), ("ui8", "ui8")][rng.choice(4, p=[0.4, 0.4, 0.1, 0.1])]


def make_product(rng, number):
    rows, steps, columns = (int(rng.choice(SIZES)) for _ in range(3))
    left, right = draw_types(rng)
    is_turned = rng.random() < 0.3
    x = draw_bytes(rng, (rows, steps), left)
    w = draw_bytes(rng, (columns, steps) if is_turned else (steps, columns), right)
    want = x.astype(np.int32) @ (w.T if is_turned else w).astype(np.int32)
    types = [tensor(a.shape, e) for a, e in ((x, left), (w, right), (want, "i32"))]
    turned = " transpose_rhs" if is_turned else ""
    return x, w, want, types, f"fuse.matmul %x{number}, %w{number}{turned} : ({types[0]}, {types[1]}) -> {types[2]}"


def convolve(x, w, stride, groups):
    height, width, channels, filters = w.shape
    rows, columns = (x.shape[1] - height) // stride + 1, (x.shape[2] - width) // stride + 1
    result = np.zeros((x.shape[0], rows, columns, filters), np.int32)
    each = filters // groups
    for i in range(height):
        for j in range(width):
            part = x[:, i:i + stride * rows:stride, j:j + stride * columns:stride].astype(np.int32)
            for g in range(groups):
                result[..., g * each:(g + 1) * each] += (
                    part[..., g * channels:(g + 1) * channels] @ w[i, j, :, g * each:(g + 1) * each].astype(np.int32))
    return result


def make_convolution(rng, number):
    left, right = draw_types(rng)
    window, stride, pad = (int(rng.choice(c)) for c in ([1, 3, 5], [1, 2], [0, 1]))
    groups = int(rng.choice([1, 1, 1, 2, 6]))
    channels, filters = groups * int(rng.choice([1, 3, 4, 7, 16, 18])), groups * int(rng.choice([1, 5, 16, 33, 64]))
    size = int(rng.choice([5, 7, 9, 12]))
    x = draw_bytes(rng, (int(rng.choice([1, 2])), size, size, channels), left)
    w = draw_bytes(rng, (window, window, channels // groups, filters), right)
    want = convolve(np.pad(x, ((0, 0), (pad, pad), (pad, pad), (0, 0))), w, stride, groups)
    types = [tensor(a.shape, e) for a, e in ((x, left), (w, right), (want, "i32"))]
    return x, w, want, types, (
        f"fuse.conv2d %x{number}, %w{number} strides = [{stride}, {stride}] dilations = [1, 1] "
        f"padding = [{pad}, {pad}, {pad}, {pad}] groups = {groups} layout = nhwc_hwcf : "
        f"({types[0]}, {types[1]}) -> {types[2]}")


def main():
    folder, count, seed = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    arguments, results, lines, inputs, wanted = [], [], [], {}, {}
    for number in range(count):
        x, w, want, types, op = (make_product if rng.random() < 0.5 else make_convolution)(rng, number)
        arguments += [f"%x{number}: {types[0]}", f"%w{number}: {types[1]} {{fuse.param}}"]
        results.append(types[2])
        lines.append(f"  %y{number} = {op}\n")
        inputs |= {f"arg{2 * number}": x, f"arg{2 * number + 1}": w}
        wanted[f"result{number}"] = want
    program = folder / "program.mlir"
    program.write_text(f"func.func @main({', '.join(arguments)}) -> ({', '.join(results)}) {{\n" + "".join(lines) +
                       f"  return {', '.join(f'%y{i}' for i in range(count))} : {', '.join(results)}\n}}\n")
    np.savez(folder / "inputs.npz", **inputs)
    ran = []
    for level in LEVELS:
        done = subprocess.run(["fuse-run", str(program), "--inputs", str(folder / "inputs.npz"), "--cpu", level,
                               "--outputs", str(folder / "outputs.npz")], capture_output=True, text=True)
        if done.returncode and level != "native" and "--cpu" in done.stderr:
            continue  # not a level of this CPU
        if done.returncode:
            sys.exit(f"{level}: exit {done.returncode}: {done.stderr.strip()}")
        outputs = np.load(folder / "outputs.npz")
        wrong = [i for i in range(count) if not np.array_equal(outputs[f"result{i}"], wanted[f"result{i}"])]
        if wrong:
            sys.exit(f"{level}, seed {seed}: other sums than NumPy's:\n" + "".join(lines[i] for i in wrong))
        ran.append(level)
    print(f"{count} products on {', '.join(ran)}")


if __name__ == "__main__":
    main()
