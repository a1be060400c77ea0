#!/usr/bin/env python3
"""Runs the ```mlir examples in the descriptions of ops, attributes and passes.

usage: extract_examples.py --fuse-opt PROGRAM --tblgen llvm-tblgen -I DIR... FILE.td...

Every op and attribute definition must have a summary, a description and an example that uses it,
and every pass a summary, a description and an example; every example must go through fuse-opt
--verify-roundtrip, and a pass's through the pass. An example is a module, or one attribute by itself. Prints one line per fault
and the number of examples; exits 1 if there is a fault. --print writes the examples to stdout.
"""
import argparse
import json
import re
import subprocess
import sys
import textwrap

BLOCK = re.compile(r"^[ \t]*```mlir\n(.*?)^[ \t]*```", re.DOTALL | re.MULTILINE)


def records(tblgen, includes, path):
    command = [tblgen, "--dump-json", path] + [word for folder in includes for word in ("-I", folder)]
    text = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return json.loads(text)


def definitions(data):
    """(kind, name as in IR or on the command line, record) of each op, attribute and pass."""
    dialects = {name: data[name]["name"] for name in data["!instanceof"].get("Dialect", [])}
    for name in data["!instanceof"].get("Op", []):
        record = data[name]
        dialect = dialects.get(record["opDialect"]["def"])
        if dialect == "fuse":
            yield "op", f"{dialect}.{record['opName']}", record
    for name in data["!instanceof"].get("AttrDef", []):
        record = data[name]
        # Kinds are enums within ops: their documentation is the op's.
        if dialects.get(record["dialect"]["def"]) == "fuse" and "EnumAttr" not in record["!superclasses"]:
            yield "attribute", f"#fuse.{record['mnemonic']}", record
    for name in data["!instanceof"].get("PassBase", []):
        yield "pass", data[name]["argument"], data[name]


def examples(text):
    return [textwrap.dedent(match.group(1)) for match in BLOCK.finditer(textwrap.dedent(text or ""))]


def as_module(example):
    """An attribute by itself becomes an attribute of a function."""
    if example.lstrip().startswith("#") and "=" not in example.split("<")[0]:
        return f"func.func private @example() attributes {{example = {example.strip()}}}\n"
    return example


def run(fuse_opt, example, *options):
    """What fuse-opt has to say against the example, or an empty string."""
    done = subprocess.run([fuse_opt, "--verify-roundtrip", *options, "-"], input=as_module(example), text=True,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    return "" if done.returncode == 0 else done.stderr.strip() or f"status {done.returncode}"


def check(kind, name, record, fuse_opt):
    """(faults, examples) of one definition."""
    text = record.get("description") or ""
    faults = [f"{kind} {name}: no {field}" for field in ("summary", "description")
              if not (record.get(field) or "").strip()]
    found = examples(text)
    if kind == "pass" and not found:
        faults.append(f"{kind} {name}: no example")
    if kind != "pass" and not any(name in example for example in found):
        faults.append(f"{kind} {name}: no example that uses it")
    for example in found:
        fault = run(fuse_opt, example, *([f"--{name}"] if kind == "pass" else []))
        if fault:
            faults.append(f"{kind} {name}: {fault}\n{textwrap.indent(example, '    ')}")
    return faults, found


def make_parser():
    parser = argparse.ArgumentParser(description="runs the examples of the documentation")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--fuse-opt", required=True)
    parser.add_argument("--tblgen", required=True, help="llvm-tblgen")
    parser.add_argument("-I", dest="includes", action="append", default=[])
    parser.add_argument("--print", action="store_true", dest="show")
    return parser


def main(arguments):
    faults, count, seen = [], 0, set()
    for path in arguments.files:
        for kind, name, record in definitions(records(arguments.tblgen, arguments.includes, path)):
            if name in seen:
                continue
            seen.add(name)
            new, found = check(kind, name, record, arguments.fuse_opt)
            faults += new
            count += len(found)
            if arguments.show:
                print("".join(f"// {kind} {name}\n{example}\n// -----\n" for example in found), end="")
    if not seen:
        faults.append("no definitions found")
    print("\n".join(faults + [f"{count} examples of {len(seen)} definitions, {len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(make_parser().parse_args()))
