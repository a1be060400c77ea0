//===- ContractionOrderTest.cpp - Merging nodes of an acyclic graph -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/ContractionOrder.h"

#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace mlir::fuse;
using Answer = ContractionOrder::Answer;
using Edge = ContractionOrder::Edge;

namespace {

TEST(ContractionOrderTest, AnEdgeMayBeContracted) {
  ContractionOrder order(2, {{0, 1}});
  EXPECT_EQ(order.canContract(0, 1), Answer::Yes);
  order.contract(0, 1);
  EXPECT_EQ(order.find(0), order.find(1));
}

// 0 → 1 → 2 and 0 → 2: the way around passes 1.
TEST(ContractionOrderTest, AnotherWayAroundIsACycle) {
  ContractionOrder order(3, {{0, 1}, {1, 2}, {0, 2}});
  EXPECT_EQ(order.canContract(0, 2), Answer::Cycle);
  EXPECT_EQ(order.getBlocker(), 1u);
  EXPECT_EQ(order.canContract(2, 0), Answer::Cycle);
  ASSERT_EQ(order.canContract(0, 1), Answer::Yes);
  order.contract(0, 1);
  EXPECT_EQ(order.canContract(0, 2), Answer::Yes);
}

// Two groups that are fine by themselves: {0, 3} and {1, 2} need each other.
TEST(ContractionOrderTest, ACycleOfTwoGroups) {
  ContractionOrder order(4, {{0, 1}, {2, 3}});
  ASSERT_EQ(order.canContract(0, 3), Answer::Yes);
  order.contract(0, 3);
  EXPECT_EQ(order.canContract(1, 2), Answer::Cycle);
}

TEST(ContractionOrderTest, SiblingsHaveNoEdge) {
  ContractionOrder order(3, {{0, 1}, {0, 2}});
  EXPECT_EQ(order.canContract(1, 2), Answer::Yes);
}

TEST(ContractionOrderTest, ALongSearchIsGivenUp) {
  std::vector<Edge> edges;
  for (unsigned node = 1; node < 100; ++node)
    edges.push_back({0, node});
  ContractionOrder order(101, edges, /*searchLimit=*/10);
  EXPECT_EQ(order.canContract(0, 100), Answer::TooFar);
}

/// Reachability by walking all edges.
class Reference {
public:
  Reference(unsigned size, std::vector<Edge> edges) : edges(std::move(edges)), groups(size) {
    for (unsigned node = 0; node < size; ++node)
      groups[node] = node;
  }
  bool hasWayAround(unsigned a, unsigned b) const {
    return reaches(groups[a], groups[b]) || reaches(groups[b], groups[a]);
  }
  void merge(unsigned a, unsigned b) {
    unsigned from = groups[b], to = groups[a];
    for (unsigned &group : groups)
      if (group == from)
        group = to;
  }
  unsigned operator[](unsigned node) const { return groups[node]; }

private:
  /// By two edges at least.
  bool reaches(unsigned from, unsigned to) const {
    std::set<unsigned> seen;
    std::vector<unsigned> work;
    for (auto [a, b] : edges)
      if (groups[a] == from && groups[b] != to && groups[b] != from && seen.insert(groups[b]).second)
        work.push_back(groups[b]);
    while (!work.empty()) {
      unsigned node = work.back();
      work.pop_back();
      for (auto [a, b] : edges) {
        if (groups[a] != node)
          continue;
        if (groups[b] == to)
          return true;
        if (seen.insert(groups[b]).second)
          work.push_back(groups[b]);
      }
    }
    return false;
  }
  std::vector<Edge> edges;
  std::vector<unsigned> groups;
};

TEST(ContractionOrderTest, AgreesWithAWalkOfTheGraph) {
  std::mt19937 random(1);
  unsigned merges = 0, cycles = 0;
  for (unsigned round = 0; round < 300; ++round) {
    unsigned size = 2 + random() % 30;
    std::vector<Edge> edges;
    for (unsigned i = 0, count = random() % (2 * size); i < count; ++i) {
      unsigned a = random() % size, b = random() % size;
      if (a != b)
        edges.push_back(std::minmax(a, b));
    }
    ContractionOrder order(size, edges);
    Reference reference(size, edges);
    for (unsigned attempt = 0; attempt < 3 * size; ++attempt) {
      unsigned a = random() % size, b = random() % size;
      if (reference[a] == reference[b])
        continue;
      bool isFree = !reference.hasWayAround(a, b);
      ASSERT_EQ(order.canContract(a, b), isFree ? Answer::Yes : Answer::Cycle);
      if (!isFree) {
        ++cycles;
        continue;
      }
      order.contract(a, b);
      reference.merge(a, b);
      ++merges;
      for (auto [from, to] : edges)
        if (reference[from] != reference[to])
          ASSERT_LT(order.getPlace(from), order.getPlace(to));
    }
  }
  EXPECT_GT(merges, 1000u);
  EXPECT_GT(cycles, 1000u);
}

} // namespace
