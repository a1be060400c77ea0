//===- ViewChain.h - A program of the views and readers of one cell ----------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TEST_NUMERIC_RANDOM_VIEWCHAIN_H
#define FUSE_TEST_NUMERIC_RANDOM_VIEWCHAIN_H

#include "Picking.h"
#include "ViewGrid.h"

namespace mlir::fuse::random {

constexpr size_t kMostRank = 5;

/// Makes a program in which each step of a cell reads what the step before made.
class ViewChain : Generator {
public:
  ViewChain(Graph &graph) : Generator(graph, {1, 40}) {}

  void run(ArrayRef<ViewStep> cell);

private:
  void apply(ViewStep step);
  bool tryStep(ViewStep step);

  void addStridedSlice();
  void addAnyReshape();
  void addPads();
  void addJoin();
  void addSplit();
  void addMap();
  void addProduct();
  void addTopK();
  /// What else reads the value, and returns what it made.
  void addSecondReader();
  /// Gives the value at least so many dimensions.
  void ensureRank(size_t rank);
  void reshapeTo(ArrayRef<int64_t> shape);
  const Node &value() const { return graph.nodes[focus]; }
  int flatten(int node);

  bool staysExact = false;
};

} // namespace mlir::fuse::random

#endif // FUSE_TEST_NUMERIC_RANDOM_VIEWCHAIN_H
