"""Every wrong input is an exception that says where, what was expected and what was found."""
import numpy as np
import pytest

import fuse
from programs import LAYER, WEIGHTS

X = np.ones((5, 4), np.float32)


@pytest.fixture(scope="module")
def program():
    return fuse.compile(LAYER, weights={"w": WEIGHTS})


@pytest.mark.parametrize("arrays, text", [
    ((), "input 'x' is missing"),
    ((X, X), "expected at most 1 arrays, found 2"),
    ((X.astype(np.float64),), "input 'x': expected float32, found float64"),
    ((X[0],), "input 'x': expected rank 2 of f32, found rank 1 of f32"),
    ((X[:, :3],), r"input 'x': expected sizes \[-1, 4\] \(-1: any\), found \[5, 3\]"),
    (("text",), "input 'x': expected an array of NumPy or one that DLPack exports, found str"),
    ((None,), "input 'x': expected an array of NumPy or one that DLPack exports, found NoneType"),
    ((X.astype(complex),), "input 'x': expected float32, found complex128"),
])
def test_calls(program, arrays, text):
    with pytest.raises(fuse.Error, match=text):
        program(*arrays)
    assert program(X).shape == (5, 3)  # as if nothing had happened


def test_names(program):
    with pytest.raises(fuse.Error, match="no input is named 'z': expected 'x'"):
        program(z=X)
    with pytest.raises(fuse.Error, match="input 'x' is given twice"):
        program(X, x=X)
    with pytest.raises(fuse.Error, match="no output is named 'z'"):
        program.run(["z"], {"x": X})


def test_text_has_places():
    with pytest.raises(fuse.Error, match="layer.mlir:2:3: error: ") as caught:
        fuse._core.compile(b"func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n  fuse.nothing\n}", name="layer.mlir")
    [message] = caught.value.messages
    assert (message["severity"], message["file"], message["line"], message["column"]) == ("error", "layer.mlir", 2, 3)


@pytest.mark.parametrize("arguments, text", [
    ({"numerics": "fast"}, "numerics: expected exact, reassociates, folds or reduced-precision, found 'fast'"),
    ({"precision": "fp4"}, "precision: expected as-written, bf16 or int8, found 'fp4'"),
    ({"precision": "int8"}, "--precision int8 needs --calibrate"),
    ({"precision": "bf16", "numerics": "exact"}, "numerics: expected reduced-precision with --precision bf16, found 'exact'"),
    ({"calibrate": {"x": X}}, "--calibrate needs --precision"),
    ({"precision": "int8", "calibrate": [3]}, "calibrate: expected arrays by the names of inputs, or a path, found int"),
    ({"target": "tpu"}, "target: expected"),
    ({"threads": 0}, "threads: expected an integer from 1 to 4096, found '0'"),
    ({"weights": {"w": WEIGHTS[:2]}}, "parameter 'w': expected"),
    ({"weights": {"v": WEIGHTS}}, "is named 'v'"),
    ({"weights": {"w": "text"}}, "weight 'w': expected an array"),
    ({"inputs": {"x": X}}, "inputs needs a model"),
    ({"dynamic_shapes": {"rows": "many"}}, "dynamic_shapes: 'rows': expected a size"),
    ({"dynamic_shapes": {"rows": 3}}, "dim needs a model"),
    ({"function": "g"}, "expected a function @g|g"),
    ({"format": "pickle"}, "format: expected auto, mlir, onnx, torch or stablehlo, found 'pickle'"),
])
def test_arguments(arguments, text):
    with pytest.raises(fuse.Error, match=text):
        fuse.compile(LAYER, **arguments)


def test_sources(tmp_path):
    with pytest.raises(fuse.Error, match="expected a path, bytes or an onnx.ModelProto, found builtins.int"):
        fuse.compile(3)
    with pytest.raises(fuse.Error, match="cannot read .*nowhere.mlir': No such file"):
        fuse.compile(tmp_path / "nowhere.mlir")
    with pytest.raises(fuse.Error, match="expected a program that ends in .onnx, .pt2, .stablehlo, .mlir or .mlirbc, found 'model.pb'"):
        fuse.compile("model.pb")
    with pytest.raises(fuse.Error, match="no ONNX model"):
        fuse.compile(b"\0\1\2")


def test_bundles(tmp_path):
    with pytest.raises(fuse.Error, match="cannot load: No such file"):
        fuse.load(tmp_path / "nowhere.so")
    (tmp_path / "text.so").write_text("text")
    with pytest.raises(fuse.Error, match="text.so': cannot load"):
        fuse.load(tmp_path / "text.so")
    with pytest.raises(fuse.Error, match="ends in .so"):
        fuse.compile(LAYER).save(tmp_path / "model.bundle")
