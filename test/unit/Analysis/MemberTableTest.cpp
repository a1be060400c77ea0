//===- MemberTableTest.cpp - Ops of a block as members -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/MemberTable.h"
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

  /// The fingerprint of the member that computes the returned value.
  std::array<uint64_t, 2> getFingerprint(StringRef text) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    auto function = *module->getOps<func::FuncOp>().begin();
    FusionGraph graph(function.getBody().front());
    MemberTable table(graph);
    return table[graph.lookup(function.getBody().front().getTerminator()->getOperand(0))].fingerprint;
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
  EXPECT_EQ(getFingerprint(kFront), getFingerprint(kFront));
  EXPECT_NE(getFingerprint(kFront), getFingerprint(kEvery));
}

} // namespace
