//===- QuantizedOperandsTest.cpp - Scales and zero points that do not fit ---------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Errors name the node, the operand as ONNX calls it, and the shapes expected and found. What would merely broadcast is refused
// where ONNX asks for one element each.
//
//===----------------------------------------------------------------------------------------===//

#include "ImportFixture.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace fuse_test;

namespace {

constexpr int kFloat = 1, kUInt8 = 2, kInt8 = 3, kInt32 = 6;

using Shape = std::vector<int64_t>;

struct Operand {
  int type;
  Shape shape;
};

std::string input(const std::string &name, const Operand &operand) {
  std::string dims;
  for (int64_t extent : operand.shape)
    dims += " dim { dim_value: " + std::to_string(extent) + " }";
  return inputOf(name, dims, operand.type);
}

/// A node 'n' of these operands, a to z; those of type 0 are left out.
std::string nodeOf(const std::string &op, const std::vector<Operand> &operands, const std::string &attributes = "",
                   const std::string &domain = "") {
  std::string inputs, names;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    std::string name = operand.type ? std::string(1, static_cast<char>('a' + i)) : "";
    if (operand.type)
      inputs += input(name, operand);
    names += " input: '" + name + "'";
  }
  return inputs + "node { name: 'n' op_type: '" + op + "' domain: '" + domain + "'" + names + " output: 'y' " + attributes +
         " } output { name: 'y' }";
}

std::string intOf(const std::string &name, int64_t value) {
  return "attribute { name: '" + name + "' type: INT i: " + std::to_string(value) + " } ";
}

class QuantizedOperands : public Import {
protected:
  void expectRefused(const std::string &graph, const std::string &message) {
    messages.clear();
    EXPECT_FALSE(load(graph)) << message;
    EXPECT_TRUE(says("node 'n' (")) << messages;
    EXPECT_TRUE(says(message)) << message << "\n" << messages;
  }
  void expectTaken(const std::string &graph) {
    messages.clear();
    EXPECT_TRUE(load(graph)) << messages;
  }
};

//===- QuantizeLinear and DequantizeLinear --------------------------------------------------===//

std::string quantize(const Shape &x, const Shape &scale, const Shape &zero, const std::string &attributes = intOf("axis", 0)) {
  return nodeOf("QuantizeLinear", {{kFloat, x}, {kFloat, scale}, {kUInt8, zero}}, attributes);
}

TEST_F(QuantizedOperands, OfOneAxis) {
  expectTaken(quantize({2, 3}, {2}, {2}));
  expectTaken(quantize({2, 3}, {}, {1}));
  expectRefused(quantize({2, 3}, {3}, {3}), "(QuantizeLinear): expected 'y_scale' of shape 2, found shape 3");
  expectRefused(quantize({2, 3}, {2}, {3}), "expected 'y_zero_point' of shape 2, found shape 3");
  expectRefused(quantize({2, 3}, {2, 1}, {2}), "expected 'y_scale' of shape 2, found shape 2x1");
  // Both would broadcast.
  expectRefused(quantize({1, 3}, {4}, {4}), "expected 'y_scale' of shape 1, found shape 4");
  expectRefused(quantize({2, 3}, {2}, {}), "expected 'y_zero_point' of shape 2, found one number");
  expectRefused(quantize({2, 3}, {}, {2}), "expected 'y_zero_point' to be one number, found shape 2");
  expectRefused(quantize({}, {2}, {2}), "expected 'y_scale' to be one number, found shape 2");
}

/// A call of another size than that of the list is an error, of size 1 as well, and says where.
TEST_F(QuantizedOperands, OfOneOpenAxis) {
  expectTaken(inputOf("x", "dim { dim_param: 'n' } dim { dim_value: 3 }") + input("s", {kFloat, {2}}) + input("z", {kUInt8, {2}}) +
              "node { name: 'n' op_type: 'QuantizeLinear' input: 'x' input: 's' input: 'z' output: 'y' " + intOf("axis", 0) +
              "} output { name: 'y' }");
  HostArray s = HostArray::splat(ElementType::F32, {2}, 1), z = HostArray::splat(ElementType::U8, {2}, 1);
  EXPECT_EQ(run({HostArray::splat(ElementType::F32, {2, 3}, 4), s, z}), std::vector<double>(6, 5));
  EXPECT_TRUE(run({HostArray::splat(ElementType::F32, {1, 3}, 4), s, z}).empty());
  std::string program;
  llvm::raw_string_ostream(program) << function;
  EXPECT_TRUE(StringRef(program).contains("\"node 'n' (QuantizeLinear): an extent of {}, expected {}\"")) << program;
}

TEST_F(QuantizedOperands, OfBlocks) {
  std::string blocks = intOf("axis", 1) + intOf("block_size", 2);
  expectTaken(quantize({2, 5}, {2, 3}, {2, 3}, blocks));
  expectRefused(quantize({2, 5}, {2, 2}, {2, 2}, blocks), "expected 'y_scale' of shape 2x3, found shape 2x2");
  expectRefused(quantize({2, 5}, {1, 3}, {1, 3}, blocks), "expected 'y_scale' of shape 2x3, found shape 1x3");
  expectRefused(quantize({2, 5}, {2, 3}, {2, 1}, blocks), "expected 'y_zero_point' of shape 2x3, found shape 2x1");
  expectRefused(quantize({2, 5}, {2, 3}, {2, 3}, intOf("axis", 1) + intOf("block_size", -2)),
                "found block_size = -2 along axis 1 of extent 5");
}

TEST_F(QuantizedOperands, OfDequantizeLinear) {
  auto dequantize = [](const Shape &scale, const Shape &zero) {
    return nodeOf("DequantizeLinear", {{kInt8, {2, 3}}, {kFloat, scale}, {kInt8, zero}});
  };
  expectTaken(dequantize({3}, {3}));
  expectRefused(dequantize({2}, {2}), "(DequantizeLinear): expected 'x_scale' of shape 3, found shape 2");
  expectRefused(dequantize({3}, {2}), "expected 'x_zero_point' of shape 3, found shape 2");
}

/// The type of a result is said once, or twice alike.
TEST_F(QuantizedOperands, TypeOfTheResult) {
  expectTaken(quantize({3}, {}, {}, intOf("output_dtype", kUInt8)));
  expectRefused(quantize({3}, {}, {}, intOf("output_dtype", kInt8)),
                "expected 'y_zero_point' of the type that output_dtype names, INT8, found UINT8");
}

//===- Convolutions -------------------------------------------------------------------------===//

/// One image of 2 channels and 4 filters.
std::string convolve(const Shape &xScale, const Shape &wScale, const Shape &wZero, const Shape &yScale, const Shape &bias,
                     int64_t groups = 1) {
  return nodeOf("QLinearConv",
                {{kUInt8, {1, 2, 5, 5}},
                 {kFloat, xScale},
                 {kUInt8, {}},
                 {kInt8, {4, 2, 3, 3}},
                 {kFloat, wScale},
                 {kInt8, wZero},
                 {kFloat, yScale},
                 {kUInt8, {}},
                 {kInt32, bias}},
                intOf("group", groups));
}

TEST_F(QuantizedOperands, OfConvolutions) {
  expectTaken(convolve({1}, {4}, {4}, {}, {4}));
  expectTaken(convolve({}, {1}, {1}, {1}, {4}));
  expectRefused(convolve({2}, {4}, {4}, {}, {4}), "(QLinearConv): expected 'x_scale' to be one number, found shape 2");
  expectRefused(convolve({}, {3}, {4}, {}, {4}), "expected 'w_scale' to be one number, or of shape 4, found shape 3");
  expectRefused(convolve({}, {4}, {2}, {}, {4}), "expected 'w_zero_point' to be one number, or of shape 4, found shape 2");
  expectRefused(convolve({}, {4}, {4}, {4}, {4}), "expected 'y_scale' to be one number, found shape 4");
  expectRefused(convolve({}, {4}, {4}, {}, {1}), "expected 'B' of shape 4, found shape 1");
  expectRefused(convolve({}, {4}, {4}, {}, {4}, -2), "expected 2 channels in each of -2 groups");
}

//===- Products -----------------------------------------------------------------------------===//

TEST_F(QuantizedOperands, OfIntegerProducts) {
  auto multiply = [](const Shape &aZero, const Shape &bZero) {
    return nodeOf("MatMulInteger", {{kUInt8, {2, 3}}, {kInt8, {3, 4}}, {kUInt8, aZero}, {kInt8, bZero}});
  };
  expectTaken(multiply({2}, {4}));
  expectTaken(multiply({2, 1}, {1, 4}));
  expectRefused(multiply({3}, {4}),
                "(MatMulInteger): expected 'a_zero_point' to be one number, or of shape 2 or 2x1, found shape 3");
  expectRefused(multiply({2}, {3}), "expected 'b_zero_point' to be one number, or of shape 4 or 1x4, found shape 3");
}

TEST_F(QuantizedOperands, OfQuantizedProducts) {
  auto multiply = [](const Shape &aScale, const Shape &bScale, const Shape &yScale) {
    return nodeOf("QLinearMatMul", {{kUInt8, {5, 2, 3}},
                                    {kFloat, aScale},
                                    {kUInt8, {}},
                                    {kInt8, {5, 3, 4}},
                                    {kFloat, bScale},
                                    {kInt8, {}},
                                    {kFloat, yScale},
                                    {kUInt8, {}}});
  };
  expectTaken(multiply({2}, {4}, {1, 1, 1}));
  expectTaken(multiply({5, 2, 1}, {5, 1, 4}, {5, 2, 1}));
  expectRefused(multiply({4}, {4}, {}),
                "(QLinearMatMul): expected 'a_scale' to be one number, or of shape 2 or 5x2x1, found shape 4");
  expectRefused(multiply({}, {2}, {}), "expected 'b_scale' to be one number, or of shape 4 or 5x1x4, found shape 2");
  expectRefused(multiply({}, {}, {4}), "expected 'y_scale' to be one number, or of shape 2 or 5x2x1, found shape 4");
}

TEST_F(QuantizedOperands, OfQGemm) {
  auto multiply = [](const Shape &bScale, const Shape &c) {
    return nodeOf("QGemm",
                  {{kUInt8, {2, 3}}, {kFloat, {}}, {kUInt8, {}}, {kInt8, {4, 3}}, {kFloat, bScale}, {kInt8, {}}, {kInt32, c}},
                  intOf("transB", 1), "com.microsoft");
  };
  expectTaken(multiply({4}, {1, 4}));
  expectRefused(multiply({3}, {4}), "(QGemm): expected 'b_scale' to be one number, or of shape 4, found shape 3");
  expectRefused(multiply({}, {3}), "expected 'C' to be one number, or of shape 4 or 1x4 or 2x1 or 2x4, found shape 3");
}

TEST_F(QuantizedOperands, OfProductsOfFloats) {
  auto multiply = [](const Shape &bScale, const Shape &bias) {
    return nodeOf("MatMulIntegerToFloat",
                  {{kUInt8, {2, 3}}, {kInt8, {3, 4}}, {kFloat, {}}, {kFloat, bScale}, {kUInt8, {}}, {kInt8, {}}, {kFloat, bias}},
                  "", "com.microsoft");
  };
  expectTaken(multiply({4}, {4}));
  expectRefused(multiply({2}, {4}), "expected 'b_scale' to be one number, or of shape 4 or 1x4, found shape 2");
  expectRefused(multiply({4}, {1}), "expected 'bias' of shape 4, found shape 1");
  expectRefused(nodeOf("DynamicQuantizeMatMul", {{kFloat, {2, 3}}, {kInt8, {3, 4}}, {kFloat, {3}}}, "", "com.microsoft"),
                "(DynamicQuantizeMatMul): expected 'b_scale' to be one number, or of shape 4 or 1x4, found shape 3");
}

//===- Element by element -------------------------------------------------------------------===//

TEST_F(QuantizedOperands, OfSums) {
  auto add = [](const Shape &aScale, const Shape &cZero) {
    return nodeOf("QLinearAdd",
                  {{kUInt8, {4}},
                   {kFloat, aScale},
                   {kUInt8, {}},
                   {kUInt8, {4}},
                   {kFloat, {}},
                   {kUInt8, {}},
                   {kFloat, {}},
                   {kUInt8, cZero}},
                  "", "com.microsoft");
  };
  expectTaken(add({1}, {}));
  expectRefused(add({4}, {}), "(QLinearAdd): expected 'A_scale' to be one number, found shape 4");
  expectRefused(add({}, {4}), "expected 'C_zero_point' to be one number, found shape 4");
}

} // namespace
