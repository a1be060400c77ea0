"""Tensors of PyTorch in and out. Skipped without it."""
import numpy as np
import pytest

torch = pytest.importorskip("torch")

import fuse
from programs import LAYER, sums


def test_tensors():
    program = fuse.compile(LAYER)
    x, w = torch.randn(5, 4), torch.randn(4, 3)
    y = program(x, w)
    assert isinstance(y, torch.Tensor) and torch.allclose(y, torch.relu(x @ w), atol=1e-5)
    assert torch.equal(program(x, w.requires_grad_()), y)
    assert torch.equal(program(x.t().contiguous().t(), w.detach().numpy()), y)


@pytest.mark.parametrize("name, dtype", [("f16", torch.float16), ("bf16", torch.bfloat16), ("i64", torch.int64)])
def test_types(name, dtype):
    x = torch.arange(8).to(dtype)
    y = fuse.compile(sums(name))(x, x)
    assert y.dtype == dtype and torch.equal(y, x + x)


def test_outputs_own_their_memory():
    program = fuse.compile(sums("f32"))
    x = torch.ones(8)
    first = program(x, x)
    program(x, 2 * x)
    assert first.tolist() == [2] * 8 and np.shares_memory(first.numpy(), first.numpy())
