//===- KernelScheduleTest.cpp - Block sizes of kernels -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Schedule/KernelSchedule.h"
#include "fuse/IR/FuseDialect.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/MathExtras.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace mlir;
using namespace mlir::fuse;

namespace {

// Only what must hold of any schedule is tested; the sizes themselves are tuned by measuring.
class KernelScheduleTest : public ::testing::Test {
protected:
  KernelScheduleTest() { context.loadDialect<FuseDialect>(); }

  /// The block level's sizes, one per dim, after checking that it is the only level. A kernel
  /// without shared dims has none, for a level has at least one dim.
  SmallVector<int64_t> sizes(const KernelFacts &facts) {
    TargetAttr target = TargetAttr::getDefault(&context);
    lanes = static_cast<int64_t>(target.getFigure("vector_bytes")) / facts.elementBytes;
    ScheduleAttr schedule = computeSchedule(&context, facts, target);
    EXPECT_GT(schedule.getReductionLanes(), 0);
    if (facts.extents.empty() || schedule.getLevels().size() != 1) {
      EXPECT_EQ(schedule.getLevels().size(), facts.extents.empty() ? 0u : 1u);
      return {};
    }
    LevelAttr level = schedule.getLevels().front();
    EXPECT_EQ(level.getMapping(), LevelMapping::Block);
    for (size_t d = 0; d < facts.extents.size(); ++d)
      EXPECT_EQ(level.getDims()[d], static_cast<int64_t>(d));
    return SmallVector<int64_t>(level.getSizes());
  }
  static KernelFacts facts(ArrayRef<int64_t> extents) {
    KernelFacts facts;
    facts.extents = SmallVector<int64_t>(extents);
    return facts;
  }
  static int64_t blocks(const KernelFacts &facts, ArrayRef<int64_t> sizes) {
    int64_t count = 1;
    for (auto [extent, size] : llvm::zip(facts.extents, sizes))
      count *= llvm::divideCeil(extent, size);
    return count;
  }

  MLIRContext context;
  int64_t lanes = 0;
};

// 68 columns that other members take as 17 by 4 have vectors of 4 of 16 lanes.
TEST_F(KernelScheduleTest, ColumnsInFactorsAreNarrow) {
  TargetAttr target = TargetAttr::getDefault(&context);
  KernelFacts kernel = facts({196, 17, 4});
  kernel.members = {{{0, 1, 2}, 68, /*isContraction=*/true}};
  kernel.reuseDim = 0;
  kernel.vectorDims = {2};
  kernel.vectorLoops = {68};
  int64_t vector = static_cast<int64_t>(target.getFigure("vector_bytes")) / kernel.elementBytes;
  EXPECT_EQ(getNarrowPart(kernel, {196, 17, 4}, target), static_cast<double>(vector / 4 - 1));
}

// Lanes that the last vector of a tile leaves empty take as long as others.
TEST_F(KernelScheduleTest, EmptyLanesCost) {
  TargetAttr target = TargetAttr::getDefault(&context);
  int64_t vector = static_cast<int64_t>(target.getFigure("vector_bytes")) / static_cast<int64_t>(sizeof(float));
  auto getPart = [&](int64_t columns, int64_t size) {
    KernelFacts kernel = facts({196, columns});
    kernel.members = {{{0, 1}, 64, /*isContraction=*/true}};
    kernel.reuseDim = 0;
    kernel.vectorDims = {1};
    kernel.vectorLoops = {columns};
    return getNarrowPart(kernel, {196, size}, target);
  };
  EXPECT_DOUBLE_EQ(getPart(4 * vector, 4 * vector), 0);
  EXPECT_DOUBLE_EQ(getPart(4, 4), static_cast<double>(vector) / 4 - 1);
  // A vector and one column take as long as two vectors.
  EXPECT_DOUBLE_EQ(getPart(vector + 1, vector + 1), 2.0 * static_cast<double>(vector) / static_cast<double>(vector + 1) - 1);
  // Tiles that vectors do not divide leave lanes empty in each of them.
  EXPECT_DOUBLE_EQ(getPart(10 * vector, 2 * vector + vector / 2), 12.0 / 10 - 1);
}

TEST_F(KernelScheduleTest, NoSharedDims) { EXPECT_TRUE(sizes(facts({})).empty()); }

TEST_F(KernelScheduleTest, LargeKernelsHaveBlocksForAllThreads) {
  KernelFacts chain = facts({16 << 20});
  EXPECT_GE(blocks(chain, sizes(chain)), 16);
  KernelFacts square = facts({4096, 4096});
  EXPECT_GE(blocks(square, sizes(square)), 16);
  KernelFacts columns = facts({4096});
  columns.members.push_back({{0}, 4096});
  columns.hasReductions = true;
  EXPECT_GE(blocks(columns, sizes(columns)), 16);
  KernelFacts softmax = facts({4096});
  softmax.members.push_back({{0}, 1024});
  softmax.hasReductions = true;
  softmax.lastDimIsContiguous = false;
  EXPECT_GE(blocks(softmax, sizes(softmax)), 16);
  KernelFacts fewRows = facts({17});
  fewRows.members.push_back({{0}, 1 << 20});
  fewRows.hasReductions = true;
  fewRows.lastDimIsContiguous = false;
  EXPECT_GE(blocks(fewRows, sizes(fewRows)), 16);
}

TEST_F(KernelScheduleTest, SmallKernelsAreOneBlock) {
  KernelFacts small = facts({8, 16});
  EXPECT_EQ(blocks(small, sizes(small)), 1);
}

// A member that costs as much as the tile itself is not computed again for each tile: tiles are
// whole along the dim that it lacks. A cheap one does not keep a kernel from having blocks.
TEST_F(KernelScheduleTest, DimsThatAnExpensiveMemberLacksStayWhole) {
  KernelFacts kernel = facts({1 << 16, 64});
  kernel.members = {{{0, 1}, 1}, {{0}, 1 << 16}};
  EXPECT_EQ(sizes(kernel)[1], 64);
  EXPECT_GE(blocks(kernel, sizes(kernel)), 16);
  KernelFacts cheap = facts({1 << 16, 64});
  cheap.members = {{{0, 1}, 1}, {{1}, 1}};
  EXPECT_GE(blocks(cheap, sizes(cheap)), 16);
}

// Rows of a matrix product read the same columns: several belong in a tile.
TEST_F(KernelScheduleTest, ContractionsHaveRowsInATile) {
  KernelFacts matmul = facts({128, 768});
  matmul.members = {{{0, 1}, 768, /*isContraction=*/true}};
  matmul.hasReductions = true;
  matmul.reuseDim = 0;
  SmallVector<int64_t> tile = sizes(matmul);
  EXPECT_GE(tile[0], 8);
  EXPECT_GE(tile[1], lanes);
  EXPECT_GE(blocks(matmul, tile), 16);
}

// Rows of a transposed operand share cache lines: a block that holds fewer reads lines for nothing.
// A row that is folded and gone over again is near the second time.
TEST_F(KernelScheduleTest, FoldedRowsFitTheInnermostCache) {
  KernelFacts rows = facts({2048, 1024});
  rows.members.push_back({{0}, 1024});
  rows.members.push_back({{0, 1}});
  rows.hasReductions = true;
  rows.addRow(1024);
  SmallVector<int64_t> tile = sizes(rows);
  EXPECT_EQ(tile[1], 1024);
  EXPECT_LE(4 * tile[0] * tile[1], TargetAttr::getDefault(&context).getFigure("l1_bytes"));
}

TEST_F(KernelScheduleTest, LinesOfTransposedOperandsStayWhole) {
  KernelFacts softmax = facts({1024});
  softmax.members = {{{0}, 4 * 512, false, 512 * 4}};
  softmax.hasReductions = true;
  softmax.lastDimIsContiguous = false;
  ASSERT_LT(sizes(softmax)[0], 64);
  softmax.members.front().privateElements *= 16;
  ASSERT_LT(sizes(softmax)[0], 16);
  softmax.lineDims = {0};
  EXPECT_GE(sizes(softmax)[0], 16);
  softmax.elementBytes = 2;
  EXPECT_GE(sizes(softmax)[0], 32);
}

TEST_F(KernelScheduleTest, ScratchStaysInTheCache) {
  KernelFacts rows = facts({1 << 12});
  rows.members = {{{0}, 1 << 10, false, 64 << 10}};
  rows.lastDimIsContiguous = false;
  auto limit = static_cast<int64_t>(TargetAttr::getDefault(&context).getFigure("l2_bytes"));
  EXPECT_LE(computeWork(rows, sizes(rows)).scratchBytes, limit);
}

// A norm of 128 rows before a product of 24 blocks: two values of which one is needed by all blocks.
TEST_F(KernelScheduleTest, SharedTilesAreComputedOnceForARange) {
  KernelFacts kernel;
  kernel.extents = {128, 3072};
  for (int value = 0; value < 2; ++value) {
    KernelFacts::Member norm;
    norm.dims = {0};
    norm.privateElements = 768;
    norm.scratchBytes = norm.largestBytes = 4 * 768;
    kernel.add(norm);
  }
  ASSERT_EQ(kernel.members.size(), 1u);
  KernelFacts::Member product;
  product.dims = {0, 1};
  product.privateElements = 768;
  product.isContraction = true;
  kernel.add(product);
  KernelFacts alone = kernel;
  alone.members.erase(alone.members.begin());
  SmallVector<int64_t> sizes = {128, 128};
  KernelWork work = computeWork(kernel, sizes);
  int64_t norms = int64_t(2) * 128 * 768;
  EXPECT_EQ(work.total - computeWork(alone, sizes).total, norms * 2);
  EXPECT_EQ(computeWork(kernel, sizes, 24).total - computeWork(alone, sizes, 24).total, norms * 24);
  EXPECT_EQ(work.scratchBytes, 2 * 4 * 768 * 128);
  EXPECT_EQ(work.nearBytes, 4 * 768 * 128);
  EXPECT_EQ(computeWork(kernel, sizes, 24).nearBytes, work.scratchBytes);
}

RC_GTEST_FIXTURE_PROP(KernelScheduleTest, SizesFit, ()) {
  KernelFacts kernel;
  for (int64_t d = 0, rank = *rc::gen::inRange(0, 5); d < rank; ++d) {
    bool isDynamic = *rc::gen::weightedElement<bool>({{1, true}, {4, false}});
    kernel.extents.push_back(isDynamic ? ShapedType::kDynamic : *rc::gen::inRange(0, 5000));
  }
  for (int64_t m = 0, count = *rc::gen::inRange(0, 3); m < count; ++m) {
    KernelFacts::Member &member = kernel.members.emplace_back();
    for (unsigned d = 0; d < kernel.extents.size(); ++d)
      if (*rc::gen::arbitrary<bool>())
        member.dims.push_back(d);
    member.privateElements = *rc::gen::element<int64_t>(0, 1, 1000, 1 << 20, ShapedType::kDynamic);
    member.isContraction = *rc::gen::arbitrary<bool>();
    member.scratchBytes = *rc::gen::inRange(0, 1 << 20);
    member.largestBytes = *rc::gen::inRange<int64_t>(0, member.scratchBytes + 1);
  }
  if (!kernel.extents.empty() && *rc::gen::arbitrary<bool>())
    kernel.reuseDim = *rc::gen::inRange<unsigned>(0, kernel.extents.size());
  for (unsigned d = 0; d < kernel.extents.size(); ++d)
    if (*rc::gen::arbitrary<bool>())
      kernel.lineDims.push_back(d);
  kernel.hasReductions = *rc::gen::arbitrary<bool>();
  kernel.lastDimIsContiguous = *rc::gen::arbitrary<bool>();
  kernel.elementBytes = *rc::gen::element(1, 2, 4, 8);
  SmallVector<int64_t> result = sizes(kernel);
  RC_ASSERT(result.size() == kernel.extents.size());
  for (auto [size, extent] : llvm::zip(result, kernel.extents)) {
    RC_ASSERT(size >= 1);
    RC_ASSERT(ShapedType::isDynamic(extent) || size <= std::max<int64_t>(extent, 1));
  }
  // Along memory, blocks that are cut are whole vectors, or less than one.
  if (!result.empty() && kernel.lastDimIsContiguous && result.back() > lanes &&
      result.back() != kernel.extents.back())
    RC_ASSERT(result.back() % lanes == 0);
}

} // namespace
