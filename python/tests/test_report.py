"""What programs say of their kernels."""
import json
import pathlib
import xml.etree.ElementTree

import numpy as np
import pytest

import fuse
from programs import LAYER, WEIGHTS

X = np.ones((64, 4), np.float32)


@pytest.fixture(scope="module")
def program():
    return fuse.compile(LAYER, weights={"w": WEIGHTS}, explain=True)


def test_report(program):
    report = program.report
    [kernel] = report.kernels
    assert kernel.label == "contraction" and kernel.ops[-1] == "relu" and kernel.id == 0
    assert report.function.original_kernels == 2 and report.function.fused_kernels == 1
    assert "2 → 1 kernels" in report.summary
    text = str(report)
    assert text.splitlines()[0] == "@layer" and "relu" in text and "traffic KB" in text
    page = report._repr_html_()
    assert "<table>" in page and "relu" in page
    assert json.dumps(report.to_dict())
    with pytest.raises(AttributeError, match="Kernel has no 'speed': it has .*label"):
        kernel.speed


def test_graph(program, tmp_path):
    graph = program.graph()
    root = xml.etree.ElementTree.fromstring(graph._repr_svg_())
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "kernel 0" in texts and "x" in texts and "y" in texts
    assert graph.dot.startswith("digraph")
    for name in ("g.svg", "g.html", "g.dot"):
        graph.save(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 100
    with pytest.raises(ValueError, match="ends in .svg, .html or .dot"):
        graph.save(tmp_path / "g.png")


def test_explain(program):
    explanation = program.explain()
    text = str(explanation)
    assert "kernel 0 (contraction)" in text and "[Passed] fused" in text
    assert explanation.messages[0]["severity"] == "remark"
    unfused = fuse.compile(LAYER, fusion=False).explain()
    assert "not fused:" in str(unfused) and unfused.refused[0].producer.startswith("matmul")


def test_profile(program):
    profile = program.profile(X, runs=5)
    assert profile.runs == 5 and profile.run_ms > 0
    [kernel] = profile.kernels
    assert kernel["label"] == "contraction" and 0 < kernel["least_ms"] <= kernel["ms"] <= profile.run_ms * 5
    assert "% of run" in str(profile) and "<table>" in profile._repr_html_()


def test_profile_of_a_bundle(program, tmp_path):
    program.save(tmp_path / "layer.so")
    assert fuse.load(tmp_path / "layer.so").profile(X).kernels[0]["label"] == "contraction"


def test_repr(program):
    assert repr(program) == "<fuse.Program (x: float32[rows, 4]) -> (y: float32[rows, 3]), 1 kernels>"


def test_types_are_stated():
    """Type checkers find what the extension module has."""
    stub = pathlib.Path(fuse.__file__).with_name("_core.pyi").read_text(encoding="utf-8")
    for name in dir(fuse._core):
        if not name.startswith("_"):
            assert name in stub, f"_core.pyi lacks {name}"
    for name in dir(fuse.Program):
        if not name.startswith("_"):
            assert name in stub, f"_core.pyi lacks Program.{name}"
