"""fuse-ir-reduce shrinks a program to the op that a test finds interesting.

usage: reduce_test.py FUSE_IR_REDUCE
"""
import pathlib
import subprocess
import sys
import tempfile

PROGRAM = """
func.func @other(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fuse.unary exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @culprit(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fuse.unary tanh %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""


def main(reduce):
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "program.mlir")
        source.write_text(PROGRAM)
        interesting = pathlib.Path(folder, "interesting.sh")
        # mlir-reduce's convention: 1 says that the fault is still there.
        interesting.write_text('#!/bin/sh\ngrep -q "fuse.unary tanh" "$1" && exit 1\nexit 0\n')
        interesting.chmod(0o755)
        done = subprocess.run(
            [reduce, str(source), f"--reduction-tree=traversal-mode=0 test={interesting}"],
            text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    if done.returncode != 0 or "@culprit" not in done.stdout or "@other" in done.stdout:
        sys.exit(f"status {done.returncode}\n{done.stdout}\n{done.stderr}")


if __name__ == "__main__":
    main(*sys.argv[1:])
