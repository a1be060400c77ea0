"""usage: check_honest.py REPORT.json

Every kernel of the report has at least 16 blocks and at most 1 MiB of scratch.
"""
import json
import sys

kernels = [kernel for function in json.load(open(sys.argv[1]))["functions"]
           for kernel in function["kernels"]]
for kernel in kernels:
    print(kernel["id"], kernel["blocks"], kernel["scratch_bytes"])
sys.exit(not kernels or any(kernel["blocks"] < 16 or kernel["scratch_bytes"] > 1 << 20
                            for kernel in kernels))
