"""examples/notebook.ipynb: its cells run in order, and what they end with is what a notebook shows."""
import ast
import json
import pathlib
import xml.etree.ElementTree

import fuse

NOTEBOOK = pathlib.Path(__file__).resolve().parents[2] / "examples" / "notebook.ipynb"


def run_cell(source, scope):
    """The value of the cell's last line, if it is an expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, str(NOTEBOOK), "exec"), scope)
    return eval(compile(ast.Expression(last.value), str(NOTEBOOK), "eval"), scope) if last else None


def test_notebook():
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    scope = {}
    values = [run_cell("".join(cell["source"]), scope) for cell in cells if cell["cell_type"] == "code"]
    model, report, graph, explanation, profile, error = values
    assert isinstance(model, fuse.Program) and model.inputs[0].shape == ("words", 64)
    assert "<table>" in report._repr_html_() and "<table>" in profile._repr_html_()
    xml.etree.ElementTree.fromstring(graph._repr_svg_())
    assert "attention" in str(explanation)
    assert error < 1e-4
