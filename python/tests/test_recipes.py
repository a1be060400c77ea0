"""The recipes of docs/python.md and of README.md, in order, in one process."""
import os
import pathlib
import re

import onnx

from test_models import make_classifier

ROOT = pathlib.Path(__file__).resolve().parents[2]


def read_blocks(page):
    """The page's blocks of Python."""
    return re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def test_recipes(tmp_path, monkeypatch, capsys):
    onnx.save(make_classifier(), tmp_path / "model.onnx")
    monkeypatch.chdir(tmp_path)
    pages = [ROOT / "docs" / "python.md", ROOT / "README.md"]  # README.md has the arrays of the first
    blocks = [(page, block) for page in pages for block in read_blocks(page)]
    assert len(blocks) >= 7
    scope = {}
    for page, block in blocks:
        exec(compile(block, str(page), "exec"), scope)
    out = capsys.readouterr().out
    assert "exceeds its budget: launches of at most 0, found" in out and "% of run" in out
    assert {"kernels.html", "model.so", "model.weights", "model.h"} <= set(os.listdir(tmp_path))
