"""Opens pages of --graph in headless Chromium: they find every kernel and refused merge by name, say
nothing on the console, load nothing, are quick enough for 2000 ops, and can be read.

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


# What a window of a browser without a screen takes from its height; corrected when it is otherwise.
window_edge = 143


def open_page(browser, page, folder, size=(1600, 800)):
    """The page's document after it and selftest.js ran, and what it said on the console."""
    start = "start();\n"
    tested = page.with_suffix(".tested.html")
    tested.write_text(page.read_text().replace(start, start + (HERE / "selftest.js").read_text()))
    result = run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                  f"--user-data-dir={folder / 'profile'}", "--enable-logging=stderr", "--v=0",
                  f"--window-size={size[0]},{size[1] + window_edge}", "--dump-dom", tested.as_uri()])
    return result.stdout, [line for line in result.stderr.splitlines() if "CONSOLE" in line]


def get_result(document):
    found = re.search(r'<script type="application/json" id="selftest">(.*?)</script>', document, re.DOTALL)
    return json.loads(found.group(1)) if found else None


def check_views(name, result, faults):
    """Facts of the layout that hold for any program, in any window that is wide enough."""
    for view, layout in result["layout"].items():
        where = f"{name}: {view} at {layout['viewport'][0]} pixels"
        for what, ends in (("boxes overlap", layout["overlaps"]), ("text is wider than its place", layout["wide"]),
                           ("text of the header or footer is cut", layout["isCut"])):
            if ends:
                faults.append(f"{where}: {what}: {ends}")
        if layout["isCovered"]:
            faults.append(f"{where}: the legend covers the graph")
        if not layout["fits"]:
            faults.append(f"{where}: 'fit' does not show all")


# A model of 12 layers reads at 'fit': in one round of its layers, with no text below 9 pixels of the
# screen; the mask, which all layers read, is a tag at each and no line across the page.
def check_transformer(browser, fuse_run, folder, faults):
    global window_edge
    page, program = folder / "transformer.html", folder / "transformer.mlir"
    program.write_text(run([sys.executable, HERE / "make_transformer.py", 12]).stdout)
    result = run([fuse_run, program, "--graph", page])
    if result.returncode:
        faults.append(f"transformer: fuse-run ended with {result.returncode}: {result.stderr}")
        return
    for size in ((1024, 768), (1280, 800), (1920, 1080)):
        for attempt in range(2):
            document, console = open_page(browser, page, folder, size)
            result = get_result(document)
            if not result:
                faults.append(f"transformer: the page did not finish its test; {console}")
                return
            seen = result["layout"]["overview"]["viewport"]
            if seen == list(size):
                break
            window_edge += size[1] - seen[1]
        check_views("transformer", result, faults)
        overview, after = result["layout"]["overview"], result["layout"]["after"]
        print(f"transformer at {seen[0]} x {seen[1]}: least text {overview['leastPx']:.1f} pixels, {overview['boxes']} boxes, "
              f"{overview['tags']} tags, frames {overview['frames']}; all kernels: {after['boxes']} boxes, {after['tags']} tags")
        if size[0] >= 1280 and overview["leastPx"] < 9:
            faults.append(f"transformer: at {size[0]} pixels '{overview['smallest']}' has {overview['leastPx']:.1f} pixels, expected 9")
        if overview["frames"] != [[0, 5, 12]]:
            faults.append(f"transformer: expected 12 rounds of 5 kernels from the first kernel on, found {overview['frames']}")
        if after["tags"] < 12:
            faults.append(f"transformer: expected a tag for the mask at each layer, found {after['tags']} tags")
        if not 0.7 <= after["width"] / after["height"] <= 2.5:
            faults.append(f"transformer: {after['width']} x {after['height']} is no page")


def check_header(name, about, faults):
    """What was measured, on what; a prediction beside it is a ratio, and never bold."""
    names = [figure[2] for figure in about[1:]]
    for wanted in ("kernels", "measured", "predicted / measured", "threads", "CPU"):
        if wanted not in names and wanted.rstrip("s") not in names:
            faults.append(f"{name}: the header lacks '{wanted}': {about}")
    if any("predicted" in what and tag == "B" for tag, _, what in about[1:]) or not about[0].startswith(name):
        faults.append(f"{name}: the header has a bold prediction, or no model: {about}")


def is_slow(result):
    return result["opened"] > 1000 * MOST_OPEN or result["median"] > 1000 * MOST_SEARCH


def check_page(browser, name, page, folder, faults, is_large, openings=1):
    start = time.monotonic()
    document, console = open_page(browser, page, folder)
    elapsed = time.monotonic() - start
    faults += [f"{name}: console: {line}" for line in console]
    result = get_result(document)
    if not result:
        faults.append(f"{name}: the page did not finish its test")
        return
    print(f"{name}: {result['nodes']} ops, {result['kernels']} kernels, {result['refused']} refused merges; "
          f"{page.stat().st_size} bytes; opened in {result['opened']:.0f} ms; search: median {result['median']:.0f} ms, "
          f"slowest {result['slowest']:.0f} ms of {result['searches']}; all: {elapsed:.1f} s")
    if is_large and is_slow(result) and openings < MOST_OPENINGS:
        return check_page(browser, name, page, folder, faults, is_large, openings + 1)
    faults += [f"{name}: not found: {miss}" for miss in result["missed"][:5]]
    check_views(name, result, faults)
    if name == "digits":
        check_header(name, result["about"], faults)
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
            check_transformer(browser, fuse_run, folder, faults)
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
