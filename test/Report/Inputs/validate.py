"""Validates reports against their schema, and damages one to see that this is noticed.

usage: validate.py SCHEMA REPORT.json...
"""
import copy
import json
import sys

import jsonschema


def main(schema_path, paths):
    with open(schema_path, encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    reports = {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            reports[path] = json.load(file)
    faults = 0
    for path, report in reports.items():
        for error in validator.iter_errors(report):
            print(f"{path}: {'/'.join(map(str, error.absolute_path))}: {error.message}")
            faults += 1
    kernels = [kernel for report in reports.values() for function in report["functions"]
               for kernel in function["kernels"]]
    # Each kind of thing that the schema describes is there.
    wanted = {"measured": any("ms" in kernel for kernel in kernels),
              "predicted": any(kernel["predicted_ms"] is not None for kernel in kernels),
              "unknown": any(kernel["predicted_ms"] is None for kernel in kernels),
              "refused": any(function["refused"] for report in reports.values() for function in report["functions"])}
    wanted["counted"] = any("counters" in function for report in reports.values() for function in report["functions"])
    missing = [name for name, isThere in wanted.items() if not isThere]
    sound = next(report for report in reports.values() if any(function["kernels"] for function in report["functions"]))
    damaged = copy.deepcopy(sound)
    next(function for function in damaged["functions"] if function["kernels"])["kernels"][0]["blocks"] = "many"
    if validator.is_valid(damaged):
        missing.append("a fault in a damaged report")
    if missing:
        print("missing: " + ", ".join(missing))
    if faults or missing:
        return 1
    print(f"{len(reports)} reports hold, a damaged one does not")
    return 0


sys.exit(main(sys.argv[1], sys.argv[2:]))
