"""fuse in one process with packages that have an LLVM, an MLIR or an OpenMP of their own: imported and used in every order. Those that
are not installed are left out."""
import importlib.util
import itertools
import subprocess
import sys

import pytest

USES = {
    "fuse": """
        import fuse, numpy as np
        source = b'''func.func @f(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
          %0 = fuse.matmul %x, %x : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
          %1 = fuse.unary exp %0 : tensor<64x64xf32>
          return %1 : tensor<64x64xf32>
        }'''
        x = np.full((64, 64), 0.1, np.float32)
        assert np.allclose(fuse.compile(source, cache=False)(x), np.exp(x @ x), rtol=1e-5)
    """,
    "onnxruntime": """
        import onnx, onnxruntime
        assert onnxruntime.get_available_providers()
    """,
    "torch": """
        import torch
        assert torch.ones(64, 64).mm(torch.ones(64, 64))[0, 0] == 64
    """,
    "jax": """
        import jax, jax.numpy as jnp
        assert float(jax.jit(lambda x: jnp.sum(x * 2))(jnp.ones(8))) == 16
        import fuse.jax
        assert float(fuse.jax.jit(lambda x: jnp.sum(x * 2))(jnp.ones(8))) == 16
    """,
    "triton": """
        import triton, triton.language
        from triton._C import libtriton
        libtriton.ir.load_dialects(libtriton.ir.context())
    """,
    "iree.compiler": """
        import iree.compiler
        from iree.compiler import ir
        iree.compiler.compile_str("func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }",
                                  target_backends=["vmvx"])
        ir.Context()
    """,
}


def is_installed(name):
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False


ORDERS = list(itertools.permutations([name for name in USES if is_installed(name)]))


@pytest.mark.parametrize("order", ORDERS, ids="-".join)
def test_order(order):
    import textwrap
    # fuse once more in the end: what came after it has disturbed nothing.
    script = "\n".join(textwrap.dedent(USES[name]) for name in (*order, "fuse"))
    made = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300)
    assert made.returncode == 0, f"{made.returncode}: {made.stderr[-2000:]}"
