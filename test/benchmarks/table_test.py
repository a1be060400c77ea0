"""benchmarks/table.py: rows, and counting them; memory_bound prints the same head. usage: table_test.py MEMORY_BOUND"""
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "benchmarks"))
import table  # noqa: E402

MEMORY_BOUND = sys.argv.pop(1)


class Table(unittest.TestCase):
    def test_a_ratio_above_what_is_wanted_is_marked(self):
        self.assertTrue(table.row("a", "4x4", 1, 2.2, "b", 2.0, 1.05).endswith("   1.10   1.05 *"))
        self.assertTrue(table.row("a", "4x4", 1, 2.0, "b", 2.0, 1.05).endswith("   1.00   1.05"))

    def test_the_median_of_ratios_counts_rather_than_that_of_the_times(self):
        self.assertTrue(table.row("a", "", 1, 2.0, "b", 1.0, 1.05, ratio=0.9).endswith("   0.90   1.05"))

    def test_columns_stand_below_their_titles(self):
        row = table.row("softmax", "4096x1024", 2, 1.2345, "memcpy", 0.01, 1.4, unit="us")
        for title, text in (("what", "softmax"), ("size", "4096x1024"), ("reference", "memcpy")):
            self.assertEqual(table.header().index(title), row.index(text))
        for title, text in (("threads", " 2"), ("  time", "1.234 us"), ("its time", "0.01000 us"), ("ratio", "123.45")):
            self.assertEqual(table.header().index(title) + len(title), row.index(text) + len(text), title)

    def test_rows_are_counted_and_nothing_else(self):
        lines = ["cpu: x, medians of 3; * is above what is wanted", table.header(), table.row("a", "", 1, 2, "b", 1, 1.05),
                 table.row("a", "", 1, 1, "b", 1, 1.05) + "\n", "models: 1 of 2 within 1.05, largest 1.90", ""]
        self.assertEqual("1 of 2 rows are above what is wanted", table.summary(lines))

    def test_memory_bound_prints_the_same_head(self):
        run = subprocess.run([MEMORY_BOUND, "--only", "no such kernel"], capture_output=True, text=True, check=True)
        self.assertEqual(table.header(), run.stdout.splitlines()[1])


if __name__ == "__main__":
    unittest.main()
