"""Opens pages of --graph in headless Chromium: they find every kernel and refused merge by name, say
nothing on the console, load nothing, and are quick enough for 2000 ops.

usage: picture_test.py FOLDER_OF_PROGRAMS [PROGRAM...]      PROGRAM: in place of the test's own
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
# What the page of a program of 2000 ops may take, in bytes and seconds. Machines that do other things
# as well are slow, so the median search counts, and the fastest of some openings; all times are printed.
MOST_BYTES, MOST_LAYOUT, MOST_OPEN, MOST_SEARCH = 2_000_000, 20, 3, 0.2
MOST_OPENINGS = 4

# Names that would be markup, script or an attribute's end if they were not data.
HOSTILE = '''
func.func @"</title><img src=x onerror=console.error(1)>"(
    %x: tensor<64x64xf32> {fuse.name = "</script><script>console.error(2)</script>"},
    %w: tensor<64x64xf32> {fuse.name = "\\22 onload=\\22console.error(3) & &lt; <!-- \\E2\\80\\A8 \\F0\\9F\\98\\80"}) -> tensor<64x64xf32> {
  %0 = fuse.unary relu %x : tensor<64x64xf32>
  %1 = fuse.matmul %0, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = fuse.unary exp %1 {fuse.alone} : tensor<64x64xf32> loc("<b onmouseover=console.error(4)>'`${alert(5)}")
  return %2 : tensor<64x64xf32>
}
'''


def run(command, **options):
    return subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, check=False, timeout=240, **options)


def open_page(browser, page, folder, fragment):
    """The page's document after it ran, and what it said on the console."""
    result = run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                  f"--user-data-dir={folder / 'profile'}", "--enable-logging=stderr", "--v=0",
                  "--window-size=1600,950", "--dump-dom", f"{page.as_uri()}#{fragment}"])
    return result.stdout, [line for line in result.stderr.splitlines() if "CONSOLE" in line]


def is_slow(result):
    return result["opened"] > 1000 * MOST_OPEN or result["median"] > 1000 * MOST_SEARCH


def check_page(browser, name, page, folder, faults, is_large, openings=1):
    start = time.monotonic()
    document, console = open_page(browser, page, folder, "selftest")
    elapsed = time.monotonic() - start
    faults += [f"{name}: console: {line}" for line in console]
    found = re.search(r'<script type="application/json" id="selftest">(.*?)</script>', document, re.DOTALL)
    if not found:
        faults.append(f"{name}: the page did not finish its test")
        return
    result = json.loads(found.group(1))
    print(f"{name}: {result['nodes']} ops, {result['kernels']} kernels, {result['refused']} refused merges; "
          f"{page.stat().st_size} bytes; opened in {result['opened']:.0f} ms; search: median {result['median']:.0f} ms, "
          f"slowest {result['slowest']:.0f} ms of {result['searches']}; {', '.join(result['engines'])}; all: {elapsed:.1f} s")
    if is_large and is_slow(result) and openings < MOST_OPENINGS:
        return check_page(browser, name, page, folder, faults, is_large, openings + 1)
    faults += [f"{name}: not found: {miss}" for miss in result["missed"][:5]]
    if result["kernels"] == 0:
        faults.append(f"{name}: no kernels")
    if not is_large:
        return
    for what, figure, most in (("bytes", page.stat().st_size, MOST_BYTES), ("ms to open", result["opened"], 1000 * MOST_OPEN),
                               ("ms to search", result["median"], 1000 * MOST_SEARCH)):
        if figure > most:
            faults.append(f"{name}: {figure} {what}, expected at most {most}")


def main(programs, given):
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not browser:
        print("no browser: install chromium to test the picture of the report")
        return 0
    fuse_run = pathlib.Path(programs) / "fuse-run"
    faults = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        cases = [(pathlib.Path(path).stem, path, []) for path in given]
        if not given:
            (folder / "hostile.mlir").write_text(HOSTILE)
            network = run([sys.executable, HERE / "make_network.py", 2000]).stdout
            (folder / "network.mlir").write_text(network.replace("64x64xf32", "1024x1024xf32"))
            cases = [("digits", ROOT / "examples" / "digits" / "digits.mlir", ["--random-inputs", 1, "--time", 2]),
                     ("hostile", folder / "hostile.mlir", ["--function", "</title><img src=x onerror=console.error(1)>"]),
                     ("network", folder / "network.mlir", [])]
        for name, program, options in cases:
            page = folder / f"{name}.html"
            start = time.monotonic()
            result = run([fuse_run, program, "--graph", page, *options])
            elapsed = time.monotonic() - start
            if result.returncode or not page.exists():
                faults.append(f"{name}: fuse-run ended with {result.returncode}: {result.stderr}")
                continue
            print(f"{name}: planned and laid out in {elapsed:.1f} s")
            if elapsed > MOST_LAYOUT and name == "network":
                faults.append(f"{name}: planned and laid out in {elapsed:.1f} s, expected at most {MOST_LAYOUT}")
            text = page.read_text()
            if re.search(r'(src|href)="(?!data:)|url\(h|@import', text.split('<script id="data"')[0]):
                faults.append(f"{name}: the page loads something")
            check_page(browser, name, page, folder, faults, name == "network")
    print("\n".join(faults))
    return 1 if faults else 0


sys.exit(main(sys.argv[1], sys.argv[2:]))
