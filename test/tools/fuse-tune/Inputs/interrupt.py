"""Ends a command as Ctrl-C does once a file is there: interrupt.py FILE COMMAND..."""
import pathlib
import signal
import subprocess
import sys
import time

process = subprocess.Popen(sys.argv[2:])
while not pathlib.Path(sys.argv[1]).exists() and process.poll() is None:
    time.sleep(0.02)
time.sleep(0.5)  # for the search to begin
process.send_signal(signal.SIGINT)
sys.exit(process.wait(timeout=20))
