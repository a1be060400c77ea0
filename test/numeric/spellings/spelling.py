"""Writes functions of the fuse dialect, one op at a time, types filled in."""
import math


def kind_of(shape, element):
    return "tensor<" + "".join(f"{n}x" for n in shape) + element + ">"


class Value:
    def __init__(self, name, shape, element):
        self.name, self.shape, self.element = name, tuple(shape), element

    @property
    def type(self):
        return kind_of(self.shape, self.element)


def broadcast(*shapes):
    rank = max(map(len, shapes))
    padded = [(1,) * (rank - len(s)) + tuple(s) for s in shapes]
    return tuple(max(column) if 0 not in column else 0 for column in zip(*padded))


class Function:
    """Arguments are named as the arrays that they take."""

    def __init__(self, name):
        self.name, self.arguments, self.lines, self.result = name, {}, [], None

    def argument(self, name, shape, element="f32"):
        if name not in self.arguments:
            self.arguments[name] = Value(f"%{name}", shape, element)
        return self.arguments[name]

    def op(self, text, shape, element="f32"):
        value = Value(f"%v{len(self.lines)}", shape, element)
        self.lines.append(f"{value.name} = {text.replace('RESULT', value.type)}")
        return value

    def functional(self, operands, op, shape, element="f32"):
        types = ", ".join(v.type for v in operands)
        names = ", ".join(v.name for v in operands)
        name, _, rest = op.partition("@")
        return self.op(f"{name} {names}{rest} : ({types}) -> RESULT", shape, element)

    def constant(self, number, shape=(), element="f32"):
        return self.op(f"arith.constant dense<{number:.9e}> : {kind_of(shape, element)}", shape, element)

    def unary(self, kind, x, suffix=""):
        return self.functional([x], f"fuse.unary {kind}@{suffix}", x.shape, x.element)

    def binary(self, kind, a, b):
        return self.functional([a, b], f"fuse.binary {kind}", broadcast(a.shape, b.shape), a.element)

    def either(self, kind, a, b, swapped):
        return self.binary(kind, b, a) if swapped else self.binary(kind, a, b)

    def cast(self, x, element):
        return self.functional([x], "fuse.cast", x.shape, element)

    def select(self, mask, a, b):
        return self.functional([mask, a, b], "fuse.select", broadcast(mask.shape, a.shape, b.shape), a.element)

    def compare(self, kind, a, b):
        return self.functional([a, b], f"fuse.compare {kind}", broadcast(a.shape, b.shape), "i1")

    def iota(self, dimension, shape, element="i64"):
        return self.op(f"fuse.iota dimension = {dimension} : RESULT", shape, element)

    def reshape(self, x, shape):
        assert math.prod(shape) == math.prod(x.shape)
        if tuple(shape) == x.shape:
            return x
        return self.op(f"fuse.reshape {x.name} : {x.type} -> RESULT", shape, x.element)

    def transpose(self, x, permutation):
        shape = [x.shape[p] for p in permutation]
        return self.op(f"fuse.transpose {x.name} permutation = {list(permutation)} : {x.type} -> RESULT",
                       shape, x.element)

    def broadcast(self, x, dimensions, shape):
        return self.op(f"fuse.broadcast {x.name} dimensions = {list(dimensions)} : {x.type} -> RESULT",
                       shape, x.element)

    def reduce(self, kind, x, dims, keep=True):
        shape = [1 if d in dims else n for d, n in enumerate(x.shape) if keep or d not in dims]
        suffix = " keep_dims" if keep else ""
        return self.op(f"fuse.reduce {kind} {x.name} dimensions = {list(dims)}{suffix} : {x.type} -> RESULT",
                       shape, x.element)

    def matmul(self, a, b, transpose_lhs=False, transpose_rhs=False):
        rows = a.shape[-1 if transpose_lhs else -2]
        columns = b.shape[-2 if transpose_rhs else -1]
        shape = broadcast(a.shape[:-2], b.shape[:-2]) + (rows, columns)
        suffix = " transpose_lhs" * transpose_lhs + " transpose_rhs" * transpose_rhs
        return self.functional([a, b], f"fuse.matmul@{suffix}", shape, a.element)

    def print(self):
        arguments = ", ".join(f'{v.name}: {v.type} {{fuse.name = "{n}"}}' for n, v in self.arguments.items())
        body = "".join(f"  {line}\n" for line in self.lines)
        return (f"func.func @{self.name}({arguments}) -> {self.result.type} {{\n{body}"
                f"  return {self.result.name} : {self.result.type}\n}}\n")


# What several patterns spell.

def relu(f, x, how):
    zero = None if how == "relu" else f.constant(0)
    if how == "relu":
        return f.unary("relu", x)
    if how == "max":
        return f.binary("max", x, zero)
    if how == "max-swapped":
        return f.binary("max", zero, x)
    if how == "select":
        return f.select(f.compare("gt", x, zero), x, zero)
    if how == "clamp":
        return f.functional([x, zero, f.constant(1e30)], "fuse.clamp", x.shape)
    raise ValueError(how)


RELUS = ["relu", "max", "max-swapped", "select", "clamp"]


def silu(f, x, how):
    if how == "silu":
        return f.unary("silu", x)
    if how == "mul":
        return f.binary("mul", x, f.unary("sigmoid", x))
    if how == "mul-swapped":
        return f.binary("mul", f.unary("sigmoid", x), x)
    one = f.constant(1)
    divisor = f.either("add", f.unary("exp", f.unary("neg", x)), one, how.endswith("swapped"))
    if how.startswith("div"):
        return f.binary("div", x, divisor)
    return f.binary("mul", x, f.unary("reciprocal", divisor))


SILUS = ["silu", "mul", "mul-swapped", "div", "div-swapped", "reciprocal", "reciprocal-swapped"]


def gelu_tanh(f, x, how):
    if how == "gelu":
        return f.unary("gelu", x, " approximate = tanh")
    swapped = "swapped" in how
    if "pow" in how:
        cube = f.binary("pow", x, f.constant(3))
    else:
        cube = f.either("mul", f.binary("mul", x, x), x, swapped)
    inner = f.either("add", x, f.either("mul", cube, f.constant(0.044715), swapped), swapped)
    inner = f.either("mul", inner, f.constant(math.sqrt(2 / math.pi)), swapped)
    one = f.either("add", f.unary("tanh", inner), f.constant(1), swapped)
    if "late" in how:
        return f.either("mul", f.binary("mul", x, one), f.constant(0.5), swapped)
    return f.either("mul", f.either("mul", x, f.constant(0.5), swapped), one, swapped)


GELU_TANHS = ["gelu", "hand", "hand-swapped", "hand-late", "hand-late-swapped", "pow", "pow-late-swapped"]


def gelu_erf(f, x, how):
    if how == "gelu":
        return f.unary("gelu", x, " approximate = none")
    swapped = "swapped" in how
    if "div" in how:
        inner = f.binary("div", x, f.constant(math.sqrt(2)))
    else:
        inner = f.either("mul", x, f.constant(1 / math.sqrt(2)), swapped)
    one = f.either("add", f.unary("erf", inner), f.constant(1), swapped)
    if "late" in how:
        return f.either("mul", f.either("mul", x, one, swapped), f.constant(0.5), swapped)
    return f.either("mul", f.either("mul", x, f.constant(0.5), swapped), one, swapped)


GELU_ERFS = ["gelu", "hand", "hand-swapped", "div", "div-late", "late", "late-swapped"]

ACTIVATIONS = ([("relu", relu, how) for how in RELUS] + [("silu", silu, how) for how in SILUS] +
               [("gelu_tanh", gelu_tanh, how) for how in GELU_TANHS] +
               [("gelu_erf", gelu_erf, how) for how in GELU_ERFS])


def there_and_back(f, x, how):
    """A cast that changes nothing, or none."""
    if how == "wider":
        return f.cast(f.cast(x, "f64"), "f32")
    if how == "same":
        return f.cast(x, "f32")
    return x


CASTS = ["none", "none", "wider", "same"]


def add_units(f, x, how):
    """Shapes between that hide nothing: units come and go."""
    if how == "units":
        return f.reshape(f.reshape(x, (1,) + x.shape + (1,)), x.shape)
    if how == "unit-inside":
        return f.reshape(f.reshape(x, x.shape[:1] + (1,) + x.shape[1:]), x.shape)
    if how == "flat" and len(x.shape) > 1:
        return f.reshape(f.reshape(x, (x.shape[0] * x.shape[1],) + x.shape[2:]), x.shape)
    if how == "back-and-forth" and len(x.shape) > 1:
        order = list(range(len(x.shape)))
        order[-1], order[-2] = order[-2], order[-1]
        return f.transpose(f.transpose(x, order), order)
    return x


UNITS = ["none", "none", "units", "unit-inside", "flat", "back-and-forth"]
