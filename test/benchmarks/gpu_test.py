"""benchmarks/gpu: arrays that two machines make alike, weights that travel as seeds, and a run under the driver of the
tests. usage: gpu_test.py BIN FAKE_DRIVER"""
import json
import math
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import time
import unittest

import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "benchmarks/gpu"
sys.path.insert(0, str(FOLDER))
import arrays  # noqa: E402
import calibration  # noqa: E402
import driver  # noqa: E402
import weights  # noqa: E402
import workers  # noqa: E402

# Not in the processes that workers start.
DRIVER, BIN = (sys.argv.pop(2), sys.argv.pop(1)) if __name__ == "__main__" else ("", "")


class Arrays(unittest.TestCase):
    def test_the_same_name_gives_the_same_elements(self):
        for kind in arrays.TYPES.values():
            np.testing.assert_array_equal(arrays.make("x", [3, 5], kind), arrays.make("x", [3, 5], kind))
        self.assertTrue((arrays.make("i", [1000], "int64", 7) < 7).all())
        self.assertEqual((), arrays.make("x", [], "float32").shape)

    def test_rounding_to_bfloat16(self):
        self.assertEqual([0x3F80, 0x4000, 0x3F80], arrays.to_bfloat16(np.array([1, 2, 1.001])).tolist())

    def test_faults_in_units_of_the_tolerance(self):
        want = np.array([1, 2, np.nan, np.inf], np.float32)
        self.assertEqual(0, arrays.largest_fault(want, want, "float32"))
        self.assertLess(arrays.largest_fault(want + np.float32(1e-5), want, "float32"), 1)
        self.assertGreater(arrays.largest_fault(want + np.float32(1e-3), want, "float32"), 1)
        self.assertEqual(np.inf, arrays.largest_fault(np.zeros(4, np.float32), want, "float32"))
        self.assertEqual(np.inf, arrays.largest_fault(np.array([1]), np.array([2]), "int64"))
        self.assertEqual(np.inf, arrays.largest_fault(want[:2], want, "float32"))


class Weights(unittest.TestCase):
    def test_a_file_is_restored_to_the_byte(self):
        recipe = (3, (8, 16), 0.5)
        parts = [weights.make(recipe).tobytes(), b"12345678", np.ascontiguousarray(weights.make(recipe).T).tobytes()]
        head = b"FUSEWGHT" + bytes(weights.HEAD - 16) + struct.pack("<q", len(parts))
        offset, entries = weights.HEAD + 16 * len(parts), b""
        for part in parts:
            entries += struct.pack("<qq", offset, len(part))
            offset += len(part)
        data = head + entries + b"".join(parts)
        known = type("Known", (), {"known": {weights.key(parts[0]): (recipe, None), weights.key(parts[2]): (recipe, (1, 0))}})
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "w.weights")
            path.write_bytes(data)
            self.assertEqual((3, 2), weights.shorten(str(path), known))
            path.unlink()
            weights.restore(str(path))
            self.assertEqual(data, path.read_bytes())


class Chips(unittest.TestCase):
    def test_the_fastest_code_that_a_gpu_runs(self):
        every = ["sm_80", "sm_90", "sm_90a"]
        for number, chip in ((80, "sm_80"), (86, "sm_80"), (89, "sm_80"), (90, "sm_90a"), (75, None), (100, None), (120, None)):
            self.assertEqual(chip, driver.choose_chip(every, number), number)
        self.assertEqual("sm_90", driver.choose_chip(["sm_80", "sm_90"], 90))
        self.assertEqual(None, driver.choose_chip(["sm_80"], 90))
        # PTX runs on all later GPUs; what is assembled is preferred.
        for number, chip in ((80, "sm_80"), (90, "sm_90a"), (100, "compute_90"), (120, "compute_90"), (75, None)):
            self.assertEqual(chip, driver.choose_chip(driver.CHIPS, number), number)
        self.assertEqual("compute_80", driver.choose_chip(["compute_80", "sm_80"], 90))


class Calibration(unittest.TestCase):
    def test_figures_follow_from_times(self):
        case = {"ns": 1000.0, "blocks": 264, "flops": 264_000_000}
        measured = {name: case for name in ("product_f16", "product_f32", "product_i8", "rate", "launches")}
        measured |= {f"read_{rows}": {"ns": 1000.0 * (i + 1)} for i, rows in enumerate((*calibration.CACHED_ROWS,
                                                                                     calibration.MEMORY_ROWS))}
        figures = {key: value for key, (value, _) in calibration.make_figures(measured, 132, {"readback_bw": (50, "")}).items()}
        # Two blocks for each of 132 multiprocessors.
        self.assertEqual(2000, figures["matmul_flops_per_ns"])
        self.assertEqual(2000 / calibration.PRICED_PART, figures["tensor_flops_per_ns"])
        self.assertEqual(2000 / calibration.PRICED_PART, figures["tensor_int8_flops_per_ns"])
        self.assertEqual(float(f"{4096 * calibration.MEMORY_ROWS / 3000:.4g}"), figures["memory_bw"])
        self.assertEqual(float(f"{4096 * 3072 / 1000 / 132:.4g}"), figures["l3_bw"])
        self.assertEqual(float(f"{1000 / 64:.4g}"), figures["dispatch_ns"])
        self.assertEqual(50, figures["readback_bw"])
        self.assertNotIn("tf32_flops_per_ns", figures)

    def test_what_was_not_measured_is_left_out(self):
        self.assertEqual({}, calibration.make_figures({}, 132, {}))
        self.assertEqual({}, calibration.make_figures({"product_f16": {"ns": 0, "blocks": 1, "flops": 1}}, 132, {}))

    def test_the_speed_of_subgroups_is_that_of_the_compiler(self):
        header = (FOLDER.parents[1] / "include/fuse/Analysis/TensorTiles.h").read_text()
        self.assertIn(f"kSubgroupSpeed = {calibration.SUBGROUP_SPEED};", header)


def end_process(task):
    """For Workers: ends in all ways."""
    if task == "ends":
        os._exit(3)
    if task == "hangs":
        time.sleep(100)
    if task == "fails":
        raise ValueError("for a test")
    return task.upper()


class Workers(unittest.TestCase):
    def test_a_task_costs_itself_alone(self):
        worker = workers.Worker(give_work, ())
        self.assertEqual(("A", ""), worker.ask("a", 20))
        self.assertEqual((None, "ValueError: for a test"), worker.ask("fails", 20))
        self.assertEqual((None, "the process ended with 3"), worker.ask("ends", 20))
        self.assertEqual((None, "no result after 1 s"), worker.ask("hangs", 1))
        self.assertEqual(("B", ""), worker.ask("b", 20))
        worker.stop()

    def test_side_by_side_until_time_is_over(self):
        done = list(workers.run_all([workers.Worker(give_work, ()) for _ in range(2)], ["a", "ends", "b", "c"], 30, 20))
        self.assertEqual([("a", "A", ""), ("b", "B", ""), ("c", "C", ""), ("ends", None, "the process ended with 3")],
                         sorted(done, key=lambda each: each[0]))
        self.assertEqual([], list(workers.run_all([workers.Worker(give_work, ())], ["hangs"], 1, 20)))


def give_work():
    return end_process


def run(*command, **environment):
    base = {"FUSE_CUDA_DRIVER": DRIVER, "FAKE_CUDA_CHIP": "90", "FAKE_CUDA_REAL_IMAGES": "1", "FAKE_CUDA_MEMORY": "4000000000",
            "FUSE_BENCHMARK_BIN": BIN, "FUSE_PEERS_PYTHON": sys.executable}
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, env=os.environ | base | environment)


class Run(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.place.name, "gpu")
        cls.prepared = run(sys.executable, "-B", FOLDER / "prepare.py", BIN, cls.folder, "--group", "check,calibrate,time,model",
                           "--only", "means.", "--chip", "sm_90a,sm_80")
        # What travels is all that there is.
        cls.measure = [sys.executable, "-I", "-B", cls.folder / "measure.py", cls.folder, "--jobs", "2"]

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def cases(self, group):
        return [case for case in json.loads((self.folder / "cases.json").read_text())["cases"] if case["group"] == group]

    def test_prepared(self):
        self.assertEqual((0, ""), (self.prepared.returncode, self.prepared.stderr))
        self.assertRegex(self.prepared.stdout, r"^(\d+) of \1 cases prepared in \S+ for sm_90a, sm_80: \d+ MB\n$")
        self.assertEqual({"interpreter"}, {case["reference"] for case in self.cases("check")})
        chips = json.loads((self.folder / "cases.json").read_text())["chips"]
        self.assertEqual((128, None), tuple(chips[chip].get("warpgroup_size") for chip in ("sm_90a", "sm_80")))

    def test_what_travels_needs_nothing_of_the_repository(self):
        names = [path.stem for path in self.folder.glob("*.py")]
        text = f"import sys; sys.path.insert(0, {str(self.folder)!r}); import {', '.join(names)}"
        done = run(sys.executable, "-I", "-B", "-c", text)
        self.assertEqual((0, ""), (done.returncode, done.stderr))

    def test_checked(self):
        done = run(*self.measure, "--group", "check", "--dry-run")
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        count = len(self.cases("check"))
        self.assertIn(f"{count} cases checked, 0 failed", done.stdout)
        # Kernels of this driver compute nothing, which is seen.
        done = run(*self.measure, "--group", "check")
        self.assertEqual(1, done.returncode)
        self.assertIn(f"{count} cases checked, {count} failed", done.stdout)

    def test_code_is_that_of_the_gpu(self):
        for number, chip in (("90", "sm_90a"), ("80", "sm_80"), ("89", "sm_80")):
            done = run(*self.measure, "--group", "check", "--dry-run", FAKE_CUDA_CHIP=number)
            self.assertEqual((0, ""), (done.returncode, done.stderr), number)
            self.assertIn(f"code of {chip} of sm_90a, sm_80", done.stdout)
        for environment, reason in (({"FAKE_CUDA_CHIP": "100"}, "expected code that sm_100 runs; prepare.py makes it with --chip compute_90"),
                                    ({"FAKE_CUDA_VERSION": "11080"}, "expected a driver of CUDA 12.0 or later, found one of CUDA 11.8"),
                                    ({"FAKE_CUDA_DEVICES": "0"}, "cuInit: CUDA_ERROR_NO_DEVICE"),
                                    ({"FUSE_CUDA_DRIVER": "/nowhere/libcuda.so.1"}, "no driver of NVIDIA's")):
            done = run(*self.measure, **environment)
            self.assertEqual((1, ""), (done.returncode, done.stderr))
            self.assertIn(f"nothing is measured: {reason}", done.stdout)

    def test_what_is_damaged_is_a_row(self):
        cases = self.cases("check")
        file = self.folder / f"{cases[0]['file']}.sm_90a.so"
        saved = file.read_bytes()
        try:
            file.write_bytes(b"no library")
            done = run(*self.measure, "--group", "check", "--dry-run")
        finally:
            file.write_bytes(saved)
        self.assertEqual(1, done.returncode)
        self.assertRegex(done.stdout, rf"FAILED {re.escape(cases[0]['name'])}: OSError: .*(invalid ELF|file too short)")
        self.assertIn(f"{len(cases)} cases checked, 1 failed", done.stdout)

    def test_a_calibrated_target_predicts_what_was_measured(self):
        done = run(*self.measure, "--group", "calibrate", "--dry-run")
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        self.assertRegex(done.stdout, r"\| `tensor_flops_per_ns` \| 7495.0 \| [\d.]+ \|")
        self.assertRegex(done.stdout, r"mma.sync has [\d.]+ of the speed of wgmma")
        target = json.loads((self.folder / "target.json").read_text())
        self.assertEqual(128, target["figures"]["warpgroup_size"])
        # The driver's clock knows 1 us for a launch and 10 ns for each block, and nothing of memory.
        target["figures"] |= {"memory_bw": 1e9, "thread_memory_bw": 1e9, "l3_bw": 1e9}
        (self.folder / "computing.json").write_text(json.dumps(target))
        program = self.folder / "product.mlir"
        kind = "tensor<4096x4096xf16>"
        program.write_text(f"func.func @main(%a: {kind}, %b: {kind}) -> {kind} {{\n"
                           f"  %y = fuse.matmul %a, %b : ({kind}, {kind}) -> {kind}\n  return %y : {kind}\n}}\n")
        done = run(f"{BIN}/fuse-run", program, "--target", "cuda", "--chip", "sm_90a", "--cost-target", self.folder / "computing.json",
                   "--report-json", "-")
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        kernel, = json.loads(done.stdout)["functions"][0]["kernels"]
        measured = 1000 + 10 * kernel["planned_blocks"]
        self.assertLess(abs(math.log(1e6 * kernel["predicted_ms"] / measured)), math.log(1.3))

    def test_the_whole_benchmark(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run(FOLDER.parent / "run.sh", "gpu", "--folder", f"{folder}/gpu", "--group", "check,calibrate,time,model", "--only",
                       "add_", "--dry-run", "--minutes", "3")
            self.assertEqual((0, ""), (done.returncode, done.stderr))
            order = ["cases prepared", "code of sm_90a", "cases checked, 0 failed", "GB/s", "target.json is written",
                     "| program of the cost model's |", "predicted beside measured", "programs timed, 0 failures", "programs tuned"]
            places = [done.stdout.find(text) for text in order]
            self.assertNotIn(-1, places, done.stdout)
            self.assertEqual(places, sorted(places))

    def test_programs_are_tuned(self):
        with tempfile.TemporaryDirectory() as folder:
            tune = [sys.executable, "-B", FOLDER / "tune.py", BIN, folder, "--minutes", "0.1", "--dry-run", "--only"]
            done = run(*tune, "transpose_8192")
            self.assertEqual((0, ""), (done.returncode, done.stderr))
            self.assertRegex(done.stdout, r"\| transpose_8192 \| [\d.]+ \| [\d.]+ \| [\d.]+ \| \d+")
            self.assertIn("1 of 1 programs tuned, 0 failed", done.stdout)
            self.assertEqual("sm_90a", json.loads(pathlib.Path(folder, "schedules.json").read_text())["device"])
            # Of several, that whose code this GPU runs fastest.
            done = run(*tune, "transpose_8192", "--chip", "sm_90,sm_80")
            self.assertEqual((0, ""), (done.returncode, done.stderr))
            self.assertEqual("sm_90", json.loads(pathlib.Path(folder, "schedules.json").read_text())["device"])
            done = run(*tune, "transpose_8192", "--chip", "sm_90,sm_80", FAKE_CUDA_CHIP="100")
            self.assertEqual((1, "nothing is tuned: expected one of sm_90, sm_80 to be code that sm_100 runs"),
                             (done.returncode, done.stdout.strip().splitlines()[-1]))
            # Where there is no time for all, those that are left are named, and are no failures.
            done = run(*tune, "softmax", "--minutes", "0.02")
            self.assertEqual((0, ""), (done.returncode, done.stderr))
            self.assertRegex(done.stdout, r"time is over: softmax_\w+ and what follows are not tuned\n[1-4] of 5 programs tuned, 0 failed")
            done = run(*tune, "transpose_8192", "--chip", "sm_90", FAKE_CUDA_DEVICES="0")
            self.assertEqual(1, done.returncode)
            self.assertIn("not tuned: transpose_8192: fuse-tune: error: --target cuda: cannot open a GPU", done.stdout)


if __name__ == "__main__":
    unittest.main()
