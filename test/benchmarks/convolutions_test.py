"""benchmarks/convolutions: what is drawn is a program, the same for the same seed, and compared. usage:
convolutions_test.py FUSE_RUN"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "benchmarks"
sys.path[:0] = [str(FOLDER / "convolutions"), str(FOLDER)]
import arrays  # noqa: E402
import table  # noqa: E402
from generate import generate  # noqa: E402

FUSE_RUN = sys.argv.pop(1)


class Convolutions(unittest.TestCase):
    def test_a_seed_says_all(self):
        texts = [[draw.program.text() for draw in generate(20, seed)] for seed in (1, 1, 2)]
        self.assertEqual(texts[0], texts[1])
        self.assertNotEqual(texts[0], texts[2])

    def test_programs_vary(self):
        draws = generate(200, 1)
        self.assertEqual(200, len(draws))
        self.assertTrue(any(draw.is_line for draw in draws))
        self.assertTrue(all("conv2d" in draw.program.text() for draw in draws))
        names = " ".join(draw.name for draw in draws)
        for part in ("bn", "relu", "add", "max", "avg", "mean", "dwk", "g2k", "k1", "k7", "s2p"):
            self.assertIn(part, names)

    def test_arrays_are_npz(self):
        """Random variances may be negative, and the roots of those are NaN."""
        draw = next(draw for draw in generate(50, 1) if draw.arrays())
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "variances.npz")
            arrays.write(path, draw.arrays())
            found = numpy.load(path)
            for name, values in draw.arrays().items():
                self.assertEqual((len(values),), found[name].shape)
                numpy.testing.assert_allclose(found[name], values, rtol=1e-6)

    def test_a_comparison(self):
        command = [sys.executable, "-B", str(FOLDER / "convolutions" / "convolutions.py"), FUSE_RUN, "--count", "2",
                   "--seed", "3", "--seconds", "0.01", "--rounds", "1"]
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([*command, "--keep", folder], capture_output=True, text=True, check=True)
            figures = json.loads(pathlib.Path(folder, "figures.json").read_text())
        lines = done.stdout.splitlines()
        self.assertIn(table.header(), lines)
        self.assertEqual(2, table.count(lines)[0])
        self.assertRegex(lines[-2], r"^predictions: \d of 2 are off by more than a factor of 2, geometric mean ")
        self.assertRegex(lines[-1], r"^convolutions: \d of 2 are above 1\.05, geometric mean ")
        self.assertEqual(2, len(figures))
        self.assertTrue(all(row["predicted"] > 0 and row["kernels"] for row in figures))


if __name__ == "__main__":
    unittest.main()
