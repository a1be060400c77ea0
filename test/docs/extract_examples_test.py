"""utils/extract_examples.py must see a missing text, a missing example and one that does not verify.

usage: extract_examples_test.py, with the arguments of utils/extract_examples.py but for the files
"""
import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "utils"))
import extract_examples  # noqa: E402

ARGUMENTS = extract_examples.make_parser().parse_args()
# fuse.cast exists, so that its example can run whatever this definition says.
DEFINITION = """include "fuse/IR/FuseOpBase.td"
def Test_CastOp : Fuse_Op<"cast"> {{
  let summary = "{summary}";
  let description = [{{
    Text.
    {example}
  }}];
}}
"""
EXAMPLE = """
    ```mlir
    func.func @f(%x: tensor<4xf32>) -> tensor<4x{type}> {{
      %0 = fuse.cast %x : (tensor<4xf32>) -> tensor<4xi8>
      return %0 : tensor<4xi8>
    }}
    ```"""

PASS = """include "mlir/Pass/PassBase.td"
def Label : Pass<"fuse-label", "::mlir::ModuleOp"> {{
  let summary = "labels";
  let description = [{{
    Text.
    {example}
  }}];
}}
"""


class ExtractExamples(unittest.TestCase):
    def run_on(self, summary, example):
        return self.run_on_text(DEFINITION.format(summary=summary, example=example))

    def run_on_text(self, definition):
        with tempfile.NamedTemporaryFile("w", suffix=".td") as file:
            file.write(definition)
            file.flush()
            ARGUMENTS.files = [file.name]
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                code = extract_examples.main(ARGUMENTS)
        return code, out.getvalue()

    def test_good(self):
        code, text = self.run_on("casts", EXAMPLE.format(type="i8"))
        self.assertEqual(0, code, text)
        # With the attributes of the included files.
        self.assertNotIn("\n0 examples", text)

    def test_no_summary(self):
        code, text = self.run_on("", EXAMPLE.format(type="i8"))
        self.assertEqual(1, code)
        self.assertIn("op fuse.cast: no summary", text)

    def test_no_example(self):
        code, text = self.run_on("casts", "")
        self.assertEqual(1, code)
        self.assertIn("op fuse.cast: no example that uses it", text)

    def test_pass_without_example(self):
        code, text = self.run_on_text(PASS.format(example=""))
        self.assertEqual(1, code)
        self.assertIn("pass fuse-label: no example", text)

    def test_pass_with_example(self):
        code, text = self.run_on_text(PASS.format(example=EXAMPLE.format(type="i8")))
        self.assertEqual(0, code, text)

    def test_example_that_the_pass_refuses(self):
        # A block without a schedule.
        example = """
    ```mlir
    func.func private @k(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
      return %x : tensor<8xf32>
    }
    ```"""
        text = PASS.replace("fuse-label", "fuse-tile-kernels").format(example=example)
        code, text = self.run_on_text(text)
        self.assertEqual(1, code)
        self.assertIn("pass fuse-tile-kernels: <stdin>", text)

    def test_wrong_example(self):
        code, text = self.run_on("casts", EXAMPLE.format(type="i16"))
        self.assertEqual(1, code)
        self.assertIn("op fuse.cast: <stdin>", text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
