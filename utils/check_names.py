#!/usr/bin/env python3
"""Checks that files of one folder give what is local to them different names.

usage: check_names.py [ROOT]     ROOT: the project's folder (default: this one's)

A fresh build compiles files of a folder together (FUSE_UNITY_BUILD in cmake/AddFuse.cmake), and a unit has one anonymous
namespace: two constants or classes of one name do not compile, and of two functions a call may take the other file's.
Which files share a unit changes with each file that is added, so that names must differ in the whole folder.

Prints one line per name that several files have (folder: name, and where it is) and exits 1 if there is any. What is
recognized is what begins in the first column of a line, as clang-format leaves it.
"""
import argparse
import collections
import pathlib
import re
import sys

FOLDERS = ("lib", "tools", "test/lib")
TYPE = re.compile(r"(?:struct|class|enum class|enum|using) (\w+) ")
CONSTANT = re.compile(r"(\w+)(?:\[[^\]]*\])* = |(\w+)\{")
FUNCTION = re.compile(r"(?<![\w:])(\w+)\(")


def local_names(text):
    """(line, name) of each constant, variable, type and function of a file that other files do not see."""
    is_local = False
    for number, line in enumerate(text.split("\n"), 1):
        if line == "namespace {":
            is_local = True
        elif re.match(r"\}.*// (anonymous )?namespace$", line):
            is_local = False
        elif re.match(r"[A-Za-z]", line) and not line.startswith(("namespace", "using namespace", "template", "extern")):
            is_static = line.startswith("static ")
            is_constant = re.match(r"(static )?(inline )?const(expr)? ", line)
            if not (is_local or is_static or is_constant):
                continue
            # What stands behind a parenthesis is a parameter or part of an initializer.
            function = FUNCTION.search(line)
            head = line[:function.start()] if function else line
            names = [a or b for a, b in CONSTANT.findall(head)]
            declared = TYPE.match(line)
            if declared:
                yield number, declared[1]
            elif names:
                yield from ((number, name) for name in names)
            elif function:
                yield number, function[1]


def check(root):
    places = collections.defaultdict(lambda: collections.defaultdict(list))
    for top in FOLDERS:
        for path in sorted((root / top).rglob("*.cpp")):
            for number, name in local_names(path.read_text()):
                places[path.parent.relative_to(root), name][path.name].append(number)
    return [f"{folder}: {name} is a local name of " + ", ".join(f"{file}:{lines[0]}" for file, lines in files.items())
            for (folder, name), files in sorted(places.items()) if len(files) > 1]


def main():
    parser = argparse.ArgumentParser(description="checks that file-local names of a folder differ")
    parser.add_argument("root", nargs="?", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    found = check(parser.parse_args().root)
    print("\n".join(found + [f"{len(found)} names that several files of a folder have"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
