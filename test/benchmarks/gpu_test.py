"""benchmarks/gpu: arrays that two machines make alike, weights that travel as seeds, and a run under the driver of the
tests. usage: gpu_test.py BIN FAKE_DRIVER"""
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "benchmarks/gpu"
sys.path.insert(0, str(FOLDER))
import arrays  # noqa: E402
import weights  # noqa: E402

DRIVER, BIN = sys.argv.pop(2), sys.argv.pop(1)


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


class Run(unittest.TestCase):
    def test_prepared_here_and_run_there(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, "-B", FOLDER / "prepare.py", BIN, f"{folder}/gpu", "--group", "check", "--only",
                                   "means."], capture_output=True, text=True)
            self.assertEqual((0, ""), (done.returncode, done.stderr))
            self.assertRegex(done.stdout, r"^(\d+) of \1 cases prepared")
            cases = json.loads(pathlib.Path(folder, "gpu/cases.json").read_text())
            self.assertEqual({"interpreter"}, {case["reference"] for case in cases})
            environment = os.environ | {"FUSE_CUDA_DRIVER": DRIVER, "FAKE_CUDA_CHIP": "90", "FAKE_CUDA_REAL_IMAGES": "1"}
            measure = [sys.executable, "-B", f"{folder}/gpu/measure.py", f"{folder}/gpu", "--jobs", "2"]
            done = subprocess.run([*measure, "--dry-run"], capture_output=True, text=True, env=environment)
            self.assertEqual((0, ""), (done.returncode, done.stderr))
            self.assertIn(f"{len(cases)} cases checked, 0 failed", done.stdout)
            # Kernels of this driver compute nothing, which is seen.
            done = subprocess.run(measure, capture_output=True, text=True, env=environment)
            self.assertEqual(1, done.returncode)
            self.assertIn(f"{len(cases)} cases checked, {len(cases)} failed", done.stdout)

    def test_programs_are_tuned(self):
        with tempfile.TemporaryDirectory() as folder:
            environment = os.environ | {"FUSE_CUDA_DRIVER": DRIVER, "FAKE_CUDA_CHIP": "90", "FAKE_CUDA_REAL_IMAGES": "1"}
            tune = [sys.executable, "-B", FOLDER / "tune.py", BIN, folder, "--minutes", "0.1", "--dry-run", "--only"]
            done = subprocess.run([*tune, "transpose_8192"], capture_output=True, text=True, env=environment)
            self.assertEqual((0, ""), (done.returncode, done.stderr))
            self.assertRegex(done.stdout, r"\| transpose_8192 \| [\d.]+ \| [\d.]+ \| [\d.]+ \| \d+")
            self.assertIn("1 of 1 programs tuned, 0 failed", done.stdout)
            self.assertEqual("sm_90", json.loads(pathlib.Path(folder, "schedules.json").read_text())["device"])
            done = subprocess.run([*tune, "transpose_8192"], capture_output=True, text=True,
                                  env=environment | {"FAKE_CUDA_DEVICES": "0"})
            self.assertEqual(1, done.returncode)
            self.assertIn("not tuned: transpose_8192: fuse-tune: error: --target cuda: cannot open a GPU", done.stdout)


if __name__ == "__main__":
    unittest.main()
