# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values, operations, blocks and modules."""
import ctypes
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from . import _c
from ._attributes import Attribute, Type, make_attribute, make_type, name_attributes
from ._c import Handle, array, call, print_with
from ._contexts import Context, Location, MLIRError, _Scoped, _get_location, _stack, collect_diagnostics

OPS: dict[str, type] = {}  # the classes of ops, by their names


class Value:
    def __init__(self, handle: Handle, keeps: Any):
        self._handle, self._keeps = handle, keeps

    def __class_getitem__(cls, _: Any) -> type:
        return cls

    @property
    def type(self) -> Type:
        return make_type(call("ValueGetType", "h", self._handle), self._keeps.context)

    @property
    def owner(self) -> Any:
        if call("ValueIsAOpResult", "b", self._handle):
            return Operation(call("OpResultGetOwner", "h", self._handle), self._keeps)
        return Block(call("BlockArgumentGetOwner", "h", self._handle), self._keeps)

    def replace_all_uses_with(self, other: "Value") -> None:
        call("ValueReplaceAllUsesOfWith", "v", self._handle, as_value(other)._handle)

    def get_name(self) -> str:
        return str(self).partition(" ")[0]

    def __str__(self) -> str:
        return print_with("ValuePrint", self._handle)

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, Value) and call("ValueEqual", "b", self._handle, other._handle)

    def __hash__(self) -> int:
        return hash(self._handle.ptr)


class OpResult(Value):
    pass


class BlockArgument(Value):
    pass


class OpResultList(list):
    pass


class OpOperandList(list):
    def __class_getitem__(cls, _: Any) -> type:
        return cls


def as_value(of: Any) -> Value:
    if isinstance(of, Value):
        return of
    results = of.operation.results
    if len(results) != 1:
        raise ValueError(f"expected an op of one result as a value, found {of.operation.name} of {len(results)}")
    return results[0]


class _Attributes:
    """The attributes of an op, as a dictionary."""

    def __init__(self, operation: "Operation"):
        self._operation = operation

    def __len__(self) -> int:
        return call("OperationGetNumAttributes", "n", self._operation._handle)

    def __contains__(self, name: str) -> bool:
        return bool(call("OperationGetAttributeByName", "h", self._operation._handle, name).ptr)

    def __getitem__(self, name: str) -> Any:
        found = call("OperationGetAttributeByName", "h", self._operation._handle, name)
        if not found.ptr:
            raise KeyError(name)
        return make_attribute(found, self._operation.context)

    def __setitem__(self, name: str, value: Attribute) -> None:
        call("OperationSetAttributeByName", "v", self._operation._handle, name, value._handle)

    def __delitem__(self, name: str) -> None:
        if not call("OperationRemoveAttributeByName", "b", self._operation._handle, name):
            raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        for i in range(len(self)):
            yield str(call("IdentifierStr", "s", call("OperationGetAttribute", "a", self._operation._handle, i).name))

    def items(self) -> list[tuple[str, Attribute]]:
        return [(name, self[name]) for name in self]


class Operation:
    """An op. It stays as long as the module, or the op, that it is part of."""

    def __init__(self, handle: Handle, keeps: Any):
        self._handle, self._keeps = handle, keeps
        self.context: Context = keeps.context

    @classmethod
    def create(cls, name: str, results: Sequence[Type] = (), operands: Sequence[Any] = (), attributes: Mapping[str, Attribute] | None = None,
               successors: Any = None, regions: int = 0, loc: Location | None = None, ip: Any = None, infer_type: bool = False) -> "Operation":
        """An op at an insertion point: ip, or the current one; none where ip is False, or there is none."""
        if successors:
            raise ValueError("successors are not supported")
        loc = _get_location(loc)
        context = loc.context
        call("ContextGetOrLoadDialect", "h", context._handle, name.partition(".")[0])
        called = _c.StringRef.of(name)  # which the state points to
        state = call("OperationStateGet", "o", called, loc._handle)
        lists = [array([t._handle for t in results]), array([as_value(v)._handle for v in operands]),
                 array([call("RegionCreate", "h") for _ in range(regions)])]
        for kind, handles in zip(("Results", "Operands", "OwnedRegions"), lists):
            call(f"OperationStateAdd{kind}", "v", ctypes.byref(state), len(handles), handles)
        attributes = attributes or {}
        call("OperationStateAddAttributes", "v", ctypes.byref(state), len(attributes), name_attributes(attributes, context))
        if infer_type:
            call("OperationStateEnableResultTypeInference", "v", ctypes.byref(state))
        with collect_diagnostics(context) as diagnostics:
            handle = call("OperationCreate", "h", ctypes.byref(state))
        if not handle.ptr:
            raise MLIRError(f"Operation {name} cannot be created", diagnostics)
        needs = [value._keeps.root for value in map(as_value, operands)]
        made = cls(handle, context._own("OperationDestroy", handle, needs))
        if ip is None and _stack("points"):
            ip = _stack("points")[-1]
        if ip:
            ip.insert(made)
        return made

    @classmethod
    def parse(cls, text: str, source_name: str = "", context: Context | None = None) -> "Operation":
        context = context or Context.current
        with collect_diagnostics(context) as diagnostics:
            handle = call("OperationCreateParse", "h", context._handle, text, source_name)
        if not handle.ptr:
            raise MLIRError("Unable to parse operation assembly", diagnostics)
        return cls(handle, context._own("OperationDestroy", handle))

    @property
    def operation(self) -> "Operation":
        return self

    @property
    def name(self) -> str:
        return str(call("IdentifierStr", "s", call("OperationGetName", "h", self._handle)))

    @property
    def attributes(self) -> _Attributes:
        return _Attributes(self)

    @property
    def location(self) -> Location:
        return Location(call("OperationGetLocation", "h", self._handle), self.context)

    @property
    def operands(self) -> OpOperandList:
        count = call("OperationGetNumOperands", "n", self._handle)
        return OpOperandList(Value(call("OperationGetOperand", "h", self._handle, i), self._keeps) for i in range(count))

    @property
    def results(self) -> OpResultList:
        count = call("OperationGetNumResults", "n", self._handle)
        return OpResultList(OpResult(call("OperationGetResult", "h", self._handle, i), self._keeps) for i in range(count))

    @property
    def result(self) -> OpResult:
        return as_value(self)

    @property
    def regions(self) -> "list[Region]":
        count = call("OperationGetNumRegions", "n", self._handle)
        return [Region(call("OperationGetRegion", "h", self._handle, i), self._keeps) for i in range(count)]

    @property
    def parent(self) -> "Operation | None":
        handle = call("OperationGetParentOperation", "h", self._handle)
        return Operation(handle, self._keeps) if handle.ptr else None

    @property
    def opview(self) -> Any:
        """As the class that its dialect has for it; itself where there is none."""
        cls = OPS.get(self.name)
        if cls is None:
            return self
        view = cls.__new__(cls)
        view.operation = self
        return view

    def verify(self) -> bool:
        """Raises MLIRError where the op is not sound."""
        with collect_diagnostics(self.context) as diagnostics:
            if not call("OperationVerify", "b", self._handle):
                raise MLIRError("Verification failed", diagnostics)
        return True

    def walk(self, callback: Callable[["Operation"], Any]) -> None:
        """Calls back with each op within, and then with this one."""
        for region in self.regions:
            for block in region:
                for operation in block.operations:
                    operation.walk(callback)
        callback(self)

    def erase(self) -> None:
        """The op is gone, and so is what was got from it."""
        root = self._keeps.root
        call("OperationDestroy", "v", self._handle)
        if root.handle.ptr == self._handle.ptr:
            root.handle = Handle(None)
        self._handle = Handle(None)

    def get_asm(self, print_generic_op_form: bool = False, enable_debug_info: bool = False, assume_verified: bool = False,
                large_elements_limit: int | None = None, use_local_scope: bool = False) -> str:
        flags = call("OpPrintingFlagsCreate", "h")
        if print_generic_op_form:
            call("OpPrintingFlagsPrintGenericOpForm", "v", flags)
        if enable_debug_info:
            call("OpPrintingFlagsEnableDebugInfo", "v", flags, True, False)
        if assume_verified:
            call("OpPrintingFlagsAssumeVerified", "v", flags)
        if use_local_scope:
            call("OpPrintingFlagsUseLocalScope", "v", flags)
        if large_elements_limit is not None:
            call("OpPrintingFlagsElideLargeElementsAttrs", "v", flags, large_elements_limit)
        try:
            return print_with("OperationPrintWithFlags", self._handle, flags)
        finally:
            call("OpPrintingFlagsDestroy", "v", flags)

    def __str__(self) -> str:
        return self.get_asm()

    def __eq__(self, other: Any) -> bool:
        return hasattr(other, "operation") and self._handle.ptr == other.operation._handle.ptr

    def __hash__(self) -> int:
        return hash(self._handle.ptr)


class Module:
    def __init__(self, handle: Handle, context: Context):
        self._handle, self.context, self._keeps = handle, context, context._own("ModuleDestroy", handle)

    @classmethod
    def parse(cls, asm: str, context: Context | None = None) -> "Module":
        context = context or Context.current
        with collect_diagnostics(context) as diagnostics:
            handle = call("ModuleCreateParse", "h", context._handle, asm)
        if not handle.ptr:
            raise MLIRError("Unable to parse module assembly", diagnostics)
        return cls(handle, context)

    @classmethod
    def create(cls, loc: Location | None = None) -> "Module":
        loc = _get_location(loc)
        return cls(call("ModuleCreateEmpty", "h", loc._handle), loc.context)

    @property
    def operation(self) -> Operation:
        return Operation(call("ModuleGetOperation", "h", self._handle), self._keeps)

    @property
    def body(self) -> "Block":
        return Block(call("ModuleGetBody", "h", self._handle), self._keeps)

    def __str__(self) -> str:
        return str(self.operation)


class Region:
    def __init__(self, handle: Handle, keeps: Any):
        self._handle, self._keeps = handle, keeps

    @property
    def blocks(self) -> "list[Block]":
        blocks, handle = [], call("RegionGetFirstBlock", "h", self._handle)
        while handle.ptr:
            blocks.append(Block(handle, self._keeps))
            handle = call("BlockGetNextInRegion", "h", handle)
        return blocks

    def __iter__(self) -> "Iterator[Block]":
        return iter(self.blocks)

    def __len__(self) -> int:
        return len(self.blocks)

    def __getitem__(self, i: int) -> "Block":
        return self.blocks[i]


class Block:
    def __init__(self, handle: Handle, keeps: Any):
        self._handle, self._keeps = handle, keeps

    @classmethod
    def create_at_start(cls, parent: Region, arg_types: Sequence[Type] = (), arg_locs: Sequence[Location] | None = None) -> "Block":
        locs = [loc._handle for loc in arg_locs or [_get_location(None)] * len(arg_types)]
        handle = call("BlockCreate", "h", len(arg_types), array([t._handle for t in arg_types]), array(locs))
        call("RegionInsertOwnedBlock", "v", parent._handle, 0, handle)
        return cls(handle, parent._keeps)

    @property
    def arguments(self) -> list[BlockArgument]:
        count = call("BlockGetNumArguments", "n", self._handle)
        return [BlockArgument(call("BlockGetArgument", "h", self._handle, i), self._keeps) for i in range(count)]

    @property
    def operations(self) -> list[Operation]:
        operations, handle = [], call("BlockGetFirstOperation", "h", self._handle)
        while handle.ptr:
            operations.append(Operation(handle, self._keeps))
            handle = call("OperationGetNextInBlock", "h", handle)
        return operations

    @property
    def owner(self) -> Operation:
        return Operation(call("BlockGetParentOperation", "h", self._handle), self._keeps)

    def append(self, operation: Any) -> None:
        InsertionPoint(self).insert(operation)

    def __iter__(self) -> Iterator[Operation]:
        return iter(self.operations)

    def __str__(self) -> str:
        return print_with("BlockPrint", self._handle)


class InsertionPoint(_Scoped):
    """The end of a block, or in front of an op."""
    _kind = "points"

    def __init__(self, beforeOperation: Any):
        if isinstance(beforeOperation, Block):
            self.block, self._before = beforeOperation, None
        else:
            before = beforeOperation.operation
            self.block, self._before = Block(call("OperationGetBlock", "h", before._handle), before._keeps), before

    @classmethod
    def at_block_begin(cls, block: Block) -> "InsertionPoint":
        operations = block.operations
        return cls(operations[0]) if operations else cls(block)

    @classmethod
    def at_block_terminator(cls, block: Block) -> "InsertionPoint":
        handle = call("BlockGetTerminator", "h", block._handle)
        if not handle.ptr:
            raise ValueError("expected a block with a terminator")
        return cls(Operation(handle, block._keeps))

    def insert(self, operation: Any) -> None:
        made = operation.operation
        if call("OperationGetBlock", "h", made._handle).ptr:
            raise ValueError("expected an op that is in no block yet")
        before = self._before._handle if self._before else Handle(None)
        call("BlockInsertOwnedOperationBefore", "v", self.block._handle, before, made._handle)
        made._keeps.root.join(self.block._keeps.root)
        made._keeps = self.block._keeps
