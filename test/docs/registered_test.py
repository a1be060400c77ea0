"""Every pass that a Passes.td declares is known to fuse-opt: lib/InitAll forgot none.

usage: registered_test.py, with the arguments of utils/extract_examples.py
"""
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "utils"))
from extract_examples import definitions, make_parser, records  # noqa: E402


def main(arguments):
    known = subprocess.run([arguments.fuse_opt, "--help"], check=True, stdout=subprocess.PIPE,
                           text=True).stdout.split()
    declared = [name for path in arguments.files
                for kind, name, _ in definitions(records(arguments.tblgen, arguments.includes, path))
                if kind == "pass"]
    missing = [name for name in declared if f"--{name}" not in known]
    print("\n".join([f"not registered: {name}" for name in missing] + [f"{len(declared)} passes"]))
    return 1 if missing or not declared else 0


if __name__ == "__main__":
    sys.exit(main(make_parser().parse_args()))
