# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases that prepare.py has compiled: how they are opened, and how their results are compared."""

import os

import arrays
import numpy as np
import weights
from bundle import Bundle


def open_case(folder, chip, case):
    """The bundle, and a function that runs it on the case's inputs."""
    path = f"{folder}/{case['file']}.{chip}"
    if "weights" in case and not os.path.exists(f"{path}.weights"):
        weights.restore(f"{path}.weights")
    bundle = Bundle(f"{path}.so", 1)
    named = {v["name"]: arrays.make(v["name"], v["shape"], v["kind"], v["below"]) for v in case["inputs"]}
    with np.load(f"{folder}/{case['file']}.npz") as file:
        named |= {v["name"]: file[f"given{i}"] for i, v in enumerate(case["inputs"]) if f"given{i}" in file}
    return bundle, bundle.bind(named)


def poison(bundle):
    """Results that a run does not write are seen."""
    for array in bundle.outputs:
        array.reshape(-1).view(np.uint8)[:] = 0x5A


def compare(folder, case, bundle):
    """The worst element of all results, in units of what is tolerated."""
    worst = 0.0
    with np.load(f"{folder}/{case['file']}.npz") as want:
        for i, value in enumerate(case["outputs"]):
            got = arrays.sample(bundle.outputs[i])
            worst = max(worst, arrays.largest_fault(got, want[f"out{i}"], value["kind"], case.get("scale", 1.0)))
        for i, value in enumerate(case["inputs"]):
            if value["in_place"]:
                worst = max(worst, arrays.largest_fault(arrays.sample(bundle.inputs[i]), want[f"in{i}"], value["kind"]))
    return worst


def make_check(folder, chip, is_dry):
    """Gives a function of a case: the text of a fault, or nothing."""
    def check(case):
        bundle, run = open_case(folder, chip, case)
        try:
            written = any(value["in_place"] for value in case["inputs"])
            # The first run is launch by launch, the second a recorded graph, the third its replay.
            for attempt in range(1 if written else 3):
                poison(bundle)
                run()
                fault = compare(folder, case, bundle)
                if not fault <= 1 and not is_dry:
                    return f"run {attempt + 1} is {fault:.3g} times what is tolerated from the {case['reference']}'s result"
        finally:
            bundle.close()
        return ""
    return check
