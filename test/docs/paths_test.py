"""Files and folders that the documents name exist, and so do the targets of their links."""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2])
TOP = "include|lib|tools|test|cmake|docs|examples|benchmarks|utils"
NAMED = re.compile(rf"`((?:{TOP})(?:/[\w.+-]+)*/?)`")
LINK = re.compile(r"\]\(([^)#:]+)\)")


def faults(path):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        for name in NAMED.findall(line):
            if not (ROOT / name).exists():
                yield f"{path.relative_to(ROOT)}:{number}: no {name}"
        for name in LINK.findall(line):
            if not (path.parent / name).exists():
                yield f"{path.relative_to(ROOT)}:{number}: link to {name}"


def main():
    documents = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("examples/*/*.md")]
    found = [fault for path in sorted(documents) for fault in faults(path)]
    print("\n".join(found + [f"{len(documents)} documents, {len(found)} faults"]))
    return 1 if found or not documents else 0


if __name__ == "__main__":
    sys.exit(main())
