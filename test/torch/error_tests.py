#!/usr/bin/env python3
"""What fuse-run says of exported programs that are damaged, or that it cannot import: error_tests.py FUSE_RUN

Needs no PyTorch: archives are put together here. Each error must name what is wrong, with exit code 1; programs damaged at
random must be read or refused, and never end in a signal."""

import copy
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import zipfile

FLOAT = 7
failures = []


def tensor(*sizes, dtype=FLOAT):
    sizes = [{"as_int": s} if isinstance(s, int) else {"as_expr": {"expr_str": s}} for s in sizes]
    strides = []
    for size in reversed(sizes):
        strides.insert(0, {"as_int": (strides[0]["as_int"] * last) if strides else 1})
        last = size.get("as_int", 1)
    return {"dtype": dtype, "sizes": sizes, "strides": strides, "layout": 7, "storage_offset": {"as_int": 0}}


def value(name):
    return {"as_tensor": {"name": name}}


def node(op, name, *arguments, trace=None):
    inputs = [{"name": n, "arg": a} for n, a in arguments]
    return {"target": f"torch.ops.{op}", "inputs": inputs, "outputs": [value(name)], "name": name,
            "metadata": {"stack_trace": trace} if trace else {}}


def make():
    """relu(x @ w): x of 2x3, w of 3x20."""
    graph = {
        "nodes": [node("aten.mm.default", "mm", ("self", value("x")), ("mat2", value("w"))),
                  node("aten.relu.default", "relu", ("self", value("mm")))],
        "tensor_values": {"x": tensor(2, 3), "w": tensor(3, 20), "mm": tensor(2, 20), "relu": tensor(2, 20)},
        "sym_int_values": {}, "inputs": [], "outputs": [value("relu")]}
    signature = {"input_specs": [{"parameter": {"arg": {"name": "w"}, "parameter_name": "layer.weight"}},
                                 {"user_input": {"arg": value("x")}}],
                 "output_specs": [{"user_output": {"arg": value("relu")}}]}
    return {"graph_module": {"graph": graph, "signature": signature}, "range_constraints": {},
            "schema_version": {"major": 8, "minor": 0}}


def make_config():
    return {"config": {"layer.weight": {"path_name": "weight_0", "use_pickle": False, "tensor_meta": tensor(3, 20)}}}


def write(path, program, config=None, weight=bytes(4 * 60), compression=zipfile.ZIP_STORED):
    text = program if isinstance(program, (str, bytes)) else json.dumps(program)
    with zipfile.ZipFile(path, "w", compression) as archive:
        archive.writestr("p/models/model.json", text)
        archive.writestr("p/data/weights/model_weights_config.json", json.dumps(config or make_config()))
        if weight is not None:
            archive.writestr("p/data/weights/weight_0", weight)


def run(fuse_run, path, *options):
    done = subprocess.run([fuse_run, path, "--random-inputs", "1", *options], capture_output=True, text=True, errors="replace", timeout=120)
    return done.returncode, done.stdout + done.stderr


def check(what, fuse_run, path, wanted, code=1, options=()):
    got, text = run(fuse_run, path, *options)
    if got != code or not all(each in text for each in wanted):
        failures.append(what)
        print(f"{what}: expected exit code {code} and {wanted}, found {got}:\n{text}")


def main():
    fuse_run = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "p.pt2"

        def case(what, wanted, change=None, code=1, options=(), **how):
            program = make()
            if change:
                program = change(program) or program
            write(path, program, **how)
            check(what, fuse_run, path, wanted, code, options)

        graph = lambda program: program["graph_module"]["graph"]
        case("a sound program", ["relu: 2x20xf32"], code=0)
        case("compressed weights", ["relu: 2x20xf32"], code=0, compression=zipfile.ZIP_DEFLATED)

        whole = path.read_bytes()
        for part in (0, 10, len(whole) // 2, len(whole) - 4):
            path.write_bytes(whole[:part])
            check(f"an archive cut off at {part}", fuse_run, path, ["expected an archive of torch.export.save"])
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("p/data/version", "1")
        check("an archive of something else", fuse_run, path, ["found one without models/NAME.json"])
        check("no file", fuse_run, path.with_name("none.pt2"), ["cannot read"])

        case("text that is no JSON", ["expected the JSON of an exported program"], lambda p: '{"graph_module": ')
        case("JSON that is no program", ["'graph_module'"], lambda p: '{"a": 1}')
        case("a version of its own", ["schema version 7 or 8, found 99"], lambda p: p["schema_version"].update(major=99))

        def unknown(p):
            trace = 'File "model.py", line 3, in forward\n    y = strange(x)'
            graph(p)["nodes"][0] = node("aten.strange.default", "mm", ("self", value("x")), trace=trace)
            graph(p)["nodes"][1] = node("mine.odd.default", "relu", ("self", value("mm")))
        case("ops that nobody knows", ["'aten.strange.default', 1 node: 'mm'", 'File "model.py", line 3, in forward: y = strange(x)',
                                       "'mine.odd.default', 1 node: 'relu'"], unknown)

        def wrong_operand(p):
            graph(p)["nodes"][1]["inputs"][0]["arg"] = {"as_int": 3}
        case("a number for a tensor", ["node 'relu' (aten.relu.default): expected a tensor as 'self'"], wrong_operand)

        def no_operand(p):
            graph(p)["nodes"][1]["inputs"][0]["arg"] = value("nowhere")
        case("a value that nobody computes", ["node 'relu'", "'nowhere' is no input"], no_operand)

        def wrong_result(p):
            graph(p)["tensor_values"]["relu"] = tensor(2, 21)
        case("a result of another shape", ["node 'relu'", "tensor<2x21xf32>", "tensor<2x20xf32>"], wrong_result)

        def wrong_type(p):
            graph(p)["tensor_values"]["x"] = tensor(2, 3, dtype=9 + 1)
        case("an input of a type that there is none of", ["input 'x'", "complex64"], wrong_type)

        def wrong_weight(p):
            graph(p)["tensor_values"]["w"] = tensor(3, 20, dtype=8)
        case("a weight of another type", ["weight 'layer.weight'", "3x20xf64", "3x20xf32"], wrong_weight)

        def other_name(p):
            p["graph_module"]["signature"]["input_specs"][0]["parameter"]["parameter_name"] = "other"
        case("a weight that is missing", ["weight 'other': the archive has no such weight"], other_name)
        case("a weight without a member", ["'layer.weight'", "weight_0', found none"], weight=None)
        case("a weight that is cut off", ["'layer.weight'", "found 50"], weight=bytes(200))

        def mistaken(p):
            graph(p)["nodes"][1] = node("aten.softmax.int", "relu", ("self", value("mm")), ("dim", {"as_int": 5}))
        case("a dimension that there is none of", ["node 'relu' (aten.softmax.int): expected an axis in [-2, 2), found 5"], mistaken)

        def written(p):
            graph(p)["nodes"][1:] = [node("aten.slice.Tensor", "s", ("self", value("mm")), ("dim", {"as_int": 1}), ("end", {"as_int": 4})),
                                     node("aten.relu_.default", "r", ("self", value("s"))),
                                     node("aten.neg.default", "relu", ("self", value("mm")))]
            graph(p)["tensor_values"].update(s=tensor(2, 4), r=tensor(2, 4))
        case("a write to a part of a tensor", ["node 'r'", "may share memory with 'mm'", "run_decompositions()"], written)

        def opened(p):
            for name, columns in (("x", 3), ("mm", 20), ("relu", 20)):
                graph(p)["tensor_values"][name] = tensor("Symbol('s0', integer=True)", columns)
            p["range_constraints"] = {"s0": {"min_val": 2, "max_val": 8}}
        case("an open extent", ["relu: 4x20xf32"], opened, code=0, options=("--dim", "s0=4"))
        case("an extent out of range", ["input 'x'", "2..8", "found 9"], opened, options=("--dim", "s0=9"))
        case("an extent of nothing", ["expected an extent for one of the open dimensions", "'s1'"], opened, options=("--dim", "s1=4"))

        # Damage.
        random.seed(7)
        text = json.dumps(make())
        for round in range(150):
            damaged = list(text)
            for _ in range(random.choice((1, 1, 2, 8))):
                at = random.randrange(len(damaged))
                damaged[at] = random.choice(['"', "0", "9", "-", "{", "}", "[", "]", ",", "a", "null", ""])
            write(path, "".join(damaged))
            code, said = run(fuse_run, path)
            if code not in (0, 1):
                failures.append(f"damage {round}")
                print(f"damage {round}: exit code {code}\n{said}\n{''.join(damaged)}")

        def shuffle(thing, others):
            if isinstance(thing, dict):
                for key in list(thing):
                    if random.random() < 0.04:
                        thing[key] = copy.deepcopy(random.choice(others))
                    else:
                        shuffle(thing[key], others)
            elif isinstance(thing, list):
                for i in range(len(thing)):
                    shuffle(thing[i], others)
        parts = [1, -1, 1 << 40, "x", "aten.view.default", [], {}, None, True, value("x"), {"as_ints": [0, -7]}, {"as_int": -(1 << 60)}, tensor()]
        for round in range(150):
            program = make()
            shuffle(program, parts)
            write(path, program)
            code, said = run(fuse_run, path)
            if code not in (0, 1):
                failures.append(f"exchange {round}")
                print(f"exchange {round}: exit code {code}\n{said}\n{json.dumps(program)}")
    print(f"{len(failures)} failed" + (": " + ", ".join(failures) if failures else ""))
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
