"""Programs of loads and stores, planned and checked.

    loads_and_stores.py FUSE_OPT

Every sequence of up to five steps over the buffers %a and %b: a load of one of them, a negation of one
of the last two values, a store of one of them to a buffer. Whatever the planner makes of a program, the
kernels have to pass fuse-check-program.
"""
import itertools
import subprocess
import sys

STEPS = 5
TYPES = "memref<8xf32> -> tensor<8xf32>"


def write(steps):
    """The program's lines, or None if a value is asked for that is not there or that nothing uses."""
    lines, values, used = [], [], set()
    for kind, which in steps:
        if kind == "load":
            lines.append(f"  %{len(values)} = fuse.load %{'ab'[which]} : {TYPES}")
            values.append(len(values))
            continue
        operand, buffer = divmod(which, 2)
        if operand >= len(values):
            return None
        value = values[-1 - operand]
        used.add(value)
        if kind == "neg":
            lines.append(f"  %{len(values)} = fuse.unary neg %{value} : tensor<8xf32>")
            values.append(len(values))
        else:
            lines.append(f"  fuse.store %{value}, %{'ab'[buffer]} : tensor<8xf32>, memref<8xf32>")
    return lines if len(used) == len(values) and steps[-1][0] == "store" else None


def main():
    choices = [("load", 0), ("load", 1), ("neg", 0), ("neg", 2)] + [("store", i) for i in range(4)]
    programs = []
    for length in range(2, STEPS + 1):
        for steps in itertools.product(choices, repeat=length):
            lines = write(steps)
            if lines:
                programs.append("\n".join([f"func.func @f{len(programs)}(%a: memref<8xf32>, %b: memref<8xf32>) {{",
                                           *lines, "  return", "}"]))
    done = subprocess.run([sys.argv[1], "--split-input-file", "--fuse-pipeline", "--fuse-check-program", "-o", "/dev/null", "-"],
                          input="\n// -----\n".join(programs), capture_output=True, text=True, check=False)
    refused = done.stderr.count("error:")
    print(done.stderr[:2000])
    print(f"{len(programs)} programs, {refused} refused")
    sys.exit(0 if done.returncode == 0 and len(programs) > 500 else 1)


main()
