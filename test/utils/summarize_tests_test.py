"""utils/summarize_tests.py must count what lit and ctest report, and never lose a failure."""
import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "utils"))
import summarize_tests  # noqa: E402

LIT = """<testsuites><testsuite name="fuse">
<testcase classname="fuse.IR" name="ops.mlir"/>
<testcase classname="fuse.IR" name="gpu.mlir"><skipped message="Missing required feature(s): cuda"/></testcase>
%s</testsuite></testsuites>"""
CTEST = """<testsuite>
<testcase name="Npy.Reads" classname="Npy.Reads" status="run"/>
<testcase name="Gpu.Runs" classname="Gpu.Runs" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/></testcase>
%s</testsuite>"""


class SummarizeTests(unittest.TestCase):
    def run_on(self, *reports):
        """(exit status, printed lines) for reports given as (text or None, status)."""
        with tempfile.TemporaryDirectory() as folder:
            arguments = []
            for index, (text, status) in enumerate(reports):
                path = pathlib.Path(folder, f"report{index}.xml")
                if text is not None:
                    path.write_text(text)
                arguments.append(f"{path}={status}")
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                code = summarize_tests.main(arguments)
        return code, out.getvalue().splitlines()

    def test_sums_and_lists_skips(self):
        code, lines = self.run_on((LIT % "", 0), (CTEST % "", 0))
        self.assertEqual(0, code)
        self.assertEqual(["skipped: fuse.IR/gpu.mlir: Missing required feature(s): cuda",
                          "skipped: Gpu.Runs: SKIP_RETURN_CODE=77", "2 passed, 0 failed"], lines)

    def test_failures(self):
        code, lines = self.run_on(
            (LIT % '<testcase classname="fuse.IR" name="bad.mlir"><failure>text</failure></testcase>', 1),
            (CTEST % '<testcase name="A.B" classname="A.B" status="fail"><failure message=""/></testcase>', 8))
        self.assertEqual(1, code)
        self.assertIn("failed: fuse.IR/bad.mlir", lines)
        self.assertIn("failed: A.B", lines)
        self.assertEqual("2 passed, 2 failed", lines[-1])

    def test_a_test_that_cannot_run_has_failed(self):
        code, lines = self.run_on((CTEST % '<testcase name="A" classname="A" status="notrun">'
                                   '<skipped message="Unable to find executable"/></testcase>', 8))
        self.assertEqual((1, "1 passed, 1 failed"), (code, lines[-1]))

    def test_a_missing_or_broken_report_has_failed(self):
        for text in (None, "", "<testsuite>", "<testsuite/>"):
            code, lines = self.run_on((LIT % "", 0), (text, 0))
            self.assertEqual((1, "1 passed, 1 failed"), (code, lines[-1]))

    def test_a_crashed_runner_has_failed(self):
        code, lines = self.run_on((LIT % "", 139))
        self.assertEqual((1, "1 passed, 1 failed"), (code, lines[-1]))


if __name__ == "__main__":
    unittest.main()
