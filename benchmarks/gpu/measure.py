#!/usr/bin/env python3
# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: measure.py FOLDER [--minutes N] [--check-minutes N] [--only TEXT] [--group NAME,…] [--jobs N] [--log FILE] [--dry-run]

Runs what prepare.py has compiled on this machine's GPU. First every case is checked, in processes of its own kind, so that
one that ends its process, or never ends, costs that case alone. Then programs are timed, beside PyTorch's on the same
arrays where it is installed; rows are printed as they are made. Without PyTorch rows have no times. Exits with 1 where a
result is wrong. With --dry-run results are not compared: a driver for tests computes none.
"""

import argparse
import json
import multiprocessing
import os
import pathlib
import sys
import time
import traceback

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import arrays  # noqa: E402
import weights  # noqa: E402
from bundle import Bundle  # noqa: E402

CASE_SECONDS = 60


def open_case(folder, case):
    path = f"{folder}/{case['file']}"
    if "weights" in case and not os.path.exists(f"{path}.weights"):
        weights.restore(f"{path}.weights")
    bundle = Bundle(f"{path}.so", 1)
    named = {v["name"]: arrays.make(v["name"], v["shape"], v["kind"], v["below"]) for v in case["inputs"]}
    with np.load(f"{path}.npz") as file:
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


def check(folder, case, is_dry):
    """The text of a fault, or nothing."""
    bundle, run = open_case(folder, case)
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


def check_worker(folder, is_dry, pipe):
    while (case := pipe.recv()) is not None:
        try:
            pipe.send((check(folder, case, is_dry), ""))
        except Exception as error:  # noqa: BLE001: reported with the case
            pipe.send((f"{type(error).__name__}: {str(error)[:300]}", traceback.format_exc()))


class Worker:
    def __init__(self, context, folder, is_dry):
        self.context, self.folder, self.is_dry = context, folder, is_dry
        self.start()

    def start(self):
        self.pipe, end = self.context.Pipe()
        self.process = self.context.Process(target=check_worker, args=(self.folder, self.is_dry, end), daemon=True)
        self.process.start()
        end.close()
        self.case = None

    def give(self, case):
        self.case, self.since = case, time.monotonic()
        self.pipe.send(case)

    def take(self):
        """The finished case with its fault; None while it runs."""
        case = self.case
        if self.pipe.poll(0):
            try:
                fault, _ = self.pipe.recv()
            except EOFError:
                self.process.join()
                fault = f"the process ended with {self.process.exitcode}"
        elif time.monotonic() - self.since > CASE_SECONDS:
            fault = f"no result after {CASE_SECONDS} s"
        else:
            return None
        self.case = None
        # After an error of the GPU the process can do nothing more with it.
        if fault and "tolerated" not in fault:
            self.process.kill()
            self.process.join()
            self.start()
        return case, fault


def check_all(folder, cases, seconds, jobs, is_dry, report):
    """Checks the cases side by side for so long, and gives the number of those checked and of those that failed."""
    context = multiprocessing.get_context("spawn")
    workers = [Worker(context, folder, is_dry) for _ in range(jobs)]
    left, checked, failed, end = list(reversed(cases)), 0, 0, time.monotonic() + seconds
    while left or any(worker.case for worker in workers):
        if time.monotonic() > end:
            report(f"time is over: {len(left)} cases are not checked")
            break
        for worker in workers:
            if worker.case and (done := worker.take()):
                checked += 1
                failed += bool(done[1])
                if done[1]:
                    report(f"FAILED {done[0]['name']}: {done[1]}")
            if not worker.case and left:
                worker.give(left.pop())
        time.sleep(0.001)
    for worker in workers:
        worker.process.kill()
    return checked, failed


class Gpu:
    """Times kernels through PyTorch's profiler, which sees all that the process runs on the GPU."""

    def __init__(self):
        import torch
        self.torch = torch
        self.name = torch.cuda.get_device_name(0)
        torch.backends.cuda.matmul.allow_tf32 = False
        torch.backends.cudnn.allow_tf32 = False
        self.flushed = torch.empty(1 << 28, dtype=torch.uint8, device="cuda")

    def events(self, run, runs):
        """For each run, its kernels as (name, begin, end) in us."""
        from torch.profiler import ProfilerActivity, profile
        marks = []
        with profile(activities=[ProfilerActivity.CUDA]) as trace:
            for _ in range(runs):
                run()
                self.torch.cuda.synchronize()
        kernels = [(event.name, event.time_range.start, event.time_range.end) for event in trace.events()
                   if event.device_type == self.torch.autograd.DeviceType.CUDA and not event.name.startswith(("Memcpy", "Memset"))]
        kernels.sort(key=lambda kernel: kernel[1])
        count = len(kernels) // runs
        for i in range(runs):
            marks.append(kernels[i * count:(i + 1) * count])
        return marks

    def time(self, run, runs=5):
        """us from the first kernel's begin to the last one's end, of all kernels added up, and their number: medians."""
        run()
        self.torch.cuda.synchronize()
        marks = [kernels for kernels in self.events(run, runs) if kernels]
        if not marks:
            return None
        spans = [kernels[-1][2] - kernels[0][1] for kernels in marks]
        busy = [sum(end - begin for _, begin, end in kernels) for kernels in marks]
        return float(np.median(spans)), float(np.median(busy)), len(marks[0])

    def copy_bandwidth(self):
        """Bytes read and written per us by a copy of 1 GB."""
        source = self.torch.empty(1 << 30, dtype=self.torch.uint8, device="cuda").random_()
        target = self.torch.empty_like(source)
        span = self.time(lambda: target.copy_(source), 10)
        if span is None:  # a copy is no kernel there
            begin, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            for _ in range(10):
                target.copy_(source)
            end.record()
            self.torch.cuda.synchronize()
            return 2 * (1 << 30) * 10 / (1000 * begin.elapsed_time(end))
        return 2 * (1 << 30) / span[1]

    def tensors(self, case):
        made = []
        for v in case["inputs"]:
            array = arrays.make(v["name"], v["shape"], v["kind"], v["below"])
            if v["kind"] == "bfloat16":
                made.append(self.torch.from_numpy(array.view(np.int16)).view(self.torch.bfloat16).cuda())
            else:
                made.append(self.torch.from_numpy(array).cuda())
        return made


def peer_of(gpu, case):
    """What PyTorch calls for the same, or None: products and attention, which its libraries have by hand."""
    torch, name = gpu.torch, case["name"]
    inputs = gpu.tensors(case)
    if name.startswith("matmul_i8"):
        return lambda: torch._int_mm(inputs[0], inputs[1])
    if name.startswith(("matmul", "gemv")):
        torch.backends.cuda.matmul.allow_tf32 = "tf32" in name
        if len(inputs) == 3:
            return lambda: torch.nn.functional.gelu(torch.addmm(inputs[2], inputs[0], inputs[1]))
        return lambda: torch.matmul(inputs[0], inputs[1])
    if name.startswith("attention"):
        inputs = [x.unsqueeze(0) for x in inputs]
        return lambda: torch.nn.functional.scaled_dot_product_attention(*inputs)
    if name.startswith("softmax"):
        return lambda: torch.softmax(inputs[0], 1)
    if name.startswith("layer_norm"):
        x, y, scale, offset = inputs
        return lambda: torch.nn.functional.layer_norm(x + y, x.shape[1:], scale, offset)
    if name.startswith("conv_"):
        x, w, scale, offset, mean, variance = inputs
        variance = variance.abs()
        return lambda: torch.relu(torch.nn.functional.batch_norm(torch.nn.functional.conv2d(x, w, padding=1), mean, variance,
                                                                 scale, offset))
    if name.startswith("depthwise"):
        x, w = inputs
        return lambda: torch.nn.functional.conv2d(x, w, padding=1, groups=x.shape[1])
    return None


def network_of(gpu, case):
    """The same network of PyTorch, as one CUDA graph of its library calls where it can be recorded."""
    import open_networks
    torch = gpu.torch
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = "tf32" in case["name"]
    name, size = case["name"].removesuffix("_tf32").rsplit("_b", 1)
    batch, _, sequence = size.partition("s")
    network = open_networks.NETWORKS[name]()
    module = network.module.cuda()
    inputs = [torch.from_numpy(array).cuda() for array in network.inputs(int(batch), int(sequence or 0)).values()]
    with torch.no_grad():
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            for _ in range(3):
                module(*inputs)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        try:
            with torch.cuda.graph(graph):
                module(*inputs)
        except RuntimeError:  # what copies from the host cannot be recorded
            torch.cuda.synchronize()
            return torch.no_grad()(lambda: module(*inputs))
    return graph.replay


def time_case(gpu, folder, case, bandwidth, report):
    bundle, run = open_case(folder, case)
    run()
    fault = compare(folder, case, bundle)
    run()
    span, busy, kernels = gpu.time(run) or (np.nan, np.nan, 0)
    walls = []
    for _ in range(10):
        begin = time.perf_counter()
        run()
        walls.append(1e6 * (time.perf_counter() - begin))
    bundle.close()
    del bundle, run
    row = {"name": case["name"], "us": span, "busy": busy, "kernels": kernels, "fault": fault,
           "of_copy": case["bytes"] / bandwidth / busy, "tflops": case.get("flops", 0) / busy / 1e6}
    row["wall"] = float(np.median(walls))
    peer = peer_of(gpu, case) if case["group"] == "time" else network_of(gpu, case) if case["group"] == "network" else None
    if peer:
        peer_span, peer_busy, row["peer_kernels"] = gpu.time(peer) or (np.nan, np.nan, 0)
        row["peer_us"] = peer_span if case["group"] == "network" else peer_busy
        row["of_peer"] = row["peer_us"] / (span if case["group"] == "network" else busy)
    del peer
    gpu.torch.cuda.empty_cache()
    report(f"{row['name']:28} {row['busy']:9.1f} us (span {row['us']:.1f}, wall {row['wall']:.0f}) {row['kernels']:3} kernels "
           f"{100 * row['of_copy']:5.1f} % of copy {row['tflops']:6.1f} TFLOP/s, peer {row.get('peer_us', np.nan):9.1f} us "
           f"{row.get('peer_kernels', 0):3} kernels, peer/ours {row.get('of_peer', np.nan):5.2f}, fault {fault:.2g}")
    return row


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--minutes", type=float, default=8)
    parser.add_argument("--check-minutes", type=float, default=3)
    parser.add_argument("--jobs", type=int, default=8)
    parser.add_argument("--only", default="")
    parser.add_argument("--group", default="check,time,network,model")
    parser.add_argument("--log", default=os.devnull)
    parser.add_argument("--dry-run", action="store_true")
    options = parser.parse_args()
    begin = time.monotonic()
    log = open(options.log, "w", encoding="utf-8")  # noqa: SIM115: open until the end

    def report(text):
        print(text, flush=True)
        log.write(text + "\n")
        log.flush()

    with open(f"{options.folder}/cases.json", encoding="utf-8") as file:
        cases = [case for case in json.load(file) if options.only in case["name"]]
    groups = options.group.split(",")
    checked, failed = 0, 0
    if "check" in groups:
        # What is large is checked where it is timed.
        small = [case for case in cases if case["bytes"] < 1 << 26]
        checked, failed = check_all(options.folder, small, 60 * options.check_minutes, options.jobs, options.dry_run, report)
        report(f"{checked} cases checked, {failed} failed, after {time.monotonic() - begin:.0f} s")
    try:
        gpu = Gpu()
    except Exception as error:  # noqa: BLE001: then nothing is timed
        report(f"no times: {type(error).__name__}: {error}")
        return failed != 0
    bandwidth = gpu.copy_bandwidth()
    report(f"{gpu.name}: a copy moves {bandwidth / 1e3:.0f} GB/s, after {time.monotonic() - begin:.0f} s")
    rows = []
    for case in cases:
        if case["group"] == "check" or case["group"] not in groups:
            continue
        if time.monotonic() - begin > 60 * options.minutes:
            report("time is over")
            break
        try:
            rows.append(time_case(gpu, options.folder, case, bandwidth, report))
            failed += not rows[-1]["fault"] <= 1
        except Exception as error:  # noqa: BLE001: the row says so
            report(f"{case['name']:32} FAILED {type(error).__name__}: {str(error)[:300]}")
            failed += 1
            if "CUDA" in str(error):
                break
    log.write(json.dumps(rows) + "\n")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
