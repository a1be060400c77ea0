"""Shared memory's banks in products: banks.py FUSE_RUN DOC [--only TEXT] [--write]

Products of Inputs/kernels.mlir, with fewer and smaller tiles' worth of elements but in the tiles that the large ones have, run on
the emulator for sm_80 and sm_90a, and their results are compared with the interpreter's. The table between the lines
<!-- banks --> and <!-- end --> of DOC must say what the emulator counts: how many rounds of shared memory's banks the accesses of
all warps take, and how many would do. --write puts the table there. Needs no ptxas.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

PROGRAM = pathlib.Path(__file__).parent / "Inputs" / "kernels.mlir"
BEGIN, END = "<!-- banks -->\n", "<!-- end -->"
PRODUCTS = ("matmul", "matmul_f16", "matmul_bf16", "matmul_bf16_large", "matmul_i8", "matmul_f16_ragged", "matmul_f16_odd",
            "matmul_i8_ragged", "conv_f16", "attention_f16")
CHIPS = ("sm_80", "sm_90a")
# Sides as long as a few tiles, as ragged or odd as those of the large programs.
SMALLER = {"4096": "256", "1024": "256", "512": "128", "4000": "264", "3000": "328", "1000": "136", "4001": "261", "1003": "131",
           "3001": "321", "96": "2", "8": "1", "56": "18", "54": "16"}
HEAD = "| kernel | chip | tile | threads | rounds | that would do |\n|---|---|---|---|---|---|\n"
# The others' tiles are those of their smaller sides.
KEEPS_SCHEDULE = ("matmul",)


def run(fuse_run, path, *options):
    done = subprocess.run([fuse_run, path, "--numerics", "folds", *options], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{path}: {done.stderr.strip()[:500] or done.stdout.strip()[-500:]}")
    return done.stdout


def make_smaller(text):
    return re.sub(r"(?<=[<x])(\d+)(?=x)", lambda size: SMALLER.get(size[1], size[1]), text)


def get_kernel(text):
    kernel, = json.loads(text)["functions"][0]["kernels"]
    return kernel


def get_tile(schedule):
    sizes = re.search(r"<block, dims = \[[\d, ]*\], sizes = \[([\d, ]*)\]", schedule)
    threads = re.search(r"threads = (\d+)", schedule)
    return sizes[1].replace(", ", " x "), int(threads[1])


def measure(options, name, chip, folder):
    """The schedule, and the rounds of shared memory's banks: those taken, and those that would do."""
    text = re.search(rf"(?ms)^func\.func @{name}\(.*?^}}\n", PROGRAM.read_text())[0]
    large, small, formed = (folder / f"{each}.mlir" for each in ("large", "small", "formed"))
    large.write_text(text)
    small.write_text(make_smaller(text))
    target = ["--target", "emulator", "--chip", chip]
    if name.startswith(KEEPS_SCHEDULE):
        schedule = get_kernel(run(options.fuse_run, large, "--target", "cuda", "--chip", chip, "--report-json", "-"))["planned_schedule"]
        # Prices and schedules are of the module's target; the emulator asks for none.
        planned = run(options.fuse_run, small, "--target", "cuda", "--chip", chip, "--dump-after", "fuse-form-kernels")
        planned = re.sub(r"^module attributes \{.*\} \{$", "module {", planned, flags=re.M)
        formed.write_text(re.sub(r"( = fuse\.kernel .*) \{$", rf"\1 attributes {{fuse.schedule = {schedule}}} {{", planned, flags=re.M))
    else:
        formed = small
    report = folder / "report.json"
    run(options.fuse_run, formed, *target, "--random-inputs", "1", "--check", "--report-json", report)
    kernel = get_kernel(report.read_text())
    rounds, ideal = (sum(access.get(key, 0) for access in kernel["accesses"]) for key in ("rounds", "ideal_rounds"))
    return kernel["planned_schedule"], rounds, ideal


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("fuse_run")
    parser.add_argument("doc", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    table = HEAD
    with tempfile.TemporaryDirectory() as folder:
        for name in PRODUCTS:
            for chip in CHIPS:
                if options.only in name:
                    schedule, rounds, ideal = measure(options, name, chip, pathlib.Path(folder))
                    tile, threads = get_tile(schedule)
                    row = f"| `{name}` | {chip} | {tile} | {threads} | {rounds} | {ideal} |\n"
                    table += row
                    print(row, end="", flush=True)
    text = options.doc.read_text()
    before, _, rest = text.partition(BEGIN)
    found, _, after = rest.partition(END)
    if options.write:
        options.doc.write_text(before + BEGIN + table + END + after)
    elif options.only:
        return 0
    elif found != table:
        print(f"expected in {options.doc}:\n{table}found:\n{found}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
