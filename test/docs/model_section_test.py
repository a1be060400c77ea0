"""Runs the commands of the README's section about models, on a model of two dense layers and a norm.

usage: model_section_test.py FOLDER_OF_PROGRAMS
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "tools" / "Inputs"))
import onnx_writer as w  # noqa: E402

# What a command's output has to have: by the words that only that command has.
EXPECTED = {
    "--report": ("Fusion: ", "kernel 0:"),
    "--emit listing": ("kernel 0", "first"),
    "--explain": ("[Passed]",),
    "--check": ("largest error", "run: median"),
    "model.so --inputs": ("y: 4x8xf32",),
}


def make_model(folder):
    generator = np.random.default_rng(1)
    array = lambda *shape: generator.standard_normal(shape).astype(np.float32)
    nodes = [w.node("MatMul", ["x", "w1"], ["a"], name="first"),
             w.node("Add", ["a", "b1"], ["b"], name="bias"),
             w.node("Relu", ["b"], ["c"], name="relu"),
             w.node("LayerNormalization", ["c", "g", "h"], ["d"], name="norm"),
             w.node("MatMul", ["d", "w2"], ["y"], name="second")]
    weights = {"w1": array(16, 32), "b1": array(32), "g": array(32), "h": array(32),
               "w2": array(32, 8)}
    graph = w.graph(nodes, inputs=[w.value("x", np.float32, [4, 16])],
                    outputs=[w.value("y", np.float32, [4, 8])],
                    initializers=weights)
    (folder / "model.onnx").write_bytes(w.model(graph))
    np.savez(folder / "inputs.npz", x=array(4, 16))


def main(programs):
    text = (ROOT / "README.md").read_text()
    section = text.split("## From a model to its kernels")[1].split("\n## ")[0]
    commands = re.search(r"^```sh\n(.*?)^```", section, re.DOTALL | re.MULTILINE).group(1)
    environment = {**os.environ, "PATH": programs + os.pathsep + os.environ["PATH"]}
    faults = [f"no command has {key}" for key in EXPECTED if key not in commands]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make_model(folder)
        for command in commands.splitlines():
            run = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=folder, text=True,
                                 env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                 check=False)
            wanted = [text for key, texts in EXPECTED.items() if key in command for text in texts]
            missing = [text for text in wanted if text not in run.stdout]
            if run.returncode or missing:
                faults.append(f"{command}\n  exit status {run.returncode}, without {missing}:\n"
                              f"{run.stdout}")
        if not (folder / "out.npz").exists() or np.load(folder / "out.npz")["y"].shape != (4, 8):
            faults.append("out.npz has no y of 4x8")
    print("\n".join(faults + [f"{len(commands.splitlines())} commands, {len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
