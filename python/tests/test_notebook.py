"""examples/notebook.ipynb: its cells run in order, and what they end with is what a notebook shows."""
import ast
import json
import os
import pathlib
import shutil
import subprocess
import sys
import xml.etree.ElementTree

import pytest

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


def execute(folder):
    """The notebook as Jupyter runs it, with this Python as its kernel. Skipped without Jupyter."""
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    kernel = folder / "kernels" / "fuse-test"
    kernel.mkdir(parents=True)
    (kernel / "kernel.json").write_text(json.dumps({"argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
                                                    "display_name": "fuse", "language": "python"}))
    previous = os.environ.get("JUPYTER_PATH")
    os.environ["JUPYTER_PATH"] = str(folder)
    try:
        notebook = nbformat.read(NOTEBOOK, as_version=4)
        nbclient.NotebookClient(notebook, timeout=300, kernel_name="fuse-test", resources={"metadata": {"path": str(NOTEBOOK.parent)}}).execute()
    finally:
        os.environ.pop("JUPYTER_PATH") if previous is None else os.environ.update(JUPYTER_PATH=previous)
    return notebook


def test_in_jupyter(tmp_path):
    """What a reader sees: tables, a picture, text; and in a browser, where there is one, neither is empty."""
    notebook = execute(tmp_path)
    shown = [set(output.get("data", {})) for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert not [o for c in notebook.cells if c.cell_type == "code" for o in c.outputs if o.output_type == "error"]
    assert any("image/svg+xml" in kinds for kinds in shown) and sum("text/html" in kinds for kinds in shown) >= 2, shown
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    nbconvert, image = pytest.importorskip("nbconvert"), pytest.importorskip("PIL.Image")
    if not browser:
        pytest.skip("no browser")
    # Styles that lie elsewhere are not asked for.
    page, picture = tmp_path / "notebook.html", tmp_path / "notebook.png"
    page.write_text(nbconvert.HTMLExporter(template_name="basic").from_notebook_node(notebook)[0], encoding="utf-8")
    size = (1200, 3000)
    subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", f"--user-data-dir={tmp_path}/profile",
                    f"--window-size={size[0]},{size[1]}", "--virtual-time-budget=5000", f"--screenshot={picture}", page.as_uri()],
                   check=True, capture_output=True, timeout=120)
    pixels = image.open(picture).convert("RGB")
    assert pixels.size == size
    # Of the picture of the kernels: boxes in several colours, among what else is black on white.
    colours = {colour for count, colour in pixels.getcolors(1 << 24) if count > 200 and max(colour) - min(colour) > 20}
    assert len(colours) >= 2, colours
    if "FUSE_KEEP_PICTURE" in os.environ:
        shutil.copy(picture, os.environ["FUSE_KEEP_PICTURE"])
