#!/usr/bin/env python3
# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: new_kind_test.py SOURCE BUILD FOLDER

Adds an element-wise function, softsign(x) = x / (1 + |x|), to a copy of four files, as CONTRIBUTING.md says, and
checks two things. Where one of the files is forgotten, it does not compile. With all four, fuse-run, linked again
with these objects before those of BUILD, parses, prices, fuses and runs the function, and its result is right.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys

KIND_FILE = "include/fuse/Support/OpKinds.td"
# Per file: the line behind which the text goes.
EDITS = {
    "lib/Support/KindTypes.cpp": (
        r"UnaryTraits fuse::getTraits\(UnaryKind kind\) \{\n  switch \(kind\) \{\n",
        "  case UnaryKind::Softsign:\n    return {.types = FloatTypes, .flops = 12};\n"),
    "lib/Support/ScalarFunctions.cpp": (
        r"evaluateFloatUnary\(UnaryKind kind, double x,[^{]*\{[^{]*\{\n",
        "  case UnaryKind::Softsign:\n    return wide / (1 + std::fabs(wide));\n"),
    "lib/IR/ScalarBodyUnary.cpp": (
        r"buildFloatUnary\(ElementBuilder &e, UnaryKind kind,[^{]*\{[^{]*\{\n",
        "  case UnaryKind::Softsign:\n    return e.fdiv(x, e.fadd(e.fabs(x), e.constant(1.0, x)));\n"),
}
PROGRAM = """\
func.func @main(%x: tensor<5xf32>) -> tensor<5xf32> {
  %0 = fuse.unary neg %x : tensor<5xf32>
  %1 = fuse.unary softsign %0 : tensor<5xf32>
  return %1 : tensor<5xf32>
}
"""


def run(command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def expect(condition, *what):
    if not condition:
        sys.exit("new_kind_test: " + "\n".join(map(str, what)))


def without_precompiled_headers(words):
    """The command of a compile without the headers of the build, which know no new kind: `-include-pch FILE`."""
    if "-include-pch" not in words:
        return words
    at = words.index("-include-pch")
    return words[:at] + words[at + 2:]


class Tree:
    """A copy of the headers, and of the files that are edited."""

    def __init__(self, source, build, folder):
        self.source, self.build, self.folder = map(os.path.realpath, (source, build, folder))
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(os.path.join(source, "include"), os.path.join(folder, "include"))
        shutil.copytree(os.path.join(build, "include"), os.path.join(folder, "generated"),
                        ignore=lambda path, names: [n for n in names if n.startswith("CMake")])
        done = run(["ninja", "-C", build, "-t", "compdb"])
        expect(done.returncode == 0, done.stderr)
        self.commands = {entry["output"]: entry["command"] for entry in json.loads(done.stdout)}

    def path(self, name):
        return os.path.join(self.folder, name)

    def read(self, name):
        with open(os.path.join(self.source, name), encoding="utf-8") as file:
            return file.read()

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def find(self, ending):
        """The one output that ends so, and its command."""
        found = [(output, command) for output, command in self.commands.items() if output.endswith(ending)]
        expect(len(found) == 1, f"{len(found)} outputs end with {ending}")
        return found[0]

    def add_case(self):
        text = self.read(KIND_FILE)
        cases = re.search(r'def Fuse_UnaryKind.*?(?=\n\]>;)', text, re.S)
        number = 1 + max(int(n) for n in re.findall(r'Case<"\w+", (\d+)', cases.group(0)))
        case = f',\n  I32EnumAttrCase<"Softsign", {number}, "softsign">'
        self.write(KIND_FILE, text[:cases.end()] + case + text[cases.end():])
        for name in ("OpKinds.h.inc", "OpKinds.cpp.inc"):
            output, command = self.find("include/fuse/Support/" + name)
            words = shlex.split(command.split("&&")[1])
            words = words[:words.index("--write-if-changed")]
            words = [w.replace(os.path.join(self.source, "include"), self.path("include")) for w in words]
            done = run([*words, "-o", self.path("generated" + output.removeprefix("include"))])
            expect(done.returncode == 0, done.stderr)

    def edit(self, name):
        anchor, addition = EDITS[name]
        text = self.read(name)
        found = re.search(anchor, text)
        expect(found, f"{name} has no place for a kind any more")
        self.write(name, text[:found.end()] + addition + text[found.end():])

    def compile(self, name, *options):
        """Compiles the copy of a file with the headers of the copy."""
        output, command = self.find("/" + os.path.basename(name) + ".o")
        object_file = self.path(os.path.basename(name) + ".o")
        command = command.replace(os.path.join(self.build, "include"), self.path("generated"))
        command = command.replace(os.path.join(self.source, "include"), self.path("include"))
        command = command.replace(os.path.join(self.source, name), self.path(name))
        words = without_precompiled_headers(shlex.split(command))
        for option in ("-o", "-MF", "-MT"):
            words[words.index(option) + 1] = object_file + ("" if option == "-o" else ".d")
        # Headers of the folder of the original.
        words += ["-I", os.path.join(self.source, os.path.dirname(name)), *options]
        return object_file, run(words, cwd=self.build)


def check_forgotten(tree):
    for name in EDITS:
        tree.write(name, tree.read(name))
        _, done = tree.compile(name, "-fsyntax-only")
        expect(done.returncode != 0 and "'Softsign' not handled" in done.stderr,
               f"{name} compiles without the kind", done.stderr)


def link(tree):
    objects = []
    for name in EDITS:
        tree.edit(name)
        object_file, done = tree.compile(name)
        expect(done.returncode == 0, done.stderr)
        objects.append(object_file)
    _, command = tree.find("bin/fuse-run")
    words = shlex.split(command.split("&&")[1])
    at = words.index("-o")
    done = run([*words[:at], *objects, "-o", tree.path("fuse-run"), *words[at + 2:]], cwd=tree.build)
    expect(done.returncode == 0, done.stderr)
    return tree.path("fuse-run")


def check_run(tree, tool):
    tree.write("program.mlir", PROGRAM)
    common = [tool, tree.path("program.mlir"), "--no-cache", "--random-inputs", "1"]
    done = run([*common, "--check", "--report"])
    expect(done.returncode == 0, done.stdout, done.stderr)
    expect("2 → 1 kernels" in done.stdout, "not fused:", done.stdout)

    def values(*options):
        done = run([*common, *options])
        expect(done.returncode == 0, done.stderr)
        return [float(x) for x in re.search(r"= \[([^\]]*)\]", done.stdout).group(1).split(",")]

    got = values()
    tree.write("program.mlir", PROGRAM.replace("softsign", "neg")) # the inputs themselves
    wanted = [-x / (1 + abs(x)) for x in values()]
    expect(all(abs(g - w) < 1e-5 for g, w in zip(got, wanted, strict=True)), f"expected {wanted}, found {got}")


def main():
    expect(len(sys.argv) == 4, __doc__)
    tree = Tree(*sys.argv[1:])
    tree.add_case()
    check_forgotten(tree)
    check_run(tree, link(tree))
    print(f"new_kind_test: {1 + len(EDITS)} files")


if __name__ == "__main__":
    main()
