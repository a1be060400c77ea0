//===- OperandTypesTest.cpp - Operands of several types --------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ImportFixture.h"

using namespace fuse_test;

namespace {

constexpr int kF32 = 1, kF16 = 10, kBF16 = 16;

std::string dims(std::initializer_list<int> extents) {
  std::string text;
  for (int extent : extents)
    text += " dim { dim_value: " + std::to_string(extent) + " }";
  return text;
}

/// An initializer of ones.
std::string onesOf(const std::string &name, int type, std::initializer_list<int> extents) {
  int count = 1;
  std::string text = "initializer { name: '" + name + "' data_type: " + std::to_string(type);
  for (int extent : extents) {
    text += " dims: " + std::to_string(extent);
    count *= extent;
  }
  for (int i = 0; i < count; ++i)
    text += type == kF32   ? " float_data: 1"
            : type == kF16 ? " int32_data: 15360"
                           : " int32_data: 16256";
  return text + " }";
}

std::string nodeOf(const std::string &op, std::initializer_list<const char *> inputs) {
  std::string text = "node { name: 'n' op_type: '" + op + "'";
  for (const char *input : inputs)
    text += std::string(" input: '") + input + "'";
  return text + " output: 'y' } output { name: 'y' }";
}

class OperandTypes : public Import, public testing::WithParamInterface<std::pair<int, int>> {
protected:
  int getData() const { return GetParam().first; }
  int getBias() const { return GetParam().second; }
  /// Whether the model imports, with a result of the data's type.
  void expectData(const std::string &graph) {
    ASSERT_TRUE(load(graph)) << messages << graph;
    EXPECT_EQ(getElementTypeOrSelf(function.getResultTypes()[0]),
              getElementTypeOrSelf(function.getArgumentTypes()[0]));
  }
};

TEST_P(OperandTypes, BiasesAreConverted) {
  std::string image = inputOf("x", dims({1, 1, 3, 3}), getData());
  for (const char *op : {"Conv", "ConvTranspose"})
    expectData(image + onesOf("w", getData(), {1, 1, 2, 2}) + onesOf("b", getBias(), {1}) +
               nodeOf(op, {"x", "w", "b"}));
  std::string matrix = inputOf("x", dims({2, 3}), getData());
  std::string weight = onesOf("w", getData(), {3, 4}), bias = onesOf("b", getBias(), {4});
  expectData(matrix + weight + bias + nodeOf("Gemm", {"x", "w", "b"}));
  // A bias that is computed, too.
  expectData(matrix + weight + inputOf("b", dims({4}), getBias()) +
             nodeOf("Gemm", {"x", "w", "b"}));
  std::string product = "node { op_type: 'MatMul' input: 'x' input: 'w' output: 'm' }";
  expectData(matrix + weight + bias + product + nodeOf("Add", {"m", "b"}));
  expectData(matrix + weight + bias + product + nodeOf("Add", {"b", "m"}));
  std::string scales = onesOf("s", getBias(), {3}) + onesOf("b", getBias(), {3});
  expectData(matrix + scales + nodeOf("LayerNormalization", {"x", "s", "b"}));
  expectData(matrix + scales + nodeOf("PRelu", {"x", "s"}));
}

TEST_P(OperandTypes, WhatIsComputedIsNot) {
  std::string both = inputOf("x", dims({3, 3}), getData()) + inputOf("z", dims({3, 3}), getBias());
  for (const char *op : {"Add", "Mul", "MatMul", "Concat", "Max", "Less"}) {
    messages.clear();
    EXPECT_FALSE(load(both + nodeOf(op, {"x", "z"})));
    EXPECT_TRUE(says(std::string("node 'n' (") + op + "): expected operands of one type, found "))
        << messages;
  }
  EXPECT_FALSE(load(both + onesOf("w", getBias(), {3, 3}) + nodeOf("MatMul", {"x", "w"})));
}

INSTANTIATE_TEST_SUITE_P(All, OperandTypes,
                         testing::Values(std::pair(kBF16, kF32), std::pair(kF16, kF32),
                                         std::pair(kF32, kBF16), std::pair(kF16, kBF16)));

TEST_F(Import, ConvertedBiasesHaveTheirValues) {
  ASSERT_TRUE(load(inputOf("x", dims({2, 3}), kBF16) + onesOf("w", kBF16, {3, 1}) +
                   "initializer { name: 'b' data_type: 1 dims: 1 float_data: 1.001 }" +
                   nodeOf("Gemm", {"x", "w", "b"})))
      << messages;
  // The nearest bf16 of 1.001 is 1.
  EXPECT_EQ(run(HostArray::fromFloats(ElementType::BF16, {2, 3}, {1, 2, 3, -4, 5, 6})),
            (std::vector<double>{7, 8}));
}

TEST_F(Import, IntegersAreNotConverted) {
  EXPECT_FALSE(load(inputOf("x", dims({3}), kF32) +
                    "initializer { name: 'i' data_type: 7 dims: 1 int64_data: 2 }" +
                    nodeOf("Mul", {"x", "i"})));
  EXPECT_TRUE(says("node 'n' (Mul): expected operands of one type, found FLOAT 'x' and INT64 'i'"))
      << messages;
}

} // namespace
