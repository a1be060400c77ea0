//===- LazyTensor.h - A tensor and how its dimensions lie in memory -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_FUSETOLINALG_LAZYTENSOR_H
#define FUSE_LIB_CONVERSION_FUSETOLINALG_LAZYTENSOR_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::fuse {

/// A factor of a dimension of a value, and the dimension of its base that lies along it.
struct TensorFactor {
  static constexpr int64_t kRepeated = -1;

  int64_t dim;    ///< a dimension of the base, or kRepeated where the value is the same along the factor
  int64_t extent; ///< ShapedType::kDynamic where unknown; never 1
};

/// What a value of the program became: a tensor `base` of storage type that has no static unit
/// dimension, and for each dimension of the value its factors, the outermost first.
///
/// Example: a tensor<1x8x24xf32> that is a reshape of the transpose of %b : tensor<4x8x6xf32> has the base
/// %b, the shape [1, 8, 24] and the factors [], [(1, 8)] and [(0, 4), (2, 6)]: element (0, i, j) is
/// %b[j floordiv 6, i, j mod 6]. No element moves before somebody needs the 24 to be one dimension.
///
/// Invariants: each dimension of `base` is one factor; a static extent of 1 has no factors; a
/// dimension of unknown extent has one, of `base` or, with its extent in `sizes`, repeated.
struct LazyTensor {
  /// Null for a splat constant.
  Value base;
  /// The element of a splat constant, in the signless form of `element`.
  TypedAttr splat;
  SmallVector<SmallVector<TensorFactor, 1>> factors;
  /// The value's shape.
  SmallVector<int64_t> shape;
  /// Per dimension its extent, where that is unknown and the dimension is repeated; null otherwise. Empty where no
  /// dimension is so.
  SmallVector<Value, 0> sizes = {};
  /// The value's element type, with its sign.
  Type element;

  /// `base`, whose dimensions lie in the order of `shape` without its static ones.
  static LazyTensor inOrder(Value base, ArrayRef<int64_t> shape, Type element);
  static LazyTensor ofSplat(TypedAttr splat, ArrayRef<int64_t> shape, Type element);
  Value getSize(int64_t dim) const { return sizes.empty() ? Value() : sizes[dim]; }

  int64_t getRank() const { return shape.size(); }
  /// Whether `base` holds the value's elements in row-major order, each once.
  bool isInOrder() const;
  /// Whether the value is the same all along a dimension.
  bool isRepeated(int64_t dim) const;
};

/// Whether a tensor is what a member of the function computes, seen through casts, and through reshapes and
/// slices unless one says otherwise.
bool isComputed(Value tensor, bool throughReshapes = true, bool throughSlices = true);

/// `shape` without its static ones.
SmallVector<int64_t> dropUnits(ArrayRef<int64_t> shape);

/// An extent of a value.
OpFoldResult getExtent(ImplicitLocOpBuilder &b, const LazyTensor &value, int64_t dim);

/// The tensor `whole` of type `shape` without its static unit dimensions.
LazyTensor collapseUnits(ImplicitLocOpBuilder &b, Value whole, Type element);
/// A tensor of type `type` from a value that is in order.
Value expandUnits(ImplicitLocOpBuilder &b, const LazyTensor &value, RankedTensorType type);

// Views; none computes anything. See the ops of the same names.
LazyTensor transpose(const LazyTensor &value, ArrayRef<int64_t> permutation);
/// `sizes`: of the added dimensions of unknown extent, in order.
LazyTensor broadcast(const LazyTensor &value, ArrayRef<int64_t> added, ArrayRef<int64_t> shape, ValueRange sizes = {});
/// The dimensions `first` and the one behind it as one.
LazyTensor joinDims(const LazyTensor &value, int64_t first);
/// What a slice takes of each dimension: numbers or values, a null size of a dimension of which it takes all.
struct SliceRange {
  SmallVector<OpFoldResult> offsets, sizes;
  SmallVector<int64_t> strides;

  /// All of `rank` dimensions.
  SliceRange(MLIRContext *context, int64_t rank)
      : offsets(rank, OpFoldResult(IntegerAttr::get(IndexType::get(context), 0))), sizes(rank), strides(rank, 1) {}
};
/// Fails where a slice cuts a dimension across its factors.
FailureOr<LazyTensor> slice(ImplicitLocOpBuilder &b, const LazyTensor &value, const SliceRange &range);
/// `sizes`: the extents of the dimensions of `shape` that are unknown and do not follow; `groups`: as of kReshapeGroups,
/// where they are known. Fails where the elements must be brought in order first (see GenericBuilder.h, materialize); never
/// fails for what a generic has computed in order.
FailureOr<LazyTensor> reshape(ImplicitLocOpBuilder &b, const LazyTensor &value,
                              ArrayRef<int64_t> shape, ValueRange sizes = {}, ArrayRef<int64_t> groups = {});
/// The extents of what the factors of a dimension can be joined to, the outermost first: of those that lie
/// behind each other in memory.
SmallVector<int64_t> getJoinedFactors(const LazyTensor &value, int64_t dim);
/// The same value with at most one factor for each of the dimensions that `dims` names (none: all of them).
/// Fails where factors of one do not lie behind each other in memory.
FailureOr<LazyTensor> joinFactors(ImplicitLocOpBuilder &b, const LazyTensor &value,
                                  ArrayRef<int64_t> dims = {});

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_FUSETOLINALG_LAZYTENSOR_H
