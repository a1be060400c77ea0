//===- SaturatingTest.cpp - Sums and products end where int64_t does -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../Properties.h"
#include "fuse/Support/Saturating.h"

#include <vector>

using namespace mlir::fuse;
using mlir::fuse::test::checkThousand;

namespace {

constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

TEST(SaturatingTest, Sums) {
  EXPECT_EQ(addSaturating(5, -7), -2);
  EXPECT_EQ(addSaturating(kMost, 1), kMost);
  EXPECT_EQ(addSaturating(kLeast, -1), kLeast);
  EXPECT_EQ(addSaturating(kLeast, kMost), -1);
}

TEST(SaturatingTest, Differences) {
  EXPECT_EQ(subSaturating(5, 7), -2);
  EXPECT_EQ(subSaturating(kMost, -1), kMost);
  EXPECT_EQ(subSaturating(0, kLeast), kMost);
  EXPECT_EQ(subSaturating(kLeast, 1), kLeast);
  EXPECT_EQ(subSaturating(-2, kMost), kLeast);
  EXPECT_EQ(subSaturating(kLeast, kLeast), 0);
  EXPECT_EQ(subSaturating(-1, kLeast), kMost);
}

TEST(SaturatingTest, Products) {
  EXPECT_EQ(mulSaturating(-3, 7), -21);
  EXPECT_EQ(mulSaturating(kMost, 2), kMost);
  EXPECT_EQ(mulSaturating(kLeast, -1), kMost);
  EXPECT_EQ(mulSaturating(kLeast, 2), kLeast);
  EXPECT_EQ(mulSaturating(-2, kMost), kLeast);
  EXPECT_EQ(mulSaturating(kLeast, 0), 0);
}

/// Counts end lower, so that what is done with them afterwards need not look.
TEST(SaturatingTest, CountsLeaveRoom) {
  EXPECT_EQ(addCounts(kCountLimit - 1, 1), kCountLimit);
  EXPECT_EQ(addCounts(kCountLimit, 1), kCountLimit);
  EXPECT_EQ(mulCounts(int64_t(1) << 30, int64_t(1) << 30), kCountLimit);
  EXPECT_EQ(mulCounts(kMost, kMost), kCountLimit);
  EXPECT_EQ(mulCounts(0, kMost), 0);
  int64_t seven;
  EXPECT_FALSE(llvm::MulOverflow(kCountLimit, int64_t(7), seven));
}

//===- Against arithmetic that cannot overflow ----------------------------------------------===//

rc::Gen<int64_t> anyInteger() {
  return rc::gen::oneOf(
      rc::gen::inRange<int64_t>(-1000, 1000), rc::gen::arbitrary<int64_t>(),
      rc::gen::elementOf(std::vector<int64_t>{kLeast, kLeast + 1, -1, 0, 1, kCountLimit, kMost}),
      rc::gen::inRange(kLeast, kMost));
}

int64_t clamp(__int128 exact, int64_t most = kMost) {
  return static_cast<int64_t>(std::clamp<__int128>(exact, kLeast, most));
}

TEST(SaturatingPropertiesTest, AreTheNearest) {
  checkThousand([] {
    int64_t a = *anyInteger(), b = *anyInteger();
    __int128 wide = a;
    RC_ASSERT(addSaturating(a, b) == clamp(wide + b));
    RC_ASSERT(subSaturating(a, b) == clamp(wide - b));
    RC_ASSERT(mulSaturating(a, b) == clamp(wide * b));
    RC_ASSERT(addCounts(a, b) == clamp(wide + b, kCountLimit));
    RC_ASSERT(mulCounts(a, b) == clamp(wide * b, kCountLimit));
  });
}

} // namespace
