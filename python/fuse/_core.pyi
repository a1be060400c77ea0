"""What the extension module offers to the package; see fuse/Runtime/Program.h and fuse/CAPI/Compile.h."""
from collections.abc import Callable, Mapping, Sequence
from typing import Any

class Error(RuntimeError):
    """A program that cannot be compiled, loaded or called. `messages` has what the compiler said, one dict each, with
    severity, text, file, line, column, nodes and notes."""
    messages: list[dict[str, Any]]

class Value:
    """An input or an output."""
    name: str
    dtype: str  # as NumPy names it; "bfloat16"
    shape: tuple[int | str | None, ...]  # open: its name, or None without one

class Program:
    """Compiled code with its weights. Any number of threads may call it."""
    @property
    def inputs(self) -> Sequence[Value]: ...
    @property
    def outputs(self) -> Sequence[Value]: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the program on arrays, in the order of `inputs` or by name. One output comes as itself, several as a tuple."""
    def run(self, names: Sequence[str] | None, feeds: Mapping[str, Any]) -> list[Any]: ...
    def profile(self, args: Sequence[Any], runs: int) -> list[dict[str, Any]]: ...
    def text(self, what: str) -> str:
        """"messages", "messages_json", "report", "report_json", "listing", "dot", "svg" or "page"."""
    def save(self, path: str) -> None: ...
    threads: int
    cpu: str
    cpus: str
    version: str

def compile(
    source: str | bytes,
    format: str | None = None,
    *,
    name: str | None = None,
    weights: Mapping[str, Any] = ...,
    inputs: Mapping[str, Any] = ...,
    options: Sequence[tuple[str, str | None]] = ...,
    progress: Callable[[float, str], None] | None = None,
) -> Program:
    """Compiles a file (str) or bytes. `weights`: NumPy, torch or other DLPack arrays for the program's parameters, by name; they
    are held, not copied, where they are row-major. `options`: names and values of fuse-compile's options, in order; the
    value of a switch is None. Raises Error."""

def load(path: str, weights: str | None = None, threads: int = 0) -> Program: ...
