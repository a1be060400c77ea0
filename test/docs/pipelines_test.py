"""docs/pipelines.md lists the passes that the pipelines have, in their order, and shows code that is compiled elsewhere.

usage: pipelines_test.py FUSE_OPT

A list is the tables between `<!-- passes of PIPELINE=OPTIONS -->` and `<!-- end of passes -->`, where the options turn on
all that there is. The first cell of a row names one pass or several. The cell of the column `anchor` is the op that they run on, or
`module` and, behind it, each of those that run on another one. The cell of the column `turned on by` is `always`, or
an option that adds the passes of the row to the pipeline. FILE in an option is a file of schedules without any. An excerpt
is the C++ block behind `<!-- from PATH -->`, whose lines stand in that file as they stand in the page.
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap
from collections import Counter

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "pipelines.md"
LIST = re.compile(r"<!-- passes of ([\w-]+)=(.*?) -->\n(.*?)<!-- end of passes -->", re.DOTALL)
EXCERPT = re.compile(r"<!-- from (\S+) -->\n```cpp\n(.*?)```", re.DOTALL)
SCHEDULES = '{"version": 1, "kernels": []}'


class Pipelines:
    """What --dump-pass-pipeline says of a pipeline, without the options of its passes."""

    def __init__(self, fuse_opt, schedules):
        self.fuse_opt, self.schedules = fuse_opt, schedules

    def passes(self, name, options):
        option = f"--{name}={options.replace('FILE', self.schedules)}" if options else f"--{name}"
        done = subprocess.run([self.fuse_opt, "-", option, "--dump-pass-pipeline", "-o", "/dev/null"], input="module {}",
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode:
            sys.exit(f"{option}:\n{done.stderr}")
        text = re.sub(r"\{[^{}]*\}", "", re.sub(r"\{[^{}]*\}", "", done.stderr))
        found, anchors = [], ["module"]
        for name, nest, end in re.findall(r"([\w.-]+)(\()?\s*(?=[,)(\s])|(\))", text.split("builtin.module(", 1)[1]):
            if end:
                anchors.pop()
            elif nest:
                anchors.append(name.replace("builtin.", ""))
            else:
                found.append((name, anchors[-1]))
        return found


def get_anchors(names, cell):
    """What the cell of the column `anchor` says of each pass."""
    usual, *others = re.split(r"[;,] ", cell)
    each = dict(re.findall(r"`([\w-]+)`: ([\w.]+)", ", ".join(others)))
    return [(name, each.get(name, usual)) for name in names]


def rows(text):
    """The passes of each row with their anchors, and what turns them on."""
    for table in re.split(r"\n\n", text):
        lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()
                 if line.startswith("|")]
        if len(lines) < 3:
            continue
        option, anchor = lines[0].index("turned on by"), lines[0].index("anchor")
        for line in lines[2:]:
            yield get_anchors(re.findall(r"`([\w-]+)`", line[0]), line[anchor]), line[option]


def check_list(pipelines, name, options, text):
    listed = list(rows(text))
    for title, given, wanted in (
            ("all options", options, [name for names, _ in listed for name in names]),
            ("no options", "", [name for names, option in listed if option == "always" for name in names])):
        found = pipelines.passes(name, given)
        if found != wanted:
            at = next((i for i, (a, b) in enumerate(zip(found, wanted)) if a != b), min(len(found), len(wanted)))
            text = lambda passes: ", ".join(f"{name} on {anchor}" for name, anchor in passes[at:at + 3]) or "none"
            yield f"{name} with {title}: expected, as pass {at + 1}, {text(found)}; found {text(wanted)}"
    usual = Counter(pipelines.passes(name, ""))
    for names, option in listed:
        if option == "always":
            continue
        given = re.match(r"`([^`]+)`", option)
        if not given:
            yield f"{name}: expected 'always' or an option for {' '.join(each for each, _ in names)}, found '{option}'"
            continue
        more = Counter(pipelines.passes(name, given.group(1))) - usual
        yield from (f"{name}: {given.group(1)} does not add {each[0]}" for each in names if not more[each])


def check_excerpt(path, code):
    file = ROOT / path
    text = file.read_text() if file.exists() else ""
    flat = lambda lines: "\n".join(line.strip() for line in textwrap.dedent(lines).strip().splitlines())
    if flat(code) not in flat(text):
        yield f"the code is not that of {path}:\n{code}"


def main(fuse_opt):
    page = PAGE.read_text()
    lists, excerpts = LIST.findall(page), EXCERPT.findall(page)
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        file.write(SCHEDULES)
        file.flush()
        pipelines = Pipelines(fuse_opt, file.name)
        faults = [fault for name, options, text in lists for fault in check_list(pipelines, name, options, text)]
    faults += [fault for path, code in excerpts for fault in check_excerpt(path, code)]
    print("\n".join(faults + [f"{len(lists)} lists, {len(excerpts)} excerpts, {len(faults)} faults"]))
    return 1 if faults or not lists or not excerpts else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
