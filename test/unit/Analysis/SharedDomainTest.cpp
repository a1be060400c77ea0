//===- SharedDomainTest.cpp - Which loops the members of a kernel share -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/SharedDomain.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::fuse;

namespace {

constexpr int isPrivate = SharedDomain::kPrivate;
constexpr auto parallel = utils::IteratorType::parallel;
constexpr auto reduction = utils::IteratorType::reduction;

/// Values are numbered in order of definition, from 0 on; what comes from outside has no number.
class SharedDomainTest : public ::testing::Test {
protected:
  /// (d0, …) -> (d[dims[0]], d[dims[1]], …) of `loops` loops.
  AffineMap map(unsigned loops, ArrayRef<unsigned> dims) {
    SmallVector<AffineExpr> exprs;
    for (unsigned dim : dims)
      exprs.push_back(getAffineDimExpr(dim, &context));
    return AffineMap::get(loops, 0, exprs, &context);
  }
  static DomainMember member(ArrayRef<utils::IteratorType> iterators, ArrayRef<DomainAccess> reads,
                             ArrayRef<DomainAccess> writes, ArrayRef<unsigned> results = {}) {
    return {SmallVector<utils::IteratorType, 8>(iterators), SmallVector<DomainAccess, 2>(reads),
            SmallVector<DomainAccess, 1>(writes), SmallVector<unsigned, 1>(results), {}, {}};
  }
  static SmallVector<int> loops(std::initializer_list<int> dims) { return dims; }

  MLIRContext context;
};

TEST_F(SharedDomainTest, ChainSharesEverything) {
  AffineMap id = map(2, {0, 1});
  SharedDomain domain = computeSharedDomain({
      member({parallel, parallel}, {}, {{0, id}}),
      member({parallel, parallel}, {{0, id}}, {{1, id}}, {1}),
  });
  EXPECT_EQ(domain.numDims, 2u);
  EXPECT_EQ(domain.loops[0], loops({0, 1}));
  EXPECT_EQ(domain.loops[1], loops({0, 1}));
  EXPECT_TRUE(domain.replicated[0].empty());
  EXPECT_TRUE(domain.replicated[1].empty());
}

// max → exp → sum → divide: rows are shared; every member holds its columns whole.
TEST_F(SharedDomainTest, SoftmaxSharesRows) {
  AffineMap id = map(2, {0, 1}), row = map(2, {0});
  SharedDomain domain = computeSharedDomain({
      member({parallel, reduction}, {}, {{0, row}}),
      member({parallel, parallel}, {{0, row}}, {{1, id}}),
      member({parallel, reduction}, {{1, id}}, {{2, row}}),
      member({parallel, parallel}, {{1, id}, {2, row}}, {{3, id}}, {3}),
  });
  EXPECT_EQ(domain.numDims, 1u);
  for (unsigned m = 0; m < 4; ++m)
    EXPECT_EQ(domain.loops[m], loops({0, isPrivate})) << m;
  EXPECT_TRUE(domain.replicated[0].empty());
}

// Softmax over the first dim: the columns are shared, whatever loop of a member they are.
TEST_F(SharedDomainTest, SoftmaxOfColumns) {
  AffineMap id = map(2, {0, 1}), column = map(2, {1});
  SharedDomain domain = computeSharedDomain({
      member({reduction, parallel}, {}, {{0, column}}),
      member({parallel, parallel}, {{0, column}}, {{1, id}}),
      member({reduction, parallel}, {{1, id}}, {{2, column}}),
      member({parallel, parallel}, {{1, id}, {2, column}}, {{3, id}}, {3}),
  });
  EXPECT_EQ(domain.numDims, 1u);
  for (unsigned m = 0; m < 4; ++m)
    EXPECT_EQ(domain.loops[m], loops({isPrivate, 0})) << m;
}

// Row and column sums of one member: each result lacks what the other is cut along.
TEST_F(SharedDomainTest, RowAndColumnSums) {
  AffineMap id = map(2, {0, 1});
  SharedDomain domain = computeSharedDomain({
      member({parallel, parallel}, {}, {{0, id}}),
      member({parallel, reduction}, {{0, id}}, {{1, map(2, {0})}}, {1}),
      member({reduction, parallel}, {{0, id}}, {{2, map(2, {1})}}, {2}),
  });
  EXPECT_EQ(domain.numDims, 0u);
  for (unsigned m = 0; m < 3; ++m)
    EXPECT_EQ(domain.loops[m], loops({isPrivate, isPrivate})) << m;
  EXPECT_TRUE(domain.replicated.empty());
}

TEST_F(SharedDomainTest, MatmulAndBias) {
  SharedDomain domain = computeSharedDomain({
      member({parallel, parallel, reduction}, {}, {{0, map(3, {0, 1})}}),
      member({parallel, parallel}, {{0, map(2, {0, 1})}}, {{1, map(2, {0, 1})}}, {1}),
  });
  EXPECT_EQ(domain.numDims, 2u);
  EXPECT_EQ(domain.loops[0], loops({0, 1, isPrivate}));
  EXPECT_EQ(domain.loops[1], loops({0, 1}));
}

// x → x·xᵀ within one kernel: the product reads x's rows along both its loops. One class would
// stand for both, and cutting it would compute only the diagonal blocks.
TEST_F(SharedDomainTest, ProductWithItselfDoesNotUniteRowsAndColumns) {
  SharedDomain domain = computeSharedDomain({
      member({parallel, parallel}, {}, {{0, map(2, {0, 1})}}),
      member({parallel, parallel, reduction}, {{0, map(3, {0, 2})}, {0, map(3, {1, 2})}},
             {{1, map(3, {0, 1})}}, {1}),
  });
  EXPECT_EQ(domain.numDims, 0u);
  EXPECT_EQ(domain.loops[1], loops({isPrivate, isPrivate, isPrivate}));
}

// The same from outside: operands unite nothing, so rows and columns are cut each by itself.
TEST_F(SharedDomainTest, OuterOperandsUniteNothing) {
  SharedDomain domain = computeSharedDomain({
      member({parallel, parallel, reduction}, {}, {{0, map(3, {0, 1})}}, {0}),
  });
  EXPECT_EQ(domain.numDims, 2u);
  EXPECT_EQ(domain.loops[0], loops({0, 1, isPrivate}));
}

// A value of columns that every row reads is computed again for each block of rows.
TEST_F(SharedDomainTest, MemberWithoutASharedDimIsReplicated) {
  SharedDomain domain = computeSharedDomain({
      member({parallel}, {}, {{0, map(1, {0})}}),
      member({parallel, parallel}, {{0, map(2, {1})}}, {{1, map(2, {0, 1})}}, {1}),
  });
  EXPECT_EQ(domain.numDims, 2u);
  EXPECT_EQ(domain.loops[0], loops({1}));
  EXPECT_EQ(domain.loops[1], loops({0, 1}));
  EXPECT_EQ(domain.replicated[0], SmallVector<unsigned>{0});
  EXPECT_TRUE(domain.replicated[1].empty());
}

// A result is never replicated: were it computed in each block, every block would write it.
TEST_F(SharedDomainTest, ResultsAreNotReplicated) {
  SharedDomain domain = computeSharedDomain({
      member({parallel}, {}, {{0, map(1, {0})}}, {0}),
      member({parallel, parallel}, {{0, map(2, {1})}}, {{1, map(2, {0, 1})}}, {1}),
  });
  EXPECT_EQ(domain.numDims, 1u);
  EXPECT_EQ(domain.loops[0], loops({0}));
  EXPECT_EQ(domain.loops[1], loops({isPrivate, 0}));
  EXPECT_TRUE(domain.replicated[0].empty());
}

// A row statistic of an outer value, broadcast back: (rows) → (rows, columns). Columns may be cut,
// for nothing unites the statistic's loop with them; the statistic is then replicated.
TEST_F(SharedDomainTest, ReduceAndBroadcast) {
  SharedDomain domain = computeSharedDomain({
      member({parallel, reduction}, {}, {{0, map(2, {0})}}),
      member({parallel, parallel}, {{0, map(2, {0})}}, {{1, map(2, {0, 1})}}, {1}),
  });
  EXPECT_EQ(domain.numDims, 2u);
  EXPECT_EQ(domain.loops[0], loops({0, isPrivate}));
  EXPECT_EQ(domain.loops[1], loops({0, 1}));
  EXPECT_TRUE(domain.replicated[0].empty());
  EXPECT_EQ(domain.replicated[1], SmallVector<unsigned>{0});
}

// The same of a member's value, which unites them: the tile holds whole rows.
TEST_F(SharedDomainTest, ReduceAndBroadcastOfAMember) {
  AffineMap id = map(2, {0, 1});
  SharedDomain domain = computeSharedDomain({
      member({parallel, parallel}, {}, {{0, id}}),
      member({parallel, reduction}, {{0, id}}, {{1, map(2, {0})}}),
      member({parallel, parallel}, {{0, id}, {1, map(2, {0})}}, {{2, id}}, {2}),
  });
  EXPECT_EQ(domain.numDims, 1u);
  for (unsigned m = 0; m < 3; ++m)
    EXPECT_EQ(domain.loops[m], loops({0, isPrivate})) << m;
}

// A transposed read: both loops are shared, the other way round, and numbered as the result's.
TEST_F(SharedDomainTest, PermutedRead) {
  SharedDomain domain = computeSharedDomain({
      member({parallel, parallel}, {}, {{0, map(2, {0, 1})}}),
      member({parallel, parallel}, {{0, map(2, {1, 0})}}, {{1, map(2, {0, 1})}}, {1}),
  });
  EXPECT_EQ(domain.numDims, 2u);
  EXPECT_EQ(domain.loops[0], loops({1, 0}));
  EXPECT_EQ(domain.loops[1], loops({0, 1}));
}

// x + xᵀ of a member's x unites both loops: neither can be cut.
TEST_F(SharedDomainTest, ReadStraightAndPermuted) {
  SharedDomain domain = computeSharedDomain({
      member({parallel, parallel}, {}, {{0, map(2, {0, 1})}}),
      member({parallel, parallel}, {{0, map(2, {0, 1})}, {0, map(2, {1, 0})}},
             {{1, map(2, {0, 1})}}, {1}),
  });
  EXPECT_EQ(domain.numDims, 0u);
}

// A window reads its neighbours' values: that dim is held whole, the others are cut.
TEST_F(SharedDomainTest, AffineReadIsPrivate) {
  AffineExpr d0 = getAffineDimExpr(0, &context), d1 = getAffineDimExpr(1, &context);
  AffineMap shifted = AffineMap::get(2, 0, {d0, d1 + 1}, &context);
  SharedDomain domain = computeSharedDomain({
      member({parallel, parallel}, {}, {{0, map(2, {0, 1})}}),
      member({parallel, parallel}, {{0, shifted}}, {{1, map(2, {0, 1})}}, {1}),
  });
  EXPECT_EQ(domain.loops[0], loops({0, isPrivate}));
  ASSERT_EQ(domain.loops[1].size(), 2u);
  EXPECT_EQ(domain.loops[1][0], 0);
}

// Without a map the whole value is needed.
TEST_F(SharedDomainTest, UnknownReadIsPrivate) {
  SharedDomain domain = computeSharedDomain({
      member({parallel}, {}, {{0, map(1, {0})}}),
      member({parallel}, {{0, AffineMap()}}, {{1, map(1, {0})}}, {1}),
  });
  EXPECT_EQ(domain.loops[0], loops({isPrivate}));
}

TEST_F(SharedDomainTest, RankZero) {
  SharedDomain domain = computeSharedDomain({
      member({reduction}, {}, {{0, map(1, {})}}),
      member({}, {{0, map(0, {})}}, {{1, map(0, {})}}, {1}),
  });
  EXPECT_EQ(domain.numDims, 0u);
  EXPECT_EQ(domain.loops[0], loops({isPrivate}));
  EXPECT_TRUE(domain.loops[1].empty());
}

// Two products of one input share its rows, and nothing along which their sums run.
TEST_F(SharedDomainTest, SiblingsShareRowsOfTheirInput) {
  AffineMap in = map(3, {0, 2}), out = map(3, {0, 1});
  DomainMember q = member({parallel, parallel, reduction}, {}, {{0, out}}, {0});
  DomainMember k = member({parallel, parallel, reduction}, {}, {{1, out}}, {1});
  EXPECT_EQ(computeSharedDomain({q, k}).numDims, 0u);
  q.inputs = {{0, in}};
  k.inputs = {{0, in}};
  SharedDomain domain = computeSharedDomain({q, k});
  EXPECT_EQ(domain.numDims, 1u);
  EXPECT_EQ(domain.loops[1], loops({0, isPrivate, isPrivate}));
  // Columns of equal number lie side by side.
  q.extents = {64, 96, 32};
  k.extents = {64, 96, 32};
  EXPECT_EQ(computeSharedDomain({q, k}).numDims, 2u);
  k.extents = {64, 32, 32};
  EXPECT_EQ(computeSharedDomain({q, k}).numDims, 1u);
}

// x·xᵀ reads its input along rows and columns of the result: one member, which nothing unites.
TEST_F(SharedDomainTest, InputsUniteNoLoopsOfOneMember) {
  DomainMember gram = member({parallel, parallel, reduction}, {}, {{0, map(3, {0, 1})}}, {0});
  gram.inputs = {{0, map(3, {0, 2})}, {0, map(3, {1, 2})}};
  EXPECT_EQ(computeSharedDomain({gram}).numDims, 2u);
}

// Two results that nothing connects: the columns of the first may be one dim with the rows of the second.
TEST_F(SharedDomainTest, GivenDimsPairLoops) {
  AffineMap id = map(2, {0, 1});
  DomainMember members[] = {member({parallel, parallel}, {}, {{0, id}}, {0}),
                            member({parallel, parallel}, {}, {{1, id}}, {1})};
  std::optional<SharedDomain> domain = assignSharedDomain(members, {{isPrivate, 0}, {0, isPrivate}});
  ASSERT_TRUE(domain.has_value());
  EXPECT_EQ(domain->numDims, 1u);
  EXPECT_EQ(domain->loops[0], loops({isPrivate, 0}));
  EXPECT_EQ(domain->loops[1], loops({0, isPrivate}));
}

TEST_F(SharedDomainTest, GivenDimsThatCannotBe) {
  AffineMap id = map(2, {0, 1}), row = map(2, {0});
  // The columns are reduced; a dim that a result lacks; numbers that are none.
  DomainMember members[] = {member({parallel, parallel}, {}, {{0, id}}, {0}),
                            member({parallel, reduction}, {{0, id}}, {{1, row}}, {1})};
  EXPECT_TRUE(assignSharedDomain(members, {{0, isPrivate}, {0}}).has_value());
  EXPECT_FALSE(assignSharedDomain(members, {{isPrivate, 0}, {0}}).has_value());
  EXPECT_FALSE(assignSharedDomain(members, {{0, isPrivate}, {isPrivate}}).has_value());
  EXPECT_FALSE(assignSharedDomain(members, {{1, isPrivate}, {1}}).has_value());
  EXPECT_FALSE(assignSharedDomain(members, {{-7, isPrivate}, {-7}}).has_value());
  EXPECT_FALSE(assignSharedDomain(members, {{0, isPrivate}}).has_value());
  EXPECT_FALSE(assignSharedDomain(members, {{0}, {0}}).has_value());
  // No dims: one block, whatever the lists' lengths are.
  std::optional<SharedDomain> whole = assignSharedDomain(members, {{}, {isPrivate}});
  ASSERT_TRUE(whole.has_value());
  EXPECT_EQ(whole->numDims, 0u);
}

} // namespace
