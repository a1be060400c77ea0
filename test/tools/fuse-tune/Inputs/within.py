"""Runs a command that must end in time: within.py SECONDS COMMAND..."""
import subprocess
import sys

sys.exit(subprocess.run(sys.argv[2:], timeout=float(sys.argv[1])).returncode)
