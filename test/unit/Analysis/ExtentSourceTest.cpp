//===- ExtentSourceTest.cpp - Where extents that are not static come from -------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/ExtentSource.h"
#include "fuse/IR/FuseDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::fuse;

namespace {

class ExtentSourceTest : public ::testing::Test {
protected:
  ExtentSourceTest() { context.loadDialect<FuseDialect, func::FuncDialect>(); }

  /// What the one function of a program returns.
  Value parse(const std::string &text) {
    module = parseSourceString<ModuleOp>(text, &context);
    auto function = *module->getOps<func::FuncOp>().begin();
    return function.getBody().front().getTerminator()->getOperand(0);
  }

  /// Each value is the sum of the one before with itself: there are 2^length ways back to %v0.
  Value parseSums(int length) {
    std::string text = "func.func @f(%v0: tensor<?xf32>) -> tensor<?xf32> {\n";
    for (int i = 0; i < length; ++i) {
      std::string from = "%v" + std::to_string(i);
      text += "%v" + std::to_string(i + 1) + " = fuse.binary add " + from + ", " + from +
              " : tensor<?xf32>\n";
    }
    return parse(text + "return %v" + std::to_string(length) + " : tensor<?xf32>\n}");
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

bool isArgument(Value value) { return isa<BlockArgument>(value); }

TEST_F(ExtentSourceTest, FollowsIndexMaps) {
  Value value =
      parse("func.func @f(%x: tensor<?x8xf32>) -> tensor<8x?xf32> {\n"
            "  %0 = fuse.unary exp %x : tensor<?x8xf32>\n"
            "  %1 = fuse.transpose %0 permutation = [1, 0] : tensor<?x8xf32> -> tensor<8x?xf32>\n"
            "  return %1 : tensor<8x?xf32>\n}");
  ExtentSources sources(isArgument);
  FailureOr<ExtentSource> found = sources.find(value, 1);
  ASSERT_TRUE(succeeded(found));
  EXPECT_TRUE(isArgument(found->value));
  EXPECT_EQ(found->dim, 0);
  // What has been found is known.
  EXPECT_EQ(sources.find(value, 1)->value, found->value);
}

// The first operand's extent is not that of any source, the second one's is.
TEST_F(ExtentSourceTest, TriesAllOperands) {
  Value value = parse("func.func @f(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {\n"
                      "  %0 = fuse.unary exp %x : tensor<?xf32>\n"
                      "  %1 = fuse.binary add %0, %y : tensor<?xf32>\n"
                      "  return %1 : tensor<?xf32>\n}");
  Value y = cast<func::FuncOp>(module->getBody()->front()).getArgument(1);
  ExtentSources sources([&](Value each) { return each == y; });
  FailureOr<ExtentSource> found = sources.find(value, 0);
  ASSERT_TRUE(succeeded(found));
  EXPECT_EQ(found->value, y);
}

// Each value is looked through once, whether there is a source or none.
TEST_F(ExtentSourceTest, ManyWays) {
  Value value = parseSums(200);
  EXPECT_TRUE(succeeded(ExtentSources(isArgument).find(value, 0)));
  EXPECT_TRUE(failed(ExtentSources([](Value) { return false; }).find(value, 0)));
}

// A long way takes no stack.
TEST_F(ExtentSourceTest, LongWay) {
  EXPECT_TRUE(succeeded(ExtentSources(isArgument).find(parseSums(20000), 0)));
}

} // namespace
