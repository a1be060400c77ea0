"""Calls from many threads, and what a call costs."""
import threading
import time

import numpy as np

import fuse
from programs import sums


def test_many_threads_call_one_program():
    program = fuse.compile(sums("f32", count=2, shape="256"), threads=1)
    wrong = []

    def work(number):
        x = np.full(256, number, np.float32)
        for i in range(200):
            y = np.full(256, i, np.float32)
            if not np.array_equal(program(x, y), x + y):
                wrong.append((number, i))
    threads = [threading.Thread(target=work, args=(number,)) for number in range(64)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_the_gil_is_released():
    program = fuse.compile(sums("f32", count=2, shape="4194304"), threads=1)
    x = np.ones(4194304, np.float32)
    ticks = 0
    done = False

    def tick():
        nonlocal ticks
        while not done:
            ticks += 1
            time.sleep(0)
    thread = threading.Thread(target=tick)
    thread.start()
    for _ in range(10):
        program(x, x)
    done = True
    thread.join()
    assert ticks > 10


def test_cost_of_a_call():
    """With four arrays at most 3 us, all of it; the kernel itself takes a tenth of a us."""
    program = fuse.compile(sums("f32", count=4, shape="64"), threads=1)
    arrays = [np.ones(64, np.float32)] * 4

    def measure(count):
        begin = time.perf_counter()
        for _ in range(count):
            program(*arrays)
        return (time.perf_counter() - begin) / count * 1e6
    measure(1000)
    least = min(measure(5000) for _ in range(10))
    print(f"a call with four arrays: {least:.2f} us")
    assert least < 3
