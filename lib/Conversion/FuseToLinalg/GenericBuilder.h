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

/// For each dimension of a value the factors that its loop is to be split into, the outermost first; no
/// factors: the loop stays whole.
using DimFactors = SmallVector<SmallVector<int64_t>>;

/// A value written along `loops` (its dimensions in order).
struct Output {
  Type element;
  SmallVector<unsigned> loops;
  /// What a reduction starts from, in the signless form of `element`; null: nothing is read.
  TypedAttr init;
  /// Of the loops that it is written along; empty: none are asked for.
  DimFactors factors;
};

/// The number of an element along a dimension, within a body: one index, or one for each factor.
struct ElementIndex {
  struct Digit {
    Value index;
    int64_t extent;
  };
  SmallVector<Digit, 1> digits; ///< the outermost first; a single one has no extent

  ElementIndex(Value index = {}) : digits{{index, 0}} {}
  /// As one index.
  Value getWhole(ImplicitLocOpBuilder &b) const;
};

/// What a body has at hand. Elements are in the signless form of their type.
struct BodyContext {
  ImplicitLocOpBuilder &b;
  /// One per input.
  SmallVector<Value> inputs;
  /// One per output with an init.
  SmallVector<Value> accumulators;

  /// The iteration number of a loop, of index type.
  Value getIndex(unsigned loop) const { return getDigits(loop).getWhole(b); }
  /// The same by the factors of the loop.
  ElementIndex getDigits(unsigned loop) const;
  /// Per loop of the domain its factors, which are loops of the generic; none for one iteration.
  ArrayRef<SmallVector<TensorFactor, 1>> loops;
};

/// Returns one element per output, in the signless form of its type.
using BodyBuilder = llvm::function_ref<SmallVector<Value>(BodyContext &)>;

/// Emits a linalg.generic. Loops of one static iteration are left out; a reduction that loses its
/// last loop so starts from its init within the body. A loop that no operand runs along gets a
/// tensor.empty that does. Inputs that are read at one position of a dimension are sliced there.
///
/// A loop is split into the factors that the output asks for. A reduction, and any loop where the output
/// has no list of factors, is split into those of what other members computed and this one reads along
/// it: a product whose 768 columns lie in the factors [12, 64] is read by loops over 12 and 64. So no
/// reshape stands between members. Where two inputs have factors that no loop could have both (24 as
/// [4, 6] and as [8, 3]), the second is joined to one dimension, and copied where that moves elements.
SmallVector<LazyTensor> buildGeneric(ImplicitLocOpBuilder &b, const Domain &domain,
                                     ArrayRef<Input> inputs, ArrayRef<Output> outputs,
                                     BodyBuilder body, bool recompute = false);

/// The same elements in a tensor of their own, in order.
LazyTensor materialize(ImplicitLocOpBuilder &b, const LazyTensor &value,
                       const DimFactors &factors = {});
/// A reshape, materialized first where it must be; the same of a slice.
LazyTensor reshapeOrCopy(ImplicitLocOpBuilder &b, const LazyTensor &value,
                         ArrayRef<int64_t> shape, ValueRange sizes = {}, ArrayRef<int64_t> groups = {});
LazyTensor sliceOrCopy(ImplicitLocOpBuilder &b, const LazyTensor &value, const SliceRange &range);
/// `value` with one factor per dimension, materialized first where joining them moves elements.
LazyTensor joinOrCopy(ImplicitLocOpBuilder &b, const LazyTensor &value);

/// A generic over `extents` with an identity output; its inputs are read along the identity.
LazyTensor buildMap(ImplicitLocOpBuilder &b, ArrayRef<OpFoldResult> extents,
                    ArrayRef<LazyTensor> inputs, Type element,
                    llvm::function_ref<Value(BodyContext &)> body, const DimFactors &factors = {},
                    bool recompute = false);

/// `value` as bodies read it best at computed positions: dimensions that only views have split are one.
LazyTensor prepareForReads(ImplicitLocOpBuilder &b, const LazyTensor &value);
/// The element of `value` at `position` (one index per dimension, in bounds).
Value readElement(ImplicitLocOpBuilder &b, const LazyTensor &value,
                  ArrayRef<ElementIndex> position);

SmallVector<OpFoldResult> getExtents(ImplicitLocOpBuilder &b, const LazyTensor &value);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_FUSETOLINALG_GENERICBUILDER_H
