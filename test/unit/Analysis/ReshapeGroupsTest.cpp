//===- ReshapeGroupsTest.cpp - Which dimensions of a reshape hold the same elements ----------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/Shapes.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr int64_t kOpen = ShapedType::kDynamic;

/// "0|1=0|1 2": the dimensions of each group on either side.
static std::string format(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  auto join = [](auto getDims, ArrayRef<ReshapeGroup> groups) {
    std::string text;
    for (const ReshapeGroup &group : groups) {
      text += text.empty() ? "" : "|";
      for (auto [i, dim] : llvm::enumerate(getDims(group)))
        text += (i ? " " : "") + std::to_string(dim);
    }
    return text;
  };
  SmallVector<ReshapeGroup> groups = matchReshape(from, to);
  return join([](const ReshapeGroup &group) { return ArrayRef(group.from); }, groups) + "=" +
         join([](const ReshapeGroup &group) { return ArrayRef(group.to); }, groups);
}

TEST(ReshapeGroups, SeveralOpenDimensionsKeepTheirOrder) {
  EXPECT_EQ(format({kOpen, kOpen, 768}, {kOpen, kOpen, 12, 64}), "0|1|2=0|1|2 3");
  EXPECT_EQ(format({kOpen, 100, kOpen}, {kOpen, 1, 100, kOpen}), "0|1|2=0|2|3");
  EXPECT_EQ(format({2, 3, kOpen, 4, kOpen}, {6, kOpen, 2, 2, kOpen}), "0 1|2|3|4=0|1|2 3|4");
  EXPECT_EQ(format({kOpen, kOpen, kOpen}, {kOpen, 1, kOpen, kOpen}), "0|1|2=0|2|3");
}

TEST(ReshapeGroups, OneOpenDimensionIsWhatIsLeft) {
  EXPECT_EQ(format({kOpen, 6}, {kOpen, 2, 3}), "0|1=0|1 2");
  EXPECT_EQ(format({kOpen, 6}, {kOpen, 3}), "0 1=0 1");
  EXPECT_EQ(format({kOpen, kOpen, 8}, {kOpen, 8}), "0 1|2=0|1");
}

TEST(ReshapeGroups, PairsOfOpenDimensions) {
  using Pairs = SmallVector<std::pair<int64_t, int64_t>>;
  EXPECT_EQ(pairDynamicDims({kOpen, kOpen, 768}, {kOpen, kOpen, 12, 64}), (Pairs{{0, 0}, {1, 1}}));
  EXPECT_EQ(pairDynamicDims({kOpen, 0, kOpen}, {kOpen, 1, 0, kOpen}), (Pairs{{0, 0}, {2, 3}}));
  EXPECT_EQ(pairDynamicDims({kOpen, 6}, {kOpen, 3}), Pairs());
  EXPECT_EQ(pairDynamicDims({kOpen, kOpen}, {kOpen, 8}), Pairs());
  EXPECT_EQ(pairDynamicDims({kOpen, 2, kOpen}, {kOpen, kOpen, 2}), Pairs());
  int64_t large = int64_t(1) << 40;
  EXPECT_EQ(pairDynamicDims({kOpen, large, large}, {kOpen, large, large}), Pairs());
}
