# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attributes and types."""
import ctypes
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from . import _c
from ._c import Handle, array, call, print_with
from ._contexts import Context, Location, MLIRError, collect_diagnostics


class _Printed:
    """An attribute or a type: printed, compared, and of the class of its kind."""
    _word = ""

    def __init__(self, handle: Any, context: Context | None = None):
        if isinstance(handle, _Printed):
            handle, context = handle._handle, handle.context
        self._handle, self.context = handle, context

    @classmethod
    def parse(cls, text: str, context: Context | None = None) -> Any:
        context = context or Context.current
        with collect_diagnostics(context) as diagnostics:
            handle = call(f"{cls._word}ParseGet", "h", context._handle, text)
        if not handle.ptr:
            raise MLIRError(f"Unable to parse {cls._word.lower()}", diagnostics)
        return _downcast(cls._word, handle, context)

    def __str__(self) -> str:
        return print_with(f"{self._word}Print", self._handle)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self})"

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, _Printed) and self._handle.ptr == other._handle.ptr

    def __hash__(self) -> int:
        return hash(self._handle.ptr)


class Attribute(_Printed):
    _word = "Attribute"
    _test = ""

    @classmethod
    def isinstance(cls, other: "Attribute") -> bool:
        return isinstance(other, cls)


class Type(_Printed):
    _word = "Type"
    _test = ""


_KINDS: dict[str, list[type]] = {"Attribute": [], "Type": []}


def _kind(cls: type) -> type:
    """A class whose values are those for which mlir…Test holds."""
    _KINDS[cls._word].append(cls)
    return cls


def _downcast(word: str, handle: Handle, context: Context) -> Any:
    for cls in _KINDS[word]:
        if call(f"{word}IsA{cls._test}", "b", handle):
            return cls(handle, context)
    return (Attribute if word == "Attribute" else Type)(handle, context)


def make_attribute(handle: Handle, context: Context) -> Any:
    return _downcast("Attribute", handle, context)


def make_type(handle: Handle, context: Context) -> Any:
    return _downcast("Type", handle, context)


@_kind
class IntegerType(Type):
    _test = "Integer"

    @classmethod
    def get_signless(cls, width: int, context: Context | None = None) -> "IntegerType":
        context = context or Context.current
        return cls(call("IntegerTypeGet", "h", context._handle, width), context)

    @classmethod
    def get_unsigned(cls, width: int, context: Context | None = None) -> "IntegerType":
        context = context or Context.current
        return cls(call("IntegerTypeUnsignedGet", "h", context._handle, width), context)

    @property
    def width(self) -> int:
        return call("IntegerTypeGetWidth", "u", self._handle)


@_kind
class RankedTensorType(Type):
    _test = "RankedTensor"

    @classmethod
    def get(cls, shape: Sequence[int], element_type: Type, encoding: Any = None, loc: Location | None = None) -> "RankedTensorType":
        sizes = (ctypes.c_int64 * len(shape))(*shape)
        made = call("RankedTensorTypeGet", "h", len(shape), sizes, element_type._handle, encoding._handle if encoding else Handle(None))
        return cls(made, element_type.context)

    @property
    def rank(self) -> int:
        return call("ShapedTypeGetRank", "i", self._handle)

    @property
    def shape(self) -> list[int]:
        return [call("ShapedTypeGetDimSize", "i", self._handle, i) for i in range(self.rank)]

    @property
    def element_type(self) -> Type:
        return make_type(call("ShapedTypeGetElementType", "h", self._handle), self.context)

    @staticmethod
    def get_dynamic_size() -> int:
        return call("ShapedTypeGetDynamicSize", "i")


def _make_simple(name: str, test: str) -> type:
    def get(cls: type, context: Context | None = None) -> Any:
        context = context or Context.current
        return cls(call(f"{test}TypeGet", "h", context._handle), context)
    return _kind(type(name, (Type,), {"_test": test, "get": classmethod(get)}))


F16Type, BF16Type, F32Type, F64Type = (_make_simple(n + "Type", n) for n in ("F16", "BF16", "F32", "F64"))
IndexType = _make_simple("IndexType", "Index")


@_kind
class FunctionType(Type):
    _test = "Function"

    @classmethod
    def get(cls, inputs: Sequence[Type], results: Sequence[Type], context: Context | None = None) -> "FunctionType":
        context = context or Context.current
        lists = [array([t._handle for t in each]) for each in (inputs, results)]
        return cls(call("FunctionTypeGet", "h", context._handle, len(inputs), lists[0], len(results), lists[1]), context)


@_kind
class BoolAttr(Attribute):
    _test = "Bool"

    @classmethod
    def get(cls, value: bool, context: Context | None = None) -> "BoolAttr":
        context = context or Context.current
        return cls(call("BoolAttrGet", "h", context._handle, int(value)), context)

    @property
    def value(self) -> bool:
        return call("BoolAttrGetValue", "b", self._handle)


@_kind
class IntegerAttr(Attribute):
    _test = "Integer"

    @classmethod
    def get(cls, type: Type, value: int) -> "IntegerAttr":
        return cls(call("IntegerAttrGet", "h", type._handle, value), type.context)

    @property
    def value(self) -> int:
        return int(str(self).partition(":")[0])  # of any signedness


@_kind
class FloatAttr(Attribute):
    _test = "Float"

    @classmethod
    def get(cls, type: Type, value: float, loc: Location | None = None) -> "FloatAttr":
        return cls(call("FloatAttrDoubleGet", "h", type.context._handle, type._handle, float(value)), type.context)

    @classmethod
    def get_f64(cls, value: float, context: Context | None = None) -> "FloatAttr":
        return cls.get(F64Type.get(context), value)

    @property
    def value(self) -> float:
        return call("FloatAttrGetValueDouble", "d", self._handle)


@_kind
class StringAttr(Attribute):
    _test = "String"

    @classmethod
    def get(cls, value: str, context: Context | None = None) -> "StringAttr":
        context = context or Context.current
        return cls(call("StringAttrGet", "h", context._handle, value), context)

    @property
    def value(self) -> str:
        return str(call("StringAttrGetValue", "s", self._handle))


@_kind
class FlatSymbolRefAttr(Attribute):
    _test = "FlatSymbolRef"

    @classmethod
    def get(cls, value: str, context: Context | None = None) -> "FlatSymbolRefAttr":
        context = context or Context.current
        return cls(call("FlatSymbolRefAttrGet", "h", context._handle, value), context)

    @property
    def value(self) -> str:
        return str(call("FlatSymbolRefAttrGetValue", "s", self._handle))


@_kind
class TypeAttr(Attribute):
    _test = "Type"

    @classmethod
    def get(cls, value: Type, context: Context | None = None) -> "TypeAttr":
        return cls(call("TypeAttrGet", "h", value._handle), value.context)

    @property
    def value(self) -> Type:
        return make_type(call("TypeAttrGetValue", "h", self._handle), self.context)


@_kind
class UnitAttr(Attribute):
    _test = "Unit"

    @classmethod
    def get(cls, context: Context | None = None) -> "UnitAttr":
        context = context or Context.current
        return cls(call("UnitAttrGet", "h", context._handle), context)


@_kind
class ArrayAttr(Attribute):
    _test = "Array"

    @classmethod
    def get(cls, attributes: Sequence[Attribute], context: Context | None = None) -> "ArrayAttr":
        context = context or Context.current
        return cls(call("ArrayAttrGet", "h", context._handle, len(attributes), array([a._handle for a in attributes])), context)

    def __len__(self) -> int:
        return call("ArrayAttrGetNumElements", "n", self._handle)

    def __getitem__(self, i: int) -> Attribute:
        if not 0 <= i < len(self):
            raise IndexError(i)
        return make_attribute(call("ArrayAttrGetElement", "h", self._handle, i), self.context)


@_kind
class DictAttr(Attribute):
    _test = "Dictionary"

    @classmethod
    def get(cls, value: Mapping[str, Attribute], context: Context | None = None) -> "DictAttr":
        context = context or Context.current
        entries = name_attributes(value, context)
        return cls(call("DictionaryAttrGet", "h", context._handle, len(value), entries), context)

    def __contains__(self, name: str) -> bool:
        return bool(call("DictionaryAttrGetElementByName", "h", self._handle, name).ptr)

    def __getitem__(self, name: str) -> Attribute:
        found = call("DictionaryAttrGetElementByName", "h", self._handle, name)
        if not found.ptr:
            raise KeyError(name)
        return make_attribute(found, self.context)

    def __len__(self) -> int:
        return call("DictionaryAttrGetNumElements", "n", self._handle)


@_kind
class DenseI64ArrayAttr(Attribute):
    _test = "DenseI64Array"

    @classmethod
    def get(cls, values: Sequence[int], context: Context | None = None) -> "DenseI64ArrayAttr":
        context = context or Context.current
        return cls(call("DenseI64ArrayGet", "h", context._handle, len(values), (ctypes.c_int64 * len(values))(*values)), context)

    def __len__(self) -> int:
        return call("DenseArrayGetNumElements", "n", self._handle)

    def __getitem__(self, i: int) -> int:
        if not 0 <= i < len(self):
            raise IndexError(i)
        return call("DenseI64ArrayGetElement", "i", self._handle, i)


def name_attributes(attributes: Mapping[str, Attribute], context: Context) -> Any:
    named = [_c.NamedAttribute(call("IdentifierGet", "h", context._handle, name), attribute._handle)
             for name, attribute in attributes.items()]
    return (_c.NamedAttribute * len(named))(*named)


class AttrBuilder:
    """Functions that make attributes of Python's values, by the names that the dialects' definitions have for them."""
    _builders: dict[str, Callable[..., Attribute]] = {}

    @classmethod
    def contains(cls, name: str) -> bool:
        return name in cls._builders or (name.startswith("Fuse_") and name.endswith("Attr"))

    @classmethod
    def get(cls, name: str) -> Callable[..., Attribute]:
        if name in cls._builders:
            return cls._builders[name]
        # A kind by its name: "gelu" of Fuse_UnaryKindAttr is #fuse<unary_kind gelu>.
        words = "".join("_" + c.lower() if c.isupper() else c for c in name[len("Fuse_"):-len("Attr")]).lstrip("_")
        return lambda value, context: Attribute.parse(f"#fuse<{words} {value}>", context)

    @classmethod
    def insert(cls, name: str, builder: Callable[..., Attribute], replace: bool = False) -> None:
        if name in cls._builders and not replace:
            raise RuntimeError(f"the attribute builder {name} is there already")
        cls._builders[name] = builder


def register_attribute_builder(name: str, replace: bool = False) -> Callable:
    def register(builder: Callable) -> Callable:
        AttrBuilder.insert(name, builder, replace)
        return builder
    return register


for _width in (1, 8, 16, 32, 64):
    AttrBuilder.insert(f"I{_width}Attr", lambda x, context, w=_width: IntegerAttr.get(IntegerType.get_signless(w, context), x))
for _made, _float in (("F32Attr", F32Type), ("F64Attr", F64Type)):
    AttrBuilder.insert(_made, lambda x, context, f=_float: FloatAttr.get(f.get(context), x))
for _made, _class in (("BoolAttr", BoolAttr), ("StrAttr", StringAttr), ("SymbolNameAttr", StringAttr), ("TypeAttr", TypeAttr),
                      ("FlatSymbolRefAttr", FlatSymbolRefAttr), ("DenseI64ArrayAttr", DenseI64ArrayAttr)):
    AttrBuilder.insert(_made, lambda x, context, c=_class: c.get(x, context=context))
AttrBuilder.insert("IndexAttr", lambda x, context: IntegerAttr.get(IndexType.get(context), x))
