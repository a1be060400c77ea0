"""Runs every pass of the project over modules that it was not made for.

    any_module.py FUSE_OPT TESTS [--all] [--only PASS]

The modules are those of the FileCheck tests in the folder TESTS (each part of a file that is split) and
of odd-modules.mlir beside this script. A pass may change a module or refuse it with an error that has
a location; it may not crash, hang, or fail without a word. Without --all, each pass sees a tenth of the
modules, another one each day, and all odd ones.
"""
import argparse
import concurrent.futures
import datetime
import pathlib
import re
import subprocess
import sys

HANGS_AFTER = 120
# What needs a value, as little as does something.
OPTIONS = {"fuse-apply-schedules": "{file=/dev/null}", "fuse-io-cost": "{before=@f after=@g}"}


def list_passes(fuse_opt):
    text = subprocess.run([fuse_opt, "--help"], capture_output=True, text=True, check=True).stdout
    names = re.findall(r"^ +--((?:fuse|convert|expand|merge|repeat)-[\w-]+)", text, re.M)
    ours = [name for name in names if "fuse" in name or name in ("merge-members",
                                                                 "repeat-cheap")]
    return sorted(set(ours))


def collect(tests):
    odd = (pathlib.Path(__file__).parent / "odd-modules.mlir").read_text().split("// -----")
    parts = []
    for path in sorted(tests.rglob("*.mlir")):
        if path.name != "odd-modules.mlir":
            parts += path.read_text().split("// -----")
    # Programs with large constants or thousands of ops take long, and show nothing else.
    return odd, [part for part in parts if len(part) < 8000]


def run(fuse_opt, name, parts):
    """None if all is well, else what is wrong."""
    command = [fuse_opt, "--split-input-file", "--allow-unregistered-dialect", "-o", "/dev/null",
               f"--{name}{'=' + OPTIONS[name][1:-1] if name in OPTIONS else ''}", "-"]
    try:
        done = subprocess.run(command, input="\n// -----\n".join(parts), capture_output=True,
                              text=True, timeout=HANGS_AFTER)
    except subprocess.TimeoutExpired:
        return f"hangs for {HANGS_AFTER} s"
    if done.returncode not in (0, 1):
        return f"exits with {done.returncode}"
    if done.returncode == 1 and "error:" not in done.stderr and len(parts) == 1:
        return "fails without an error"
    return None


def find(fuse_opt, name, parts):
    """The module that a pass fails on, and how."""
    wrong = run(fuse_opt, name, parts)
    while wrong and len(parts) > 1:
        half = len(parts) // 2
        for some in (parts[:half], parts[half:]):
            found = run(fuse_opt, name, some)
            if found:
                parts, wrong = some, found
                break
        else:
            return wrong, "\n// -----\n".join(parts)
    return (wrong, parts[0]) if wrong else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("fuse_opt")
    parser.add_argument("tests", type=pathlib.Path)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only")
    arguments = parser.parse_args()
    odd, parts = collect(arguments.tests)
    if not arguments.all:
        day = datetime.date.today().toordinal()
        parts = parts[day % 10::10]
    names = [arguments.only] if arguments.only else list_passes(arguments.fuse_opt)
    if len(names) < 20 and not arguments.only:
        sys.exit(f"expected the project's passes in the help text, found {names}")
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name, wrong in zip(names, pool.map(
                lambda name: find(arguments.fuse_opt, name, odd + parts), names)):
            if wrong:
                failed += 1
                print(f"--{name} {wrong[0]}:\n{wrong[1]}\n")
    print(f"{len(names)} passes, {len(odd) + len(parts)} modules each, {failed} failed")
    sys.exit(1 if failed else 0)


main()
