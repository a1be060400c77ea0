"""usage: make_programs.py KIND [SIZE]

Programs too long to be written down: `repeated` (a long chain read by a broadcast, a product and a
convolution), `operands` (SIZE inputs added up), `members` (a chain of SIZE ops), `layers` (a net of
about SIZE ops whose values are read by several layers each), `fan` (one value with SIZE / 3 readers),
`graph` (SIZE ops, each of which reads two of the hundred before it).
"""
import random
import sys


def chain(type, source, count, kind="sin"):
    lines, value = [], source
    for number in range(count):
        lines.append(f"%c{number} = fuse.unary {kind} {value} : {type}")
        value = f"%c{number}"
    return lines, value


def function(name, arguments, result, lines, expect="kernels=1"):
    body = "".join(f"  {line}\n" for line in lines)
    return f"// expect {expect}\nfunc.func @{name}({arguments}) -> {result} {{\n{body}  return %r : {result}\n}}\n"


def make_repeated(_):
    """120 ops each, whose result every block of rows needs."""
    matrix, row, column = "tensor<2000x500xf32>", "tensor<500xf32>", "tensor<2000x1xf32>"
    text = ""
    for name, type in (("columns", row), ("rows", column)):
        lines, value = chain(type, "%b", 120)
        lines.append(f"%r = fuse.binary add %x, {value} : ({matrix}, {type}) -> {matrix}")
        text += function(name, f"%x: {matrix}, %b: {type}", matrix, lines)
    left, right, result = "tensor<200x300xf32>", "tensor<300x4000xf32>", "tensor<200x4000xf32>"
    lines, value = chain(left, "%x", 120)
    lines.append(f"%r = fuse.matmul {value}, %w : ({left}, {right}) -> {result}")
    text += function("product", f"%x: {left}, %w: {right}", result, lines, "kernels=2")
    image, kernel = "tensor<1x16x60x60xf32>", "tensor<16x16x3x3xf32>"
    lines, value = chain(image, "%x", 120)
    lines.append(f"%r = fuse.conv2d {value}, %w strides = [1, 1] dilations = [1, 1] padding = "
                 f"[1, 1, 1, 1] groups = 1 layout = nchw_fchw : ({image}, {kernel}) -> {image}")
    return text + function("window", f"%x: {image}, %w: {kernel}", image, lines, "kernels=2")


def make_operands(count):
    type = "tensor<4000xf32>"
    lines = [f"%s{i} = fuse.binary add %{f's{i - 1}' if i > 1 else 'a0'}, %a{i} : {type}"
             for i in range(1, count)]
    lines.append(f"%r = fuse.unary neg %s{count - 1} : {type}")
    return function("operands", ", ".join(f"%a{i}: {type}" for i in range(count)), type, lines,
                    f"kernels<={count // 8}")


def make_members(count):
    type = "tensor<40x50xf32>"
    lines, value = chain(type, "%x", count - 1, "abs")
    return function("members", f"%x: {type}", type, lines + [f"%r = fuse.unary neg {value} : {type}"],
                    f"kernels={-(-count // 128)}")


def make_layers(count):
    """Each layer: bias, norm over rows, a gate, a skip connection, and one to three layers back."""
    type, row = "tensor<64x96xf32>", "tensor<64x1xf32>"
    lines, outputs = [], ["%x"]
    for layer in range(max(1, count // 8)):
        source, back = outputs[-1], outputs[max(0, len(outputs) - 3)]
        p = f"%l{layer}_"
        lines += [f"{p}0 = fuse.binary add {source}, %b : ({type}, tensor<96xf32>) -> {type}",
                  f"{p}1 = fuse.reduce max {p}0 dimensions = [1] keep_dims : {type} -> {row}",
                  f"{p}2 = fuse.binary sub {p}0, {p}1 : ({type}, {row}) -> {type}",
                  f"{p}3 = fuse.unary sigmoid {p}2 : {type}",
                  f"{p}4 = fuse.matmul {p}3, %w : ({type}, tensor<96x96xf32>) -> {type}",
                  f"{p}5 = fuse.binary mul {p}4, {p}3 : {type}",
                  f"{p}6 = fuse.binary add {p}5, {back} : {type}",
                  f"{p}7 = fuse.unary tanh {p}6 : {type}"]
        outputs.append(f"{p}7")
    lines.append(f"%r = fuse.unary neg {outputs[-1]} : {type}")
    return function("layers", f"%x: {type}, %b: tensor<96xf32>, %w: tensor<96x96xf32>", type, lines)


def make_fan(count):
    """Every other reader is in a kernel that the next one cannot join."""
    type, row = "tensor<64x96xf32>", "tensor<64x1xf32>"
    lines, value = [], "%x"
    for reader in range(max(1, count // 3)):
        kind = "add" if reader % 2 else "max"
        lines += [f"%u{reader} = fuse.unary {'exp' if reader % 3 else 'neg'} %x : {type}",
                  f"%m{reader} = fuse.reduce max %u{reader} dimensions = [1] keep_dims : {type} -> {row}",
                  f"%v{reader} = fuse.binary {kind} {value}, %m{reader} : ({type}, {row}) -> {type}"]
        value = f"%v{reader}"
    lines.append(f"%r = fuse.unary neg {value} : {type}")
    return function("fan", f"%x: {type}", type, lines)


def make_graph(count):
    generator = random.Random(1)
    type = "tensor<64x96xf32>"
    lines, values = [], ["%x"]
    for number in range(count):
        a, b = (generator.choice(values[-100:]) for _ in range(2))
        kind = generator.choice(["add", "mul", "max", "sub"])
        mark = " {fuse.alone}" if generator.random() < 0.05 else ""
        lines.append(f"%v{number} = fuse.binary {kind} {a}, {b}{mark} : {type}")
        values.append(f"%v{number}")
    lines.append(f"%r = fuse.unary neg {values[-1]} : {type}")
    return function("graph", f"%x: {type}", type, lines)


print(globals()["make_" + sys.argv[1]](int(sys.argv[2]) if len(sys.argv) > 2 else 0))
