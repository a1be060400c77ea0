"""benchmarks/convolutions: what is drawn is a program, the same for the same seed, and compared. usage:
convolutions_test.py FUSE_RUN"""
import pathlib
import subprocess
import sys
import unittest

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "benchmarks"
sys.path[:0] = [str(FOLDER / "convolutions"), str(FOLDER)]
import table  # noqa: E402
from generate import generate  # noqa: E402

FUSE_RUN = sys.argv.pop(1)


class Convolutions(unittest.TestCase):
    def test_a_seed_says_all(self):
        texts = [[draw.program.text() for draw in generate(20, seed)] for seed in (1, 1, 2)]
        self.assertEqual(texts[0], texts[1])
        self.assertNotEqual(texts[0], texts[2])

    def test_sizes_are_worth_timing(self):
        draws = generate(200, 1)
        self.assertEqual(200, len(draws))
        self.assertTrue(any(draw.is_line for draw in draws))
        self.assertTrue(all("conv2d" in draw.program.text() for draw in draws))

    def test_a_comparison(self):
        command = [sys.executable, "-B", str(FOLDER / "convolutions" / "convolutions.py"), FUSE_RUN, "--count", "2",
                   "--seed", "3", "--runs", "1", "--rounds", "1"]
        lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
        self.assertIn(table.header(), lines)
        self.assertEqual(2, table.count(lines)[0])
        self.assertRegex(lines[-1], r"^convolutions: \d of 2 are above 1\.05, geometric mean ")


if __name__ == "__main__":
    unittest.main()
