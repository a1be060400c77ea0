//===- Shapes.h - Broadcasting, windows and other shape rules -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IR_SHAPES_H
#define FUSE_IR_SHAPES_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"

namespace mlir::fuse {

/// The NumPy broadcast of `shapes`: missing leading dimensions and static 1s repeat; a dynamic
/// dimension equals its partner. Fails where two static extents differ and neither is 1, or a
/// dynamic dimension meets a static one other than 1 (the result then takes the static one: no
/// failure) — so only for a static mismatch.
FailureOr<SmallVector<int64_t>> inferBroadcastShape(ArrayRef<ArrayRef<int64_t>> shapes);

/// Whether `shape` broadcasts to `target`; an error at `op` that shows both otherwise.
LogicalResult verifyBroadcastsTo(Operation *op, StringRef what, RankedTensorType type,
                                 ArrayRef<int64_t> target);

/// From the loops of `target` (one per dimension) to positions in `type`: the constant 0 where a
/// static 1 repeats.
AffineMap getBroadcastMap(RankedTensorType type, ArrayRef<int64_t> target);

/// ⌊(size + low + high − dilation·(kernel−1) − 1) / stride⌋ + 1, dynamic where `size` is; the
/// result is ≤ 0 where the window does not fit.
int64_t getWindowExtent(int64_t size, int64_t kernel, int64_t stride, int64_t dilation, int64_t low,
                        int64_t high);

/// Dimensions of two shapes that hold the same elements.
struct ReshapeGroup {
  SmallVector<int64_t, 2> from, to;
};

/// On a `fuse.reshape` of several unknown extents: how many dimensions of the operand, and of the result, hold
/// the same elements, group by group: of ?x8x?x? and ?x8x?, where the extents that are computed say so, [1, 1, 1, 1, 2, 1].
/// Types alone do not tell, and within an outlined kernel nothing else does.
inline constexpr llvm::StringLiteral kReshapeGroups = "fuse.reshape_groups";

/// Groups of so many dimensions, without those of extent 1; none where the counts are not those of the shapes.
SmallVector<ReshapeGroup> takeReshapeGroups(ArrayRef<int64_t> counts, ArrayRef<int64_t> from, ArrayRef<int64_t> to);

/// The dimensions of unknown extent of a reshape, of its operand and of its result, which are the same in order where each
/// side has as many of them, and the static dimensions between any two hold as many elements: of ?x?x768 and ?x?x12x64
/// dimensions 0 and 0, 1 and 1. Otherwise none: of ?x6 and ?x3, ?x? and ?x8, ?x2x? and ?x?x2. One alone on each side is a
/// pair only where nothing else changes around it.
SmallVector<std::pair<int64_t, int64_t>> pairDynamicDims(ArrayRef<int64_t> from,
                                                         ArrayRef<int64_t> to);

/// Splits the dimensions of a reshape into the smallest groups with equal numbers of elements, in
/// order; static ones belong to no group. What stands around dynamic extents that have no equal
/// partner is one group. Shapes with an extent 0 have no groups.
SmallVector<ReshapeGroup> matchReshape(ArrayRef<int64_t> from, ArrayRef<int64_t> to);

/// The same where nothing is known of the dynamic extents of `to`: the equal static extents at either end are
/// groups, all between them is one.
SmallVector<ReshapeGroup> matchOpenReshape(ArrayRef<int64_t> from, ArrayRef<int64_t> to);

/// `shape` printed as in a type: `4x?x8`.
std::string formatShape(ArrayRef<int64_t> shape);

} // namespace mlir::fuse

#endif // FUSE_IR_SHAPES_H
