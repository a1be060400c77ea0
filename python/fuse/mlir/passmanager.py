# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Passes and pipelines by name, as mlir.passmanager."""
from typing import Any

from ._c import StringCallback, call, print_with
from ._contexts import Context, MLIRError, collect_diagnostics
from ._operations import Operation


class PassManager:
    """Passes to be run on ops of one kind."""

    def __init__(self, anchor_op: str = "any", context: Context | None = None):
        self.context = context or Context.current
        self._handle = call("PassManagerCreateOnOperation", "h", self.context._handle, anchor_op)
        self._keeps = self.context._own("PassManagerDestroy", self._handle)

    @classmethod
    def parse(cls, pipeline: str, context: Context | None = None) -> "PassManager":
        """"builtin.module(fuse-pipeline{target=host}, canonicalize)". Raises ValueError for what is no pipeline."""
        anchor, bracket, rest = pipeline.strip().partition("(")
        if not bracket or not rest.endswith(")"):
            raise ValueError(f"expected a pipeline such as builtin.module(canonicalize), found {pipeline!r}")
        made = cls(anchor.strip(), context)
        made.add(rest[:-1])
        return made

    def add(self, pipeline: str) -> None:
        """Passes behind those that are there: "canonicalize,cse"."""
        if not pipeline.strip():
            return
        errors: list[str] = []

        def note(part: Any, _: Any) -> None:
            errors.append(str(part))
        callback = StringCallback(note)
        manager = call("PassManagerGetAsOpPassManager", "h", self._handle)
        if not call("OpPassManagerAddPipeline", "l", manager, pipeline, callback, None).value:
            raise ValueError("".join(errors).strip() or f"expected a pipeline, found {pipeline!r}")

    def run(self, operation: Any) -> None:
        """Raises MLIRError with the diagnostics of the pass that fails; the op is in no sound state then."""
        target: Operation = operation.operation
        with collect_diagnostics(self.context) as diagnostics:
            result = call("PassManagerRunOnOp", "l", self._handle, target._handle)
        if not result.value:
            raise MLIRError("Failure while executing pass pipeline", diagnostics)

    def enable_verifier(self, enable: bool) -> None:
        call("PassManagerEnableVerifier", "v", self._handle, enable)

    def __str__(self) -> str:
        return print_with("PrintPassPipeline", call("PassManagerGetAsOpPassManager", "h", self._handle))
