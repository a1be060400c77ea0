"""Models of ONNX, beside ONNX Runtime."""
import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import fuse


def make_classifier():
    """Two layers and a softmax, for any number of rows."""
    rng = np.random.default_rng(1)
    arrays = {"w0": rng.standard_normal((16, 32), np.float32), "b0": rng.standard_normal(32, np.float32),
              "w1": rng.standard_normal((32, 10), np.float32)}
    nodes = [helper.make_node("MatMul", ["x", "w0"], ["h0"], "product"), helper.make_node("Add", ["h0", "b0"], ["h1"], "bias"),
             helper.make_node("Relu", ["h1"], ["h2"], "relu"), helper.make_node("MatMul", ["h2", "w1"], ["h3"], "logits"),
             helper.make_node("Softmax", ["h3"], ["y"], "softmax", axis=1)]
    graph = helper.make_graph(nodes, "classifier", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 16])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", 10])],
                              [numpy_helper.from_array(array, name) for name, array in arrays.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


@pytest.fixture(scope="module")
def model():
    return make_classifier()


def test_as_onnx_runtime(model, tmp_path):
    x = np.random.default_rng(2).standard_normal((7, 16), np.float32)
    want = onnxruntime.InferenceSession(model.SerializeToString()).run(None, {"x": x})[0]
    onnx.save(model, tmp_path / "model.onnx")
    for source in (model, model.SerializeToString(), tmp_path / "model.onnx"):
        program = fuse.compile(source)
        assert np.allclose(program(x), want, atol=1e-6)
        assert program.inputs[0].shape == ("batch", 16) and program.outputs[0].shape == ("batch", 10)


def test_shapes(model):
    x = np.ones((4, 16), np.float32)
    fixed = fuse.compile(model, dynamic_shapes={"batch": 4})
    assert fixed.inputs[0].shape == (4, 16) and fixed(x).shape == (4, 10)
    open_ = fuse.compile(model, dynamic_shapes={"batch": fuse.Dim(1, 8, likely=4)})
    assert open_(x).shape == (4, 10)
    with pytest.raises(fuse.Error, match="'x' is 9, above its bound of 8"):
        open_(np.ones((9, 16), np.float32))
    by_axis = fuse.compile(model, dynamic_shapes={"x": {0: (1, 8)}})
    assert by_axis(x).shape == (4, 10)


def test_sizes_with_code_of_their_own(model):
    program = fuse.compile(model, specialize="batch=1")
    assert any(variant.sizes == "batch=1" for variant in program.report.function.variants)
    x = np.ones((3, 16), np.float32)
    assert np.allclose(program(x)[:1], program(x[:1]), atol=1e-6)


def test_weights_in_place_of_the_models(model):
    x = np.ones((2, 16), np.float32)
    zero = fuse.compile(model, weights={"w1": np.zeros((32, 10), np.float32)})
    assert np.allclose(zero(x), 0.1)


def test_nodes_in_errors(model):
    wrong = onnx.ModelProto()
    wrong.CopyFrom(model)
    wrong.graph.node[2].op_type = "Sparkle"
    with pytest.raises(fuse.Error, match="node 'relu' \\(Sparkle\\)") as caught:
        fuse.compile(wrong)
    assert caught.value.messages[0]["file"] == "model.onnx"


def test_saved(model, tmp_path):
    program = fuse.compile(model)
    program.save(tmp_path / "model.so")
    x = np.ones((2, 16), np.float32)
    assert np.array_equal(fuse.load(tmp_path / "model.so")(x), program(x))
