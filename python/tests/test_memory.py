"""Nothing is left behind, however often programs are called, compiled and dropped. FUSE_LONG_TESTS=1 takes a million calls and a
hundred thousand compilations."""
import gc
import os

import numpy as np

import fuse
from programs import LAYER, WEIGHTS, sums

LONG = os.environ.get("FUSE_LONG_TESTS") == "1"


def resident_mb():
    gc.collect()
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def test_calls():
    program = fuse.compile(sums("f32", count=4, shape="1024"))
    arrays = [np.ones(1024, np.float32)] * 4

    def call(count):
        for _ in range(count):
            program(*arrays)
    call(1000)
    before = resident_mb()
    call(1_000_000 if LONG else 100_000)
    assert resident_mb() - before < 2, "each output of 4 KB that stayed would be 400 MB"


def test_failing_calls():
    program = fuse.compile(LAYER, weights={"w": WEIGHTS})
    wrong = np.ones((2, 5), np.float32)

    def call(count):
        for _ in range(count):
            try:
                program(wrong)
            except fuse.Error:
                pass
    call(100)
    before = resident_mb()
    call(20_000)
    assert resident_mb() - before < 2


def test_compiling():
    weights = np.ones((4, 3), np.float32)

    def compile_many(count):
        for i in range(count):
            program = fuse.compile(LAYER, weights={"w": weights})
            program(np.ones((1 + i % 3, 4), np.float32))
            program.report
    compile_many(40)
    before = resident_mb()
    count = 100_000 if LONG else 150
    compile_many(count)
    grown = resident_mb() - before
    assert grown < 12, f"{grown:.1f} MB for {count} programs"


def test_arrays_are_let_go():
    weights = np.ones((4, 3), np.float32)
    array = weights.view()
    import sys
    before = sys.getrefcount(weights)
    program = fuse.compile(LAYER, weights={"w": array})
    del array
    assert sys.getrefcount(weights) == before, "the view is held, and by it the array"
    del program
    gc.collect()
    assert sys.getrefcount(weights) == before - 1
