"""Prints a file of schedules: schedule-file.py KEY-OR-REMARKS SCHEDULE [NAME=JSON...]

For the last key in the file of remarks, or the key itself. NAME=JSON: further members of the file, in the place of the
usual ones where they have their names; those of the kernel begin with a dot.
"""
import json
import pathlib
import re
import sys

key, schedule, members = sys.argv[1], sys.argv[2], sys.argv[3:]
if pathlib.Path(key).exists():
    key = re.findall(r"remark: key ([0-9a-f]{32})", pathlib.Path(key).read_text())[-1]
kernel = {"key": key, "name": "a kernel", "schedule": schedule, "before_ns": 2, "after_ns": 1, "rounds": 1}
file = {"version": 1, "kernels": [kernel]}
for member in members:
    name, text = member.split("=", 1)
    (kernel if name.startswith(".") else file)[name.lstrip(".")] = json.loads(text)
print(json.dumps(file))
