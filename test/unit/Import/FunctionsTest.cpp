//===- FunctionsTest.cpp - Functions of models, and their calls -------------------------------===//
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

constexpr const char *kFunctions = "opset_import { domain: 'l' version: 1 }"
                                   "functions { domain: 'l' name: 'Slope' input: 'a' output: 'b' "
                                   "attribute: 'slope' node { op_type: "
                                   "'LeakyRelu' input: 'a' output: 'b' attribute { name: 'alpha' "
                                   "ref_attr_name: 'slope' type: FLOAT } } }";

TEST_F(Import, FunctionsTakeTheirCallsAttributes) {
  ASSERT_TRUE(
      load(inputOf("x", "dim { dim_value: 2 }") +
               "node { op_type: 'Slope' domain: 'l' input: 'x' output: 'h' attribute { name: "
               "'slope' type: FLOAT f: 0.5 } }"
               "node { op_type: 'Slope' domain: 'l' input: 'h' output: 'y' attribute { name: "
               "'slope' type: FLOAT f: 0.25 } } output { name: 'y' }",
           kFunctions))
      << messages;
  EXPECT_EQ(run(HostArray::fromFloats(ElementType::F32, {2}, {-8, 3})),
            (std::vector<double>{-1, 3}));
}

template <typename Message>
void addNewer(Message *message, int field, const std::string &bytes) {
  message->GetReflection()->MutableUnknownFields(message)->AddLengthDelimited(field, bytes);
}

/// FunctionProto.attribute_proto.
TEST_F(Import, FunctionsHaveDefaultsOfAttributes) {
  auto proto =
      parseModel(inputOf("x", "dim { dim_value: 2 }") +
                     "node { op_type: 'Slope' domain: 'l' input: 'x' output: 'h' }"
                     "node { op_type: 'Slope' domain: 'l' input: 'h' output: 'y' attribute { name: "
                     "'slope' type: FLOAT f: 0.25 } } output { name: 'y' }",
                 kFunctions);
  ::onnx::AttributeProto attribute;
  attribute.set_name("slope");
  attribute.set_type(::onnx::AttributeProto::FLOAT);
  attribute.set_f(0.5);
  auto *callee = proto.mutable_functions(0);
  addNewer(callee, 11, attribute.SerializeAsString());
  ASSERT_TRUE(loadNewer(proto)) << messages;
  EXPECT_EQ(run(HostArray::fromFloats(ElementType::F32, {2}, {-8, 3})),
            (std::vector<double>{-1, 3}));
  addNewer(callee, 11, "\x0a");
  EXPECT_FALSE(loadNewer(proto));
}

/// NodeProto.overload and FunctionProto.overload.
TEST_F(Import, FunctionsHaveOverloads) {
  auto proto = parseModel(
      inputOf("x", "dim { dim_value: 2 }") +
          "node { op_type: 'F' domain: 'l' name: 'n' input: 'x' output: 'y' } output { name: 'y' }",
      "opset_import { domain: 'l' version: 1 }"
      "functions { domain: 'l' name: 'F' input: 'a' output: 'b' node { op_type: 'Neg' input: 'a' "
      "output: 'b' } }"
      "functions { domain: 'l' name: 'F' input: 'a' output: 'b' node { op_type: 'Abs' input: 'a' "
      "output: 'b' } }");
  EXPECT_FALSE(loadNewer(proto));
  EXPECT_TRUE(says("the model has two of function 'F' of domain 'l'")) << messages;
  addNewer(proto.mutable_functions(0), 13, "first");
  addNewer(proto.mutable_functions(1), 13, "second");
  EXPECT_FALSE(loadNewer(proto));
  EXPECT_TRUE(says("node 'n' (F): the operator F of domain 'l' is not supported")) << messages;
  addNewer(proto.mutable_graph()->mutable_node(0), 8, "second");
  ASSERT_TRUE(loadNewer(proto)) << messages;
  EXPECT_EQ(run(HostArray::fromFloats(ElementType::F32, {2}, {-8, 3})),
            (std::vector<double>{8, 3}));
}

TEST_F(Import, CallsOfFunctionsMayLeaveOutOperands) {
  std::string graph = inputOf("x", "dim { dim_value: 3 }") +
                      "initializer { name: 'one' data_type: 1 float_data: 1 } output { name: 'y' }"
                      "node { op_type: 'Outer' domain: 'l' output: 'y' input: 'x' ";
  std::string functions =
      "opset_import { domain: 'l' version: 1 }"
      "functions { domain: 'l' name: 'Inner' input: 'a' input: 'least' input: 'most' output: 'b' "
      "node { op_type: 'Clip' input: 'a' input: 'least' input: 'most' output: 'b' } }"
      "functions { domain: 'l' name: 'Outer' input: 'a' input: 'least' input: 'most' output: 'b' "
      "node { op_type: 'Inner' domain: 'l' input: 'a' input: 'least' input: 'most' output: 'b' } }";
  HostArray x = HostArray::fromFloats(ElementType::F32, {3}, {-8, 0, 3});
  ASSERT_TRUE(load(graph + "input: 'one' }", functions)) << messages;
  EXPECT_EQ(run(x), (std::vector<double>{1, 1, 3}));
  ASSERT_TRUE(load(graph + "input: '' input: 'one' }", functions)) << messages;
  EXPECT_EQ(run(x), (std::vector<double>{-8, 0, 1}));
  EXPECT_FALSE(load(graph + "input: '' input: '' input: 'one' }", functions));
  EXPECT_TRUE(says("expected at most 3 operands, found 4")) << messages;
}

TEST_F(Import, ShapesAreKnownThroughCallsOfFunctions) {
  OnnxImportOptions options;
  options.values.push_back({"s", HostArray::fromInts(ElementType::I64, {2}, {2, 3})});
  options.values.push_back({"x", HostArray::fromFloats(ElementType::F32, {6}, {1, 2, 3, 4, 5, 6})});
  ASSERT_TRUE(load(inputOf("x", "dim { dim_value: 6 }") + inputOf("s", "dim { dim_value: 2 }", 7) +
                       "node { op_type: 'R' domain: 'l' input: 'x' input: 's' output: 'y' }"
                       "output { name: 'y' }",
                   "opset_import { domain: 'l' version: 1 }"
                   "functions { domain: 'l' name: 'R' input: 'a' input: 'to' output: 'b' node { "
                   "op_type: 'Reshape' input: 'a' input: 'to' output: 'b' } }",
                   options))
      << messages;
  EXPECT_EQ(cast<RankedTensorType>(function.getResultTypes()[0]).getShape(),
            ArrayRef<int64_t>({2, 3}));
  EXPECT_EQ(count<ReshapeOp>(), 1); // of x, which no shape is computed of
}

/// The operators of the default domain, too, are what the model says; a large weight is not
/// transposed for one that is no transposition.
TEST_F(Import, FunctionsMayTakeOperatorsPlaces) {
  std::string elements;
  for (int i = 0; i < 2 * 40000; ++i)
    elements += " float_data: 1";
  ASSERT_TRUE(
      load("initializer { name: 'w' data_type: 1 dims: [2, 40000]" + elements +
               "} node { op_type: 'Transpose' input: 'w' output: 'y' } output { name: 'y' }",
           "functions { domain: 'ai.onnx' name: 'Transpose' input: 'a' output: 'b' node { "
           "op_type: 'Neg' input: 'a' output: 'b' } }"))
      << messages;
  EXPECT_EQ(cast<RankedTensorType>(function.getResultTypes()[0]).getShape(),
            ArrayRef<int64_t>({2, 40000}));
  EXPECT_EQ(run()[0], -1);
}

TEST_F(Import, EndlessAndExplodingCallsAreRefused) {
  std::string graph =
      inputOf("x", "dim { dim_value: 2 }") +
      "node { op_type: 'F20' domain: 'l' input: 'x' output: 'y' } output { name: 'y' }";
  std::string functions = "opset_import { domain: 'l' version: 1 }";
  for (int i = 0; i <= 20; ++i) {
    std::string callee =
        i ? "op_type: 'F" + std::to_string(i - 1) + "' domain: 'l'" : "op_type: 'Relu'";
    functions += "functions { domain: 'l' name: 'F" + std::to_string(i) +
                 "' input: 'a' output: 'c' node { " + callee + " input: 'a' output: 'b' } node { " +
                 callee + " input: 'b' output: 'c' } }";
  }
  EXPECT_FALSE(load(graph, functions));
  EXPECT_TRUE(says("more nodes of it than are imported")) << messages;
  messages.clear();
  EXPECT_FALSE(load(graph,
                    "functions { domain: 'l' name: 'F20' input: 'a' output: 'c' node { op_type: "
                    "'F20' domain: 'l' input: 'a' output: 'c' } }"));
  EXPECT_TRUE(says("endlessly")) << messages;
}

} // namespace
