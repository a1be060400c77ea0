"""Ways to compile, and what programs answer."""
import inspect
import time

import numpy as np
import pytest

import fuse
from programs import LAYER, WEIGHTS, layer, sums

X = np.linspace(-1, 1, 20, dtype=np.float32).reshape(5, 4)


def test_paths_and_bytes(tmp_path):
    (tmp_path / "layer.mlir").write_bytes(LAYER)
    for source in (LAYER, tmp_path / "layer.mlir", str(tmp_path / "layer.mlir"), bytearray(LAYER)):
        assert np.allclose(fuse.compile(source, weights={"w": WEIGHTS})(X), layer(X), atol=1e-6)


def test_as_an_inference_session():
    program = fuse.compile(LAYER)
    assert [(value.name, value.shape, value.type) for value in program.get_inputs()] == [
        ("x", ("rows", 4), "tensor(float)"), ("w", (4, 3), "tensor(float)")]
    assert program.outputs[0].shape == ("rows", 3)
    [y] = program.run(["y"], {"w": WEIGHTS, "x": X})
    assert np.allclose(y, layer(X), atol=1e-6)
    assert np.array_equal(program.run(None, {"w": WEIGHTS, "x": X})[0], y)
    assert np.array_equal(program(X, w=WEIGHTS), y) and np.array_equal(program(w=WEIGHTS, x=X), y)


def test_save_and_load(tmp_path):
    program = fuse.compile(LAYER, weights={"w": WEIGHTS})
    program.save(tmp_path / "layer.so")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["layer.h", "layer.so", "layer.weights"]
    loaded = fuse.load(tmp_path / "layer.so", threads=1)
    assert np.array_equal(loaded(X), program(X))
    assert loaded.inputs == program.inputs and loaded.cpus == "native"
    assert loaded.report.summary == program.report.summary
    with pytest.raises(fuse.Error, match="loaded from a bundle"):
        loaded.graph()
    with pytest.raises(fuse.Error, match="copy its files"):
        loaded.save(tmp_path / "again.so")


def test_code_for_several_cpus(tmp_path):
    program = fuse.compile(LAYER, weights={"w": WEIGHTS}, cpu=["native", "x86-64"])
    assert program.cpus == "native,x86-64" and program.cpu == "native"
    program.save(tmp_path / "layer.so")
    assert np.allclose(fuse.load(tmp_path / "layer.so")(X), layer(X), atol=1e-6)


def test_precision(tmp_path):
    samples = [{"x": X}, {"x": 2 * X[:2]}]
    np.savez(tmp_path / "x.npz", x=X)
    for precision, bound in (("bf16", 0.02), ("int8", 0.03)):
        program = fuse.compile(LAYER, weights={"w": WEIGHTS}, precision=precision, calibrate=samples)
        y = program(X)
        assert np.allclose(y, layer(X), atol=bound) and not np.array_equal(y, layer(X))
        [message] = program.messages
        assert message["severity"] == "remark" and message["text"].startswith(f"output 'y' in {precision}: off by 0.0")
        assert fuse.compile(LAYER, weights={"w": WEIGHTS}, precision=precision, calibrate=tmp_path / "x.npz").messages
    assert np.array_equal(fuse.compile(LAYER, weights={"w": WEIGHTS}, precision="as-written")(X),
                          fuse.compile(LAYER, weights={"w": WEIGHTS})(X))
    # The weights of this program are no parameters that it has.
    with pytest.raises(fuse.Error, match="expected an array for the input 'w'"):
        fuse.compile(LAYER, precision="int8", calibrate={"x": X})


def test_exact_is_the_default():
    """What was fused can't be told from the results, unless numerics allows it: chains of f16 are then rounded once."""
    assert inspect.signature(fuse.compile).parameters["numerics"].default == "exact"
    chain = b"""func.func @f(%x: tensor<64xf16>, %y: tensor<64xf16>) -> tensor<64xf16> {
      %0 = fuse.binary add %x, %y : tensor<64xf16>
      %1 = fuse.binary mul %0, %y : tensor<64xf16>
      return %1 : tensor<64xf16>
    }"""
    random = np.random.default_rng(1)
    x, y = (random.standard_normal(64).astype(np.float16) for _ in range(2))
    rounded = (x + y) * y
    for options in ({}, {"numerics": "exact"}, {"fusion": False}):
        assert np.array_equal(fuse.compile(chain, **options)(x, y), rounded), options
    folded = fuse.compile(chain, numerics="folds")(x, y)
    assert not np.array_equal(folded, rounded) and np.allclose(folded, rounded, rtol=3e-3, atol=1e-3)


def test_budget():
    with fuse.budget(launches=1):
        fuse.compile(LAYER)
        with fuse.budget(syncs=0), pytest.raises(fuse.Error, match="launches of at most 1, found 2"):
            fuse.compile(LAYER, fusion=False)
    fuse.compile(LAYER, fusion=False)


def test_progress():
    stages = []
    fuse.compile(LAYER, progress=lambda part, stage: stages.append((part, stage)), cache=False)
    assert stages[0] == (0.0, "import") and stages[-1] == (1.0, "link")

    def fail(part, stage):
        raise KeyboardInterrupt
    with pytest.raises(KeyboardInterrupt):
        fuse.compile(LAYER, progress=fail)


def test_progress_bar(capsys, monkeypatch):
    from fuse._progress import ProgressBar
    monkeypatch.setattr(ProgressBar, "QUIET_SECONDS", 0)
    bar = ProgressBar("fuse")
    bar(0.5, "kernels 3 of 12")
    time.sleep(0.5)
    bar.close()
    shown = capsys.readouterr().err
    assert f"fuse:  50%|{'█' * 12}{' ' * 12}| kernels 3 of 12 [00:00]" in shown
    assert shown.endswith("\r\x1b[K"), "it is erased"
    monkeypatch.undo()
    fuse.compile(LAYER, progress=True)  # a short one shows nothing
    assert capsys.readouterr().err == ""


def test_cache(tmp_path):
    fuse.compile(LAYER, cache=tmp_path)
    assert any(tmp_path.iterdir())


def test_many_inputs():
    program = fuse.compile(sums("f32", count=20))
    arrays = [np.full(8, i, np.float32) for i in range(20)]
    assert program(*arrays).tolist() == [190.0] * 8


def test_other_sources():
    class Model:
        pass

    def read(model):
        from fuse._compile import Source
        return Source(LAYER, "mlir", "model", weights={"w": WEIGHTS}) if isinstance(model, Model) else None
    fuse.register_source(read)
    assert np.allclose(fuse.compile(Model())(X), layer(X), atol=1e-6)
