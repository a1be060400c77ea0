//===- MemberTableTest.cpp - Ops of a block as members -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/MemberTable.h"
#include "fuse/Analysis/VectorAccess.h"
#include "fuse/IR/FuseOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::fuse;

namespace {

class MemberTableTest : public ::testing::Test {
protected:
  MemberTableTest() { context.loadDialect<FuseDialect, func::FuncDialect>(); }

  /// The member that computes the returned value.
  Member getMember(StringRef text) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    auto function = *module->getOps<func::FuncOp>().begin();
    FusionGraph graph(function.getBody().front());
    MemberTable table(graph);
    return table[graph.lookup(function.getBody().front().getTerminator()->getOperand(0))];
  }

  /// A 3x3 convolution of 16 channels, seen [N, H, W, C], of an image that memory has so, or [N, C, H, W].
  Member getConvolution(int64_t groups, bool isTransposed = false) {
    std::string text = R"(func.func @f(%x: tensor<IMAGE>, %w: tensor<3x3xDEPTHx16xf32>) -> tensor<1x6x6x16xf32> {
      %0 = VIEW
      %1 = fuse.conv2d %0, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = GROUPS layout = nhwc_hwcf : (tensor<1x8x8x16xf32>, tensor<3x3xDEPTHx16xf32>) -> tensor<1x6x6x16xf32>
      return %1 : tensor<1x6x6x16xf32>
    })";
    auto put = [&](StringRef name, const std::string &value) {
      for (size_t at; (at = text.find(name.str())) != std::string::npos;)
        text.replace(at, name.size(), value);
    };
    put("IMAGE", isTransposed ? "1x16x8x8xf32" : "1x8x8x16xf32");
    put("VIEW", isTransposed ? "fuse.transpose %x permutation = [0, 2, 3, 1] : tensor<1x16x8x8xf32> -> tensor<1x8x8x16xf32>"
                             : "fuse.reshape %x : tensor<1x8x8x16xf32> -> tensor<1x8x8x16xf32>");
    put("DEPTH", std::to_string(16 / groups));
    put("GROUPS", std::to_string(groups));
    return getMember(text);
  }

  MLIRContext context;
};

constexpr StringLiteral kFront = R"(func.func @f(%x: tensor<8xf32>) -> tensor<4xf32> {
  %0 = fuse.slice %x offsets = [0] sizes = [4] strides = [1] : tensor<8xf32> -> tensor<4xf32>
  %1 = fuse.unary exp %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
})";

constexpr StringLiteral kEvery = R"(func.func @f(%x: tensor<8xf32>) -> tensor<4xf32> {
  %0 = fuse.slice %x offsets = [0] sizes = [4] strides = [2] : tensor<8xf32> -> tensor<4xf32>
  %1 = fuse.unary exp %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
})";

// What a group costs is remembered by the fingerprints of its members: two that read memory in different ways
// must not share one.
TEST_F(MemberTableTest, FingerprintsTellHowMemoryIsRead) {
  EXPECT_EQ(getMember(kFront).fingerprint, getMember(kFront).fingerprint);
  EXPECT_NE(getMember(kFront).fingerprint, getMember(kEvery).fingerprint);
}

// Filters share what they read, all of them or those of a group; a depthwise convolution loads each pixel for itself.
TEST_F(MemberTableTest, ProductsReuseWhatTheyLoad) {
  EXPECT_TRUE(reusesLoads(getConvolution(/*groups=*/1)));
  EXPECT_TRUE(reusesLoads(getConvolution(/*groups=*/4)));
  EXPECT_FALSE(reusesLoads(getConvolution(/*groups=*/16)));
}

// Operands, weights and results are of different elements: bytes are multiplied, and their sums have 32 bits.
TEST_F(MemberTableTest, ElementsOfOperandsAndOfTheResult) {
  Member product = getMember(R"(func.func @f(%x: tensor<8x64xui8>, %w: tensor<64x32xi8>) -> tensor<8x32xi32> {
    %0 = fuse.matmul %x, %w : (tensor<8x64xui8>, tensor<64x32xi8>) -> tensor<8x32xi32>
    return %0 : tensor<8x32xi32>
  })");
  EXPECT_EQ(product.reads[0].elementBytes, 1);
  EXPECT_EQ(product.reads[1].elementBytes, 1);
  EXPECT_EQ(product.resultElementBytes, 4);
  EXPECT_EQ(product.elementBytes, 4);
  Member rounding = getMember(R"(func.func @f(%x: tensor<8x64xf32>) -> tensor<8x64xui8> {
    %0 = fuse.cast %x : (tensor<8x64xf32>) -> tensor<8x64xui8>
    return %0 : tensor<8x64xui8>
  })");
  EXPECT_EQ(rounding.reads[0].elementBytes, 4);
  EXPECT_EQ(rounding.resultElementBytes, 1);
  EXPECT_EQ(rounding.elementBytes, 4);
}

// An image in another order is laid out anew for windows that vectors read along the channels.
TEST_F(MemberTableTest, WindowsCopyTransposedImages) {
  EXPECT_FALSE(getConvolution(/*groups=*/16).reads[0].isCopied);
  EXPECT_TRUE(getConvolution(/*groups=*/16, /*isTransposed=*/true).reads[0].isCopied);
  EXPECT_FALSE(getConvolution(/*groups=*/1, /*isTransposed=*/true).reads[0].isCopied);
  EXPECT_FALSE(getConvolution(/*groups=*/4, /*isTransposed=*/true).reads[0].isCopied);
}

} // namespace
