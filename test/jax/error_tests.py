#!/usr/bin/env python3
"""What fuse-run says of StableHLO that is damaged, or that it cannot import: error_tests.py FUSE_RUN

Needs no JAX: programs are text. Each error must name what is wrong, with exit code 1; programs damaged at random must be read or
refused, and never end in a signal."""
import pathlib
import random
import re
import subprocess
import sys
import tempfile

failures = []


def make(body, arguments="%x: tensor<4x3xf32>", results="tensor<4x3xf32>", extra=""):
    """A function of these arguments whose ops are `body`."""
    types = ", ".join(re.findall(r": ([^,%]+(?:<[^>]*>)?)", arguments))
    return (f'"builtin.module"() ({{\n  "func.func"() <{{function_type = ({types}) -> ({results}), sym_name = "main"}}> ({{\n'
            f"  ^bb0({arguments}):\n{body}\n  }}) : () -> ()\n{extra}}}) : () -> ()\n")


def give(value, kind="tensor<4x3xf32>"):
    return f'"func.return"({value}) : ({kind}) -> ()'


T = "tensor<4x3xf32>"
ADD = f'%0 = "stablehlo.add"(%x, %x) : ({T}, {T}) -> {T} loc("f/add"("model.py":7:3))\n'
LOOP = """
%c = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
%0:2 = "stablehlo.while"(%c, %x) ({
^bb0(%i: tensor<i32>, %s: tensor<4x3xf32>):
  COND
}, {
^bb0(%i: tensor<i32>, %s: tensor<4x3xf32>):
  %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
  %n = "stablehlo.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %t = "stablehlo.tanh"(%s) : (tensor<4x3xf32>) -> tensor<4x3xf32>
  "stablehlo.return"(%n, %t) : (tensor<i32>, tensor<4x3xf32>) -> ()
}) : (tensor<i32>, tensor<4x3xf32>) -> (tensor<i32>, tensor<4x3xf32>) loc("f/while")
"""
COUNTS = """%l = "stablehlo.constant"() <{value = dense<6> : tensor<i32>}> : () -> tensor<i32>
  %b = "stablehlo.compare"(%i, %l) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
  "stablehlo.return"(%b) : (tensor<i1>) -> ()"""
ASKS = """%z = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
  %r = "stablehlo.reduce"(%s, %z) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) : (tensor<4x3xf32>, tensor<f32>) -> tensor<f32>
  %b = "stablehlo.compare"(%r, %z) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
  "stablehlo.return"(%b) : (tensor<i1>) -> ()"""
CONVOLUTION = ('%0 = "stablehlo.convolution"(%x, %w) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, '
               'feature_group_count = 1 : i64}> : (tensor<1x8x3xf32>, tensor<3x3x4xf32>) -> tensor<1x6x4xf32>\n')

# (what, text, what must be said, exit code)
CASES = [
    ("a sound program", make(ADD + give("%0")), ["result: 4x3xf32"], 0),
    ("a sound loop", make(LOOP.replace("COND", COUNTS) + give("%0#1")), ["result: 4x3xf32"], 0),
    ("a sound convolution", make(CONVOLUTION + give("%0", "tensor<1x6x4xf32>"), "%x: tensor<1x8x3xf32>, %w: tensor<3x3x4xf32>", "tensor<1x6x4xf32>"), ["1x6x4xf32"], 0),
    ("text that is no MLIR", "what is this", ["expected StableHLO in MLIR's generic form"], 1),
    ("the pretty form", "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n %0 = stablehlo.add %x, %x : tensor<4xf32>\n return %0 : tensor<4xf32>\n}",
     ["expected StableHLO in MLIR's generic form, in which ops are in quotes"], 1),
    ("no function", '"builtin.module"() ({\n^bb0:\n}) : () -> ()', ["expected a function @main, or one that is public"], 1),
    ("ops that nobody knows", make(f'%0 = "stablehlo.cholesky"(%x) : ({T}) -> {T} loc("model.py":3:1)\n%1 = "my.op"(%0) : ({T}) -> {T}\n' + give("%1")),
     ["'stablehlo.cholesky', 1 op: model.py:3", "'my.op', 1 op"], 1),
    ("a call of something else", make(f'%0 = "stablehlo.custom_call"(%x) <{{call_target_name = "lapack_sgetrf"}}> : ({T}) -> {T}\n' + give("%0")),
     ["node 'custom_call' (stablehlo.custom_call at ", "calls of 'lapack_sgetrf' are not supported"], 1),
    ("complex numbers", make(f'%0 = "stablehlo.convert"(%x) : ({T}) -> tensor<4x3xcomplex<f32>>\n' + give("%x")), ["elements of type 'complex<f32>' are not supported"], 1),
    ("an input of complex numbers", make(give("%x", "tensor<4xcomplex<f32>>"), "%x: tensor<4xcomplex<f32>>", "tensor<4xcomplex<f32>>"),
     ["input 'arg0': arguments of type 'tensor<4xcomplex<f32>>' are not supported"], 1),
    ("shapes that differ", make(f'%0 = "stablehlo.add"(%x, %y) : ({T}, tensor<4x2xf32>) -> {T} loc("f/add"("model.py":7:3))\n' + give("%0"), f"%x: {T}, %y: tensor<4x2xf32>"),
     ["node 'f/add' (stablehlo.add at model.py:7): expected operands of the result's shape, found tensor<4x2xf32> and tensor<4x3xf32>"], 1),
    ("types that differ", make(f'%0 = "stablehlo.add"(%x, %y) : ({T}, tensor<4x3xi32>) -> {T}\n' + give("%0"), f"%x: {T}, %y: tensor<4x3xi32>"),
     ["expected operands of one element type, found f32 and i32"], 1),
    ("a result of another type", make(f'%0 = "stablehlo.add"(%x, %x) : ({T}, {T}) -> tensor<4x3xf64>\n' + give("%0", "tensor<4x3xf64>"), results="tensor<4x3xf64>"),
     ["expected a result 'tensor<4x3xf64>', as the program says, found 'tensor<4x3xf32>'"], 1),
    ("an attribute that is missing", make(f'%0 = "stablehlo.transpose"(%x) : ({T}) -> tensor<3x4xf32>\n' + give("%0", "tensor<3x4xf32>"), results="tensor<3x4xf32>"),
     ["expected a list of integers as 'permutation'"], 1),
    ("a dimension twice", make(f'%0 = "stablehlo.transpose"(%x) <{{permutation = array<i64: 1, 1>}}> : ({T}) -> tensor<3x4xf32>\n' + give("%0", "tensor<3x4xf32>"), results="tensor<3x4xf32>"),
     ["expected different dimensions in [0, 2) as 'permutation', found 1"], 1),
    ("too few operands", make(f'%0 = "stablehlo.add"(%x) : ({T}) -> {T}\n' + give("%0")), ["expected at least 2 operands, found 1"], 1),
    ("a slice outside", make('%0 = "stablehlo.slice"(%x) <{limit_indices = array<i64: 9, 3>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : '
                             f"({T}) -> tensor<9x3xf32>\n" + give("%0", "tensor<9x3xf32>"), results="tensor<9x3xf32>"), ["expected a slice of the operand, found 0:9:1 of 4"], 1),
    ("a convolution's orders", make(CONVOLUTION.replace("[b, 0, f]x", "[b, f]x") + give("%0", "tensor<1x6x4xf32>"), "%x: tensor<1x8x3xf32>, %w: tensor<3x3x4xf32>", "tensor<1x6x4xf32>"),
     ["expected an order of 3 dimensions, found 'b, f'"], 1),
    ("a convolution's groups", make(CONVOLUTION.replace("feature_group_count = 1", "feature_group_count = 2") + give("%0", "tensor<1x6x4xf32>"), "%x: tensor<1x8x3xf32>, %w: tensor<3x3x4xf32>", "tensor<1x6x4xf32>"),
     ["expected groups that the channels, filters and batch are multiples of"], 1),
    ("a loop that asks for elements", make(LOOP.replace("COND", ASKS) + give("%0#1")), ["node 'f/while'", "expected a loop that counts to a number that is known before it"], 1),
    ("a weight that nobody gives", make(f'%0 = "stablehlo.custom_call"() <{{call_target_name = "fuse.weight", backend_config = "w"}}> : () -> {T}\n' + give("%0"), "%x: tensor<4x3xf32>"),
     ["weight 'w': expected an array, found none"], 1),
    ("a function that calls itself", make(f'%0 = "func.call"(%x) <{{callee = @f}}> : ({T}) -> {T}\n' + give("%0"),
                                          extra=f'"func.func"() <{{function_type = ({T}) -> {T}, sym_name = "f", sym_visibility = "private"}}> ({{\n^bb0(%x: {T}):\n%0 = "func.call"(%x) <{{callee = @f}}> : ({T}) -> {T}\n'
                                                f'"func.return"(%0) : ({T}) -> ()\n}}) : () -> ()\n'), ["expected calls and regions at most 64 deep"], 1),
    ("a shape that memory cannot hold", make('%0 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<4611686018427387904x8xf32>\n' + give("%x")), ["node 'iota'"], 1),
]


def run(fuse_run, path):
    done = subprocess.run([fuse_run, path, "--random-inputs", "1"], capture_output=True, text=True, errors="replace", timeout=120)
    return done.returncode, done.stdout + done.stderr


def main():
    fuse_run = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "p.stablehlo"
        for what, text, wanted, code in CASES:
            path.write_text(text)
            got, said = run(fuse_run, path)
            if got != code or not all(each in said for each in wanted):
                failures.append(what)
                print(f"{what}: expected exit code {code} and {wanted}, found {got}:\n{said}\n")
        got, said = run(fuse_run, path.with_name("none.stablehlo"))
        if got != 1 or "none.stablehlo" not in said:
            failures.append("no file")
            print(said)

        # Damage: characters, numbers and whole words are exchanged.
        random.seed(11)
        sound = [text for _, text, _, code in CASES if code == 0]
        words = ["array<i64>", "dense<1> : tensor<2xi32>", "tensor<?x3xf32>", "tensor<0xf32>", "tensor<f32>", "-1", "9223372036854775807", "i1", "LT", "[0, 7]",
                 "%x", "stablehlo.reduce", "stablehlo.gather", "stablehlo.while", "stablehlo.sort", "unit", '""', "loc(unknown)"]
        for round in range(120):
            text = random.choice(sound)
            for _ in range(random.choice((1, 1, 2, 3))):
                places = list(re.finditer(r"tensor<[^>]*>|array<[^>]*>|stablehlo\.\w+|%\w+|-?\d+|\b[A-Z]{2}\b|\[[^\]]*\]", text))
                place = random.choice(places)
                other = random.choice(words + [each.group() for each in places])
                text = text[:place.start()] + other + text[place.end():]
            path.write_text(text)
            code, said = run(fuse_run, path)
            if code not in (0, 1):
                failures.append(f"damage {round}")
                print(f"damage {round}: exit code {code}\n{said}\n{text}")
    print(f"{len(failures)} failed" + (": " + ", ".join(failures) if failures else ""))
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
