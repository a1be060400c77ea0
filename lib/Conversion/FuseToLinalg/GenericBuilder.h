//===- GenericBuilder.h - linalg.generic over lazy tensors -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_FUSETOLINALG_GENERICBUILDER_H
#define FUSE_LIB_CONVERSION_FUSETOLINALG_GENERICBUILDER_H

#include "LazyTensor.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/AffineMap.h"

namespace mlir::fuse {

/// Loops, outermost first.
struct Domain {
  SmallVector<OpFoldResult> extents;
  SmallVector<utils::IteratorType> iterators;

  static Domain parallel(ArrayRef<OpFoldResult> extents);
  void add(OpFoldResult extent, utils::IteratorType iterator);
  unsigned size() const { return extents.size(); }
};

/// A value read at `map`, from the domain's loops to the value's dimensions.
struct Input {
  LazyTensor value;
  AffineMap map;
};

/// A value written along `loops` (its dimensions in order).
struct Output {
  Type element;
  SmallVector<unsigned> loops;
  /// What a reduction starts from, in the signless form of `element`; null: nothing is read.
  TypedAttr init;
};

/// What a body has at hand. Elements are in the signless form of their type.
struct BodyContext {
  ImplicitLocOpBuilder &b;
  /// One per input.
  SmallVector<Value> inputs;
  /// One per output with an init.
  SmallVector<Value> accumulators;

  /// The iteration number of a loop, of index type.
  Value getIndex(unsigned loop) const;
  /// Per loop of the domain the loop of the generic, -1 for a loop of one iteration.
  SmallVector<int64_t> loops;
};

/// Returns one element per output, in the signless form of its type.
using BodyBuilder = llvm::function_ref<SmallVector<Value>(BodyContext &)>;

/// Emits a linalg.generic. Loops of one static iteration are left out; a reduction that loses its
/// last loop so starts from its init within the body. A loop that no operand runs along gets a
/// tensor.empty that does. Inputs that are read at one position of a dimension are sliced there.
SmallVector<LazyTensor> buildGeneric(ImplicitLocOpBuilder &b, const Domain &domain,
                                     ArrayRef<Input> inputs, ArrayRef<Output> outputs,
                                     BodyBuilder body, bool recompute = false);

/// The same elements in a tensor of their own, in order.
LazyTensor materialize(ImplicitLocOpBuilder &b, const LazyTensor &value);
/// A reshape, materialized first where it must be.
LazyTensor reshapeOrCopy(ImplicitLocOpBuilder &b, const LazyTensor &value,
                         ArrayRef<int64_t> shape);

/// A generic over `extents` with an identity output; its inputs are read along the identity.
LazyTensor buildMap(ImplicitLocOpBuilder &b, ArrayRef<OpFoldResult> extents,
                    ArrayRef<LazyTensor> inputs, Type element,
                    llvm::function_ref<Value(BodyContext &)> body, bool recompute = false);

/// The element of `value` at `position` (index values, one per dimension, in bounds).
Value readElement(ImplicitLocOpBuilder &b, const LazyTensor &value, ValueRange position);

SmallVector<OpFoldResult> getExtents(ImplicitLocOpBuilder &b, const LazyTensor &value);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_FUSETOLINALG_GENERICBUILDER_H
