//===- SearchSpaceTest.cpp - Which schedules a kernel can have -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Tune/SearchSpace.h"
#include "fuse/IR/FuseDialect.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// What the compiler would make of facts.
Candidate getStart(MLIRContext &context, const KernelFacts &facts) {
  ScheduleAttr schedule = computeSchedule(&context, facts, TargetAttr::getDefault(&context));
  return *Candidate::get(schedule, facts.extents.size());
}

/// Some facts, with columns in blocks and a dim to stream.
KernelFacts makeFacts(int64_t rank, bool hasBlocks, bool streams) {
  KernelFacts facts;
  for (int64_t dim = 0; dim < rank; ++dim)
    facts.extents.push_back(*rc::gen::inRange<int64_t>(1, 300));
  if (hasBlocks) {
    facts.extents.back() = 32 * *rc::gen::inRange<int64_t>(1, 9);
    facts.columnBlocks.push_back({static_cast<unsigned>(rank - 1), 32});
  }
  if (streams)
    facts.streamExtent = *rc::gen::inRange<int64_t>(1, 2000);
  KernelFacts::Member member;
  for (unsigned dim = 0; dim < rank; ++dim)
    member.dims.push_back(dim);
  member.scratchBytes = *rc::gen::inRange<int64_t>(0, 2048);
  facts.add(member);
  return facts;
}

RC_GTEST_PROP(SearchSpace, NeighboursAreLegalAndOthers, (bool hasBlocks, bool streams)) {
  MLIRContext context;
  context.loadDialect<FuseDialect>();
  KernelFacts facts = makeFacts(*rc::gen::inRange(1, 5), hasBlocks, streams);
  SearchSpace space(facts, getStart(context, facts), 1 << 20, 16);
  RC_ASSERT(space.isLegal(space.getStart()));
  std::mt19937_64 random(*rc::gen::arbitrary<uint64_t>());
  Candidate place = space.mutate(space.getStart(), random);
  std::vector<Candidate> neighbours = space.getNeighbours(place);
  for (size_t i = 0; i < neighbours.size(); ++i) {
    RC_ASSERT(space.isLegal(neighbours[i]));
    RC_ASSERT(!(neighbours[i] == place));
    for (size_t j = 0; j < i; ++j)
      RC_ASSERT(!(neighbours[i] == neighbours[j]));
    for (auto [dim, block] : facts.columnBlocks)
      RC_ASSERT(neighbours[i].sizes[dim] % block == 0);
    if (!streams)
      RC_ASSERT(neighbours[i].streamTile == 0);
  }
  RC_ASSERT(neighbours == space.getNeighbours(place));
}

RC_GTEST_PROP(SearchSpace, SchedulesAreCandidates, (bool streams)) {
  MLIRContext context;
  context.loadDialect<FuseDialect>();
  KernelFacts facts = makeFacts(3, false, streams);
  SearchSpace space(facts, getStart(context, facts), 1 << 20, 16);
  std::mt19937_64 random(7);
  Candidate candidate = space.mutate(space.getStart(), random);
  ScheduleAttr like = ScheduleAttr::get(&context, {}, 32, 0, 0);
  ScheduleAttr schedule = candidate.makeSchedule(like);
  RC_ASSERT(schedule.getReductionLanes() == 32);
  RC_ASSERT(*Candidate::get(schedule, 3) == candidate);
  RC_ASSERT(!Candidate::get(schedule, 4));
}

TEST(SearchSpace, WhatIsNotLegal) {
  KernelFacts facts;
  facts.extents = {100, 64};
  facts.columnBlocks.push_back({1, 32});
  KernelFacts::Member member;
  member.dims = {0, 1};
  member.scratchBytes = 4;
  facts.add(member);
  SearchSpace space(facts, {{0, 1}, {4, 32}}, 100 * 32 * 4, 16);
  auto isLegal = [&](ArrayRef<int64_t> order, ArrayRef<int64_t> sizes, int64_t stream = 0) {
    return space.isLegal({SmallVector<int64_t>(order), SmallVector<int64_t>(sizes), stream});
  };
  EXPECT_TRUE(isLegal({1, 0}, {100, 32}));
  EXPECT_FALSE(isLegal({1, 0}, {101, 32})); // above the extent
  EXPECT_FALSE(isLegal({1, 0}, {0, 32}));
  EXPECT_FALSE(isLegal({0, 0}, {4, 32})); // one dim twice
  EXPECT_FALSE(isLegal({0}, {4}));
  EXPECT_FALSE(isLegal({0, 1}, {4, 16}));     // half a block
  EXPECT_FALSE(isLegal({0, 1}, {100, 64}));   // too much scratch
  EXPECT_FALSE(isLegal({0, 1}, {4, 32}, 16)); // nothing to stream
}

} // namespace
