"""What an installed fuse must do: run with the Python of an environment that has the two wheels and nothing else."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy as np

import fuse

PROGRAM = b"""
func.func @mlp(%x: tensor<?x4xf32> {fuse.name = "x"}, %w: tensor<4x3xf32> {fuse.param, fuse.name = "w"})
    -> (tensor<?x3xf32> {fuse.name = "y"}) {
  %0 = fuse.matmul %x, %w : (tensor<?x4xf32>, tensor<4x3xf32>) -> tensor<?x3xf32>
  %1 = fuse.unary relu %0 : tensor<?x3xf32>
  return %1 : tensor<?x3xf32>
}
"""


def main():
    for tool in ("cc", "gcc", "clang", "ld", "ld.lld"):
        assert shutil.which(tool) is None, f"{tool} is in PATH, so that this says nothing"
    weights = np.arange(12, dtype=np.float32).reshape(4, 3) - 6
    model = fuse.compile(PROGRAM, weights={"w": weights})
    x = np.linspace(-1, 1, 20, dtype=np.float32).reshape(5, 4)
    want = np.maximum(x @ weights, 0)
    assert np.allclose(model(x), want, atol=1e-5)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "mlp.so")
        model.save(path)
        assert np.array_equal(fuse.load(path, threads=2)(x), model(x))
        # A bundle runs without the compiler.
        script = ("import sys, numpy as np, fuse; sys.modules['fuse_compiler'] = None; "
                  f"print(fuse.load({str(path)!r})(np.ones((1, 4), np.float32)).shape)")
        out = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True, env=os.environ)
        assert out.stdout.strip() == "(1, 3)", out.stdout
    check_pipeline()
    assert "kernel" in str(model.report) and model.graph().svg.startswith("<svg")
    print(f"fuse {fuse.__version__}: compiles, runs, saves and loads; threads from {find_openmp()}")


def check_pipeline():
    """The dialect in Python."""
    from fuse.mlir import ir, passmanager
    from fuse.mlir.dialects import fuse as ops

    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(PROGRAM.decode())
        [product, relu, _] = module.body.operations[0].regions[0][0].operations
        assert isinstance(relu.opview, ops.UnaryOp) and relu.operands[0] == product.result
        passmanager.PassManager.parse("builtin.module(fuse-pipeline)").run(module.operation)
        assert str(module).count("fuse.kernel") == 1


def find_openmp():
    with open("/proc/self/maps", encoding="utf-8") as maps:
        found = {line.split()[-1] for line in maps if "omp" in line.rpartition("/")[2]}
    return ", ".join(sorted(found)) or "nowhere"


if __name__ == "__main__":
    main()
