#!/usr/bin/env python3
"""Models of torchvision and transformers by torch.compile(backend="fuse"), within 1e-4 of eager mode and of its own scale.

usage: zoo_tests.py [--only NAME,…] [--every N [--today]] [--threads N] [--verbose]

Prints for each model how many graphs Dynamo made of it, how many programs there are, and what PyTorch runs, with the reasons. Needs the
package fuse, and FUSE_LIBRARY_DIR where it is not installed."""

import argparse
import copy
import sys
import time
import traceback
import warnings

import torch

import fuse.torch_backend as backend
from zoo import ZOO

warnings.filterwarnings("ignore")


def leaves(value):
    return [v for v in torch.utils._pytree.tree_leaves(value) if isinstance(v, torch.Tensor)]


def check(model, arguments, got, wanted):
    """Within 1e-4 of eager mode; or, where a module amplifies rounding errors, no further from it in f64 than twice as far as eager mode
    itself."""
    exact = None
    for place, (g, w) in enumerate(zip(leaves(got), leaves(wanted), strict=True)):
        scale = w.double().square().mean().sqrt().item() if w.is_floating_point() and w.numel() else 0
        try:
            torch.testing.assert_close(g, w, rtol=1e-4, atol=1e-5 + 1e-4 * scale, equal_nan=True)
        except AssertionError:
            if not w.is_floating_point():
                raise
            if exact is None:
                exact = leaves(copy.deepcopy(model).double()(*(a.double() if a.is_floating_point() else a for a in arguments)))
            distances = [(each.double() - exact[place]).abs().max().item() for each in (g, w)]
            if not distances[0] <= 2 * distances[1] <= 0.1 * scale:
                raise


def run(make):
    """The explanations of the graphs of a model, once it has given what eager mode does."""
    torch.manual_seed(0)
    torch._dynamo.reset()
    model, arguments = make()
    explanations, plain = [], backend.compile_graph

    def watch(*given, **options):
        made = plain(*given, **options)
        explanations.append(made[1])
        return made

    backend.compile_graph = watch
    try:
        with torch.no_grad():
            wanted = model(*arguments)
            compiled = torch.compile(model, backend=backend.fuse, options={"cache": False})
            check(model, arguments, compiled(*arguments), wanted)
            check(model, arguments, compiled(*arguments), wanted)
    finally:
        backend.compile_graph = plain
    return explanations


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--today", action="store_true")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    offset = int(time.time() // 86400) if options.today else 0
    failed, whole, count = [], 0, 0
    for place, (name, make) in enumerate(ZOO.items()):
        if (options.only and name not in options.only.split(",")) or (place + offset) % options.every:
            continue
        start = time.time()
        count += 1
        try:
            explanations = run(make)
        except Exception as error:
            failed.append(name)
            print(f"{name:30} FAILED: {type(error).__name__}: {str(error)[:1500 if options.verbose else 400]}", flush=True)
            if options.verbose:
                traceback.print_exc(limit=-6)
            continue
        refusals = [r for e in explanations for r in e.refusals]
        whole += len(explanations) == 1 and not refusals
        print(f"{name:30} passed, {len(explanations)} graph(s), {sum(len(e.programs) for e in explanations)} program(s), {time.time() - start:.1f} s", flush=True)
        for reason in sorted({f"{r.op}: {r.reason[:200]}" for r in refusals}):
            print("    PyTorch runs " + reason)
    print(f"{whole} of {count} are one program, {len(failed)} failed" + (": " + ", ".join(failed) if failed else ""))
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
