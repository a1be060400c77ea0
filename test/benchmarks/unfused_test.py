"""benchmarks/unfused: joining two reports, and a comparison that runs. usage: unfused_test.py FUSE_RUN MEMORY_BOUND"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "benchmarks"
sys.path[:0] = [str(FOLDER / "unfused"), str(FOLDER)]
import table  # noqa: E402
from join import join, kernels_of, may_be_above, merged, sure_ratio  # noqa: E402

MEMORY_BOUND, FUSE_RUN = sys.argv.pop(2), sys.argv.pop(1)


def plan(*kernels):
    """Kernels from the places of their ops."""
    return [{"id": i, "locations": list(places)} for i, places in enumerate(kernels)]


class Join(unittest.TestCase):
    def ids(self, fused, unfused):
        groups, lost = join(plan(*fused), plan(*unfused))
        return [(group.fused, group.unfused) for group in groups], lost

    def test_a_kernel_has_the_kernels_of_its_ops(self):
        self.assertEqual(([([0], [0, 2]), ([1], [1])], []), self.ids(["ac", "b"], ["a", "b", "c"]))

    def test_an_op_of_several_kernels_in_either_plan(self):
        # b is two kernels unfused; fused, each is part of another.
        self.assertEqual(([([0, 1], [0, 1, 2, 3])], []), self.ids(["ab", "bc"], ["a", "b", "b", "c"]))

    def test_an_op_that_no_fused_kernel_has(self):
        self.assertEqual(([([0], [0])], [1]), self.ids(["a"], ["a", "b"]))

    def test_ops_that_never_were_apart(self):
        self.assertEqual(([([0, 1], [0])], []), self.ids(["a", "b"], ["ab"]))

    def test_only_what_fusion_changed_is_compared(self):
        groups, _ = join(plan("ab", "c"), plan("a", "b", "c"))
        self.assertEqual([[0]], [group.fused for group in merged(groups)])
        self.assertEqual((5, 3), merged(groups)[0].times({0: 5, 1: 9}, {0: 1, 1: 2, 2: 9}))

    def test_host_ops_and_launches_without_times_are_left_out(self):
        kernels = [{"label": "host", "ms": 1}, {"label": "other"}, {"label": "other", "ms": 1}]
        self.assertEqual(kernels[2:], kernels_of({"functions": [{"kernels": kernels}]}))


class Rounds(unittest.TestCase):
    def test_three_of_four_rounds_must_say_so(self):
        self.assertEqual(1.2, sure_ratio([1.3, 0.9, 1.2, 1.4]))
        self.assertEqual(1.0, sure_ratio([1.3, 0.9, 1.0, 1.4]))

    def test_rounds_end_when_nothing_can_be_above(self):
        self.assertTrue(may_be_above([0.9], 1.05, 4))
        self.assertFalse(may_be_above([0.9, 0.9], 1.05, 4))
        self.assertTrue(may_be_above([0.9, 1.1, 1.1], 1.05, 4))


class Run(unittest.TestCase):
    def test_programs_of_both_sources(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([MEMORY_BOUND, "--write-programs", folder], check=True)
            for path in pathlib.Path(folder).iterdir():  # most are large
                if not path.name.startswith("row_sums_1"):
                    path.unlink()
            run = [FUSE_RUN, "--programs", folder, "--threads", "1", "--rounds", "1", "--runs", "1", "--every", "--only"]
            run = [sys.executable, "-B", str(FOLDER / "unfused" / "unfused.py"), *run]
            chain = subprocess.run([*run, "two_cheap_4k"], capture_output=True, text=True, check=True).stdout
            sums = subprocess.run([*run, "row_sums_1"], capture_output=True, text=True, check=True).stdout
        self.assertIn(table.header(), chain)
        self.assertRegex(chain, r"two_cheap_4k +0: relu_neg +1 .* 2 unfused kernels")
        self.assertEqual(1, table.count(chain.splitlines())[0])
        # One op has nothing to be compared with.
        self.assertIn("unfused: 0 of 0 kernels", sums)


if __name__ == "__main__":
    unittest.main()
