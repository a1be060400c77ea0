"""benchmarks/builds: what rounds say, and a comparison that runs. usage: builds_test.py FUSE_RUN"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "benchmarks"
sys.path[:0] = [str(FOLDER / "builds"), str(FOLDER)]
import table  # noqa: E402
from builds import Row, summarize  # noqa: E402
from turns import is_clear, ratio_of, take_turns  # noqa: E402

FUSE_RUN = pathlib.Path(sys.argv.pop(1))


class Rounds(unittest.TestCase):
    def test_a_disturbed_round_does_not_move_the_ratio(self):
        self.assertEqual(1.0, ratio_of([(2, 2), (9, 3), (1, 1)]))

    def test_rounds_end_when_the_program_is_not_slower(self):
        self.assertFalse(is_clear([(1, 2)]))
        self.assertTrue(is_clear([(1, 2), (1, 2)]))
        self.assertFalse(is_clear([(1, 2), (2, 2)]))


    def test_a_program_that_seems_slower_is_asked_more_often(self):
        rounds = iter([(2, 1)] * 3 + [(1, 1)] * 6)
        self.assertEqual(9, len(take_turns(lambda: next(rounds), 3, 1.1)))
        self.assertEqual(3, len(take_turns(lambda: (1, 1), 3, 1.1)))
        self.assertEqual(2, len(take_turns(lambda: (1, 2), 3, 1.1)))


class Summary(unittest.TestCase):
    def test_files_are_apart_and_more_kernels_are_named(self):
        rows = [Row("a", False, 1, (1, 2), (3, 3), 0.5), Row("b", False, 2, (4, 2), (4, 3), 2.0),
                Row("m.onnx", True, 1, (1, 1), (1, 2), 1.0)]
        self.assertEqual(["programs: geometric mean of 2 rows 1.000, largest 2.00 (b, 2 threads)",
                          "files: geometric mean of 1 rows 1.000, largest 1.00 (m.onnx, 1 threads)",
                          "more kernels than before: b"], list(summarize(rows)))

    def test_what_is_wanted_of_files_is_less(self):
        texts = [str(Row("a", is_file, 1, (1, 1), (1, 1), 1.05)) for is_file in (False, True)]
        self.assertEqual((2, 1), table.count(texts))


class Run(unittest.TestCase):
    def run_builds(self, *arguments):
        return subprocess.run([sys.executable, "-B", FOLDER / "builds" / "builds.py", FUSE_RUN.parent, FUSE_RUN.parent, "--seconds",
                               "0.01", "--rounds", "2", "--threads", "1", *arguments], capture_output=True, text=True, check=False)

    def test_a_program_and_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "given.mlir"
            path.write_text("func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {\n"
                            "  %y = fuse.unary exp %x : tensor<8xf32>\n  return %y : tensor<8xf32>\n}\n", encoding="utf-8")
            given = self.run_builds("--no-programs", path)
        self.assertEqual(0, given.returncode, given.stderr)
        self.assertEqual(1, table.count(given.stdout.splitlines())[0])
        self.assertIn("1 and 1 kernels", given.stdout)
        made = self.run_builds("--only", "conv_relu_16_40")
        self.assertIn("programs: geometric mean of 1 rows", made.stdout, made.stderr)

    def test_a_program_that_does_not_run_ends_it(self):
        done = self.run_builds("--no-programs", "missing.mlir")
        self.assertEqual(1, done.returncode)
        self.assertIn("missing.mlir", done.stderr)


if __name__ == "__main__":
    unittest.main()
