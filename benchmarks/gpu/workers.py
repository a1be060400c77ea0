# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tasks in processes of their own, so that one that ends its process, or never ends, costs that task alone."""

import multiprocessing
import time


def serve(make, arguments, pipe):
    """Answers each task by what `make(*arguments)` gives of it, or by an error."""
    work = make(*arguments)
    while (task := pipe.recv()) is not None:
        try:
            pipe.send((work(task), ""))
        except Exception as error:  # noqa: BLE001: reported with the task
            pipe.send((None, f"{type(error).__name__}: {str(error)[:300]}"))


class Worker:
    def __init__(self, make, arguments):
        self.context, self.make, self.arguments = multiprocessing.get_context("spawn"), make, arguments
        self.process = self.task = None

    def start(self):
        self.pipe, end = self.context.Pipe()
        self.process = self.context.Process(target=serve, args=(self.make, self.arguments, end), daemon=True)
        self.process.start()
        end.close()

    def give(self, task):
        if not self.process:
            self.start()
        self.task, self.since = task, time.monotonic()
        self.pipe.send(task)

    def take(self, seconds):
        """(task, answer, error) of a task that has ended or is older than that; None while it runs."""
        answer, error = None, ""
        try:
            if self.pipe.poll(0):
                answer, error = self.pipe.recv()
            elif time.monotonic() - self.since > seconds:
                error = f"no result after {seconds:.0f} s"
            else:
                return None
        except (EOFError, OSError):
            self.process.join()
            error = f"the process ended with {self.process.exitcode}"
        task, self.task = self.task, None
        # After an error of the GPU the process can do nothing more with it.
        if error:
            self.stop()
        return task, answer, error

    def ask(self, task, seconds):
        """(answer, error), when it is there."""
        self.give(task)
        while not (done := self.take(seconds)):
            time.sleep(0.001)
        return done[1:]

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.join()
            self.pipe.close()
        self.process = self.task = None


def run_all(workers, tasks, seconds, each_seconds):
    """Yields (task, answer, error) of all tasks, side by side, and of those that do not end in time none."""
    left, end = list(reversed(tasks)), time.monotonic() + seconds
    try:
        while (left or any(worker.task is not None for worker in workers)) and time.monotonic() < end:
            for worker in workers:
                if worker.task is not None and (done := worker.take(each_seconds)):
                    yield done
                if worker.task is None and left:
                    worker.give(left.pop())
            time.sleep(0.001)
    finally:
        for worker in workers:
            worker.stop()
