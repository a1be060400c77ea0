"""Runs fuse-check-plan on the numeric programs: the members of kernels run over the loops they are planned over.

usage: check_plans.py FUSE_OPT FOLDER

FOLDER holds .mlir programs. Each is planned and laid out for a CPU; a kernel whose code has other shared dims
than its plan fails.
"""
import pathlib
import subprocess
import sys

from plan_passes import checking, planning

# Other inputs than fuse programs, or programs that are meant to fail.
SKIPPED = {"conversions", "02-in-place.mlir", "03-cycles-errors.mlir", "21-large-kernels.mlir"}


def main():
    fuse_opt, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    failures, count = [], 0
    for path in sorted(folder.rglob("*.mlir")):
        name = path.relative_to(folder).as_posix()
        if SKIPPED & {*path.relative_to(folder).parts}:
            continue
        split = ["--split-input-file"] if "// -----" in path.read_text() else []
        run = subprocess.run([fuse_opt, str(path), *split, *planning("cpu", "folds"), *checking("cpu", "folds")],
                             capture_output=True, text=True)
        count += 1
        if run.returncode != 0:
            failures.append(f"{name}: exit status {run.returncode}\n{run.stderr[:2000]}")
    print(f"{count} programs, {len(failures)} failed")
    sys.exit("\n".join(failures) if failures or count < 40 else 0)


if __name__ == "__main__":
    main()
