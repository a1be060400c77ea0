//===- ImportTest.cpp - Models as programs ----------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ImportFixture.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace fuse_test;

namespace {

TEST_F(Import, NamesInputsParametersAndResults) {
  ASSERT_TRUE(load(
      inputOf("x", "dim { dim_value: 32 }") + "initializer { name: 'w' data_type: 1 dims: 32 " +
      [] {
        std::string list;
        for (int i = 0; i < 32; ++i)
          list += " float_data: " + std::to_string(i);
        return list;
      }() +
      "} initializer { name: 'unread' data_type: 1 dims: -5 }"
      "node { op_type: 'Add' input: 'x' input: 'w' output: 'y' } output { name: 'y' }"))
      << messages;
  ASSERT_EQ(function.getNumArguments(), 2u);
  EXPECT_EQ(function.getArgAttrOfType<StringAttr>(0, "fuse.name").getValue(), "x");
  EXPECT_EQ(function.getArgAttrOfType<StringAttr>(1, "fuse.name").getValue(), "w");
  EXPECT_FALSE(function.getArgAttr(0, "fuse.param"));
  EXPECT_TRUE(function.getArgAttr(1, "fuse.param"));
  EXPECT_EQ(function.getResultAttrOfType<StringAttr>(0, "fuse.name").getValue(), "y");
  ASSERT_EQ(model.parameters.size(), 1u);
  EXPECT_EQ(model.parameters[0].name, "w");
}

/// Reshapes x to what Shape, Gather and Concat of x say.
constexpr const char *kShapeArithmetic =
    "initializer { name: 'one' data_type: 7 int64_data: 1 }"
    "initializer { name: 'minus' data_type: 7 dims: 1 int64_data: -1 }"
    "initializer { name: 'zero' data_type: 7 dims: 1 int64_data: 0 }"
    "node { op_type: 'Shape' input: 'x' output: 's' }"
    "node { op_type: 'Gather' input: 's' input: 'one' output: 'e' }"
    "node { op_type: 'Unsqueeze' input: 'e' input: 'zero' output: 'u' }"
    "node { op_type: 'Concat' input: 'u' input: 'minus' output: 'c' attribute { name: 'axis' type: "
    "INT i: 0 } }"
    "node { op_type: 'Reshape' input: 'x' input: 'c' output: 'y' } output { name: 'y' }";

TEST_F(Import, ShapeArithmeticIsComputed) {
  ASSERT_TRUE(load(inputOf("x", "dim { dim_value: 2 } dim { dim_value: 3 } dim { dim_value: 4 }") +
                   kShapeArithmetic))
      << messages;
  EXPECT_EQ(cast<RankedTensorType>(function.getResultTypes()[0]).getShape(),
            ArrayRef<int64_t>({3, 8}));
  EXPECT_EQ(count<ReshapeOp>(), 1);
  EXPECT_EQ(count<GatherOp>(), 0);
  EXPECT_EQ(count<ConcatOp>(), 0);
}

TEST_F(Import, SymbolicDimensionsAreKeptOrBound) {
  std::string relu = inputOf("x", "dim { dim_param: 'batch' } dim { dim_value: 3 }") +
                     "node { op_type: 'Relu' input: 'x' output: 'y' } output { name: 'y' }";
  ASSERT_TRUE(load(relu)) << messages;
  EXPECT_TRUE(cast<RankedTensorType>(function.getArgumentTypes()[0]).isDynamicDim(0));
  OnnxImportOptions options;
  options.dims["batch"] = 5;
  ASSERT_TRUE(load(relu, "", options)) << messages;
  EXPECT_EQ(cast<RankedTensorType>(function.getResultTypes()[0]).getShape(),
            ArrayRef<int64_t>({5, 3}));
  options.dims["batch"] = -5;
  EXPECT_FALSE(load(relu, "", options));
  EXPECT_TRUE(says("at least 0 for the open dimension 'batch'")) << messages;
  options.dims.clear();
  options.dims["other"] = 5;
  EXPECT_FALSE(load(relu, "", options));
  EXPECT_TRUE(says("one of the open dimensions 'batch', found 'other'")) << messages;
}

TEST_F(Import, BoundInputsAreNoArguments) {
  std::string graph = inputOf("x", "dim { dim_value: 6 }") +
                      inputOf("shape", "dim { dim_value: 2 }", 7) +
                      "node { name: 'r' op_type: 'Reshape' input: 'x' input: 'shape' output: 'y' } "
                      "output { name: 'y' }";
  ASSERT_TRUE(load(graph)) << messages; // of any shape
  EXPECT_EQ(function.getNumArguments(), 2u);
  OnnxImportOptions options;
  options.bound.push_back({"shape", HostArray::fromInts(ElementType::I64, {2}, {3, 2})});
  ASSERT_TRUE(load(graph, "", options)) << messages;
  EXPECT_EQ(function.getNumArguments(), 1u);
  options.bound[0].array = HostArray::fromInts(ElementType::I64, {3}, {3, 2, 1});
  EXPECT_FALSE(load(graph, "", options));
  options.bound[0].name = "z";
  EXPECT_FALSE(load(graph, "", options));
  EXPECT_TRUE(says("one of the inputs 'x', 'shape', found 'z'")) << messages;
}

TEST_F(Import, RangesAndConstantsOfShapesAreComputed) {
  ASSERT_TRUE(
      load("initializer { name: 'a' data_type: 7 int64_data: 2 }"
           "initializer { name: 'b' data_type: 7 int64_data: 11 }"
           "initializer { name: 'c' data_type: 7 int64_data: 3 }"
           "initializer { name: 's' data_type: 7 dims: 2 int64_data: [2, 1] }"
           "node { op_type: 'Range' input: 'a' input: 'b' input: 'c' output: 'r' }"
           "node { op_type: 'ConstantOfShape' input: 's' output: 'k' attribute { name: 'value' "
           "type: TENSOR t { data_type: 7 dims: 1 int64_data: 10 } } }"
           "node { op_type: 'Expand' input: 'r' input: 's' output: 'w' }"
           "node { op_type: 'Add' input: 'w' input: 'k' output: 'y' } output { name: 'y' }"))
      << messages;
  EXPECT_EQ(run(), (std::vector<double>{12, 15, 18, 12, 15, 18}));
  EXPECT_EQ(count<BinaryOp>(), 0);
}

/// Two steps of a cell of one element; a state that is not given is zero, so the batch stays open.
TEST_F(Import, RecurrencesAreUnrolled) {
  std::string graph =
      inputOf("x", "dim { dim_value: 2 } dim { dim_param: 'batch' } dim { dim_value: 1 }") +
      "initializer { name: 'w' data_type: 1 dims: [1, 1, 1] float_data: 2 }"
      "initializer { name: 'r' data_type: 1 dims: [1, 1, 1] float_data: 10 }"
      "node { name: 'n' op_type: 'RNN' input: 'x' input: 'w' input: 'r' output: 'y' "
      "attribute { name: 'activations' type: STRINGS strings: 'Relu' } } output { name: 'y' }";
  ASSERT_TRUE(load(graph)) << messages;
  EXPECT_EQ(run(HostArray::fromFloats(ElementType::F32, {2, 2, 1}, {1, 2, 3, -50})),
            (std::vector<double>{2, 4, 26, 0}));
  EXPECT_EQ(count<MatmulOp>(), 2); // all inputs, and the one state that is not zero
}

/// A loop over time has any number of steps, and any batch.
TEST_F(Import, RecurrencesOfUnknownLength) {
  auto recurrence = [&](const std::string &time, const std::string &batch) {
    return load(inputOf("x", "dim { " + time + " } dim { " + batch + " } dim { dim_value: 1 }") +
                "initializer { name: 'w' data_type: 1 dims: [1, 1, 1] float_data: 2 }"
                "node { name: 'n' op_type: 'RNN' input: 'x' input: 'w' input: 'w' output: 'y' } "
                "output { name: 'y' }");
  };
  EXPECT_TRUE(recurrence("dim_param: 'time'", "dim_value: 2")) << messages;
  EXPECT_TRUE(recurrence("dim_value: 2", "dim_param: 'batch'")) << messages;
  EXPECT_TRUE(recurrence("dim_param: 'time'", "dim_param: 'batch'")) << messages;
  EXPECT_EQ(count<ScanOp>(), 1);
}

/// Shapes are computed with extents that stay open; reshapes take sizes where open dimensions do not keep their order.
TEST_F(Import, ShapesOfOpenDimensions) {
  std::string head = inputOf("x", "dim { dim_param: 'b' } dim { dim_param: 's' } dim { dim_value: 6 }") +
                     "initializer { name: 'zero' data_type: 7 dims: 1 int64_data: 0 }"
                     "initializer { name: 'one' data_type: 7 dims: 1 int64_data: 1 }"
                     "initializer { name: 'two' data_type: 7 dims: 1 int64_data: 2 }"
                     "initializer { name: 'three' data_type: 7 dims: 1 int64_data: 3 }"
                     "node { op_type: 'Shape' input: 'x' output: 'n' }"
                     "node { op_type: 'Gather' input: 'n' input: 'zero' output: 'b' }"
                     "node { op_type: 'Gather' input: 'n' input: 'one' output: 's' }";
  auto reshape = [&](const std::string &computed, const std::string &parts) {
    return load(head + computed + "node { op_type: 'Concat' " + parts +
                " output: 'to' attribute { name: 'axis' type: INT i: 0 } }"
                "node { name: 'r' op_type: 'Reshape' input: 'x' input: 'to' output: 'y' } output { name: 'y' }");
  };
  EXPECT_TRUE(reshape("", "input: 'b' input: 's' input: 'two' input: 'three'")) << messages;
  // (2 * b) / 2 is b.
  EXPECT_TRUE(reshape("node { op_type: 'Mul' input: 'b' input: 'two' output: 'd' }"
                      "node { op_type: 'Div' input: 'd' input: 'two' output: 'e' }",
                      "input: 'e' input: 's' input: 'three' input: 'two'"))
      << messages;
  auto takesSizes = [&] {
    bool takes = false;
    model.module->walk([&](ReshapeOp op) { takes |= op.hasFreeSizes(); });
    return takes;
  };
  EXPECT_FALSE(takesSizes());
  EXPECT_TRUE(reshape("", "input: 's' input: 'b' input: 'two' input: 'three'")) << messages;
  EXPECT_TRUE(takesSizes());
  // Whether so many elements are given, a call says.
  EXPECT_TRUE(reshape("node { op_type: 'Add' input: 's' input: 'one' output: 'd' }",
                      "input: 'b' input: 'd' input: 'two' input: 'three'"))
      << messages;
  EXPECT_TRUE(takesSizes());
  // What no expression says to be left is divided by a call.
  EXPECT_TRUE(reshape("initializer { name: 'minus' data_type: 7 dims: 1 int64_data: -1 }"
                      "node { op_type: 'Add' input: 's' input: 'one' output: 'd' }",
                      "input: 'd' input: 'minus'"))
      << messages;
  EXPECT_TRUE(takesSizes());
}

/// What cannot be imported for want of extents names the dimensions that decide about them.
TEST_F(Import, ErrorsNameTheDimensionsToBind) {
  std::string graph =
      inputOf("x", "dim { dim_param: 'batch' } dim { } dim { dim_param: 'time' }") +
      inputOf("z", "dim { dim_param: 'other' }") +
      "node { op_type: 'Relu' input: 'x' output: 'h' }"
      "node { name: 'n' op_type: 'Det' input: 'h' output: 'y' } output { name: 'y' }";
  EXPECT_FALSE(load(graph));
  EXPECT_TRUE(says("node 'n' (Det): expected square matrices of a static shape; give the extents with --dim batch=N "
                   "--dim x:1=N --dim time=N\n"))
      << messages;
}

constexpr const char *kSequence =
    "node { op_type: 'SequenceEmpty' output: 'e' }"
    "node { op_type: 'SequenceInsert' input: 'e' input: 'x' output: 's0' }"
    "node { op_type: 'Neg' input: 'x' output: 'v' }"
    "node { op_type: 'SequenceInsert' input: 's0' input: 'v' input: 'zero' output: 's' }"
    "initializer { name: 'zero' data_type: 7 int64_data: 0 }"
    "initializer { name: 'last' data_type: 7 int64_data: -1 }";

TEST_F(Import, SequencesAreResolved) {
  std::string graph = inputOf("x", "dim { dim_value: 2 }") + kSequence;
  HostArray x = HostArray::fromFloats(ElementType::F32, {2}, {1, 2});
  ASSERT_TRUE(load(graph + "node { op_type: 'ConcatFromSequence' input: 's' output: 'y' attribute "
                           "{ name: 'axis' type: INT i: 0 } } output { name: 'y' }"))
      << messages;
  EXPECT_EQ(run(x), (std::vector<double>{-1, -2, 1, 2}));
  ASSERT_TRUE(load(graph + "node { op_type: 'SequenceErase' input: 's' input: 'zero' output: 't' }"
                           "node { op_type: 'SequenceAt' input: 't' input: 'last' output: 'y' }"
                           "output { name: 'y' }"))
      << messages;
  EXPECT_EQ(run(x), (std::vector<double>{1, 2}));
  ASSERT_TRUE(load(inputOf("x", "dim { dim_value: 2 }") +
                   "node { op_type: 'SplitToSequence' input: 'x' output: 's' attribute { name: "
                   "'keepdims' type: INT i: 0 } }"
                   "node { op_type: 'SequenceLength' input: 's' output: 'l' }"
                   "node { op_type: 'Cast' input: 'l' output: 'f' attribute { name: 'to' type: INT "
                   "i: 1 } } node { op_type: 'Mul' input: 'x' input: 'f' output: 'y' }"
                   "output { name: 'y' }"))
      << messages;
  EXPECT_EQ(run(x), (std::vector<double>{2, 4}));
}

TEST_F(Import, SequencesAreNoTensors) {
  std::string graph = inputOf("x", "dim { dim_value: 2 }") + kSequence;
  EXPECT_FALSE(load(graph + "node { name: 'n' op_type: 'Relu' input: 's' output: 'y' }"));
  EXPECT_TRUE(says("node 'n' (Relu): expected tensors, found the sequence 's'")) << messages;
  EXPECT_FALSE(load(graph + "output { name: 's' }"));
  EXPECT_TRUE(says("output 's' is a sequence")) << messages;
  EXPECT_FALSE(load(graph + "node { name: 'm' op_type: 'SequenceLength' input: 'x' output: 'y' }"));
  EXPECT_TRUE(says("node 'm' (SequenceLength): expected a sequence, found a tensor")) << messages;
  EXPECT_FALSE(load(graph + "node { name: 'o' op_type: 'SequenceAt' input: 'e' input: 'zero' "
                            "output: 'y' }"));
  EXPECT_TRUE(says("node 'o' (SequenceAt): expected a position in [0, 0), found 0")) << messages;
}

TEST_F(Import, GivenArraysOverrideInitializersOfInputs) {
  std::string graph = inputOf("w", "dim { dim_value: 2 }") + inputOf("x", "dim { dim_value: 2 }") +
                      "initializer { name: 'w' data_type: 1 dims: 2 float_data: [1, 2] }"
                      "node { op_type: 'Add' input: 'x' input: 'w' output: 'y' } "
                      "output { name: 'y' }";
  HostArray x = HostArray::fromFloats(ElementType::F32, {2}, {0, 0});
  ASSERT_TRUE(load(graph)) << messages;
  EXPECT_EQ(run(x), (std::vector<double>{1, 2}));
  HostArray w = HostArray::fromFloats(ElementType::F32, {2}, {8, 9});
  HostArray wrong = HostArray::fromFloats(ElementType::F32, {3}, {8, 9, 10});
  OnnxImportOptions bound, given;
  bound.bound.push_back({"w", w});
  ASSERT_TRUE(load(graph, "", bound)) << messages;
  EXPECT_EQ(function.getNumArguments(), 1u);
  EXPECT_EQ(run(x), (std::vector<double>{8, 9}));
  given.values.push_back({"w", w});
  ASSERT_TRUE(load(graph, "", given)) << messages;
  ASSERT_EQ(function.getNumArguments(), 2u);
  EXPECT_TRUE(function.getArgAttr(1, "fuse.param"));
  EXPECT_EQ(run(x), (std::vector<double>{8, 9}));
  bound.bound[0].array = given.values[0].array = wrong;
  EXPECT_FALSE(load(graph, "", bound));
  EXPECT_TRUE(says("input 'w': expected 'tensor<2xf32>', found ")) << messages;
  messages.clear();
  EXPECT_FALSE(load(graph, "", given));
  EXPECT_TRUE(says("input 'w': expected 'tensor<2xf32>', found ")) << messages;
}

TEST_F(Import, OutputsMayBeListedAgain) {
  ASSERT_TRUE(load(inputOf("x", "dim { dim_value: 2 }") +
                   "node { op_type: 'Neg' input: 'x' output: 'y' }"
                   "node { op_type: 'Abs' input: 'x' output: 'y_1' }"
                   "output { name: 'y' } output { name: 'y' } output { name: 'y_1' }"))
      << messages;
  auto name = [&](unsigned i) {
    return function.getResultAttrOfType<StringAttr>(i, "fuse.name").getValue();
  };
  EXPECT_EQ(name(0), "y");
  EXPECT_EQ(name(1), "y_2");
  EXPECT_EQ(name(2), "y_1");
}

/// ONNX Runtime takes nodes in any order, those within a branch, too.
TEST_F(Import, NodesAreSorted) {
  std::string type = "dim { dim_value: 3 }";
  std::string branch = "node { op_type: 'Neg' input: 'inner' output: 'chosen' }"
                       "node { op_type: 'Exp' input: 'late' output: 'inner' } output { name: 'chosen' }";
  ASSERT_TRUE(load(inputOf("x", type) + "initializer { name: 'yes' data_type: 9 int32_data: 1 }"
                   "node { op_type: 'Relu' input: 'i' output: 'y' }"
                   "node { op_type: 'If' input: 'yes' output: 'i'"
                   " attribute { name: 'then_branch' type: GRAPH g { " + branch + " } }"
                   " attribute { name: 'else_branch' type: GRAPH g { " + branch + " } } }"
                   "node { op_type: 'Abs' input: 'x' output: 'late' } output { name: 'y' }"))
      << messages;
  SmallVector<UnaryKind> kinds;
  function.walk([&](UnaryOp op) { kinds.push_back(op.getKind()); });
  EXPECT_EQ(kinds, (SmallVector<UnaryKind>{UnaryKind::Abs, UnaryKind::Exp, UnaryKind::Neg, UnaryKind::Relu}));
}

TEST_F(Import, AllUnsupportedOperatorsAreNamed) {
  EXPECT_FALSE(load(inputOf("x", "dim { dim_value: 2 }") +
                    "node { name: 'a' op_type: 'Loop' input: 'x' output: 'h' }"
                    "node { name: 'b' op_type: 'Relu' input: 'h' output: 'i' }"
                    "node { name: 'c' op_type: 'Foo' domain: 'com.x' input: 'i' output: 'y' }"));
  EXPECT_TRUE(says("node 'a' (Loop): the operator Loop is not supported")) << messages;
  EXPECT_TRUE(says("node 'c' (Foo): the operator Foo of domain 'com.x' is not supported"))
      << messages;
}

struct Refusal {
  const char *nodes, *error;
};

class Refusals : public Import, public testing::WithParamInterface<Refusal> {};

TEST_P(Refusals, NameTheNode) {
  EXPECT_FALSE(
      load(inputOf("x", "dim { dim_value: 2 } dim { dim_value: 3 }") + inputOf("s", "") +
           "initializer { name: 'huge' data_type: 7 int64_data: 549755813888 }"
           "initializer { name: 'zero' data_type: 7 int64_data: 0 }"
           "initializer { name: 'one' data_type: 7 int64_data: 1 }"
           "initializer { name: 'list' data_type: 7 dims: 2 int64_data: [-9223372036854775808, 1] }"
           "initializer { name: 'wide' data_type: 7 dims: 2 int64_data: [4611686018427387904, 4] }"
           "output { name: 'y' }" +
           GetParam().nodes));
  EXPECT_TRUE(says(GetParam().error)) << messages;
}

#define NODE(OP, INPUTS) "node { name: 'n' op_type: '" OP "' " INPUTS " output: 'y' "
INSTANTIATE_TEST_SUITE_P(
    All, Refusals,
    testing::Values(
        Refusal{NODE("Range", "input: 'zero' input: 'huge' input: 'one'") "}",
                "more than are made"},
        Refusal{NODE("Squeeze", "input: 's' input: 'list'") "}", "expected an axis in [0, 0)"},
        Refusal{NODE("Reshape", "input: 'x' input: 'list'") "}", "at least −1"},
        Refusal{NODE("ConstantOfShape", "input: 'list'") "}", "at least 0"},
        Refusal{NODE("ConstantOfShape", "input: 'wide'") "}", "no tensor can have"},
        Refusal{NODE("Expand", "input: 's' input: 'wide'") "}", "no tensor can have"},
        Refusal{NODE("Tile", "input: 'x' input: 'wide'") "}", "no tensor"},
        Refusal{NODE("Max", "input: 'x' input: '' input: 'x'") "}", "operands, found 2"},
        Refusal{NODE("Split",
                     "input: 'x'") "attribute { name: 'num_outputs' type: INT i: 1099511627776 } }",
                "num_outputs"},
        Refusal{NODE("LRN", "input: 'x'") "attribute { name: 'size' type: INT i: 1099511627776 } }",
                "more than are built"},
        Refusal{NODE("Einsum",
                     "input: 's'") "attribute { name: 'equation' type: STRING s: 'ii......' } }",
                "node 'n' (Einsum)"},
        Refusal{NODE("Cast", "input: 'x'") "attribute { name: 'to' type: INT i: 4294967297 } }",
                "data type 4294967297"},
        Refusal{NODE("Relu", "input: 'y'") "}", "computed by no node before it"},
        Refusal{NODE("Relu", "input: 'x'") "} " NODE("Relu", "input: 'x'") "}",
                "'y' is computed twice"},
        Refusal{"node { op_type: 'a\\nb' name: 'q\\x01' output: 'y' }", "node 'q\\x01' (a\\x0A"},
        Refusal{
            NODE("Relu", "input: 'x'") "attribute { name: 'axis' } } output { name: 'nothing' }",
            "output 'nothing' is computed by no node"}));

/// Computed at once this would take as many steps as there are pairs of elements.
TEST_F(Import, WhatTakesLongIsLeftToTheProgram) {
  std::string list;
  for (int i = 0; i < 20000; ++i)
    list += " int64_data: " + std::to_string(i * 7 % 1000);
  ASSERT_TRUE(load("initializer { name: 'v' data_type: 7 dims: 20000" + list +
                   "}"
                   "initializer { name: 'k' data_type: 7 dims: 1 int64_data: 5 }"
                   "node { op_type: 'TopK' input: 'v' input: 'k' output: 'y' output: 'i' } output "
                   "{ name: 'y' }"))
      << messages;
  EXPECT_GT(count<CompareOp>(), 0);
}

} // namespace
