//===- QuantizationTest.cpp - What becomes of quantized models ------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ImportFixture.h"
#include "Formats.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace fuse_test;

namespace {

constexpr int kUInt8 = 2, kInt8 = 3, kFloat16 = 10, kFloat8E4M3FN = 17, kInt4 = 22;

std::string zeroOf(const std::string &name, int type, int value) {
  return "initializer { name: '" + name + "' data_type: " + std::to_string(type) + " int32_data: " +
         std::to_string(value) + " }";
}

std::string getProduct(const std::string &zeros) {
  return inputOf("x", "dim { dim_value: 2 } dim { dim_value: 3 }", kUInt8) +
         inputOf("w", "dim { dim_value: 3 } dim { dim_value: 2 }", kInt8) + zeros +
         " node { op_type: 'MatMulInteger' input: 'x' input: 'w' input: 'a' input: 'b' output: 'y' } output { name: 'y' }";
}

/// A product of bytes of both signs, beside which a zero point costs the sums of the other operand.
TEST_F(Import, IntegerProductsAreProductsOfBytes) {
  HostArray x = HostArray::fromInts(ElementType::U8, {2, 3}, {0, 7, 255, 128, 3, 1});
  HostArray w = HostArray::fromInts(ElementType::I8, {3, 2}, {-128, 127, 5, -1, 9, 0});
  struct Case {
    int a, b, reductions;
  };
  for (Case each : {Case{0, 0, 0}, Case{128, 0, 1}, Case{128, -3, 2}}) {
    ASSERT_TRUE(load(getProduct(zeroOf("a", kUInt8, each.a) + zeroOf("b", kInt8, each.b)))) << messages;
    ASSERT_EQ(count<MatmulOp>(), 1);
    EXPECT_EQ(count<ReduceOp>(), each.reductions);
    function.walk([&](MatmulOp op) {
      EXPECT_TRUE(cast<RankedTensorType>(op.getLhs().getType()).getElementType().isUnsignedInteger(8));
      EXPECT_TRUE(cast<RankedTensorType>(op.getRhs().getType()).getElementType().isInteger(8));
      EXPECT_TRUE(op.getType().getElementType().isInteger(32));
    });
    std::vector<double> wanted;
    for (int64_t m = 0; m < 2; ++m)
      for (int64_t n = 0; n < 2; ++n) {
        int64_t sum = 0;
        for (int64_t k = 0; k < 3; ++k)
          sum += (x.getInt(m * 3 + k) - each.a) * (w.getInt(k * 2 + n) - each.b);
        wanted.push_back(double(sum));
      }
    EXPECT_EQ(run({x, w}), wanted);
  }
}

TEST_F(Import, ZeroPointsHaveTheirOperandsType) {
  EXPECT_FALSE(load(getProduct(zeroOf("a", kInt8, 1) + zeroOf("b", kInt8, 0))));
  EXPECT_TRUE(says("expected a zero point of 'A' of its type, UINT8, found INT8")) << messages;
  // Also where it is known to be 0.
  EXPECT_FALSE(load(getProduct(zeroOf("a", kInt8, 0) + zeroOf("b", kInt8, 0))));
  EXPECT_TRUE(says("expected a zero point of 'A' of its type, UINT8, found INT8")) << messages;
}

/// QLinearAdd and QLinearMul have one type for both operands and the result.
TEST_F(Import, SumsOfBytesHaveOneType) {
  auto getSum = [](const std::string &op, int b, int c) {
    return inputOf("x", "dim { dim_value: 4 }", kUInt8) + inputOf("y", "dim { dim_value: 4 }", b) +
           " initializer { name: 's' data_type: 1 float_data: 0.5 } " + zeroOf("zx", kUInt8, 3) + zeroOf("zy", b, 3) +
           zeroOf("zc", c, 3) + " node { op_type: '" + op + "' domain: 'com.microsoft' input: 'x' input: 's' input: 'zx' " +
           "input: 'y' input: 's' input: 'zy' input: 's' input: 'zc' output: 'z' } output { name: 'z' }";
  };
  for (const char *op : {"QLinearAdd", "QLinearMul"}) {
    EXPECT_TRUE(load(getSum(op, kUInt8, kUInt8))) << messages;
    EXPECT_FALSE(load(getSum(op, kInt8, kUInt8)));
    EXPECT_TRUE(says("expected 'B' of the type of 'A', UINT8, found INT8")) << messages;
    EXPECT_FALSE(load(getSum(op, kUInt8, kInt8)));
    EXPECT_TRUE(says("expected a zero point of 'C' of its type, UINT8, found INT8")) << messages;
  }
}

/// The result of MatMulIntegerToFloat has the type of the scales.
TEST_F(Import, ScaledProductsHaveTheirScalesType) {
  ASSERT_TRUE(load(inputOf("x", "dim { dim_value: 2 } dim { dim_value: 3 }", kUInt8) +
                   inputOf("w", "dim { dim_value: 3 } dim { dim_value: 2 }", kInt8) + inputOf("s", "dim { dim_value: 1 }", kFloat16) +
                   "node { op_type: 'MatMulIntegerToFloat' domain: 'com.microsoft' input: 'x' input: 'w' input: 's' input: 's' "
                   "output: 'y' } output { name: 'y' }"))
      << messages;
  EXPECT_TRUE(cast<RankedTensorType>(function.getFunctionType().getResult(0)).getElementType().isF16());
}

/// Weights stay integers: a parameter is one of bytes, and what is made of it is part of the program.
TEST_F(Import, WeightsAreNotDequantized) {
  std::string bytes;
  for (int i = 0; i < 32; ++i)
    bytes += " int32_data: " + std::to_string(i - 16);
  ASSERT_TRUE(load("initializer { name: 'w' data_type: 3 dims: 32" + bytes +
                   " } initializer { name: 's' data_type: 1 float_data: 0.5 } " +
                   inputOf("x", "dim { dim_value: 32 }") +
                   "node { op_type: 'DequantizeLinear' input: 'w' input: 's' output: 'f' }"
                   "node { op_type: 'Mul' input: 'x' input: 'f' output: 'y' } output { name: 'y' }"))
      << messages;
  ASSERT_EQ(model.parameters.size(), 1u);
  EXPECT_EQ(model.parameters[0].array.getElementType(), ElementType::I8);
  std::vector<double> values = run({HostArray::splat(ElementType::F32, {32}, 2)});
  EXPECT_EQ(values.front(), -16);
  EXPECT_EQ(values.back(), 15);
}

TEST_F(Import, StoredFormatsAreNotComputedWith) {
  EXPECT_FALSE(load(inputOf("x", "dim { dim_value: 4 }", kFloat8E4M3FN) +
                    "node { name: 'n' op_type: 'Relu' input: 'x' output: 'y' } output { name: 'y' }"));
  EXPECT_TRUE(says("node 'n' (Relu): elements of type FLOAT8E4M3FN are not supported")) << messages;
}

/// Two integers of 4 bits are a byte of a file, the first one in the low half.
TEST_F(Import, PackedIntegersAreBytes) {
  ASSERT_TRUE(load("initializer { name: 'w' data_type: " + std::to_string(kInt4) +
                   " dims: 3 raw_data: '\\x8f\\x07' } initializer { name: 's' data_type: 1 float_data: 2 }"
                   "node { op_type: 'DequantizeLinear' input: 'w' input: 's' output: 'y' } output { name: 'y' }"))
      << messages;
  EXPECT_EQ(run(), std::vector<double>({-2, -16, 14}));
  EXPECT_FALSE(load("initializer { name: 'w' data_type: " + std::to_string(kInt4) +
                    " dims: 3 raw_data: '\\x8f' } output { name: 'w' }"));
  EXPECT_TRUE(says("expected 2 bytes for the tensor's elements, found 1")) << messages;
}

/// Of f16, x / s is 5.498 in f32 and 5.5 in f16: ONNX divides in the type of the scale since opset 23.
TEST_F(Import, QuotientsAreRoundedSinceOpset23) {
  std::string graph = inputOf("x", "dim { dim_value: 1 }", kFloat16) + inputOf("s", "dim { dim_value: 1 }", kFloat16) +
                      "node { op_type: 'QuantizeLinear' input: 'x' input: 's' output: 'y' } output { name: 'y' }";
  HostArray x(ElementType::F16, {1}), s(ElementType::F16, {1});
  x.setFloat(0, 0.28759765625);
  s.setFloat(0, 0.05230712890625);
  ASSERT_TRUE(load(graph)) << messages;
  EXPECT_EQ(run({x, s}), std::vector<double>({5}));
  ::onnx::ModelProto newer = parseModel(graph);
  newer.mutable_opset_import(0)->set_version(23);
  ASSERT_TRUE(loadNewer(newer)) << messages;
  EXPECT_EQ(run({x, s}), std::vector<double>({6}));
}

/// NhwcConv: an image [1, 1, 3, 2] and filters [2, 1, 2, 2], of which the last dimension is that of the channels.
TEST_F(Import, ChannelsLastOfImageAndFilters) {
  auto list = [](const std::string &name, const std::string &dims, std::initializer_list<int> values) {
    std::string text = "initializer { name: '" + name + "' data_type: 1 " + dims;
    for (int value : values)
      text += " float_data: " + std::to_string(value);
    return text + " }";
  };
  std::string image = inputOf("x", "dim { dim_value: 1 } dim { dim_value: 1 } dim { dim_value: 3 } dim { dim_value: 2 }");
  std::string node = "node { op_type: 'NhwcConv' domain: 'com.microsoft' input: 'x' input: 'w' input: 'b' output: 'y' } output "
                     "{ name: 'y' }";
  ASSERT_TRUE(load(image + list("w", "dims: 2 dims: 1 dims: 2 dims: 2", {1, 2, 3, 4, 0, 0, 0, 1}) +
                       list("b", "dims: 2", {100, 0}) + node,
                   "opset_import { domain: 'com.microsoft' version: 1 }"))
      << messages;
  HostArray x(ElementType::F32, {1, 1, 3, 2});
  for (int64_t i = 0; i < 6; ++i)
    x.setFloat(i, double(i + 1));
  EXPECT_EQ(run({x}), std::vector<double>({1 + 4 + 9 + 16 + 100, 4, 3 + 8 + 15 + 24 + 100, 6}));
  EXPECT_FALSE(load(image + list("w", "dims: 2 dims: 1 dims: 2 dims: 3", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}) +
                        list("b", "dims: 2", {0, 0}) + node,
                    "opset_import { domain: 'com.microsoft' version: 1 }"));
  EXPECT_TRUE(says("expected 3 channels in each of 1 groups, found 2 channels and 2 filters")) << messages;
}

} // namespace
