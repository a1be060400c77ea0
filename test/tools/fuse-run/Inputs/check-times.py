"""Checks the times of a report: REPORT.json OUTPUT.txt (of fuse-run --time)."""

import json
import re
import sys

report = json.load(open(sys.argv[1]))
kernels = report["functions"][0]["kernels"]
assert [kernel["label"] for kernel in kernels].count("host") == 1, kernels
for kernel in kernels:
    assert 0 < kernel["least_ms"] <= kernel["ms"], kernel
least = float(re.search(r"least (\S+) ms", open(sys.argv[2]).read()).group(1))
total = sum(kernel["least_ms"] for kernel in kernels)
assert total <= least + 0.001, (total, least)
