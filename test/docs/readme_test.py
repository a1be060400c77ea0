"""The ```mlir blocks of the documents that start with a RUN line are FileCheck tests.

usage: readme_test.py FUSE_OPT FILECHECK
"""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```mlir\n(// RUN: fuse-opt %s (.*?) \| FileCheck %s\n.*?)^```", re.DOTALL | re.MULTILINE)


def main(fuse_opt, filecheck):
    count, faults = 0, []
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]:
        for block, options in BLOCK.findall(path.read_text()):
            count += 1
            with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
                file.write(block)
                file.flush()
                made = subprocess.run([fuse_opt, file.name, *options.split()], text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                checked = subprocess.run([filecheck, file.name], input=made.stdout, text=True,
                                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if made.returncode or checked.returncode:
                faults.append(f"{path.relative_to(ROOT)}:\n{made.stderr}{checked.stdout}")
    print("\n".join(faults + [f"{count} blocks, {len(faults)} faults"]))
    return 1 if faults or not count else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
