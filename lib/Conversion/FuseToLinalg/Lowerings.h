//===- Lowerings.h - What each kind of op becomes -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Each function takes an op, what its operands became, and the factors that its result's dimensions are
// to have (none: each dimension is one), and returns what its result becomes. Shapes were verified.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_FUSETOLINALG_LOWERINGS_H
#define FUSE_LIB_CONVERSION_FUSETOLINALG_LOWERINGS_H

#include "GenericBuilder.h"
#include "fuse/IR/FuseOps.h"

namespace mlir::fuse {

LazyTensor lowerElementwise(ImplicitLocOpBuilder &b, FusableOpInterface op,
                            ArrayRef<LazyTensor> operands,
                            const DimFactors &factors);
LazyTensor lowerReduce(ImplicitLocOpBuilder &b, ReduceOp op, const LazyTensor &operand,
                       const DimFactors &factors);
/// argmax, argmin.
LazyTensor lowerArgReduce(ImplicitLocOpBuilder &b, ArgReduceKind kind, int64_t dimension,
                          bool keepDims, const LazyTensor &operand,
                          const DimFactors &factors);

/// Weights of which a reshape joined dimensions that lie apart in memory: those of a packed parameter. Its
/// columns are [blocks, block], its innermost steps [groups, group], or one of both. The loop over columns
/// becomes two where the last block is full, so that the reshape needs no copy; else, as the loop over steps
/// always, it stays one, which reads at quotients and remainders.
struct BlockedColumns {
  Value source;     ///< what the reshape joins: [..., groups, group, ..., blocks, block, ...]
  LazyTensor value; ///< the same
  int64_t blocks = 1, block; ///< 1: the columns are one dimension
  int64_t columns;           ///< less than the product of both, where the last block is not full
  int64_t stepDim = -1, group = 1; ///< the dimension of the weights that lies in groups, if one does

  /// Whether the loop over columns is two.
  bool isSplit() const { return blocks > 1 && blocks * block == columns; }
  /// Where to read `value` for `positions` of the weights. `inner`: the loop over the columns of a block, if
  /// that of the weights is over blocks.
  SmallVector<AffineExpr> getPositions(ArrayRef<AffineExpr> positions, int64_t columnDim, AffineExpr inner) const;
};
/// What `weights`, whose dimension `columnDim` holds its columns, is a join of; without `value`.
std::optional<BlockedColumns> getBlockedColumns(Value weights, int64_t columnDim);
/// The factors of dimension `dim` as those of two dimensions, of which the second has the extent `inner`.
void splitFactors(DimFactors &factors, unsigned dim, int64_t inner);

LazyTensor lowerMatmul(ImplicitLocOpBuilder &b, MatmulOp op, ArrayRef<LazyTensor> operands,
                       const std::optional<BlockedColumns> &blocked,
                       const DimFactors &factors);
LazyTensor lowerConv2d(ImplicitLocOpBuilder &b, Conv2dOp op, ArrayRef<LazyTensor> operands,
                       const std::optional<BlockedColumns> &blocked,
                       const DimFactors &factors);
LazyTensor lowerMaxPool2d(ImplicitLocOpBuilder &b, MaxPool2dOp op, const LazyTensor &input,
                          const DimFactors &factors);
LazyTensor lowerAvgPool2d(ImplicitLocOpBuilder &b, AvgPool2dOp op, const LazyTensor &input,
                          const DimFactors &factors);

LazyTensor lowerConcat(ImplicitLocOpBuilder &b, ConcatOp op, ArrayRef<LazyTensor> operands,
                       const DimFactors &factors);
/// `value` is in the signless form of the element type.
LazyTensor lowerPad(ImplicitLocOpBuilder &b, const LazyTensor &operand, ArrayRef<int64_t> low,
                    ArrayRef<int64_t> high, TypedAttr value, const DimFactors &factors);
LazyTensor lowerGather(ImplicitLocOpBuilder &b, GatherOp op, const LazyTensor &operand,
                       const LazyTensor &indices,
                       const DimFactors &factors);
/// A `fuse.scatter_rows` between reshapes.
LazyTensor lowerScatter(ImplicitLocOpBuilder &b, ScatterOp op, ArrayRef<LazyTensor> operands);
/// `sizes`: the dynamic extents of the result.
LazyTensor lowerIota(ImplicitLocOpBuilder &b, IotaOp op, ValueRange sizes,
                     const DimFactors &factors);
LazyTensor lowerFromIndex(ImplicitLocOpBuilder &b, FromIndexOp op, Value number);
LazyTensor lowerResizeNearest(ImplicitLocOpBuilder &b, ResizeNearestOp op,
                              const LazyTensor &operand, ValueRange sizes,
                              const DimFactors &factors);

// Shared by several of them.

/// The extents of an op's loops, off its type where that knows them, else off the operands read
/// along them. A loop along no operand must have a static extent.
SmallVector<OpFoldResult> getLoopExtents(ImplicitLocOpBuilder &b, FusableOpInterface op,
                                         ArrayRef<LazyTensor> operands);

/// acc + l · r in the type of the accumulator, free to contract floats.
Value buildMultiplyAdd(ImplicitLocOpBuilder &b, Value l, Value r, Value acc);
/// `value` converted element by element, unless it has the type already.
LazyTensor castTo(ImplicitLocOpBuilder &b, const LazyTensor &value, Type element);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_FUSETOLINALG_LOWERINGS_H
