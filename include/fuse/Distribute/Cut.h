//===- Cut.h - How a tensor lies on a grid of processes --------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_DISTRIBUTE_CUT_H
#define FUSE_DISTRIBUTE_CUT_H

#include "fuse/IR/FuseAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

#include <array>

namespace mlir::fuse {

/// How many axes a grid has at most.
constexpr unsigned kMostAxes = 4;

/// The shape in which the ranks are arranged, row-major.
using Grid = ArrayRef<int64_t>;

/// For each axis of a grid the number of what it cuts, of a dimension or of a loop; -1 for nothing.
/// Several axes may cut one dimension: the first of them is the outermost then.
class Cut {
public:
  Cut() { cuts.fill(-1); }

  int64_t operator[](unsigned axis) const { return cuts[axis]; }
  void set(unsigned axis, int64_t what) { cuts[axis] = static_cast<int8_t>(what); }
  bool isNothing() const {
    return llvm::all_of(cuts, [](int8_t what) { return what < 0; });
  }
  /// The axes that cut one dimension (or loop), outermost first.
  SmallVector<int64_t, kMostAxes> axesOf(int64_t what) const;
  /// Into how many parts a dimension (or loop) is cut.
  int64_t getParts(Grid grid, int64_t what) const;
  /// Into how many parts all of it is cut.
  int64_t getParts(Grid grid) const;

  bool operator==(const Cut &other) const { return cuts == other.cuts; }
  bool operator!=(const Cut &other) const { return cuts != other.cuts; }
  /// All of it as one number.
  uint32_t getKey() const;

private:
  std::array<int8_t, kMostAxes> cuts;
};

/// Whether each dimension's extent is known where it is cut, and divides into equal parts.
bool isDivisible(ArrayRef<int64_t> shape, Grid grid, const Cut &cut);

/// The type of one rank's shard.
RankedTensorType getShardType(RankedTensorType type, Grid grid, const Cut &cut);

ShardingAttr toAttr(MLIRContext *context, int64_t rank, Grid grid, const Cut &cut);

/// One collective on the way from one cut to another.
struct Move {
  enum Kind { Gather, Slice, Exchange } kind;
  /// The axes of the group, outermost first.
  SmallVector<int64_t, kMostAxes> axes;
  /// What is joined or sliced; of an exchange what is cut before, and what behind.
  int64_t dim, to = -1;
};

/// The collectives that give a tensor of `rank` dimensions another cut, in order.
SmallVector<Move> planMoves(int64_t rank, const Cut &from, const Cut &to);

/// "[[0], []]": the axes of each dimension.
std::string describe(int64_t rank, const Cut &cut);

} // namespace mlir::fuse

#endif // FUSE_DISTRIBUTE_CUT_H
