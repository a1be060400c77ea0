//===- GroupDomainTest.cpp - The shared domain of groups with reshapes between members -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/GroupDomain.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::fuse;

namespace {

constexpr auto parallel = utils::IteratorType::parallel;
constexpr auto reduction = utils::IteratorType::reduction;
constexpr unsigned none = LoopDigit::kNoLoop;

PositionAccess at(std::initializer_list<LoopDigit> digits) {
  PositionAccess position;
  position.digits = digits;
  return position;
}

/// A member that reads the results of others and writes along its parallel loops.
Member makeMember(unsigned value, ArrayRef<int64_t> extents, ArrayRef<unsigned> reduced = {}) {
  Member member;
  member.isFusable = member.hasResult = true;
  member.value = value;
  for (auto [loop, extent] : llvm::enumerate(extents)) {
    bool isReduced = llvm::is_contained(reduced, loop);
    member.extents.push_back(extent);
    member.iterators.push_back(isReduced ? reduction : parallel);
    if (!isReduced)
      member.writes.push_back(loop);
  }
  return member;
}

void addRead(Member &member, unsigned producer, std::initializer_list<PositionAccess> positions,
             bool isPlain = true) {
  MemberRead read;
  read.value = read.producer = producer;
  read.positions = positions;
  read.isPlain = isPlain;
  for (const PositionAccess &position : positions)
    read.isKnown &= position.isKnown();
  member.reads.push_back(read);
}

SmallVector<int64_t> extentsOf(const GroupDomain &domain) {
  return SmallVector<int64_t>(domain.extents.begin(), domain.extents.end());
}

using Extents = SmallVector<int64_t>;

// matmul 128x768 → reshape 128x12x64 → mul: the columns become heads and their elements.
TEST(GroupDomainTest, AReshapeSplitsALoopOfTheProducer) {
  std::vector<Member> members = {makeMember(0, {128, 768, 32}, {2}), makeMember(1, {128, 12, 64})};
  addRead(members[1], 0, {at({{0, 1, 128}}), at({{1, 1, 12}, {2, 1, 64}})}, /*isPlain=*/false);
  MemberTable table(members);
  GroupDomain domain = computeGroupDomain(table, {0, 1});
  EXPECT_EQ(extentsOf(domain), Extents({128, 12, 64}));
  ASSERT_EQ(domain.atoms[0].size(), 4u);
  EXPECT_EQ(domain.atoms[0][1].divisor, 64);
  EXPECT_EQ(domain.atoms[0][1].extent, 12);
  EXPECT_EQ(domain.atoms[0][2].divisor, 1);
}

// heads 128x12x64 → reshape 128x768 → matmul that folds the columns: both parts are folded.
TEST(GroupDomainTest, AReshapeMergesLoopsOfTheProducer) {
  std::vector<Member> members = {makeMember(0, {128, 12, 64}), makeMember(1, {128, 256, 768}, {2})};
  addRead(members[1], 0, {at({{0, 1, 128}}), at({{2, 64, 12}}), at({{2, 1, 64}})},
          /*isPlain=*/false);
  MemberTable table(members);
  GroupDomain domain = computeGroupDomain(table, {0, 1});
  EXPECT_EQ(extentsOf(domain), Extents({128, 256}));
}

// A slice of the elements leaves the heads shared.
TEST(GroupDomainTest, ASliceOfOneFactorLeavesTheOthersShared) {
  std::vector<Member> members = {makeMember(0, {128, 768, 32}, {2}), makeMember(1, {128, 12, 32})};
  addRead(members[1], 0, {at({{0, 1, 128}}), at({{1, 1, 12}, {none, 1, 64}})}, /*isPlain=*/false);
  MemberTable table(members);
  GroupDomain domain = computeGroupDomain(table, {0, 1});
  // The last dim is the slice's own: the product would be computed again for each part of it.
  EXPECT_EQ(extentsOf(domain), Extents({128, 12, 32}));
  EXPECT_TRUE(domain.shared.replicated[0].empty());
  EXPECT_TRUE(domain.shared.replicated[1].empty());
  EXPECT_EQ(domain.shared.replicated[2], SmallVector<unsigned>({0}));
}

// The same 24 elements as 4x6 and as 8x3 have common factors, as 6x4 and as 4x6 none: then both
// readers need all of the producer.
TEST(GroupDomainTest, UnevenCutsHaveNoCommonFactors) {
  std::vector<Member> members = {makeMember(0, {24}), makeMember(1, {4, 6}), makeMember(2, {8, 3}),
                                 makeMember(3, {24})};
  addRead(members[1], 0, {at({{0, 1, 4}, {1, 1, 6}})}, false);
  addRead(members[2], 0, {at({{0, 1, 8}, {1, 1, 3}})}, false);
  MemberTable table(members);
  EXPECT_EQ(extentsOf(computeGroupDomain(table, {0, 1})), Extents({4, 6}));
  EXPECT_EQ(extentsOf(computeGroupDomain(table, {0, 2})), Extents({8, 3}));
  // 24 = 4·6 = 8·3 has the common factors 4, 2 and 3.
  EXPECT_EQ(extentsOf(computeGroupDomain(table, {0, 1, 2})), Extents({4, 2, 3}));

  members = {makeMember(0, {24}), makeMember(1, {6, 4}), makeMember(2, {4, 6})};
  addRead(members[1], 0, {at({{0, 1, 6}, {1, 1, 4}})}, false);
  addRead(members[2], 0, {at({{0, 1, 4}, {1, 1, 6}})}, false);
  GroupDomain uneven = computeGroupDomain(MemberTable(members), {0, 1, 2});
  ASSERT_EQ(extentsOf(uneven), Extents({6, 4}));
  for (const auto &replicated : uneven.shared.replicated)
    EXPECT_EQ(replicated, SmallVector<unsigned>({0}));
}

// Q, K and V: no value connects the products, their rows read one input, their columns are equally
// many.
TEST(GroupDomainTest, SiblingsShareRowsAndPairColumns) {
  std::vector<Member> members;
  for (unsigned m = 0; m < 3; ++m) {
    Member product = makeMember(m, {128, 64, 32}, {2});
    MemberRead read;
    read.value = 100;
    read.producer = FusionGraph::kNone;
    read.positions = {at({{0, 1, 128}}), at({{2, 1, 32}})};
    product.reads.push_back(read);
    members.push_back(product);
  }
  EXPECT_EQ(extentsOf(computeGroupDomain(MemberTable(members), {0, 1, 2})), Extents({128, 64}));
  members[2] = makeMember(2, {128, 16, 32}, {2});
  members[2].reads = members[1].reads;
  EXPECT_EQ(extentsOf(computeGroupDomain(MemberTable(members), {0, 1, 2})), Extents({128}));
}

// A value that somebody outside reads is a result: it must have every shared dim.
TEST(GroupDomainTest, AValueReadOutsideIsAResult) {
  std::vector<Member> members = {makeMember(0, {64}), makeMember(1, {128, 64}),
                                 makeMember(2, {64})};
  addRead(members[1], 0, {at({{1, 1, 64}})});
  EXPECT_EQ(extentsOf(computeGroupDomain(MemberTable(members), {0, 1})), Extents({128, 64}));
  addRead(members[2], 0, {at({{0, 1, 64}})});
  EXPECT_EQ(extentsOf(computeGroupDomain(MemberTable(members), {0, 1})), Extents({64}));
}

TEST(GroupDomainTest, ExtentsOfOneAreNoDims) {
  std::vector<Member> members = {makeMember(0, {1, 64}), makeMember(1, {64})};
  members[0].writes = {1};
  addRead(members[1], 0, {at({{0, 1, 64}})});
  EXPECT_EQ(extentsOf(computeGroupDomain(MemberTable(members), {0, 1})), Extents({64}));
}

// Two ops read a row of 64 numbers that a third one computes. The kernel of one of them has 128 rows and 64 columns if it computes
// the row for itself, and 64 columns only if the other one reads the row from it.
TEST(GroupDomainTest, WhatIsRepeatedIsNoResult) {
  std::vector<Member> members = {makeMember(0, {64}), makeMember(1, {128, 64}), makeMember(2, {32, 64})};
  addRead(members[1], 0, {at({{1, 1, 64}})});
  addRead(members[2], 0, {at({{1, 1, 64}})});
  MemberTable table(members);
  EXPECT_EQ(extentsOf(computeGroupDomain(table, {0, 1})), Extents({64}));
  GroupDomain repeated = computeGroupDomain(table, {0, 1}, /*repeated=*/{0});
  EXPECT_EQ(extentsOf(repeated), Extents({128, 64}));
  EXPECT_FALSE(repeated.isResult[0]);
  EXPECT_TRUE(repeated.isResult[1]);
}

} // namespace
