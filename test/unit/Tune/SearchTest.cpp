//===- SearchTest.cpp - Looks for a better schedule of one kernel -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Tune/Search.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::fuse;

namespace {

SearchSpace makeSpace() {
  KernelFacts facts;
  facts.extents = {512, 512};
  return SearchSpace(facts, {{0, 1}, {1, 512}}, 1 << 20, 16);
}

/// Best are tiles of 64 by 32 in the other order.
double getTime(const Candidate &candidate) {
  return std::abs(std::log2(candidate.sizes[0]) - 6) + std::abs(std::log2(candidate.sizes[1]) - 5) +
         (candidate.order[0] == 0);
}

/// Searches by that; `log`: all that were judged.
SearchResult search(uint64_t seed, std::vector<Candidate> &log, size_t most = 100000) {
  SearchSpace space = makeSpace();
  double best = getTime(space.getStart());
  return searchSchedules(
      space, seed,
      [&](const Candidate &candidate) {
        log.push_back(candidate);
        if (getTime(candidate) >= best)
          return log.size() % 5 == 0   ? Judgement::Refused
                 : log.size() % 5 == 1 ? Judgement::Differs
                                       : Judgement::NotBetter;
        best = getTime(candidate);
        return Judgement::Better;
      },
      [&] { return log.size() >= most; });
}

TEST(Search, FindsTheBest) {
  std::vector<Candidate> log;
  SearchResult result = search(3, log);
  EXPECT_LT(getTime(result.best), 0.5);
  EXPECT_TRUE(result.isExhausted);
  EXPECT_EQ(result.measured, static_cast<int64_t>(log.size()));
  EXPECT_GT(result.refused, 0);
  EXPECT_GT(result.differing, 0);
  for (size_t i = 0; i < log.size(); ++i) {
    EXPECT_FALSE(log[i] == makeSpace().getStart());
    for (size_t j = 0; j < i; ++j)
      ASSERT_FALSE(log[i] == log[j]) << "judged twice";
  }
}

TEST(Search, ASeedDecidesTheOrder) {
  std::vector<Candidate> first, second, other;
  search(1, first);
  search(1, second);
  search(2, other);
  EXPECT_TRUE(first == second);
  EXPECT_FALSE(first == other);
}

TEST(Search, EndsWhenItIsOver) {
  std::vector<Candidate> log;
  SearchResult result = search(1, log, 5);
  EXPECT_EQ(result.measured, 5);
  EXPECT_FALSE(result.isExhausted);
}

TEST(Search, OneTileIsAll) {
  KernelFacts facts;
  facts.extents = {1};
  SearchSpace space(facts, {{0}, {1}}, 1 << 20, 16);
  SearchResult result = searchSchedules(
      space, 0, [](const Candidate &) { return Judgement::NotBetter; }, [] { return false; });
  EXPECT_EQ(result.measured, 0);
  EXPECT_TRUE(result.isExhausted);
}

} // namespace
