"""Options that messages name exist in the tools that print them: hints.py SOURCES

Of string literals in the tools' sources, and in those of the importer, which four tools use.
"""
import pathlib
import re
import subprocess
import sys

IMPORTING = ("fuse-run", "fuse-compile", "fuse-translate", "fuse-tune")
LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"')
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")

root = pathlib.Path(sys.argv[1])
folders = {tool: [root / "tools" / tool] for tool in (*IMPORTING, "fuse-calibrate")}
for tool in IMPORTING:
    folders[tool].append(root / "lib" / "Import")
wrong, count = [], 0
for tool, sources in folders.items():
    help_text = subprocess.run([tool, "--help"], check=True, capture_output=True, text=True).stdout
    known = set(OPTION.findall(help_text))
    for source in (file for folder in sources for file in sorted(folder.rglob("*.cpp"))):
        code = re.sub(r"//.*", "", source.read_text())
        for option in OPTION.findall(" ".join(LITERAL.findall(code))):
            count += 1
            if option not in known:
                wrong.append(f"{source.relative_to(root)}: {tool} has no {option}")
print("\n".join(wrong) or f"{count > 50}")
sys.exit(bool(wrong))
