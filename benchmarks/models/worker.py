# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: worker.py PEER MODEL INPUTS.npz THREADS OUTPUTS.npz

A process that holds one model in one peer. It answers on standard output, one line of JSON each: what loading came to,
and then each line of standard input, a number of runs, with their times in ms. Between answers it computes nothing.
"""

import ctypes
import json
import os
import re
import sys
import time

THREADS = sys.argv[4]
# Read when the peers' libraries are loaded.
os.environ.update(OMP_NUM_THREADS=THREADS, MKL_NUM_THREADS=THREADS, OPENVINO_TELEMETRY_OPT_OUT="1")
if sys.argv[1] == "fuse":
    os.environ["OMP_PROC_BIND"] = "true"

import numpy as np
from peers import PEERS

MEMORY_RUNS = 5


def memory(*keys):
    """Bytes, by the names of /proc/self/status."""
    with open("/proc/self/status", encoding="utf-8") as file:
        text = file.read()
    return [int(re.search(rf"^{key}:\s+(\d+) kB", text, re.M).group(1)) * 1024 for key in keys]


def measure_growth(start):
    """Peak of resident memory from here on over what it is now, in bytes; pages of files (weights that are mapped)
    left out."""
    ctypes.CDLL(None).malloc_trim(0)  # what was freed before is not there for intermediates
    with open("/proc/self/clear_refs", "w", encoding="utf-8") as file:
        file.write("5")  # the peak begins anew
    before, files = memory("VmRSS", "RssFile")
    run, outputs = start()
    for _ in range(MEMORY_RUNS):
        run()
    peak, files_now = memory("VmHWM", "RssFile")
    return run, outputs, max(0, peak - before - max(0, files_now - files))


def main():
    answer = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no answer
    peer, model, inputs, threads, path = sys.argv[1:6]
    arrays = dict(np.load(inputs))
    loaded = PEERS[peer](model, int(threads), arrays)
    run, outputs, growth = measure_growth(loaded.start)
    np.savez(path, *outputs())
    print(json.dumps({"growth": growth}), file=answer, flush=True)
    for line in sys.stdin:
        run()  # the caches were others'
        times = []
        for _ in range(int(line)):
            start = time.perf_counter()
            run()
            times.append(1000 * (time.perf_counter() - start))
        print(json.dumps(times), file=answer, flush=True)


if __name__ == "__main__":
    main()
