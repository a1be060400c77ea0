# other_version.py FOLDER: fuse-run as FOLDER/fuse-run-0, and as FOLDER/fuse-run-1 a copy that says it is of another version.
import os
import re
import shutil
import subprocess
import sys

tool = shutil.which("fuse-run")
version = re.match(r"fuse (\S+)", subprocess.run([tool, "--version"], capture_output=True, text=True, check=True).stdout).group(1)
with open(tool, "rb") as file:
    program = file.read()
text = b"\0" + version.encode() + b"\0"
assert text in program, f"{tool} does not have its version {version}"
for rank, last in enumerate((version[-1], "9")):
    path = os.path.join(sys.argv[1], f"fuse-run-{rank}")
    with open(path, "wb") as file:
        file.write(program.replace(text, b"\0" + version[:-1].encode() + last.encode() + b"\0"))
    os.chmod(path, 0o755)
