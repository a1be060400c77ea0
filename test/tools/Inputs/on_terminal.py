"""usage: on_terminal.py COMMAND...

Runs a command with a terminal as its stderr; prints what came there, each carriage return as the
start of a new line and the sequence that erases a line as <erase>, and then the exit status.
"""
import os
import pty
import subprocess
import sys

terminal, end = pty.openpty()
environment = dict(os.environ, TERM=os.environ.get("TERM_OF_TEST", "xterm"))
process = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=end, env=environment)
os.close(end)
seen = b""
while True:
    try:
        part = os.read(terminal, 4096)
    except OSError:  # nobody is left at the other end
        break
    if not part:
        break
    seen += part
text = seen.decode().replace("\r\n", "\n").replace("\r", "\n").replace("\x1b[K", "<erase>")
print(text)
print("exit status", process.wait())
