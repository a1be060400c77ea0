"""Builds test/outside/project and examples/build-ir against a package of fuse, runs both, and looks at what
the first links.

usage: outside_test.py PACKAGE_DIR WORK_DIR [--install BUILD_DIR] [-D...]

PACKAGE_DIR: the folder of FuseConfig.cmake. With --install the build tree is first installed to
WORK_DIR/prefix, and PACKAGE_DIR is relative to that. Further -D arguments go to CMake.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys

PROJECT = pathlib.Path(__file__).resolve().parent / "project"
EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "build-ir"
# What the binary may need at run time.
ALLOWED = re.compile(r"lib(MLIR|LLVM|stdc\+\+|m|gcc_s|c)\.so[.0-9]*|ld-linux.*")


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}\nstatus {done.returncode}")
    return done.stdout


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
        sys.exit(f"expected libMLIR, libLLVM and system libraries, found: {', '.join(needed)}")
    print("needs", ", ".join(needed))

    run("cmake", "-G", "Ninja", "-S", str(EXAMPLE), "-B", str(work / "example"), f"-DFuse_DIR={package}",
        "-DCMAKE_BUILD_TYPE=Release", *definitions)
    run("cmake", "--build", str(work / "example"))
    text = run(str(work / "example" / "build-ir"))
    if text.count("fuse.kernel") != 1 or "Fusion: 4 → 1 kernels" not in text:
        sys.exit(f"expected one kernel of four ops:\n{text}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
