"""usage: rename.py PROGRAM PATTERN: copies PROGRAM, whose function is @f, under names that clash."""
import sys

NAMES = ["malloc", "memset", "fuse_launch", "fuse_run_f", "kernel", "exp", '"a b"', '"q\\22"',
         '"\u00fcn\u00ef"', '""']
text = open(sys.argv[1]).read()
for number, name in enumerate(NAMES):
    with open(sys.argv[2] % number, "w", encoding="utf-8") as file:
        file.write(text.replace("@f(", f"@{name}("))
