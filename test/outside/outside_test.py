"""Builds test/outside/project and examples/build-ir against a package of fuse, runs both, and looks at what
the first links. The project brings a backend along, whose C text is compiled and run.

usage: outside_test.py PACKAGE_DIR WORK_DIR [--install BUILD_DIR] [-D...]

PACKAGE_DIR: the folder of FuseConfig.cmake. With --install the build tree is first installed to
WORK_DIR/prefix, and PACKAGE_DIR is relative to that. Further -D arguments go to CMake.
"""
import argparse
import ctypes
import math
import pathlib
import re
import shutil
import subprocess
import sys

PROJECT = pathlib.Path(__file__).resolve().parent / "project"
EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "build-ir"
# What the binary may need at run time; Graphviz (gvc, cgraph, its dot) for the report's picture.
ALLOWED = re.compile(r"lib(MLIR|LLVM|gvc|cgraph|gvplugin_dot_layout|stdc\+\+|m|gcc_s|c)\.so[.0-9]*|ld-linux.*")


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}\nstatus {done.returncode}")
    return done.stdout


def check_c_backend(build, compiler):
    """A backend that the project registers prints kernels, and what they compute is right."""
    program, folder = str(build / "outside-c"), PROJECT / "c-backend"
    done = subprocess.run([program, str(folder / "rows.mlir")], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"outside-c: status {done.returncode}\n{done.stderr}")
    names = [line.split(":")[0] for line in done.stderr.splitlines()[1:]]
    if "found a second 'c'" not in done.stderr or names != ["cpu", "cuda", "rocm", "emulator", "c"]:
        sys.exit(f"expected one backend more, known once, found:\n{done.stderr}")
    text = done.stdout
    for line in ("void kernel_0(const float *in0, const float *in1, float *out0, float *out1) {",
                 "x - y;", "x < 0 ? 0 : x + 0.0f;", "expf(x);", "sum += "):
        if line not in text:
            sys.exit(f"expected '{line}' in:\n{text}")
    if text.count("void kernel_") != 1:
        sys.exit(f"expected one kernel:\n{text}")

    (build / "kernel.c").write_text(text)
    run(compiler, "-shared", "-fPIC", "-Wall", "-Werror", "-o", str(build / "kernel.so"), str(build / "kernel.c"),
        "-lm")
    x, y = [0.5 * i for i in range(12)], [0.25 * i * i for i in range(12)]
    floats = lambda values: (ctypes.c_float * len(values))(*values)
    arrays = [floats(x), floats(y), floats([0] * 12), floats([0] * 3)]
    ctypes.CDLL(str(build / "kernel.so")).kernel_0(*arrays)
    want = [math.exp(max(a - b, 0)) for a, b in zip(x, y)]
    want += [sum(want[r * 4:r * 4 + 4]) for r in range(3)]
    got = list(arrays[2]) + list(arrays[3])
    if any(abs(a - b) > 1e-5 * b for a, b in zip(got, want)):
        sys.exit(f"expected {want}, found {got}, from:\n{text}")

    done = subprocess.run([program, str(folder / "product.mlir")], capture_output=True, text=True)
    message = "kernel kernel_0: expected element-wise ops and sums of rows, found 'fuse.matmul'"
    if done.returncode != 1 or message not in done.stderr:
        sys.exit(f"expected '{message}', found status {done.returncode}:\n{done.stderr}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("package", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--install", metavar="BUILD_DIR")
    arguments, definitions = parser.parse_known_args()
    package, work = arguments.package, arguments.work
    shutil.rmtree(work, ignore_errors=True)
    if arguments.install:
        run("cmake", "--install", arguments.install, "--prefix", str(work / "prefix"))
        package = work / "prefix" / package
        # A package that names the tree it came from breaks once that tree is gone.
        for path in package.rglob("*.cmake"):
            if str(pathlib.Path(arguments.install).resolve()) in path.read_text():
                sys.exit(f"{path} names the build tree")
        run(work / "prefix/bin/fuse-opt", "--version")
    run("cmake", "-G", "Ninja", "-S", str(PROJECT), "-B", str(work / "build"), f"-DFuse_DIR={package}",
        "-DCMAKE_BUILD_TYPE=Release", *definitions)
    run("cmake", "--build", str(work / "build"))

    program = str(work / "build" / "outside-opt")
    text = run(program, str(PROJECT / "chain.mlir"))
    if text.count("fuse.kernel") != 1:
        sys.exit(f"expected one kernel:\n{text}")
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-d", program))
    unwanted = [name for name in needed if not ALLOWED.fullmatch(name)]
    if unwanted or not any(name.startswith("libMLIR.so") for name in needed):
        sys.exit(f"expected libMLIR, libLLVM, Graphviz and system libraries, found: {', '.join(needed)}")
    print("needs", ", ".join(needed))

    compilers = [text.split("=", 1)[1] for text in definitions if text.startswith("-DCMAKE_C_COMPILER=")]
    check_c_backend(work / "build", compilers[0] if compilers else "cc")

    run("cmake", "-G", "Ninja", "-S", str(EXAMPLE), "-B", str(work / "example"), f"-DFuse_DIR={package}",
        "-DCMAKE_BUILD_TYPE=Release", *definitions)
    run("cmake", "--build", str(work / "example"))
    text = run(str(work / "example" / "build-ir"))
    if text.count("fuse.kernel") != 1 or "Fusion: 4 → 1 kernels" not in text:
        sys.exit(f"expected one kernel of four ops:\n{text}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
