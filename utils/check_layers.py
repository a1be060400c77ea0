#!/usr/bin/env python3
"""Checks who uses whom: #includes in include/fuse, lib and tools, and link lists in their CMake files.

usage: check_layers.py [ROOT] [--markdown]     ROOT: the project's folder (default: this one's)

Prints one line per use that the table forbids (file:line: what, and what would be allowed) and
exits 1 if there is any. --markdown prints the table of docs/layers.md instead.
"""
import argparse
import pathlib
import re
import sys

# Who may use whom, the project's one table. Each row names the layers used directly; what those
# may use is allowed as well. A folder of include/fuse or lib is a layer and has a row here.
LAYERS = {
    "Support": ((), "scalar functions of every op, arrays, .npy and .npz; no IR"),
    "IR": (("Support",), "the dialect: ops, attributes, interfaces, verifiers, folds"),
    "Interpreter": (("IR",), "the reference evaluator on host arrays"),
    "Target": (("IR",), "known devices: tables that make a `#fuse.target`"),
    "Analysis": (("IR",), "domains, the shared domain, the fusion graph, legality; reads only"),
    "Schedule": (("Analysis", "Target"), "kernel facts and a target to a `#fuse.schedule`"),
    "CostModel": (("Schedule",), "prices from facts, schedule and target"),
    "Distribute": (("CostModel",), "programs for several processes: what is cut, at what price, and the program of one rank"),
    "Transforms": (("Interpreter", "CostModel"), "decompose, plan, form kernels, label, report, budgets"),
    "Conversion": (("IR",), "one folder per direction"),
    "Import": (("IR", "Interpreter"), "other formats to fuse"),
    "Codegen": (("IR", "Analysis", "Conversion"), "scheduled kernels to machine code"),
    "Report": (("CostModel",), "text, JSON, the picture of the graph"),
    "Pipelines": (("Transforms", "Distribute", "Import", "Codegen", "Report"), "named pipelines that join them"),
    "Runtime": ((), "what generated code links against; no LLVM, no MLIR"),
    "Execution": (("Pipelines", "Interpreter", "Runtime"), "compile, load, bind, run, compare, time"),
    "Tune": (("Execution",), "a search for schedules that are faster than the compiler's"),
    "InitAll": (("Pipelines",), "registers everything a tool embeds"),
    "Driver": (("Execution", "InitAll"), "options, loading, planning and compiling, as tools and the C interface have them in common"),
    "CAPI": (("Driver",), "the C interface of the compiler"),
}
# Neither LLVM nor MLIR nor C++ of another layer.
FREESTANDING = {"Runtime"}

INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]')
TABLEGEN_INCLUDE = re.compile(r'^\s*include\s+"([^"]+)"')
SOURCES = {".h", ".c", ".cpp", ".inc", ".td"}


def allowed(layer):
    """The layers that `layer` may use, itself included."""
    found, todo = set(), [layer]
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo += LAYERS[name][0]
    return found


def layer_of(path):
    """The layer of a path relative to the project: Tools for mains, None for what is free."""
    parts = path.parts
    if parts[0] == "tools":
        return "Tools"
    if parts[:2] == ("include", "fuse") and len(parts) > 3:
        return parts[2]
    if parts[0] == "lib" and len(parts) > 2:
        return parts[1]
    return None


def library_layers(root):
    """The layer of each library: that of the folder which defines it."""
    layers = {}
    for path in sorted((root / "lib").rglob("CMakeLists.txt")):
        layer = layer_of(path.relative_to(root))
        for _, command, words in cmake_calls(path.read_text()):
            if command == "fuse_add_library" and words:
                layers[words[0]] = layer
    return layers


def violation(where, layer, used, what):
    permitted = allowed(layer)
    if used in permitted:
        return None
    return (f"{where}: {layer} may not use {used} ({what}); "
            f"allowed: {', '.join(name for name in LAYERS if name in permitted - {layer}) or 'none'}")


def check_source(root, relative, layer):
    found, path = [], root / relative
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        match = (TABLEGEN_INCLUDE if path.suffix == ".td" else INCLUDE).match(line)
        if not match:
            continue
        name, where = match.group(1), f"{relative}:{number}"
        if name.startswith("fuse/"):
            parts = name.split("/")
            used = parts[1] if len(parts) > 2 else None
            if used is None or used not in LAYERS:
                found.append(f"{where}: {name} is in no layer of the table in utils/check_layers.py")
            elif layer != "Tools":
                found.append(violation(where, layer, used, name))
        elif layer in FREESTANDING and name.startswith(("mlir", "llvm")):
            found.append(f"{where}: {layer} may not use LLVM or MLIR ({name})")
        elif name.startswith("..") and layer != "Tools":
            # A private header of another library: within the layer, or nowhere.
            folder = pathlib.PurePath(*relative.parts[:2 if relative.parts[0] == "lib" else 3])
            if not (path.parent / name).resolve().is_relative_to((root / folder).resolve()):
                found.append(f"{where}: {name} is not of {layer}: other layers have public headers")
    return [entry for entry in found if entry]


def cmake_calls(text):
    """(line number, words) of each command in a CMake file."""
    text = re.sub(r"#[^\n]*", "", text)
    for match in re.finditer(r"(\w+)\s*\(((?:[^()]|\([^()]*\))*)\)", text):
        yield text.count("\n", 0, match.start()) + 1, match.group(1), match.group(2).split()


def check_cmake(path, relative, layer, libraries):
    found = []
    for number, command, words in cmake_calls(path.read_text()):
        where = f"{relative}:{number}"
        if command == "fuse_add_library" and words:
            if layer in FREESTANDING and "NO_MLIR" not in words:
                found.append(f"{where}: {layer} may not use LLVM or MLIR (say NO_MLIR)")
            used = words[words.index("LINK") + 1:] if "LINK" in words else []
            used = used[:used.index("DEPENDS")] if "DEPENDS" in used else used
        elif command == "target_link_libraries" and words:
            used = words[1:]
        else:
            continue
        for name in used:
            if layer in FREESTANDING and name in ("MLIR", "LLVM"):
                found.append(f"{where}: {layer} may not use LLVM or MLIR ({name})")
            name = name.removeprefix("Fuse::")
            other = libraries.get(name)
            if other is None and name.startswith("Fuse"):
                found.append(f"{where}: no folder of lib defines {name}")
            elif other:
                found.append(violation(where, layer, other, name))
    return [entry for entry in found if entry]


def check(root):
    found, libraries = [], library_layers(root)
    for top in ("include/fuse", "lib", "tools"):
        for path in sorted((root / top).rglob("*")):
            relative = path.relative_to(root)
            layer = layer_of(relative)
            if not path.is_file() or layer is None:
                continue
            if layer != "Tools" and layer not in LAYERS:
                found.append(f"{relative}: folder {layer} is no layer of the table in utils/check_layers.py")
            elif path.suffix in SOURCES:
                found += check_source(root, relative, layer)
            elif path.name == "CMakeLists.txt" and layer != "Tools":
                found += check_cmake(path, relative, layer, libraries)
    return found


def markdown():
    rows = ["| layer | what lives there | may use |", "|---|---|---|"]
    for name, (_, text) in LAYERS.items():
        uses = ", ".join(layer for layer in LAYERS if layer in allowed(name) - {name})
        outside = "libc, libm, OpenMP" if name in FREESTANDING else "LLVM, MLIR"
        rows.append(f"| {name} | {text} | {uses + ', ' if uses else ''}{outside} |")
    rows.append("| tools | mains, and what they share | all |")
    return "\n".join(rows)


def main():
    parser = argparse.ArgumentParser(description="checks the directions between layers")
    parser.add_argument("root", nargs="?", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--markdown", action="store_true", help="print the table and stop")
    arguments = parser.parse_args()
    if arguments.markdown:
        print(markdown())
        return 0
    found = check(arguments.root)
    print("\n".join(found + [f"{len(found)} uses against the layers"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
