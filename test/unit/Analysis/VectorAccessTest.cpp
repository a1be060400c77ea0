//===- VectorAccessTest.cpp - Which rows are computed together -------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/VectorAccess.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// Loops come innermost first.
TEST(ChooseReuseLoop, TakesTheInnermostWithEnoughIterations) {
  EXPECT_EQ(chooseReuseLoop({}), std::nullopt);
  EXPECT_EQ(chooseReuseLoop({{2, 14, false}, {1, 14, false}}), 2u);
  EXPECT_EQ(chooseReuseLoop({{2, 8, false}, {1, 500, false}}), 2u);
}

TEST(ChooseReuseLoop, TakesALongerOneBeforeAShortOne) {
  EXPECT_EQ(chooseReuseLoop({{1, 2, false}, {0, 120, false}}), 0u);
  EXPECT_EQ(chooseReuseLoop({{1, 3, false}, {0, 5, false}}), 0u);
  EXPECT_EQ(chooseReuseLoop({{1, 1, false}, {0, ShapedType::kDynamic, false}}), 0u);
}

TEST(ChooseReuseLoop, TakesTheOneThatMemoryRunsAlong) {
  EXPECT_EQ(chooseReuseLoop({{1, 9, false}, {0, 97, true}}), 0u);
  // But not one of few iterations.
  EXPECT_EQ(chooseReuseLoop({{1, 9, false}, {0, 7, true}}), 1u);
}

} // namespace
