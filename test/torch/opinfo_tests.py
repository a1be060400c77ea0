#!/usr/bin/env python3
"""PyTorch's own samples of its operators (OpInfo), compiled by fuse and compared with eager mode.

usage: opinfo_tests.py [--only NAME] [--from NAME] [--before NAME] [--every N [--today]] [--samples N] [--dtypes f32,f16,…]
                       [--unfused] [--numerics CLASS] [--refusals] [--list]

Each sample is traced to a graph of ATen ops, which must pass, or be refused by the name of a node; a wrong result or a crash is a
failure. --from and --before take a part of the operators, in the order of their names. --every N takes each N-th, with --today others
from day to day. Samples run in a process of their own, so that a crash is told from a failure. Needs the package fuse, and
FUSE_LIBRARY_DIR where it is not installed."""

import argparse
import collections
import json
import subprocess
import sys
import time
import warnings

DTYPES = {"f32": "float32", "f16": "float16", "bf16": "bfloat16", "f64": "float64", "i64": "int64", "i32": "int32", "i8": "int8", "u8": "uint8", "bool": "bool",
          "c64": "complex64", "c128": "complex128"}
# |got − want| ≤ atol + rtol · |want|: for sums and functions of some hundred elements.
TOLERANCES = {"float32": (2e-4, 2e-5), "float16": (5e-3, 5e-3), "bfloat16": (4e-2, 4e-2), "float64": (1e-6, 1e-8),
              "complex64": (2e-4, 2e-5), "complex128": (1e-6, 1e-8)}
# What has no value of its own, by name: memory that nobody wrote, random numbers.
RANDOM = ("empty", "rand", "bernoulli", "multinomial", "normal", "dropout", "uniform", "exponential", "geometric", "cauchy", "log_normal", "poisson", "rrelu", "alpha")


# Of equal elements any may come first.
TIED = ("sort", "argsort", "topk", "msort", "kthvalue", "median")


def list_ops(options):
    from torch.testing._internal.common_methods_invocations import op_db

    names = sorted({(op.name, op.variant_test_name) for op in op_db})
    names = [n for n in names if not options.only or options.only in n[0]]
    names = [n for n in names if (options.first or "") <= n[0] and not (options.before and n[0] >= options.before)]
    names = [n for n in names if not any(word in n[0] for word in RANDOM)]
    if options.every > 1:
        offset = int(time.time() // 86400) if options.today else 0
        names = names[offset % options.every :: options.every]
    return names


def is_as_good(call, tensors, place, got, wanted):
    """Whether a result is no further from that of f64 than one and a half times as far as eager mode's is."""
    import torch

    if not wanted.is_floating_point() or wanted.dtype == torch.float64:
        return False
    try:
        exact = call(*(t.double() if t.is_floating_point() else t.clone() for t in tensors))
        exact = [e for e in torch.utils._pytree.tree_leaves(exact) if isinstance(e, torch.Tensor)][place].double()
    except Exception:
        return False
    finite = exact.isfinite() & wanted.isfinite()
    if not torch.equal(got.isfinite() & exact.isfinite(), finite):
        return False
    errors = [(each.double() - exact)[finite].abs() for each in (got, wanted)]
    return bool(errors[0].numel()) and bool(errors[0].max() <= 1.5 * errors[1].max())


def run_ops(names, options):
    """Prints a line of JSON before each operator, and one for each sample."""
    warnings.filterwarnings("ignore")
    import torch
    from torch.fx.experimental.proxy_tensor import make_fx
    from torch.testing._internal.common_methods_invocations import op_db

    import fuse.torch_backend as backend

    torch.set_num_threads(1)
    table = backend._decompositions()
    settings = {"cache": False, "threads": 1, "fusion": not options.unfused, "numerics": options.numerics}
    say = lambda **what: print(json.dumps(what), flush=True)

    def check(op, sample, dtype):
        values, spec = torch.utils._pytree.tree_flatten((sample.input, sample.args, sample.kwargs))
        places = [i for i, v in enumerate(values) if isinstance(v, torch.Tensor)]
        tensors = [values[i].detach().clone() for i in places]
        if any(t.is_sparse or t.layout != torch.strided or t.is_quantized for t in tensors):
            return "skipped", ""

        def call(*given):
            filled = list(values)
            for place, tensor in zip(places, given):
                filled[place] = tensor
            first, args, kwargs = torch.utils._pytree.tree_unflatten(filled, spec)
            return op.op(first, *args, **kwargs)

        with torch.no_grad():
            try:
                wanted = torch.utils._pytree.tree_leaves(call(*(t.clone() for t in tensors)))
                graph = make_fx(torch.func.functionalize(call, remove="mutations_and_views"), decomposition_table=table, tracing_mode="fake")(*tensors)
            except Exception as error:
                return "skipped", f"cannot be traced: {type(error).__name__}"
            wanted = [w for w in wanted if isinstance(w, torch.Tensor)]
            if not wanted:
                return "skipped", "no tensor"
            ops = sorted({str(n.target) for n in graph.graph.nodes if n.op == "call_function"})
            try:
                made, _ = backend.compile_graph(graph, tensors, settings=settings, whole=True)
                got = made(*(t.contiguous() for t in tensors))
            except backend.Error as error:
                return "refused", str(error).splitlines()[0][:200], ops
        got = [g for g in got if isinstance(g, torch.Tensor)]
        if any(str(n.target) == "aten.copy_.default" for n in graph.graph.nodes):
            got = got[: len(wanted)]  # behind them stands what inputs become
        if op.name in TIED and "stable" not in sample.kwargs:
            wanted, got = wanted[:1], got[:1]
            if wanted[0].dtype == torch.int64 and dtype != torch.int64:
                return "skipped", "places of equal elements"
        if len(got) != len(wanted):
            return "failed", f"{len(got)} results for {len(wanted)}", ops
        for place, (g, w) in enumerate(zip(got, wanted)):
            if g.dtype != w.dtype or g.shape != w.shape:
                return "failed", f"{g.dtype}{tuple(g.shape)} for {w.dtype}{tuple(w.shape)}", ops
            rtol, atol = TOLERANCES.get(str(w.dtype).removeprefix("torch."), (0, 0))
            try:
                torch.testing.assert_close(g, w, rtol=rtol, atol=atol, equal_nan=True)
            except AssertionError as error:
                if is_as_good(call, tensors, place, g, w):
                    continue
                # A decomposition may compute in f32 what the op itself computes in f16.
                other = [o for o in torch.utils._pytree.tree_leaves(graph(*(t.clone() for t in tensors))) if isinstance(o, torch.Tensor)][place]
                if torch.allclose(g.double(), other.double(), rtol=rtol, atol=atol, equal_nan=True):
                    continue
                return "failed", " ".join(str(error).split())[:300], ops
        return "passed", "", ops

    for name, variant in names:
        for op in op_db:
            if (op.name, op.variant_test_name) != (name, variant):
                continue
            for short in options.dtypes.split(","):
                dtype = getattr(torch, DTYPES[short])
                if dtype not in op.dtypes:
                    continue
                torch.manual_seed(0)
                try:
                    samples = op.sample_inputs("cpu", dtype, requires_grad=False)
                    for i, sample in enumerate(samples):
                        if i >= options.samples:
                            break
                        say(begin=f"{name}{'.' + variant if variant else ''} {short} {i}")
                        state, text, *ops = check(op, sample, dtype)
                        say(op=name, variant=variant, dtype=short, sample=i, state=state, text=text, ops=ops[0] if ops else [])
                except Exception as error:
                    say(op=name, variant=variant, dtype=short, sample=-1, state="failed", text=f"{type(error).__name__}: {error}"[:300], ops=[])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only")
    parser.add_argument("--from", dest="first", metavar="NAME")
    parser.add_argument("--before", metavar="NAME", help="this one is left out")
    parser.add_argument("--list", action="store_true", help="prints the names of operators, and runs none")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--today", action="store_true")
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--dtypes", default="f32,f16,bf16,i64,bool,c64")
    parser.add_argument("--unfused", action="store_true")
    parser.add_argument("--numerics", default="exact")
    parser.add_argument("--refusals", action="store_true", help="lists why what is refused")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        run_ops([tuple(n) for n in json.loads(options.worker)], options)
        return 0
    names = list_ops(options)
    if options.list:
        print("\n".join(".".join(filter(None, n)) for n in names))
        return 0
    counts, failed, refusals, covered = collections.Counter(), [], collections.Counter(), set()
    crashed = []
    while names:
        command = [sys.executable, __file__, "--worker", json.dumps(names), "--samples", str(options.samples), "--dtypes", options.dtypes, "--numerics", options.numerics]
        command += ["--unfused"] if options.unfused else []
        worker = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        last = None
        for line in worker.stdout:
            if not line.startswith("{"):
                continue
            said = json.loads(line)
            if "begin" in said:
                last = said["begin"]
                continue
            counts[said["state"]] += 1
            if said["state"] == "passed":
                covered.update(said["ops"])
            elif said["state"] == "failed":
                failed.append(said)
                print(f"FAILED {said['op']} {said['variant']} {said['dtype']} {said['sample']}: {said['text']} {' '.join(said['ops'])}", flush=True)
            elif said["state"] == "refused":
                refusals[said["text"].split("node '")[-1].split("' ", 1)[-1]] += 1
        if worker.wait() == 0:
            break
        crashed.append(last)
        print(f"CRASHED {last}: exit code {worker.returncode}", flush=True)
        begun = last.split()[0] if last else None
        places = [i for i, (name, variant) in enumerate(names) if f"{name}{'.' + variant if variant else ''}" == begun]
        names = names[places[0] + 1 :] if places else []
    for text, count in refusals.most_common() if options.refusals else ():
        print(f"refused {count:5} {text}")
    print(f"{counts['passed']} passed, {counts['refused']} refused, {counts['failed']} failed, {len(crashed)} crashed, "
          f"{counts['skipped']} are no programs; {len(covered)} ATen ops in what passed")
    return bool(failed or crashed)


if __name__ == "__main__":
    sys.exit(main())
