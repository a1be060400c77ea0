//===- ContractionOrder.cpp - An acyclic graph whose nodes are merged, kept in order -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/ContractionOrder.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::fuse;

ContractionOrder::ContractionOrder(unsigned numNodes, llvm::ArrayRef<Edge> edges,
                                   unsigned searchLimit)
    : searchLimit(searchLimit), parents(numNodes), places(numNodes), marks(numNodes, 0),
      cleanAt(numNodes, 8),
      successors(numNodes), predecessors(numNodes) {
  for (unsigned node = 0; node < numNodes; ++node)
    parents[node] = places[node] = node;
  for (auto [from, to] : edges) {
    successors[from].push_back(to);
    predecessors[to].push_back(from);
  }
}

unsigned ContractionOrder::find(unsigned a) const {
  while (parents[a] != a)
    a = parents[a] = parents[parents[a]];
  return a;
}

/// Collects what `from` reaches at places strictly between `low` and `high`. False on reaching
/// `target` by more than one edge (`blocker` is then on the way), or where the search goes too far.
bool ContractionOrder::search(unsigned from, bool forward, unsigned low, unsigned high,
                              llvm::SmallVectorImpl<unsigned> &visited, unsigned target) {
  visited.clear();
  ++epoch;
  size_t steps = 0;
  tooFar = false;
  marks[from] = epoch;
  auto expand = [&](unsigned node) {
    auto &edges = forward ? successors[node] : predecessors[node];
    steps += edges.size();
    numSteps += edges.size();
    if (steps > 16 * searchLimit) {
      tooFar = true;
      return false;
    }
    for (unsigned edge : edges) {
      unsigned next = find(edge);
      if (next == target && node != from) {
        blocker = node;
        return false;
      }
      if (marks[next] == epoch || places[next] <= low || places[next] >= high)
        continue;
      marks[next] = epoch;
      visited.push_back(next);
      if (visited.size() > searchLimit) {
        tooFar = true;
        return false;
      }
    }
    return true;
  };
  if (!expand(from))
    return false;
  for (size_t i = 0; i < visited.size(); ++i)
    if (!expand(visited[i]))
      return false;
  return true;
}

ContractionOrder::Answer ContractionOrder::canContract(unsigned a, unsigned b) {
  unsigned first = find(a), second = find(b);
  if (places[first] > places[second])
    std::swap(first, second);
  unsigned low = places[first], high = places[second];
  if (!search(first, /*forward=*/true, low, high, behind, second))
    return tooFar ? Answer::TooFar : Answer::Cycle;
  if (!search(second, /*forward=*/false, low, high, before, first))
    return tooFar ? Answer::TooFar : Answer::Cycle;
  return Answer::Yes;
}

void ContractionOrder::contract(unsigned a, unsigned b) {
  unsigned first = find(a), second = find(b);
  if (first == second)
    return;
  // What leads to the second comes before the new node, what the first leads to behind it; both keep
  // their order, and together they use the places that they had.
  llvm::SmallVector<unsigned> free{places[first], places[second]};
  auto byPlace = [&](unsigned l, unsigned r) { return places[l] < places[r]; };
  llvm::sort(behind, byPlace);
  llvm::sort(before, byPlace);
  for (auto *list : {&before, &behind})
    for (unsigned node : *list)
      free.push_back(places[node]);
  llvm::sort(free);
  size_t next = 0;
  for (unsigned node : before)
    places[node] = free[next++];
  unsigned place = free[next++];
  ++next; // two nodes become one: a place is left over
  for (unsigned node : behind)
    places[node] = free[next++];

  // The longer lists stay where they are.
  if (successors[first].size() + predecessors[first].size() <
      successors[second].size() + predecessors[second].size())
    std::swap(first, second);
  parents[second] = first;
  places[first] = place;
  auto join = [&](auto &lists) {
    for (unsigned node : lists[second])
      if (find(node) != first)
        lists[first].push_back(node);
    lists[second] = {};
    // Edges within the group would be looked at again and again.
    if (lists[first].size() > cleanAt[first]) {
      llvm::erase_if(lists[first], [&](unsigned node) { return find(node) == first; });
      cleanAt[first] = std::max<unsigned>(8, 2 * lists[first].size());
    }
  };
  join(successors);
  join(predecessors);
}
