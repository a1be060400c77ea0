"""The passes that lead to fuse-check-plan, for scripts that check plans."""
import re
import subprocess

TARGETS = ("cpu", "emulator")


def is_streamed(numerics):
    """Code of class `exact` keeps the order of sums, and streams no dim."""
    return numerics != "exact"


def planning(target, numerics, prepares=False):
    """Options of fuse-opt that plan a program, and lay out what a CPU runs. With `prepares`, what is computed of
    parameters alone becomes a function of its own, as the tools have it; else it stays in the kernels."""
    return [f"--fuse-pipeline=numerics={numerics} prepare={str(prepares).lower()} layouts={str(target == 'cpu').lower()}"]


def checking(target, numerics):
    """Options of fuse-opt that check a planned program."""
    options = ["stream"] * is_streamed(numerics) + ["gpu"] * (target != "cpu")
    return ["--fuse-check-plan" + (f"={' '.join(options)}" if options else "")]


def get_target_attribute(fuse_run):
    """`fuse.target = …` of the emulator's modules, which fuse-opt plans for where a module has it."""
    program = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  return %x : tensor<2xf32>\n}\n"
    text = subprocess.run([fuse_run, "-", "--target", "emulator", "--dump-after", "fuse-bind-dims"], input=program,
                          capture_output=True, text=True, check=True).stdout
    return re.search(r"fuse\.target = #fuse\.target<.*>", text).group()
