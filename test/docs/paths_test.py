"""Files and folders that the documents name exist, and so do the targets of their links, headings too."""
import functools
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2])
TOP = "include|lib|tools|test|cmake|docs|examples|benchmarks|utils"
NAMED = re.compile(rf"`((?:{TOP})(?:/[\w.+-]+)*/?)`")
LINK = re.compile(r"\]\(([^)#:]*)(?:#([^)]+))?\)")


@functools.cache
def headings(path):
    """What links call the headings of a page, as GitHub does."""
    text = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.DOTALL | re.MULTILINE)
    titles = [re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title) for title in re.findall(r"^#+ (.*)$", text, re.MULTILINE)]
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def faults(path):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        for name in NAMED.findall(line):
            if not (ROOT / name).exists():
                yield f"{path.relative_to(ROOT)}:{number}: no {name}"
        for name, heading in LINK.findall(line):
            target = path.parent / name if name else path
            if not target.exists():
                yield f"{path.relative_to(ROOT)}:{number}: link to {name}"
            elif heading and target.suffix == ".md" and heading not in headings(target):
                yield f"{path.relative_to(ROOT)}:{number}: no heading for {name}#{heading}"


def main():
    documents = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("examples/*/*.md")]
    found = [fault for path in sorted(documents) for fault in faults(path)]
    print("\n".join(found + [f"{len(documents)} documents, {len(found)} faults"]))
    return 1 if found or not documents else 0


if __name__ == "__main__":
    sys.exit(main())
