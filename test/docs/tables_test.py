"""The tables of docs/types.md, layers.md, numerics.md, onnx.md, pytorch.md, jax.md and targets.md must be those that the code uses.

usage: tables_test.py PRINT_TYPES TEST_DIFFERENTIAL PRINT_OPERATORS PRINT_TARGETS [--write]
    --write puts the tables into the documents instead
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
START, END = "<!-- table -->\n", "<!-- end of table -->\n"


def main(print_types, test_differential, print_operators, print_targets, write=False):
    layers = [sys.executable, "-B", str(ROOT / "utils/check_layers.py"), "--markdown"]
    stale = []
    for name, command in (("types", [print_types]), ("layers", layers),
                          ("numerics", [test_differential, "--bounds"]),
                          ("onnx", [print_operators]), ("pytorch", [print_operators, "--torch"]),
                          ("jax", [print_operators, "--stablehlo"]),
                          ("targets", [print_targets])):
        path = ROOT / "docs" / f"{name}.md"
        text = path.read_text()
        table = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        wanted, count = re.subn(f"{START}.*?{END}", lambda _: START + table + END, text, flags=re.DOTALL)
        if count != 1:
            stale.append(f"{path}: no table between {START.strip()} and {END.strip()}")
        elif write:
            path.write_text(wanted)
        elif wanted != text:
            stale.append(f"{path}: the table is stale: {' '.join(command[:1])}; run this test with --write")
    print("\n".join(stale) or "tables agree")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:5], "--write" in sys.argv[5:]))
