//===- Graph.h - A program that can be printed, cut and run -----------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A function as a list of nodes, each with at most one result that others read. A failing one is cut down while it
// still fails: results go, and ops become arguments of the same type and range.
//
// Extents may differ from call to call. A program with open dimensions is printed in two ways: with `?` for these, and,
// for each of its calls, with the sizes of that call in their place.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TEST_NUMERIC_RANDOM_GRAPH_H
#define FUSE_TEST_NUMERIC_RANDOM_GRAPH_H

#include "../differential/Values.h"

#include "fuse/Support/Npz.h"

#include <optional>
#include <string>
#include <vector>

namespace mlir::fuse::random {

using differential::Random;

/// Extents; a negative one, −1 − n, is symbol n of the graph: unknown when compiled.
using Shape = SmallVector<int64_t, 6>;

/// An extent that differs from call to call: an open dimension of arguments, or one that is computed from others.
struct Symbol {
  enum Kind { Open, Sum, Product, Other } kind = Open;
  std::string text;    ///< the dimension's name; of computed ones an affine expression of s0, s1 …, which `parts` are
  Shape parts;         ///< what it is computed from, numbers among them
  SmallVector<int64_t, 5> sizes; ///< in each call
};

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
  /// Of ops. `$0` stands for operand 0, and for extents: `@n;` for symbol n in a type, `^n;` for −1 or, where the size
  /// is known, the size, `#n;` for a value of type `index` or the size, `!n;` always for such a value. What stands
  /// between two `~` is left out where sizes are known.
  std::string text;
  SmallVector<int, 3> operands; // nodes; behind those of `text`, arguments that extents are read from
  ElementType type = ElementType::F32;
  Shape shape;
  Range range;
  bool isMemref = false, isParam = false;
  /// Of a scan: the results of the op, the last of which is the node's.
  int numResults = 1;
  /// Arguments: an extent that all elements index; 0 where they need not.
  int64_t indexes = 0;
  /// Arguments: elements come from a seed of its own, so that they stay when others go.
  bool isAlive = true;
};

struct Graph {
  uint64_t seed = 0;
  std::vector<Node> nodes;
  SmallVector<int> results;
  std::vector<Symbol> symbols;
  /// How many vectors of sizes the program is called with.
  size_t numCalls = 1;
  /// Whether open dimensions of arguments have names.
  bool hasNames = false;
  /// Whether another order of a float sum is a failure of a program with several calls, too.
  bool isStrict = false;
  /// Whether each kernel must have blocks for many threads; not where rows are drawn that are
  /// folded whole.
  bool countsBlocks = true;
  /// Memref arguments that are one buffer, where there are any.
  SmallVector<int> aliases;

  /// Drops what neither a result nor an effect needs.
  void removeDead();
  /// With `call`, the program of that call's sizes.
  std::string print(llvm::StringRef name, std::optional<size_t> call = std::nullopt) const; // Print.cpp
  int64_t getSize(int64_t extent, size_t call) const {
    // Calls in which a size would be negative are refused.
    return extent < 0 ? std::max<int64_t>(symbols[-1 - extent].sizes[call], 0) : extent;
  }
  /// The living arguments, in order.
  SmallVector<int> getArguments() const;
  /// One array for each of them, named arg0, arg1, …; aliases share one.
  std::vector<NamedArray> makeInputs(size_t call = 0) const;
  size_t countOps() const;
};

/// "tensor<2x@0;xf32>", as texts of nodes have it.
std::string tensorType(ArrayRef<int64_t> shape, ElementType type, bool isMemref = false);
/// "[1, 2]".
std::string printList(ArrayRef<int64_t> values);

} // namespace mlir::fuse::random

#endif // FUSE_TEST_NUMERIC_RANDOM_GRAPH_H
