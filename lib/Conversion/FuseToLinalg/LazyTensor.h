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

/// What a value of the program became: a tensor `base` of storage type that has no static unit
/// dimension, and for each dimension of the value the dimension of `base` that it runs along.
///
/// Example: a tensor<1x8x4xf32> that is the transpose of %b : tensor<4x8xf32> is
/// {base = %b, dims = [-1, 1, 0], shape = [1, 8, 4]}.
///
/// Invariants: each dimension of `base` stands in `dims` exactly once; a static extent 1 has -1; a
/// dynamic extent never has -1.
struct LazyTensor {
  /// Null for a splat constant.
  Value base;
  /// The element of a splat constant, in the signless form of `element`.
  TypedAttr splat;
  /// Per dimension of the value: a dimension of `base`, or -1 where the value repeats.
  SmallVector<int64_t> dims;
  /// The value's shape.
  SmallVector<int64_t> shape;
  /// The value's element type, with its sign.
  Type element;

  /// `base`, whose dimensions lie in the order of `shape` without its static ones.
  static LazyTensor inOrder(Value base, ArrayRef<int64_t> shape, Type element);
  static LazyTensor ofSplat(TypedAttr splat, ArrayRef<int64_t> shape, Type element);

  int64_t getRank() const { return shape.size(); }
  /// Whether `base` holds the value's elements in row-major order, each once.
  bool isInOrder() const;
};

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
LazyTensor broadcast(const LazyTensor &value, ArrayRef<int64_t> added, ArrayRef<int64_t> shape);
LazyTensor slice(ImplicitLocOpBuilder &b, const LazyTensor &value, ArrayRef<int64_t> offsets,
                 ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides);
/// Fails where the elements must be brought in order first (see GenericBuilder.h, materialize);
/// never fails for what a generic has computed in order.
FailureOr<LazyTensor> reshape(ImplicitLocOpBuilder &b, const LazyTensor &value,
                              ArrayRef<int64_t> shape);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_FUSETOLINALG_LAZYTENSOR_H
