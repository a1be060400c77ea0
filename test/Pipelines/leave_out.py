"""Runs pipelines with each of their passes left out in turn: programs come out right, or an error says what is missing.

usage: leave_out.py FUSE_OPT PROGRAM PIPELINE…

PIPELINE is an option of fuse-opt, such as --fuse-to-llvm. Whoever puts a pipeline together by hand leaves out or forgets a
pass; that ends in an error with a location and exit code 1, never in a crash.
"""
import concurrent.futures
import re
import subprocess
import sys


def parse(text, at=0):
    """The passes of a textual pipeline from `at` on, up to the parenthesis that closes it: [(name and options, nested), …]."""
    passes = []
    while at < len(text) and text[at] != ")":
        begin = at
        depth = 0
        while at < len(text) and (depth or text[at] not in ",()"):
            depth += (text[at] == "{") - (text[at] == "}")
            at += 1
        name, nested = text[begin:at].strip(), None
        if at < len(text) and text[at] == "(":
            nested, at = parse(text, at + 1)
        passes.append((name, nested))
        at += at < len(text) and text[at] == ","
    return passes, at + 1


def show(passes):
    return ",".join(name if nested is None else f"{name}({show(nested)})" for name, nested in passes)


def leave_out(passes):
    """Pairs of a pass and the pipeline without it."""
    for i, (name, nested) in enumerate(passes):
        if nested is None:
            yield name, passes[:i] + passes[i + 1:]
            continue
        for left, rest in leave_out(nested):
            yield left, passes[:i] + [(name, rest)] + passes[i + 1:]


def main():
    fuse_opt, program, pipelines = sys.argv[1], sys.argv[2], sys.argv[3:]
    count, failures = 0, []
    for pipeline in pipelines:
        dumped = subprocess.run([fuse_opt, program, pipeline, "--dump-pass-pipeline", "-o", "/dev/null"],
                                capture_output=True, text=True, check=True).stderr
        passes, _ = parse(re.sub(r"\s*\n\s*", "", dumped[dumped.index("builtin.module("):]))

        def run(case):
            left, rest = case
            done = subprocess.run([fuse_opt, program, f"--pass-pipeline={show(rest)}", "-o", "/dev/null"],
                                  capture_output=True, text=True)
            if done.returncode == 0 or (done.returncode == 1 and "error: " in done.stderr):
                return ""
            return f"{pipeline} without {left}: exit status {done.returncode}\n{done.stderr[:1500]}"

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            outcomes = list(pool.map(run, leave_out(passes)))
        count += len(outcomes)
        failures += filter(None, outcomes)
    print(f"{count} pipelines, {len(failures)} failed")
    sys.exit("\n".join(failures) if failures or count < 100 else 0)


if __name__ == "__main__":
    main()
