"""usage: refuse.py STATUS FILE COMMAND...

Runs a command that must fail: exit status STATUS, FILE not there afterwards (nor a temporary file
beside it). Prints the command's stderr for FileCheck.
"""
import os
import subprocess
import sys

status, path, command = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                      stderr=subprocess.PIPE, text=True, errors="replace")
sys.stdout.write(done.stderr)
folder, name = os.path.split(path)
left = [each for each in os.listdir(folder) if each.startswith(name)]
if left:
    sys.exit(f"refuse.py: left behind: {left}")
# What sanitizers find may end with the same status.
if "SUMMARY: " in done.stderr or "runtime error:" in done.stderr or "crashed" in done.stderr:
    sys.exit("refuse.py: expected an error, found a crash or what a sanitizer reports")
if done.returncode != status:
    sys.exit(f"refuse.py: expected exit status {status}, found {done.returncode}")
