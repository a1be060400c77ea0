//===- Graph.h - A program that can be printed, cut and run -----------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A function as a list of nodes, each with at most one result. A failing one is cut down while it
// still fails: results go, and ops become arguments of the same type and range.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TEST_NUMERIC_RANDOM_GRAPH_H
#define FUSE_TEST_NUMERIC_RANDOM_GRAPH_H

#include "../differential/Values.h"

#include "fuse/Support/Npz.h"

#include <string>
#include <vector>

namespace mlir::fuse::random {

using differential::Random;

/// Extents; a negative one, −1 − n, is unknown when compiled and symbol n of the graph when run.
using Shape = SmallVector<int64_t, 6>;

/// What is known of a value: all its elements lie in [low, high], and native code differs by at
/// most `error` from the interpreter (0: not at all).
struct Range {
  double low = 0, high = 0, error = 0;
  /// Depends on the order of a float sum, which fusion may change.
  bool isReassociated = false;
  double getMagnitude() const;
  bool isExact() const { return error == 0; }
};

struct Node {
  enum Kind { Argument, Op, Effect } kind = Op;
  std::string text;             // of ops, `$0` for operand 0
  SmallVector<int, 3> operands; // nodes
  ElementType type = ElementType::F32;
  Shape shape;
  Range range;
  bool isMemref = false, isParam = false;
  /// Arguments: elements come from a seed of its own, so that they stay when others go.
  bool isAlive = true;
};

struct Graph {
  uint64_t seed = 0;
  std::vector<Node> nodes;
  SmallVector<int> results;
  Shape symbols;
  /// Whether each kernel must have blocks for many threads; not where rows are drawn that are
  /// folded whole.
  bool countsBlocks = true;
  /// Memref arguments that are one buffer, where there are any.
  SmallVector<int> aliases;

  /// Drops what neither a result nor an effect needs.
  void removeDead();
  std::string print(llvm::StringRef name) const;
  /// The living arguments, in order.
  SmallVector<int> getArguments() const;
  /// One array for each of them, named arg0, arg1, …; aliases share one.
  std::vector<NamedArray> makeInputs() const;
  size_t countOps() const;
};

/// "tensor<2x?xf32>".
std::string tensorType(ArrayRef<int64_t> shape, ElementType type, bool isMemref = false);
/// "[1, 2]".
std::string printList(ArrayRef<int64_t> values);

} // namespace mlir::fuse::random

#endif // FUSE_TEST_NUMERIC_RANDOM_GRAPH_H
