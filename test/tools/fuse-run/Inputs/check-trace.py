"""Checks a trace: TRACE.json RUNS [REPORT.json].

Every event is one that Chrome's viewer takes; stages do not overlap and come before the runs, each
run holds its launches one after the other, and each launch says which kernel it is.
"""

import json
import sys

trace = json.load(open(sys.argv[1]))
runs_wanted = int(sys.argv[2])
events = trace["traceEvents"]
for event in events:
    assert event["ph"] in ("M", "X", "C"), event
    assert isinstance(event["name"], str) and event["pid"] == 1 and event["tid"] == 1, event
    if event["ph"] != "M":
        assert event["ts"] >= 0, event
    if event["ph"] == "X":
        assert event["dur"] >= 0 and event["cat"], event
assert [e["args"]["name"] for e in events if e["name"] == "thread_name"] == ["@f"]
assert trace["otherData"]["threads"] >= 1 and trace["otherData"]["events_lost"] == 0


def follow_each_other(sequence):
    for before, after in zip(sequence, sequence[1:]):
        assert before["ts"] + before["dur"] <= after["ts"] + 0.002, (before, after)


spans = [event for event in events if event["ph"] == "X"]
stages = [event for event in spans if event["cat"] == "compile"]
assert [event["name"] for event in stages] == ["import", "plan", "compile"]
runs = [event for event in spans if event["cat"] == "run"]
assert len(runs) == runs_wanted == trace["otherData"]["runs_shown"], runs
assert runs[0]["name"] == "first run", runs[0]
follow_each_other(stages + runs)
for run in runs:
    end = run["ts"] + run["dur"] + 0.002
    inside = [event for event in spans if event["cat"] in ("launch", "host")
              and run["ts"] <= event["ts"] and event["ts"] + event["dur"] <= end]
    assert [event["args"]["id"] for event in inside] == [0, 1, 2], inside
    assert [event["cat"] for event in inside] == ["launch", "launch", "host"], inside
    assert run["args"] == {"launches": 2, "host_calls": 1, "copies": 0}, run
    follow_each_other(inside)
    for event in inside[:2]:
        args = event["args"]
        assert args["label"] and args["blocks"] > 0 and args["traffic_bytes"] >= 2 * 4 * 96 * 96, args
        assert args["ops"] == ["matmul(96x96x96)"], args
        assert args["predicted_ms"] > 0, args
counters = [event for event in events if event["ph"] == "C"]
assert len(counters) == 4 * runs_wanted, counters
assert all(event["args"]["bytes/ns"] >= 0 for event in counters)
assert any(event["args"]["bytes/ns"] > 0 for event in counters)

if len(sys.argv) > 3:
    kernels = json.load(open(sys.argv[3]))["functions"][0]["kernels"]
    for kernel in kernels:
        timed = [event["dur"] * 1e-3 for event in spans
                 if event.get("args", {}).get("id") == kernel["id"]][1:]
        assert abs(sorted(timed)[1] - kernel["ms"]) < 1e-5, (timed, kernel)
        assert abs(min(timed) - kernel["least_ms"]) < 1e-5, (timed, kernel)
