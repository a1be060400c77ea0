"""At least 200 spellings of each named pattern: one kernel each, and the right numbers.

    check_spellings.py RUN_FUNCTIONS [--count N] [--only PATTERN] [--keep FOLDER] [--seed N|today]
        [--emulator]

Prints how many spellings of each pattern there are, how many became one kernel and how many agree
with NumPy in double; fails if not all do. With --keep the programs stay, one .mlir per pattern; with --emulator they are kernels of a GPU.
"""
import argparse
import pathlib
import random
import subprocess
import sys
import tempfile
import time

import numpy as np

from attention import Attention
from patterns import PATTERNS
from spelling import Function


def draw(pattern, count, seed):
    """Distinct spellings, the canonical one (first choice everywhere) first."""
    source = random.Random(f"{pattern.name} {seed}")
    choices = [{place: options[0] for place, options in pattern.choices.items()}]
    texts, functions = set(), []
    while len(functions) < count:
        choice = choices[0] if not functions else {p: source.choice(o) for p, o in pattern.choices.items()}
        function = Function("f")
        function.result = pattern.write(function, choice)
        text = function.print()
        if text in texts:
            continue
        texts.add(text)
        function.name = f"{pattern.name.replace('-', '_')}_{len(functions)}"
        functions.append((function, choice))
    return functions


def check(pattern, run_functions, folder, count, seed, options):
    functions = draw(pattern, count, seed)
    program, inputs, outputs = (folder / (pattern.name + end) for end in (".mlir", ".in.npz", ".out.npz"))
    program.write_text("".join(function.print() for function, _ in functions))
    np.savez(inputs, **{name: array if array.dtype == bool else array.astype(np.float32)
                        for name, array in pattern.inputs.items()})
    done = subprocess.run([run_functions, program, inputs, outputs, *options], capture_output=True, text=True)
    if done.returncode:
        print(f"{pattern.name}: exit {done.returncode}: {done.stderr.strip()[:2000]}")
        return False
    figures = [line.split("\t") for line in done.stdout.splitlines()]
    kernels = {name: (int(planned), int(launched)) for name, planned, launched in figures}
    got, one, right, references = np.load(outputs), 0, 0, {}
    for function, choice in functions:
        key = repr(sorted((p, repr(o)) for p, o in choice.items() if p in getattr(pattern, "variables", choice)))
        if key not in references:
            references[key] = pattern.reference(choice)
        want = references[key]
        spelled = {p: o[2] if isinstance(o, tuple) else o for p, o in choice.items()}
        if kernels[function.name] == (1, 1):
            one += 1
        else:
            print(f"{function.name}: {kernels[function.name][0]} kernels, "
                  f"{kernels[function.name][1]} launches: {spelled}")
        value = got[function.name].astype(np.float64)
        room = 1e-5 + 2e-4 * np.maximum(np.abs(want), np.sqrt(np.mean(want * want)))
        error = np.abs(value - want)
        if value.shape == want.shape and np.all(error <= room):
            right += 1
        else:
            print(f"{function.name}: wrong, by {error.max() if value.shape == want.shape else value.shape}: {spelled}")
    print(f"{pattern.name}: {len(functions)} spellings, {one} one kernel, {right} right")
    return one == right == len(functions)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("run_functions")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--emulator", action="store_true")
    parser.add_argument("--only")
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    seed = int(time.time()) // (24 * 3600) if options.seed == "today" else int(options.seed)
    passed = True
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or pathlib.Path(temporary)
        folder.mkdir(exist_ok=True)
        for pattern in PATTERNS + [Attention]:
            if options.only in (None, pattern.name):
                made = pattern(np.random.default_rng(seed))
                passed &= check(made, options.run_functions, folder, options.count, seed,
                                ["--emulator"] if options.emulator else [])
                sys.stdout.flush()
    return 0 if passed else 1


sys.exit(main())
