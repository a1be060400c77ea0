//===- SourceAccessTest.cpp - Loops seen at the source of views -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/SourceAccess.h"
#include "fuse/IR/FuseOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::fuse;

namespace {

class SourceAccessTest : public ::testing::Test {
protected:
  SourceAccessTest() { context.loadDialect<FuseDialect, func::FuncDialect>(); }

  /// How loops along the dimensions of the returned value touch the source of its views, as text:
  /// positions in brackets, digits as loop/divisor%extent, `?` for no loop.
  std::string describe(StringRef text) {
    module = parseSourceString<ModuleOp>(text, &context);
    auto function = *module->getOps<func::FuncOp>().begin();
    Value value = function.getBody().front().getTerminator()->getOperand(0);
    ArrayRef<int64_t> shape = cast<RankedTensorType>(value.getType()).getShape();
    SourceAccess access = getSourceAccess(
        value, AffineMap::getMultiDimIdentityMap(shape.size(), &context), shape);
    std::string result;
    llvm::raw_string_ostream os(result);
    for (const PositionAccess &position : access.positions) {
      os << '[';
      llvm::interleaveComma(position.digits, os, [&](const LoopDigit &digit) {
        if (digit.isLoop())
          os << digit.loop << '/' << digit.divisor << '%' << digit.extent;
        else
          os << "?%" << digit.extent;
      });
      os << ']';
    }
    return result;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(SourceAccessTest, TransposePermutes) {
  EXPECT_EQ(describe(R"(func.func @f(%x: tensor<4x8xf32>) -> tensor<8x4xf32> {
    %0 = fuse.transpose %x permutation = [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
    return %0 : tensor<8x4xf32>
  })"),
            "[1/1%4][0/1%8]");
}

TEST_F(SourceAccessTest, ReshapeMerges) {
  EXPECT_EQ(describe(R"(func.func @f(%x: tensor<2x12x64xf32>) -> tensor<2x768xf32> {
    %0 = fuse.reshape %x : tensor<2x12x64xf32> -> tensor<2x768xf32>
    return %0 : tensor<2x768xf32>
  })"),
            "[0/1%2][1/64%12][1/1%64]");
}

TEST_F(SourceAccessTest, ReshapeSplits) {
  EXPECT_EQ(describe(R"(func.func @f(%x: tensor<768xf32>) -> tensor<1x12x64xf32> {
    %0 = fuse.reshape %x : tensor<768xf32> -> tensor<1x12x64xf32>
    return %0 : tensor<1x12x64xf32>
  })"),
            "[1/1%12, 2/1%64]");
}

// 4x6 = 2x12: six is cut in two by neither, so the loops keep their places by factors.
TEST_F(SourceAccessTest, ReshapeAcrossBoundaries) {
  EXPECT_EQ(describe(R"(func.func @f(%x: tensor<4x6xf32>) -> tensor<2x12xf32> {
    %0 = fuse.reshape %x : tensor<4x6xf32> -> tensor<2x12xf32>
    return %0 : tensor<2x12xf32>
  })"),
            "[0/1%2, 1/6%2][1/1%6]");
}

TEST_F(SourceAccessTest, ReshapeWithoutCommonFactors) {
  EXPECT_EQ(describe(R"(func.func @f(%x: tensor<6x4xf32>) -> tensor<8x3xf32> {
    %0 = fuse.reshape %x : tensor<6x4xf32> -> tensor<8x3xf32>
    return %0 : tensor<8x3xf32>
  })"),
            "[?%6][?%4]");
}

// Heads are split off, brought forward, and cut: the half that is taken is an element of two halves.
TEST_F(SourceAccessTest, EqualPartIsAFactor) {
  EXPECT_EQ(describe(R"(func.func @f(%x: tensor<128x768xf32>) -> tensor<12x128x32xf32> {
    %0 = fuse.reshape %x : tensor<128x768xf32> -> tensor<128x12x64xf32>
    %1 = fuse.transpose %0 permutation = [1, 0, 2] : tensor<128x12x64xf32> -> tensor<12x128x64xf32>
    %2 = fuse.slice %1 offsets = [0, 0, 32] sizes = [12, 128, 32] strides = [1, 1, 1] : tensor<12x128x64xf32> -> tensor<12x128x32xf32>
    return %2 : tensor<12x128x32xf32>
  })"),
            "[1/1%128][0/1%12, ?%2, 2/1%32]");
}

// 12x13 as 156, as 26x6 and as 156: the two in the middle have no common factors, and are seen as one reshape.
TEST_F(SourceAccessTest, ReshapesAreOne) {
  EXPECT_EQ(describe(R"(func.func @f(%x: tensor<12x13xf32>) -> tensor<156xf32> {
    %0 = fuse.reshape %x : tensor<12x13xf32> -> tensor<156xf32>
    %1 = fuse.reshape %0 : tensor<156xf32> -> tensor<26x6xf32>
    %2 = fuse.reshape %1 : tensor<26x6xf32> -> tensor<156xf32>
    return %2 : tensor<156xf32>
  })"),
            "[0/13%12][0/1%13]");
}

// Another part hides the elements only.
TEST_F(SourceAccessTest, SliceHidesWhatItCuts) {
  EXPECT_EQ(describe(R"(func.func @f(%x: tensor<128x768xf32>) -> tensor<12x128x24xf32> {
    %0 = fuse.reshape %x : tensor<128x768xf32> -> tensor<128x12x64xf32>
    %1 = fuse.transpose %0 permutation = [1, 0, 2] : tensor<128x12x64xf32> -> tensor<12x128x64xf32>
    %2 = fuse.slice %1 offsets = [0, 0, 32] sizes = [12, 128, 24] strides = [1, 1, 1] : tensor<12x128x64xf32> -> tensor<12x128x24xf32>
    return %2 : tensor<12x128x24xf32>
  })"),
            "[1/1%128][0/1%12, ?%64]");
}

TEST_F(SourceAccessTest, BroadcastDropsPositions) {
  EXPECT_EQ(describe(R"(func.func @f(%x: tensor<8xf32>) -> tensor<4x8xf32> {
    %0 = fuse.broadcast %x dimensions = [0] : tensor<8xf32> -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  })"),
            "[1/1%8]");
}

TEST_F(SourceAccessTest, UnknownExtentsStayWhole) {
  EXPECT_EQ(describe(R"(func.func @f(%x: tensor<?x768xf32>) -> tensor<?x12x64xf32> {
    %0 = fuse.reshape %x : tensor<?x768xf32> -> tensor<?x12x64xf32>
    return %0 : tensor<?x12x64xf32>
  })"),
            "[0/1%-9223372036854775808][1/1%12, 2/1%64]");
}

} // namespace
