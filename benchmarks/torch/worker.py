# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: worker.py WAY MODULE SIZES THREADS

A process that holds one module: compiled by fuse or Inductor, or as it is (WAY: fuse, inductor, eager). SIZES: parameters of the
module's function in test/torch/modules.py, as JSON. It answers on standard output, a line of JSON each: what the first call came to,
and then each line of standard input, for how many seconds to call the module, with the median time of a call in ms. Between answers it
computes nothing.
"""

import json
import os
import pathlib
import statistics
import sys
import time
import warnings

THREADS = sys.argv[4]
os.environ.update(OMP_NUM_THREADS=THREADS, MKL_NUM_THREADS=THREADS)  # read when the libraries are loaded
warnings.filterwarnings("ignore")

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "test/torch"))
from modules import MODULES

# Dynamo runs them outside of its graphs: for fuse they come through torch.export.
EXPORTED = ("lstm", "gru")


class Stages:
    """Seconds of the first call: until the backend has a graph, in the backend beside the compiler, in the compiler, and the rest."""

    def __init__(self):
        self.begin = self.captured = self.compiled = self.backend = self.end = 0.0
        self.explanations = []

    def watch_fuse(self):
        import fuse.torch_backend as backend
        plain, compiler = backend.compile_graph, backend.compile_source

        def compile_graph(*arguments, **options):
            start = time.perf_counter()
            made = plain(*arguments, **options)
            self.explanations.append(made[1])
            self.backend += time.perf_counter() - start
            return made

        def compile_source(*arguments, **options):
            start = time.perf_counter()
            made = compiler(*arguments, **options)
            self.compiled += time.perf_counter() - start
            return made

        backend.compile_graph, backend.compile_source = compile_graph, compile_source

    def list(self):
        whole = self.end - self.begin
        if not self.backend:
            return {}
        return {"capture": whole - self.backend, "encode": self.backend - self.compiled, "compile": self.compiled}


def compile_module(way, name, model, arguments, stages):
    """What is called, and what it calls with."""
    if way == "eager":
        return model
    if way == "inductor":
        if os.environ.get("FUSE_TABLE_FREEZING"):
            from torch._inductor import config
            config.freezing = True
        return torch.compile(model)
    import fuse
    if name in EXPORTED:
        return fuse.compile(torch.export.export(model, arguments), progress=False)
    import fuse.torch_backend as backend
    stages.watch_fuse()
    return torch.compile(model, backend=backend.fuse)


def flatten(value):
    return [v for v in torch.utils._pytree.tree_leaves(value) if isinstance(v, torch.Tensor)]


def differ(got, wanted):
    """The largest difference, in units of 1e-4 of the result and of its root mean square."""
    worst = 0.0
    for g, w in zip(flatten(got), flatten(wanted), strict=True):
        if w.dtype.is_floating_point and w.numel():
            g, w = g.double(), w.double()
            worst = max(worst, ((g - w).abs() / (1e-5 + 1e-4 * (w.abs() + w.square().mean().sqrt()))).max().item())
        elif not torch.equal(g, w):
            worst = float("inf")
    return worst


def main():
    answer = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no answer
    say = lambda **what: print(json.dumps(what), file=answer, flush=True)
    way, name, sizes = sys.argv[1:4]
    torch.set_num_threads(int(THREADS))
    torch.manual_seed(0)
    model, arguments, *_ = MODULES[name](**json.loads(sizes))
    stages = Stages()
    with torch.no_grad():
        wanted = model(*arguments) if way == "fuse" else None
        stages.begin = time.perf_counter()
        run = compile_module(way, name, model, arguments, stages)
        got = run(*arguments)
        stages.end = time.perf_counter()
        error = differ(got, wanted) if way == "fuse" else 0.0
        graphs = torch._dynamo.utils.counters["stats"]["unique_graphs"] if way != "eager" else 0
        say(first=stages.end - stages.begin, graphs=graphs, error=error, stages=stages.list(),
            refused=[f"{r.node} ({r.op}): {r.reason}" for e in stages.explanations for r in e.refusals])
        for _ in range(3):
            run(*arguments)
        for line in sys.stdin:
            seconds = float(line)
            run(*arguments)  # the caches were others'
            times, begin = [], time.perf_counter()
            while not times or time.perf_counter() - begin < seconds:
                start = time.perf_counter()
                run(*arguments)
                times.append(1000 * (time.perf_counter() - start))
            say(time=statistics.median(times), runs=len(times))


if __name__ == "__main__":
    main()
