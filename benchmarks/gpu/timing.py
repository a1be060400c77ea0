# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What one task of measure.py does on the GPU, in a process of its own (workers.py), and the rows of its tables."""

import os
import time

import numpy as np
import peers
from cases import compare, make_check, open_case, poison
from driver import Driver

# Of copies that the bandwidth of memory is measured with, and of what is read back.
COPY_BYTES, READBACK_BYTES = 1 << 30, 1 << 26


def measure_driver(is_dry):
    """The figures that copies and waits tell, and the bandwidth of a copy in bytes per ns."""
    driver = Driver()
    driver.open()
    try:
        # A driver for tests has little memory.
        size = COPY_BYTES if not is_dry else 1 << 24
        copy = driver.copy_bandwidth(size)
        readback = driver.readback_bandwidth(READBACK_BYTES if not is_dry else 1 << 20)
        figures = {"readback_bw": (float(f"{readback:.4g}"), "measured: copies to pinned memory of the host"),
                   "roundtrip_ns": (driver.roundtrip(), "measured: 16 bytes filled and waited for"),
                   "max_threads": (driver.processors, "multiprocessors, as the driver says")}
        if driver.l2_bytes > 0:
            figures["l3_bytes"] = (driver.l2_bytes, "as the driver says")
    finally:
        driver.close()
    return copy, figures


def time_bundle(folder, chip, case, is_checked=True):
    """What a run takes, what it was predicted to take, and how far its results are off."""
    bundle, run = open_case(folder, chip, case)
    try:
        poison(bundle)
        run()
        fault = compare(folder, case, bundle) if is_checked else 0.0
        kernels = bundle.report()["functions"][0]["kernels"]
        predicted = [kernel["predicted_ms"] for kernel in kernels]
        ns, walls = peers.repeat(bundle.time), []
        for _ in range(5):
            begin = time.perf_counter_ns()
            run()
            walls.append(time.perf_counter_ns() - begin)
        return {"name": case["name"], "group": case["group"], "ns": ns, "wall_ns": float(np.median(walls)), "fault": fault,
                "kernels": len(kernels), "blocks": max((kernel["planned_blocks"] or 0 for kernel in kernels), default=0),
                "flops": case.get("flops", 0) or sum(kernel["flops"] or 0 for kernel in kernels), "bytes": case["bytes"],
                "predicted_ns": None if None in predicted else 1e6 * sum(predicted)}
    finally:
        bundle.close()


def make_tasks(folder, chip, is_dry):
    """Gives a function of tasks: (kind, case)."""
    check = make_check(folder, chip, is_dry)
    torch = []

    def work(task):
        kind, case = task
        if kind == "check":
            return check(case)
        if kind == "driver":
            return measure_driver(is_dry)
        if kind == "bundle":
            return time_bundle(folder, chip, case, case["group"] != "calibrate")
        if kind == "onnxruntime":
            return peers.time_onnxruntime(case)
        if not torch:
            torch.append(peers.Torch())
        if kind == "program":
            return torch[0].time_program(case)
        return torch[0].time_network(case, kind == "compile")
    # PyTorch's threads on the host have nothing to do here.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    return work


#===- Tables ----------------------------------------------------------------------------------------===#


def in_us(ns):
    return f"{ns / 1e3:.1f}" if ns else "–"


def ratio(a, b):
    return f"{a / b:.2f}" if a and b else "–"


HEADS = {
    "memory": ["bound by memory", "kernels", "us", "of the copy's bandwidth", "predicted us", "measured / predicted", "PyTorch us",
               "its time, as a multiple"],
    "compute": ["bound by products", "kernels", "us", "TFLOP/s", "predicted us", "measured / predicted", "PyTorch us",
                "its time, as a multiple"],
    "network": ["network, one graph launch", "kernels", "us", "with copies us", "predicted us", "measured / predicted",
                "PyTorch us", "its time, as a multiple"],
    "model": ["program of the cost model's", "kernels", "us", "of the copy's bandwidth", "predicted us", "measured / predicted"],
    "compile": ["network beside others", "us", "torch.compile us", "its time, as a multiple", "ONNX Runtime us",
                "its time, as a multiple"]}


def get_table(case):
    if case["group"] == "time":
        return "memory" if case.get("bound") == "memory" else "compute"
    return case["group"]


def make_row(table, row, copy, peer_ns):
    """The cells of one row. `copy`: bytes per ns, or None."""
    ns = row["ns"]
    third = {"memory": lambda: f"{row['bytes'] / ns / copy:.2f}" if ns and copy else "–",
             "model": lambda: f"{row['bytes'] / ns / copy:.2f}" if ns and copy else "–",
             "compute": lambda: f"{row['flops'] / ns / 1e3:.1f}" if ns else "–",
             "network": lambda: in_us(row["wall_ns"])}[table]()
    cells = [row["name"], str(row["kernels"]), in_us(ns), third, in_us(row["predicted_ns"]), ratio(ns, row["predicted_ns"])]
    return cells if table == "model" else [*cells, in_us(peer_ns), ratio(peer_ns, ns)]


def format_row(cells):
    return "| " + " | ".join(cells) + " |"


def format_head(table):
    return format_row(HEADS[table]) + "\n" + "|---" * len(HEADS[table]) + "|"
