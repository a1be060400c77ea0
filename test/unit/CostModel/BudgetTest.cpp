//===- BudgetTest.cpp - Limits from text, and of two budgets
//------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/CostModel/Budget.h"
#include "fuse/IR/FuseDialect.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

std::string parseError(StringRef text) {
  auto budget = parseBudget(text);
  return budget ? "" : llvm::toString(budget.takeError());
}

TEST(Budget, ReadsEitherName) {
  Budget budget =
      cantFail(parseBudget("launches=2,device_traffic_bytes=9223372036854775807,syncs=0"));
  EXPECT_EQ(budget.launches, 2);
  EXPECT_EQ(budget.syncs, 0);
  EXPECT_EQ(budget.readbackBytes, std::nullopt);
  EXPECT_EQ(budget.trafficBytes, std::numeric_limits<int64_t>::max());
}

TEST(Budget, RefusesOtherTexts) {
  for (StringRef text :
       {"", ",", "launches", "launches=", "launches=x", "launches=-1", "launch=1", "launches=1,",
        "launches=1;syncs=2", "launches=9223372036854775808", "launches=1,kernel_launches=1", "=1"})
    EXPECT_NE(parseError(text), "") << text.str();
  EXPECT_EQ(parseError("syncs=1,syncs=2"), "expected one limit for syncs, found 'syncs=1,syncs=2'");
}

TEST(Budget, TheLowerLimitHolds) {
  Budget both = cantFail(parseBudget("launches=2,syncs=5")) &
                cantFail(parseBudget("launches=3,syncs=1,traffic_bytes=7"));
  EXPECT_EQ(both.launches, 2);
  EXPECT_EQ(both.syncs, 1);
  EXPECT_EQ(both.readbackBytes, std::nullopt);
  EXPECT_EQ(both.trafficBytes, 7);
  EXPECT_TRUE((Budget() & Budget()).isEmpty());
}

TEST(Budget, IsAnAttribute) {
  MLIRContext context;
  context.loadDialect<FuseDialect>();
  Budget budget = cantFail(parseBudget("syncs=0,readback_bytes=12"));
  Budget again = Budget::fromAttr(budget.toAttr(&context));
  EXPECT_EQ(again.launches, std::nullopt);
  EXPECT_EQ(again.syncs, 0);
  EXPECT_EQ(again.readbackBytes, 12);
}

} // namespace
