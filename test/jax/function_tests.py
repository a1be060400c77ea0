#!/usr/bin/env python3
"""Functions of JAX, run by fuse.jax.jit and by jax.jit: function_tests.py [--only NAME] [--every N [--today]] [--unfused] [--open]

Results must be within 1e-4 of jax.jit's, each function at its sizes, and, where sizes may be open, as one program at two."""
import argparse
import sys
import time
import traceback

import jax
import numpy as np

import fuse
import fuse.jax
from functions import CASES, Maker


def check(wanted, found, rtol, atol):
    wanted, tree = jax.tree.flatten(wanted)
    found, other = jax.tree.flatten(found)
    assert tree == other, f"expected a result of {tree}, found {other}"
    for i, (w, f) in enumerate(zip(wanted, found)):
        assert isinstance(f, jax.Array), f"expected an array of JAX, found {type(f)}"
        assert w.dtype == f.dtype and w.shape == f.shape, f"result {i}: expected {w.dtype}{w.shape}, found {f.dtype}{f.shape}"
        w, f = np.asarray(w), np.asarray(f)
        scale = np.abs(w[np.isfinite(w)]).max(initial=0) if w.dtype.kind == "f" else 0
        np.testing.assert_allclose(f, w, rtol=rtol, atol=atol * max(1.0, float(scale)), err_msg=f"result {i}")


def run(case, options, is_open):
    wanted = jax.jit(case.function)(*case.arguments)
    if not is_open:
        made = fuse.jax.jit(case.function, **options)
        check(wanted, made(*case.arguments), case.rtol, case.atol)
        return
    made = fuse.jax.jit(case.function, polymorphic_shapes=case.shapes, **options)
    check(wanted, made(*case.arguments), case.rtol, case.atol)
    check(jax.jit(case.function)(*case.others), made(*case.others), case.rtol, case.atol)
    assert len(made._programs) == 1, f"expected one program, found {len(made._programs)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--today", action="store_true")
    parser.add_argument("--unfused", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    options = {"cache": False, "fusion": not arguments.unfused}
    offset = int(time.time() // 86400) if arguments.today else 0
    failed, passed = [], 0
    for place, (name, make) in enumerate(CASES.items()):
        if (arguments.only and arguments.only not in name) or (place + offset) % arguments.every:
            continue
        case = make(Maker())
        for is_open in (False, True) if case.shapes else (False,):
            start, what = time.time(), name + (", open sizes" if is_open else "")
            try:
                run(case, options, is_open)
                print(f"{what:36} passed, {time.time() - start:.1f} s", flush=True)
                passed += 1
            except Exception as error:
                failed.append(what)
                text = traceback.format_exc() if arguments.verbose else f"{type(error).__name__}: {error}"
                print(f"{what:36} FAILED: {text[:1500]}", flush=True)
    print(f"{passed} passed, {len(failed)} failed" + (": " + ", ".join(failed) if failed else ""))
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
