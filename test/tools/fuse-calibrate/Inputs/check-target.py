"""Checks what fuse-calibrate wrote: TARGET.json THREADS."""

import json
import sys

target = json.load(open(sys.argv[1]))
assert target["version"] == 1 and target["kind"] == "cpu" and target["cpu"] == target["name"], target
figures = target["figures"]
ranges = {
    "dispatch_ns": (1, 1e5), "memory_bw": (0.5, 5000), "store_bw": (0.5, 5000),
    "thread_memory_bw": (0.3, 1000), "l1_bytes": (4096, 1 << 22), "l2_bytes": (65536, 1 << 30),
    "l3_bytes": (0, 1 << 34), "l2_bw": (1, 2000), "l3_bw": (1, 2000),
    "nontemporal_bytes": (0, 1 << 40), "flops_per_ns": (0.5, 1000),
    "matmul_flops_per_ns": (0.5, 10000), "int8_flops_per_ns": (0, 40000), "fork_ns": (0, 1e8), "vector_bytes": (16, 256),
    "registers": (16, 32), "max_threads": (int(sys.argv[2]),) * 2,
}
unknown = set(figures) - set(ranges)
assert not unknown, unknown
for key, (least, most) in ranges.items():
    if key in figures:
        assert least <= figures[key] <= most, (key, figures[key])
        assert target["sources"][key], key
missing = set(ranges) - set(figures) - {"l1_bytes", "l2_bytes", "l2_bw", "l3_bw", "nontemporal_bytes", "int8_flops_per_ns"}
assert not missing, missing
with open("/proc/cpuinfo", encoding="ascii") as file:
    has_byte_products = "vnni" in file.read()
assert ("int8_flops_per_ns" in figures) == has_byte_products, has_byte_products
assert figures["l2_bytes"] >= figures["l1_bytes"], figures
