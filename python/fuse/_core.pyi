"""The extension module; see fuse/Runtime/Program.h and fuse/CAPI/Compile.h. What people use of it is in the package fuse."""
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any

from ._program import Value
from ._report import Explanation, Graph, Profile, Report

class Error(RuntimeError):
    """A program that cannot be compiled, loaded or called. `messages` has what the compiler said, one dict each, with
    severity ("error", "warning", "remark"), text, file, line, column, nodes and notes."""
    messages: list[dict[str, Any]]

class Program:
    """Compiled code with its weights. Any number of threads may call it."""
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the program on arrays, in the order of `inputs` or by name: of NumPy, or any that DLPack exports from the
        CPU's memory, such as PyTorch's. Row-major ones are not copied. One output comes as itself, several as a tuple, none
        as None; they are arrays of the package that the first argument of DLPack is of, else of NumPy."""
    def run(self, names: Sequence[str] | None, feeds: Mapping[str, Any]) -> list[Any]:
        """As InferenceSession.run of ONNX Runtime: the outputs of these names, or all."""
    @property
    def inputs(self) -> list[Value]:
        """What a call takes, in order; weights are no inputs."""
    @property
    def outputs(self) -> list[Value]:
        """What a call gives, in order."""
    def get_inputs(self) -> list[Value]: ...
    def get_outputs(self) -> list[Value]: ...
    @property
    def report(self) -> Report:
        """The kernels, what they hold, what they cost, and what was not fused and why."""
    @property
    def messages(self) -> list[dict[str, Any]]:
        """Warnings and remarks of the compiler."""
    def graph(self) -> Graph:
        """The kernels as a picture. Of compiled programs only."""
    def explain(self) -> Explanation:
        """Why the kernels hold what they hold, and what was not fused and why."""
    def profile(self, *arrays: Any, runs: int = 20) -> Profile:
        """Runs the program `runs` times, and says how long each kernel takes."""
    def save(self, path: str | PathLike[str]) -> None:
        """Writes a bundle: PATH, which ends in .so, and beside it .weights and .h."""
    @property
    def version(self) -> str:
        """Of the fuse that compiled it."""
    @property
    def cpus(self) -> str:
        """The CPUs that it has code for, with commas between them."""
    @property
    def cpu(self) -> str:
        """The one whose code runs."""
    @property
    def threads(self) -> int:
        """That a call uses; 0: as many as OpenMP would use."""

def compile(
    source: str | bytes,
    format: str | None = None,
    *,
    name: str | None = None,
    weights: Mapping[str, Any] = ...,
    inputs: Mapping[str, Any] = ...,
    options: Iterable[tuple[str, str | None]] = ...,
    progress: Callable[[float, str], object] | None = None,
    threads: int = 0,
) -> Program:
    """Compiles a file (str) or bytes of a format: "mlir", "onnx", "torch", "stablehlo", or None, by its name and how it begins. `weights`:
    arrays for the program's parameters by name; they are held, not copied, where they are row-major. `inputs`: arrays that say
    what a model leaves open. `options`: names and values of fuse-compile's options, in order; the value of a switch is None.
    Raises Error."""

def load(path: str, weights: str | None = None, threads: int = 0) -> Program:
    """Opens a bundle. Raises Error."""

def torch_ops() -> str:
    """The ops of PyTorch that programs of the format "torch" may have, a line each."""

def stablehlo_ops() -> str:
    """The ops of StableHLO that programs of the format "stablehlo" may have, a line each."""

def options_help() -> str:
    """All options with what they mean."""

def compiler_version() -> str: ...
def set_paths(runtime: str, compiler: str, openmp: str) -> None:
    """Where the libraries lie; before anything else."""

def set_converter(converter: Callable[[Any, Any], Any]) -> None:
    """Called with an output of NumPy and the first argument that came by DLPack."""
