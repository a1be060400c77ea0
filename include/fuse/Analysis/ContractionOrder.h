//===- ContractionOrder.h - An acyclic graph whose nodes are merged, kept in order -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Two groups may become one unless a path leaves the first and comes back through a third: that would
// be a cycle. The question is asked for every merge, so it must not cost a walk of the graph. Here a
// topological order is kept while nodes are contracted (after Pearce and Kelly, "A dynamic topological
// sort algorithm for directed acyclic graphs", JEA 2007): a path between two nodes lies within the
// interval between their places, and only what was visited there changes its place.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_CONTRACTIONORDER_H
#define FUSE_ANALYSIS_CONTRACTIONORDER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <vector>

namespace mlir::fuse {

class ContractionOrder {
public:
  using Edge = std::pair<unsigned, unsigned>;

  /// Each edge leads to a higher number. A search that visits more than `searchLimit` nodes is given
  /// up.
  ContractionOrder(unsigned numNodes, llvm::ArrayRef<Edge> edges, unsigned searchLimit = 1000);

  enum class Answer { Yes, Cycle, TooFar };
  /// Whether the nodes that hold `a` and `b` may become one. For Cycle, `getBlocker` is a node on a
  /// path between them.
  Answer canContract(unsigned a, unsigned b);
  unsigned getBlocker() const { return blocker; }
  /// Makes them one. Only after canContract said yes to the same two, with nothing between.
  void contract(unsigned a, unsigned b);

  /// The representative of the node that holds `a`.
  unsigned find(unsigned a) const;
  /// The place of the node that holds `a`: every edge leads to a higher one.
  unsigned getPlace(unsigned a) const { return places[find(a)]; }
  /// How many edges all searches have looked at.
  uint64_t getNumSteps() const { return numSteps; }

private:
  bool search(unsigned from, bool forward, unsigned low, unsigned high,
              llvm::SmallVectorImpl<unsigned> &visited, unsigned target);

  unsigned searchLimit, blocker = 0, epoch = 0;
  bool tooFar = false;
  uint64_t numSteps = 0;
  mutable std::vector<unsigned> parents;
  std::vector<unsigned> places, marks, cleanAt;
  std::vector<llvm::SmallVector<unsigned, 2>> successors, predecessors;
  llvm::SmallVector<unsigned> behind, before;
};

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_CONTRACTIONORDER_H
