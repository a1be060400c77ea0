#!/usr/bin/env python3
"""Products of few rows with weights of 4 and 8 bits, beside what memory gives and ONNX Runtime:
weights.py FUSE_RUN FOLDER [--threads N,…] [--rounds N] [--only TEXT] [--rows N,…] [--no-large]

Weights are made at random and kept in FOLDER. Each product is timed in turns with ONNX Runtime (accuracy_level 0: rows as
f32; 4: rows rounded to 8 bits), after its result was compared with ONNX Runtime's. `read` is how many bytes of as much
memory a second code gets that does nothing else, `% of read` what part of that the product gets of the weights as stored:
numbers, scales and zero points. The columns of a level are our time, that part, ONNX Runtime's time, the ratio of the two
times and the largest difference as a part of the largest element. 4096x4096 weights fit the last cache of many machines; 8192x32768 fit none.
"""

import argparse
import os
import re
import statistics
import subprocess
import sys
import time

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

SIZES = [(576, 1536), (4096, 4096), (8192, 32768)]


def make_nbits(rows, k, n, bits, block, level, seed=1):
    """com.microsoft.MatMulNBits with the zero point in the middle, and the bytes of its weights."""
    rng = np.random.default_rng(seed)
    blocks = -(-k // block)
    weights = rng.integers(0, 256, (n, blocks, block * bits // 8), np.uint8)
    scales = (rng.random(n * blocks, np.float32) + 0.1) * 0.01
    node = helper.make_node("MatMulNBits", ["x", "w", "s"], ["y"], domain="com.microsoft", K=k, N=n, bits=bits,
                            block_size=block, accuracy_level=level)
    return make_model([node], rows, k, n, {"w": weights, "s": scales}), weights.nbytes + scales.nbytes


def make_columns(rows, k, n, seed=1):
    """DequantizeLinear of int8 with a scale for each column in front of MatMul."""
    rng = np.random.default_rng(seed)
    weights = rng.integers(-127, 128, (k, n), np.int8)
    scales = (rng.random(n, np.float32) + 0.1) * 0.01
    nodes = [helper.make_node("DequantizeLinear", ["w", "s"], ["f"], axis=1), helper.make_node("MatMul", ["x", "f"], ["y"])]
    return make_model(nodes, rows, k, n, {"w": weights, "s": scales}), weights.nbytes + scales.nbytes


def make_model(nodes, rows, k, n, constants):
    graph = helper.make_graph(nodes, "graph", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [rows, k])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [rows, n])],
                              [numpy_helper.from_array(array, name) for name, array in constants.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)],
                             ir_version=10)


def open_session(path, threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def time_session(session, x, seconds):
    session.run(None, {"x": x})
    times, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 3:
        start = time.perf_counter()
        session.run(None, {"x": x})
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e3


def run_fuse(tool, path, threads, *options):
    command = [tool, path, "--threads", str(threads), *options]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    return done.stdout


def time_fuse(tool, path, threads, runs):
    found = re.search(r"run: median ([\d.]+) ms", run_fuse(tool, path, threads, "--random-inputs", "1", "--time", str(runs)))
    return float(found.group(1))


def compare(tool, folder, path, x, expected):
    """The largest difference as a part of the largest element."""
    inputs, outputs = os.path.join(folder, "inputs.npz"), os.path.join(folder, "outputs.npz")
    np.savez(inputs, x=x)
    run_fuse(tool, path, 1, "--inputs", inputs, "--outputs", outputs)
    return float(np.abs(np.load(outputs)["y"] - expected).max() / np.abs(expected).max())


def get_cases(rows, only, large):
    for k, n in SIZES if large else SIZES[:2]:
        for bits in (4, 8):
            for block in (32, 128):
                yield f"{bits} bits, block {block}", k, n, lambda level, b=bits, l=block: make_nbits(rows, k, n, b, l, level)
        yield "int8, per column", k, n, lambda level: None if level else make_columns(rows, k, n)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("fuse_run")
    parser.add_argument("folder")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rows", default="1")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="")
    parser.add_argument("--no-large", action="store_true")
    parser.add_argument("--make", action="store_true", help="makes the models and compares results, times nothing")
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    reader = os.path.join(options.folder, "read_speed")
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "read_speed.c")
    subprocess.run([os.environ.get("CC", "cc"), "-O3", "-march=native", "-fopenmp", source, "-o", reader], check=True)
    head = f"{'weights':<17}{'K x N':<13}{'rows':>5}{'threads':>8}{'MB':>7}{'read':>7}"
    for level in (0, 4):
        head += f"{f'level {level}':>9}{'% of read':>10}{'ORT':>8}{'ratio':>7}{'error':>9}"
    print(head, flush=True)
    for rows in map(int, options.rows.split(",")):
        x = np.random.default_rng(2).standard_normal((rows, 1)).astype(np.float32)
        for name, k, n, make in get_cases(rows, options.only, not options.no_large):
            if options.only not in f"{name} {k}x{n}":
                continue
            x = np.random.default_rng(2).standard_normal((rows, k)).astype(np.float32)
            paths, size = {}, 0
            for level in (0, 4):
                path = os.path.join(options.folder, f"{name.replace(', ', '-').replace(' ', '-')}-{rows}-{k}-{n}-{level}.onnx")
                if name.startswith("int8") and level:
                    continue
                made = make(level) if not os.path.exists(path) or not size else (None, size)
                size = made[1] or size
                if not os.path.exists(path):
                    onnx.save(made[0], path)
                paths[level] = path
            errors = {level: compare(options.fuse_run, options.folder, path, x, open_session(path, 1).run(None, {"x": x})[0])
                      for level, path in paths.items()}
            if options.make:
                print(f"{name:<17}{f'{k}x{n}':<13}{rows:>5} " + " ".join(f"{error:.1e}" for error in errors.values()), flush=True)
                continue
            for threads in map(int, options.threads.split(",")):
                rate = float(subprocess.run([reader, str(size), str(threads)], capture_output=True, text=True,
                                            check=True).stdout)
                sessions = {level: open_session(path, threads) for level, path in paths.items()}
                runs = max(10, min(1000, int(0.15 * 20e9 / size)))
                ours, theirs = {level: [] for level in sessions}, {level: [] for level in sessions}
                for _ in range(options.rounds):
                    for level, session in sessions.items():
                        ours[level].append(time_fuse(options.fuse_run, paths[level], threads, runs))
                        theirs[level].append(time_session(session, x, 0.15))
                line = f"{name:<17}{f'{k}x{n}':<13}{rows:>5}{threads:>8}{size / 1e6:>7.1f}{rate / 1e9:>7.1f}"
                for level in sessions:
                    ms, other = statistics.median(ours[level]), statistics.median(theirs[level])
                    line += (f"{ms:>9.3f}{100 * size / ms * 1e3 / rate:>10.0f}{other:>8.3f}{ms / other:>7.2f}"
                             f"{errors[level]:>9.1e}")
                print(line, flush=True)


if __name__ == "__main__":
    main()
