//===- ViewGrid.cpp - Views before and after what reads them ------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ViewChain.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::random;

static constexpr const char *kNames[] = {
    "slice", "reshape", "transpose", "pad",  "concat", "split", "broadcast", "gather",
    "map",   "reduce",  "softmax",   "norm", "matmul", "conv",  "topk",      "argmax"};

std::vector<ViewCell> mlir::fuse::random::getViewCells() {
  std::vector<ViewCell> cells;
  for (size_t count : {2, 3}) {
    size_t total = count == 2 ? kNumViews * kNumViews : kNumViews * kNumViews * kNumViews;
    for (size_t number = 0; number < total; ++number) {
      ViewCell views;
      for (size_t rest = number; views.size() < count; rest /= kNumViews)
        views.push_back(static_cast<ViewStep>(rest % kNumViews));
      cells.push_back(views);
      for (unsigned reader = 0; reader < kNumReaders; ++reader)
        for (size_t at = 0; at <= count; ++at) {
          ViewCell cell = views;
          cell.insert(cell.begin() + at, static_cast<ViewStep>(kNumViews + reader));
          cells.push_back(cell);
        }
    }
  }
  return cells;
}

std::string mlir::fuse::random::getName(ArrayRef<ViewStep> cell) {
  std::string name;
  for (ViewStep step : cell)
    name += (name.empty() ? "" : "-") + std::string(kNames[static_cast<unsigned>(step)]);
  return name;
}

Graph mlir::fuse::random::generateViews(ArrayRef<ViewStep> cell, uint64_t seed) {
  Graph graph;
  graph.seed = seed;
  ViewChain(graph).run(cell);
  graph.removeDead();
  return graph;
}
