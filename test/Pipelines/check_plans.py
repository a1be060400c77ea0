"""Runs fuse-check-plan on the numeric programs: kernels are built with the schedules they are priced with.

usage: check_plans.py FUSE_OPT FOLDER

FOLDER holds .mlir programs. Every kernel of each, planned and laid out for a CPU, has the same schedule
in its price and in its code, but for those of the functions below, which are open. A difference in any
other function fails, and so does a function below that no longer differs: it is to leave the list.
"""
import pathlib
import re
import subprocess
import sys

# What differs, and what it would take.
OPEN = {
    ("fold-weights.mlir", "grouped"): "groups are a loop of their own in linalg, a factor of the filters in ops",
    ("hard-cases/09-bias.mlir", "grouped"): "groups",
    ("hard-cases/13-conv-batch-norm.mlir", "grouped"): "groups",
    ("kernels/contractions.mlir", "grouped_conv_relu"): "groups",
    ("patterns/contractions.mlir", "grouped_conv_relu"): "groups",
    ("kernels/contractions.mlir", "conv_conv"): "an element-wise op within the window of the second convolution",
    ("hard-cases/26-nothing-contracted.mlir", "no_steps_large"): "no steps of a reduction: a fill in linalg",
    ("hard-cases/07-axes.mlir", "softmax_of_nothing"): "no steps of a reduction",
    ("kernels/found-by-random.mlir", "strided_point"): "a convolution of one step is element-wise in linalg",
    ("kernels/stores-past.mlir", "unknown"): "members that linalg merges, of unknown extents",
    ("hard-cases/05-read-twice.mlir", "halves"): "two slices of one value, with different strides",
    ("kernels/views.mlir", "linear_rope"): "halves of heads that a product computes",
}
# Other inputs than fuse programs, or programs that are meant to fail.
SKIPPED = {"conversions", "02-in-place.mlir", "03-cycles-errors.mlir", "21-large-kernels.mlir"}


def find_function(path, line):
    """The function that a line of a file stands in."""
    names = re.findall(r"func\.func @(\w+)", "\n".join(path.read_text().splitlines()[:line]))
    return names[-1]


def main():
    fuse_opt, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    differing, count = {}, 0
    for path in sorted(folder.rglob("*.mlir")):
        name = path.relative_to(folder).as_posix()
        if SKIPPED & {*path.relative_to(folder).parts}:
            continue
        split = ["--split-input-file"] if "// -----" in path.read_text() else []
        run = subprocess.run([fuse_opt, str(path), *split, "--fuse-pipeline=numerics=folds",
                              "--fuse-layout=numerics=folds", "--fuse-check-plan=stream"],
                             capture_output=True, text=True)
        count += 1
        found = re.findall(r":(\d+):\d+: error: kernel (@\w+ is priced .*)", run.stderr)
        for line, text in found:
            differing[name, find_function(path, int(line))] = text
        if run.returncode != (1 if found else 0):
            sys.exit(f"{name}: exit status {run.returncode}\n{run.stderr[:2000]}")
    failures = [f"{file} @{function}: {text}" for (file, function), text in differing.items()
                if (file, function) not in OPEN]
    failures += [f"{file} @{function} is built as it is priced: take it off the list"
                 for file, function in OPEN if (file, function) not in differing]
    print(f"{count} programs, {len(differing)} functions differ, as is known of {len(OPEN)}")
    sys.exit("\n".join(failures) if failures or count < 40 else 0)


if __name__ == "__main__":
    main()
