#!/usr/bin/env python3
"""Adds up test reports and says what was skipped and what failed.

usage: summarize_tests.py REPORT.xml[=STATUS]...

Reads the JUnit files that lit (--xunit-xml-output) and ctest (--output-junit) write. STATUS is the
exit status of the program that wrote the report: if it failed and the report shows no failure, or
if the report can't be read or is empty, that counts as one failed test. The last line is
"N passed, N failed"; the exit status is 0 if nothing failed and something passed.
"""
import pathlib
import sys
import xml.etree.ElementTree as ElementTree


def outcome(case):
    """("passed" | "failed" | "skipped", reason) of a <testcase>."""
    for tag in ("failure", "error"):
        if case.find(tag) is not None:
            return "failed", case.find(tag).get("message") or ""
    # CTest writes what happened as an attribute; a test that could not be run has failed.
    status = case.get("status", "run")
    if status == "fail":
        return "failed", ""
    skipped = case.find("skipped")
    if skipped is not None or status in ("notrun", "disabled"):
        reason = (skipped.get("message") if skipped is not None else None) or ""
        not_built = "Unable to find executable" in reason or "NOT_AVAILABLE" in case.get("name", "")
        return ("failed" if not_built else "skipped"), reason
    return "passed", ""


def read(path, status):
    """(name, outcome, reason) of each test in a report, with an entry for the report if it is bad."""
    suite = pathlib.Path(path).stem
    try:
        cases = list(ElementTree.parse(path).iter("testcase"))
    except (OSError, ElementTree.ParseError) as error:
        return [(suite, "failed", f"no report: {error}")]
    if not cases:
        return [(suite, "failed", "the report has no tests")]
    rows = []
    for case in cases:
        folder = case.get("classname", "")
        name = case.get("name", "?")
        rows.append((name if folder in ("", name) else f"{folder}/{name}",) + outcome(case))
    if status != 0 and not any(result == "failed" for _, result, _ in rows):
        rows.append((suite, "failed", f"ended with status {status}"))
    return rows


def main(arguments):
    if not arguments:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    rows = []
    for argument in arguments:
        path, _, status = argument.partition("=")
        rows += read(path, int(status or 0))
    for wanted in ("skipped", "failed"):
        for name, result, reason in rows:
            if result == wanted:
                print(f"{wanted}: {name}" + (f": {reason}" if reason else ""))
    passed = sum(result == "passed" for _, result, _ in rows)
    failed = sum(result == "failed" for _, result, _ in rows)
    print(f"{passed} passed, {failed} failed", flush=True)
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
