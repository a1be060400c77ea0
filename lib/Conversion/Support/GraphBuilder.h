//===- GraphBuilder.h - Ops of the dialect with inferred types ------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Private to the conversions into the dialect.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_SUPPORT_GRAPHBUILDER_H
#define FUSE_LIB_CONVERSION_SUPPORT_GRAPHBUILDER_H

#include "fuse/IR/FuseOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::fuse {

/// The ranked tensor type of a value if its element type is one of the dialect's, else null.
RankedTensorType getTensorType(Value value);
/// The same, and all extents are static.
RankedTensorType getStaticTensorType(Value value);

/// Whether an element-wise op of `operands` may give `result`.
bool isBroadcastOf(ValueRange operands, RankedTensorType result);

/// Whether arith.constant holds values of the type: static shapes of floats and signless integers.
bool canBeConstant(Type type);

class GraphBuilder {
public:
  GraphBuilder(OpBuilder &b, Location loc) : b(b), loc(loc) {}

  OpBuilder &getBuilder() { return b; }
  Location getLoc() { return loc; }
  static RankedTensorType typeOf(Value value) {
    return llvm::cast<RankedTensorType>(value.getType());
  }

  /// A constant of rank 0.
  Value constant(TypedAttr scalar);
  Value constant(Type element, double value);
  Value constant(Type element, int64_t value);
  Value constant(ArrayRef<int64_t> values, Type element, ArrayRef<int64_t> shape);

  Value unary(UnaryKind kind, Value x);
  Value binary(BinaryKind kind, Value l, Value r, RankedTensorType result = nullptr);
  Value compare(ComparePredicate predicate, Value l, Value r, RankedTensorType result = nullptr);
  Value select(Value condition, Value yes, Value no, RankedTensorType result = nullptr);
  /// `x` itself if it has that element type.
  Value cast(Value x, Type element);
  Value bitcast(Value x, Type element);
  /// `x` itself if it has that shape.
  Value reshape(Value x, ArrayRef<int64_t> shape);
  /// `x` itself for the identity.
  Value transpose(Value x, ArrayRef<int64_t> permutation);
  /// `added` are positions in the result, sorted, `extents` what they get.
  Value broadcast(Value x, ArrayRef<int64_t> added, ArrayRef<int64_t> extents);
  Value gather(Value x, Value indices, int64_t dimension);
  /// The elements of `x` along a static dimension in reverse order.
  Value reverse(Value x, int64_t dimension);

private:
  OpBuilder &b;
  Location loc;
};

/// Erases what the conversion left without users: ops of other dialects without effects.
void eraseDeadOps(func::FuncOp function);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_SUPPORT_GRAPHBUILDER_H
