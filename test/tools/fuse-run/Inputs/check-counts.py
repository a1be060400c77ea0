"""Runs each function of some programs on the emulator and compares three sources: the report's profile,
what the runtime counted, and the calls of the runtime in the lowered program."""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile


def find_functions(path):
    """Public functions that are no other's preparation."""
    with open(path) as file:
        text = file.read()
    return re.findall(r"^func\.func (?:public )?@(\w+)\(", text, re.M)


def count_calls(lowered):
    """Of a program without loops: each call is made once."""
    calls = []
    # Names of values are those of their function.
    for function in re.split(r"^ *(?:llvm\.func|func\.func) ", lowered, flags=re.M):
        constants = dict(
            re.findall(r"(%[\w#]+) = llvm\.mlir\.constant\((-?\d+) : \w+\)", function))
        for name, text in re.findall(r"llvm\.call @(fuse_\w+)\(([^)]*)\)", function):
            calls.append((name, [constants.get(word.strip(), word) for word in text.split(",")]))
    counts = {"launches": 0, "host_calls": 0, "waits": 0, "copies": 0}
    for name, arguments in calls:
        if name == "fuse_launch":
            counts["launches"] += 1
        elif name == "fuse_wait":
            counts["waits"] += 1
        elif name in ("fuse_copy", "fuse_read_back"):
            counts["copies"] += 1
        elif name == "fuse_fetch":
            counts["copies"] += int(arguments[2])
        elif name == "fuse_host_call":
            counts["host_calls"] += 1
            counts["copies"] += int(arguments[4])
    return counts


def check(path, function, folder):
    report_path = os.path.join(folder, "report.json")
    run = subprocess.run(
        ["fuse-run", path, "--function", function, "--random-inputs", "1", "--target", "emulator",
         "--check", "--rtol", "1e-3", "--report-json", report_path,
         "--dump-after", "fuse-program-to-llvm"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if run.returncode != 0:
        sys.exit(f"{path} @{function}: {run.stderr}")
    with open(report_path) as file:
        report = json.load(file)["functions"][0]
    counted, profile = report["counters"], report["after"]
    called = count_calls(run.stdout)
    returns_device_result = any(
        kernel["label"] != "host" for kernel in report["kernels"]) and \
        called["waits"] > called["host_calls"]
    wanted = {
        "launches": called["launches"],
        "host_calls": called["host_calls"],
        "waits": profile["sync_points"] + returns_device_result,
        "copies": called["copies"],
    }
    found = {key: counted[key] for key in wanted}
    if found != wanted:
        sys.exit(f"{path} @{function}: expected {wanted}, counted {found}")
    if called["waits"] != found["waits"]:
        sys.exit(f"{path} @{function}: {called['waits']} waits in the program, counted {found}")
    if found["launches"] + found["host_calls"] != profile["kernel_launches"]:
        sys.exit(f"{path} @{function}: {profile['kernel_launches']} launches planned, counted {found}")
    print(f"@{function}: {found}")
    return found["host_calls"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--at-least", type=int, required=True)
    parser.add_argument("programs", nargs="+")
    options = parser.parse_args()
    count = with_host = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in options.programs:
            for function in find_functions(path):
                with_host += check(path, function, folder) > 0
                count += 1
    if count < options.at_least or not with_host:
        sys.exit(f"expected {options.at_least} programs, some with host ops, found {count}, {with_host}")
    print(f"{count} programs, {with_host} with host ops")


main()
