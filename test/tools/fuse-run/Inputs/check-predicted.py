"""Checks plans and predicted times of reports in a folder: what was measured changes times alone."""

import json
import sys


def read(name):
    function = json.load(open(f"{sys.argv[1]}/{name}.json"))["functions"][0]
    return function, [kernel["predicted_ms"] for kernel in function["kernels"]]


default, default_ms = read("default")
slow, slow_ms = read("slow.report")
fast, fast_ms = read("fast.report")
asked, asked_ms = read("asked")
host, host_ms = read("host")
again, again_ms = read("again")

plan = [kernel["ops"] for kernel in default["kernels"]]
assert len(plan) == 2, plan
for function in (slow, fast, host):
    assert [kernel["ops"] for kernel in function["kernels"]] == plan, function["kernels"]
assert len(asked["kernels"]) == 1, asked["kernels"]
assert sum(slow_ms) > 5 * sum(default_ms), (slow_ms, default_ms)
# A launch of it takes 0.1 ms, and hardly more.
assert all(0.1 <= ms < 0.2 * 0.7 + 0.1 for ms in fast_ms), fast_ms
assert [function["target"] for function in (default, slow, fast, asked, host)] == ["default", "slow", "fast", "fast", "host"]
# What follows from the CPU's facts is the same in every run, and of the right order.
assert host_ms == again_ms, (host_ms, again_ms)
assert 0.1 < sum(host_ms) < 100, host_ms
