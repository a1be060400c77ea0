"""The dialect in Python: text, ops that are built and read, pipelines, errors, and how long things live."""
import gc
import re

import pytest

pytest.importorskip("fuse.mlir.dialects._fuse_ops_gen")

from fuse.mlir import ir, passmanager
from fuse.mlir.dialects import arith, func, fuse

TEXT = """
func.func @f(%x: tensor<8x4xf32>) -> tensor<8xf32> {
  %0 = fuse.unary gelu %x approximate = tanh : tensor<8x4xf32>
  %1 = fuse.reduce sum %0 dimensions = [1] : tensor<8x4xf32> -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
"""


@pytest.fixture
def context():
    with ir.Context() as made, ir.Location.unknown():
        yield made


def find(operation, name):
    found = []
    operation.walk(lambda op: found.append(op) if op.name == name else None)
    return found


def test_parse_and_read(context):
    module = ir.Module.parse(TEXT)
    function = module.body.operations[0]
    assert function.name == "func.func" and function.attributes["sym_name"].value == "f"
    assert str(function.attributes["function_type"].value) == "(tensor<8x4xf32>) -> tensor<8xf32>"
    gelu, total, end = function.regions[0][0].operations
    assert isinstance(gelu.opview, fuse.UnaryOp) and isinstance(total.opview, fuse.ReduceOp) and isinstance(end.opview, func.ReturnOp)
    assert str(gelu.opview.kind) == "#fuse<unary_kind gelu>" and gelu.opview.operand == function.regions[0][0].arguments[0]
    assert list(total.opview.dimensions) == [1] and not total.opview.keep_dims
    assert sorted(total.attributes) == ["dimensions", "kind"]
    type = total.result.type
    assert isinstance(type, ir.RankedTensorType) and type.shape == [8] and type.element_type == ir.F32Type.get()
    assert total.operands[0].owner == gelu and gelu.parent == function
    assert "stablehlo" not in str(module) and '"fuse.unary"' in module.operation.get_asm(print_generic_op_form=True)


def test_attributes_change(context):
    module = ir.Module.parse(TEXT)
    [total] = find(module.operation, "fuse.reduce")
    total.opview.dimensions = ir.DenseI64ArrayAttr.get([0])
    with pytest.raises(ir.MLIRError, match="(?s)Verification failed.*fuse.reduce.*expected result shape 4, found 8"):
        module.operation.verify()
    total.attributes["dimensions"] = ir.Attribute.parse("array<i64: 1>")
    total.attributes["mine"] = ir.DictAttr.get({"a": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), -7), "b": ir.StringAttr.get("text"),
                                                "c": ir.FloatAttr.get_f64(0.5), "d": ir.BoolAttr.get(True)})
    assert module.operation.verify()
    mine = total.attributes["mine"]
    assert (mine["a"].value, mine["b"].value, mine["c"].value, mine["d"].value) == (-7, "text", 0.5, True) and len(mine) == 4
    del total.attributes["mine"]
    assert "mine" not in total.attributes
    with pytest.raises(KeyError):
        total.attributes["mine"]


def test_build_and_run(context):
    f32 = ir.F32Type.get()
    image, row = ir.RankedTensorType.get([8, 4], f32), ir.RankedTensorType.get([4], f32)
    module = ir.Module.create()
    with ir.InsertionPoint(module.body):
        function = func.FuncOp("main", ir.TypeAttr.get(ir.FunctionType.get([image, row], [image])))
        block = ir.Block.create_at_start(function.regions[0], [image, row])
    x, bias = block.arguments
    with ir.InsertionPoint(block), ir.Location.file("model.py", 3, 1):
        total = fuse.BinaryOp(image, "add", x, bias)
        half = arith.ConstantOp(ir.Attribute.parse("dense<0.5> : tensor<f32>"))
        scaled = fuse.binary(image, "mul", total, half)
        normal = fuse.layer_norm(image, scaled, [1], 1e-5, scale=bias, offset=bias)
        func.ReturnOp([fuse.softmax(image, normal, 1)])
    assert module.operation.verify()
    text = str(module)
    assert re.search(r"fuse.layer_norm %\d+, %arg1, %arg1 dimensions = \[1\] epsilon = 1.0+e-05", text)
    assert 'loc("model.py":3:1)' in module.operation.get_asm(enable_debug_info=True)
    [norm] = find(module.operation, "fuse.layer_norm")
    assert norm.opview.scale == bias and norm.opview.epsilon.value == 1e-5
    manager = passmanager.PassManager.parse("builtin.module(fuse-pipeline)")
    assert "fuse-decompose" in str(manager)
    manager.run(module.operation)
    assert len(find(module.operation, "fuse.kernel")) == 1 and not find(module.operation, "fuse.layer_norm")
    # The text is a program.
    import numpy as np

    import fuse as package
    program = package.compile(str(module).encode(), format="mlir", cache=False)
    made = program(np.ones((8, 4), np.float32), np.arange(4, dtype=np.float32))
    np.testing.assert_allclose(made.sum(1), np.ones(8), rtol=1e-5)


def test_edits(context):
    module = ir.Module.parse(TEXT)
    [gelu], [end] = find(module.operation, "fuse.unary"), find(module.operation, "func.return")
    with ir.InsertionPoint(gelu):
        relu = fuse.unary(gelu.result.type, "relu", gelu.operands[0])
    gelu.result.replace_all_uses_with(relu)
    gelu.erase()
    with ir.InsertionPoint.at_block_terminator(module.body.operations[0].regions[0][0]):
        fuse.UnaryOp(end.operands[0].type, "exp", end.operands[0])
    assert [op.name for op in module.body.operations[0].regions[0][0]] == ["fuse.unary", "fuse.reduce", "fuse.unary", "func.return"]
    passmanager.PassManager.parse("builtin.module(canonicalize)").run(module.operation)
    assert len(find(module.operation, "fuse.unary")) == 1


def test_errors(context):
    with pytest.raises(ir.MLIRError, match=r'Unable to parse module assembly:\nerror: "-":1:\d+: expected') as error:
        ir.Module.parse("func.func @f( {")
    assert error.value.error_diagnostics[0].severity == "error"
    with pytest.raises(ir.MLIRError, match="Unable to parse type"):
        ir.Type.parse("tensor<4x>")
    with pytest.raises(ir.MLIRError, match="Unable to parse attribute"):
        fuse.UnaryOp(ir.RankedTensorType.get([4], ir.F32Type.get()), "no_such_kind", None)
    with pytest.raises(ValueError, match="'nothing' does not refer to a registered pass or pass pipeline"):
        passmanager.PassManager.parse("builtin.module(nothing)")
    with pytest.raises(ValueError, match="expected a pipeline"):
        passmanager.PassManager.parse("canonicalize")
    with pytest.raises(ir.MLIRError, match="(?s)Failure while executing pass pipeline:\nerror: .*op was not bufferized"):
        passmanager.PassManager.parse("builtin.module(fuse-to-llvm)").run(ir.Module.parse(TEXT).operation)


def test_without_a_context():
    with pytest.raises(ValueError, match="expected a context"):
        ir.Module.parse(TEXT)
    with ir.Context(), pytest.raises(ValueError, match="expected a location"):
        ir.Module.create()


def test_what_lives_how_long():
    for _ in range(3):
        with ir.Context(), ir.Location.unknown():
            value = ir.Module.parse(TEXT).body.operations[0].regions[0][0].arguments[0]
            loose = ir.Operation.parse("func.func private @g()")
            detached = fuse.UnaryOp(value.type, "relu", value, ip=False)
        gc.collect()
        assert str(value.type) == "tensor<8x4xf32>" and loose.name == "func.func"
        del detached, loose, value
        gc.collect()
