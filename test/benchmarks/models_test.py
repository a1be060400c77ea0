"""benchmarks/models: the model of a softmax, bundles from Python, and a worker. usage: models_test.py BIN"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "benchmarks" / "models"
sys.path[:0] = [str(FOLDER), str(FOLDER.parent)]
from bundle import Bundle, difference  # noqa: E402
from onnx_softmax import write_softmax  # noqa: E402
from programs import numerics_of  # noqa: E402

BIN = pathlib.Path(sys.argv.pop(1))


def softmax(x):
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


class Models(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.x = np.random.default_rng(1).standard_normal((8, 33), dtype=np.float32)
        model = write_softmax(str(cls.folder / "softmax.onnx"), 8, 33)
        cls.bundle = str(cls.folder / "softmax.so")
        subprocess.run([BIN / "fuse-compile", model, "-o", cls.bundle], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def test_a_bundle_runs_on_arrays(self):
        bundle = Bundle(self.bundle, 1)
        bundle.bind({"x": self.x})()
        np.testing.assert_allclose(bundle.outputs[0], softmax(self.x), rtol=1e-5)

    def test_a_bundle_says_what_is_wrong(self):
        with self.assertRaisesRegex(RuntimeError, "33"):
            Bundle(self.bundle, 1).bind({"x": self.x[:, :32]})

    def test_a_worker_answers(self):
        inputs, outputs = self.folder / "in.npz", self.folder / "out.npz"
        np.savez(inputs, x=self.x)
        run = subprocess.run([sys.executable, "-B", FOLDER / "worker.py", "fuse", self.bundle, inputs, "1", outputs],
                             input="3\n2\n", capture_output=True, text=True, check=True)
        loaded, *bursts = map(json.loads, run.stdout.splitlines())
        self.assertGreaterEqual(loaded["growth"], 0)
        self.assertEqual([3, 2], [len(burst) for burst in bursts])
        np.testing.assert_allclose(np.load(outputs)["arr_0"], softmax(self.x), rtol=1e-5)

    def test_differences_are_relative_to_the_largest_element(self):
        a, b = np.array([1.0, 100.0]), np.array([2.0, 100.0])
        self.assertAlmostEqual(0.01, difference([a, b], [b, b]))
        self.assertEqual(np.inf, difference([a], [b[:1]]))

    def test_numerics_by_name(self):
        classes = ["resnet:folds", "mobilenet:exact"]
        self.assertEqual(["--numerics", "folds"], numerics_of("/m/resnet50.onnx", classes))
        self.assertEqual([], numerics_of("/m/bert.onnx", classes))
        self.assertEqual(["--numerics", "exact"], numerics_of("/m/bert.onnx", ["exact"]))


if __name__ == "__main__":
    unittest.main()
