#!/usr/bin/env python3
"""Mixtures of experts by torch.compile(backend="fuse"): products of rows with the weights of their expert, and language models of
transformers that are made of them, in inference and training beside eager mode, without a node that is left to PyTorch.
experts_tests.py [--only NAME] [--all]. Of the models one runs, others from day to day; with --all each."""

import argparse
import sys
import time
import warnings

import torch

import fuse.torch_backend as backend
from backend_tests import explanations
from zoo import ZOO

warnings.filterwarnings("ignore")
torch.set_num_threads(2)
MODELS = ("mixtral", "olmoe", "gpt_oss", "deepseek_v3")


def compile_module(function, dynamic=None):
    torch._dynamo.reset()
    return torch.compile(function, backend=backend.fuse, options={"cache": False}, fullgraph=True, dynamic=dynamic)


def check_products(counts, is_turned, dtype, dynamic=None, extra=0):
    """`counts`: how many rows each expert has; `extra`: how many none has."""
    torch.manual_seed(0)
    rows, width, columns = sum(counts) + extra, 16, 24
    shape = (len(counts), columns, width) if is_turned else (len(counts), width, columns)
    offsets = torch.tensor(counts).cumsum(0).to(torch.int32)
    x, w = torch.randn(rows, width, dtype=dtype).requires_grad_(), (torch.randn(shape, dtype=dtype) * 0.3).requires_grad_()
    grad = torch.randn(rows, columns, dtype=dtype)
    grad[sum(counts):] = 0
    short = dtype == torch.bfloat16

    def call(x, w, offsets):
        w = w.transpose(1, 2) if is_turned else w
        return torch.nn.functional.grouped_mm(x, w, offs=offsets) if short else torch.ops.transformers.grouped_mm_fallback(x, w, offsets)

    results = []
    with explanations() as made:
        for function in (compile_module(call, dynamic), call):
            y = function(x, w, offsets)
            y.backward(grad)
            results.append((y.detach()[: sum(counts)], x.grad[: sum(counts)], w.grad))
            x.grad = w.grad = None
    assert made and not any(e.refusals for e in made), made
    tolerance = 3e-2 if short else 1e-4
    for got, wanted in zip(*results):
        torch.testing.assert_close(got, wanted, rtol=tolerance, atol=tolerance)


def test_products():
    import transformers.integrations.moe  # registers its op

    for counts in ([1], [0, 12, 0], [2, 0, 1, 0], [3, 4, 1, 0, 7, 2, 2, 1], [40, 1, 0], [0, 0], [70, 90, 33]):
        for is_turned in (False, True):
            check_products(counts, is_turned, torch.float32)
    for counts in ([3, 4, 1, 0], [40, 1, 0]):
        check_products(counts, True, torch.bfloat16)
    check_products([5, 0, 9], True, torch.float32, extra=4)
    check_products([5, 0, 9], False, torch.float32, dynamic=True)


def check_model(name):
    """Inference, and a step of training."""
    torch.manual_seed(0)
    model, arguments = ZOO[name]()
    others = tuple(torch.cat((a, a.flip(0)), 1)[:1] for a in arguments)
    with torch.no_grad(), explanations() as made:
        compiled = compile_module(model)
        for given in (arguments, others):
            for got, wanted in zip(compiled(*given), model(*given), strict=True):
                torch.testing.assert_close(got, wanted, rtol=1e-4, atol=1e-4 * wanted.abs().max().item())
    assert len(made) <= 2 and not any(e.refusals for e in made), made
    model.train()
    grads = []
    with explanations() as made:
        for call in (compile_module(model), model):
            model.zero_grad()
            call(*arguments)[0].square().mean().backward()
            grads.append({n: p.grad.clone() for n, p in model.named_parameters() if p.grad is not None})
    assert len(made) == 2 and not any(e.refusals for e in made), made
    assert grads[0].keys() == grads[1].keys()
    for each, wanted in grads[1].items():
        torch.testing.assert_close(grads[0][each], wanted, rtol=1e-4, atol=1e-4 * wanted.abs().max().item() + 1e-8, msg=lambda text: f"{each}: {text}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    today = MODELS[int(time.time() // 86400) % len(MODELS)]
    if options.only in "products":
        test_products()
        print("products passed", flush=True)
    for name in MODELS:
        if (options.all or name == today or options.only) and options.only in name:
            check_model(name)
            print(f"{name} passed", flush=True)


if __name__ == "__main__":
    sys.exit(main())
