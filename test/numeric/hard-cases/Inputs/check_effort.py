"""usage: check_effort.py KIND

The work of planning a program of 8000 ops is at most 1.5 times that of one of 1000, for each op; and
no more than a few merges, the members of a large kernel or so, and a thousand edges.
"""
import pathlib
import re
import subprocess
import sys

FEW = {"merges priced": 8, "members looked at": 1500, "edges visited": 1000}


def measure(kind, size):
    make = pathlib.Path(__file__).with_name("make_programs.py")
    program = subprocess.run([sys.executable, make, kind, str(size)], capture_output=True, check=True)
    plan = subprocess.run(["fuse-opt", "--fuse-plan", "--remarks-filter-analyse=planning-effort",
                           "-o", "/dev/null"], input=program.stdout, capture_output=True, check=True)
    text = plan.stderr.decode()
    nodes = int(re.search(r"(\d+) nodes", text).group(1))
    return {what: int(re.search(rf"(\d+) {what}", text).group(1)) / nodes for what in FEW}


small, large = measure(sys.argv[1], 1000), measure(sys.argv[1], 8000)
failed = False
for what, limit in FEW.items():
    is_well = large[what] <= limit and large[what] <= 1.5 * small[what] + 1
    print(f"{what} for each op: {small[what]:.1f} of 1000, {large[what]:.1f} of 8000"
          + ("" if is_well else ": too much"))
    failed |= not is_well
sys.exit(failed)
