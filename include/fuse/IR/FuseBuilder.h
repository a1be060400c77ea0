//===- FuseBuilder.h - Ops of the dialect, with the types that follow -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What importers, conversions and decompositions build with: result types are inferred, and what
// changes nothing is not built. Operands must fit each other as the ops ask for; the verifier finds
// what does not. Where importers say which types no tensor can have, the first one is remembered as
// the builder's error, and one of as many dimensions takes its place, so that importers read
// straight on; their caller looks at it at the end.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IR_FUSEBUILDER_H
#define FUSE_IR_FUSEBUILDER_H

#include "fuse/IR/FuseOps.h"
#include "fuse/Support/HostArray.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::fuse {

class FuseBuilder {
public:
  /// Why no tensor can be like that; nothing if one can.
  using CheckShape = std::optional<std::string>(ElementType, ArrayRef<int64_t> shape);

  /// Builds where and with the location that `builder` has when it is asked.
  explicit FuseBuilder(ImplicitLocOpBuilder &builder, CheckShape *check = nullptr)
      : b(builder), check(check) {}
  /// Builds where `builder` is now.
  FuseBuilder(const OpBuilder &builder, Location loc) : own(std::in_place, loc, builder), b(*own) {}
  FuseBuilder(const FuseBuilder &) = delete;
  FuseBuilder &operator=(const FuseBuilder &) = delete;

  MLIRContext *getContext() const { return b.getContext(); }
  Location getLoc() const { return b.getLoc(); }
  ImplicitLocOpBuilder &getBuilder() { return b; }

  bool hasFailed() const { return !error.empty(); }
  /// What was asked for first that no tensor can be; empty if there was nothing.
  StringRef getError() const { return error; }
  RankedTensorType makeType(ArrayRef<int64_t> shape, Type element);

  static RankedTensorType typeOf(Value x) { return llvm::cast<RankedTensorType>(x.getType()); }
  static ArrayRef<int64_t> shapeOf(Value x) { return typeOf(x).getShape(); }
  static Type elementOf(Value x) { return typeOf(x).getElementType(); }
  static int64_t rankOf(Value x) { return typeOf(x).getRank(); }

  //===- Constants --------------------------------------------------------------------------===//

  /// A tensor of rank 0, rounded to `element`.
  Value scalar(double value, Type element);
  /// One number as an operand beside `like`.
  Value scalarLike(double value, Value like) { return scalar(value, elementOf(like)); }
  Value splat(double value, RankedTensorType type);
  Value constant(const HostArray &array);
  Value constant(DenseElementsAttr value);
  /// Integers as a list.
  Value constant(ArrayRef<int64_t> values);
  Value constant(ArrayRef<int64_t> values, Type element, ArrayRef<int64_t> shape);
  /// A number of rank 0, exact: a double has no room for all of i64.
  Value constant(TypedAttr scalar);

  //===- Element-wise -----------------------------------------------------------------------===//

  Value unary(UnaryKind kind, Value x);
  /// A kind with parameters (ONNX's defaults are not the dialect's).
  Value unary(UnaryKind kind, Value x, double alpha, std::optional<double> beta = {});
  /// Here and below: `result` is the type of the result where it is known already.
  Value binary(BinaryKind kind, Value x, Value y, RankedTensorType result = {});
  Value compare(ComparePredicate predicate, Value x, Value y, RankedTensorType result = {});
  Value compare(ComparePredicate predicate, Value x, double y) {
    return compare(predicate, x, scalarLike(y, x));
  }
  Value select(Value condition, Value onTrue, Value onFalse, RankedTensorType result = {});
  Value clamp(Value x, Value low, Value high);
  Value cast(Value x, Type element);
  Value bitcast(Value x, Type element);
  /// f16 and bf16 as f32, others as they are: sums and squares of values may leave their range
  /// where means and roots of these do not.
  Value widen(Value x);

  Value add(Value x, Value y) { return binary(BinaryKind::Add, x, y); }
  Value sub(Value x, Value y) { return binary(BinaryKind::Sub, x, y); }
  Value mul(Value x, Value y) { return binary(BinaryKind::Mul, x, y); }
  Value div(Value x, Value y) { return binary(BinaryKind::Div, x, y); }
  Value add(Value x, double y) { return add(x, scalarLike(y, x)); }
  Value sub(Value x, double y) { return sub(x, scalarLike(y, x)); }
  Value mul(Value x, double y) { return mul(x, scalarLike(y, x)); }
  Value div(Value x, double y) { return div(x, scalarLike(y, x)); }

  //===- Reductions and products ------------------------------------------------------------===//

  Value reduce(ReduceKind kind, Value x, ArrayRef<int64_t> axes, bool keepDims);
  Value argmax(Value x, int64_t axis, bool keepDims);
  Value argmin(Value x, int64_t axis, bool keepDims);
  Value matmul(Value x, Value y, bool transposeLhs = false, bool transposeRhs = false,
               Type element = Type());

  //===- Views and moves --------------------------------------------------------------------===//

  Value reshape(Value x, ArrayRef<int64_t> shape);
  /// The same to extents some of which are values.
  Value reshape(Value x, ArrayRef<OpFoldResult> extents);
  Value transpose(Value x, ArrayRef<int64_t> permutation);
  /// Swaps two dimensions.
  Value swap(Value x, int64_t a, int64_t b);
  Value slice(Value x, ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes,
              ArrayRef<int64_t> strides);
  /// `size` elements along one axis.
  Value slice(Value x, int64_t axis, int64_t offset, int64_t size, int64_t stride = 1);
  /// The same where the offset or the size is a value.
  Value slice(Value x, int64_t axis, OpFoldResult offset, OpFoldResult size, int64_t stride = 1);
  /// All elements along one axis from `offset` on.
  Value sliceFrom(Value x, int64_t axis, int64_t offset);
  /// `added` are positions in the result, sorted, `extents` what they get.
  Value broadcast(Value x, ArrayRef<int64_t> added, ArrayRef<int64_t> extents);
  /// Repeats extents of 1 and adds leading dimensions (NumPy).
  Value broadcastTo(Value x, ArrayRef<int64_t> shape);
  /// The same to extents some of which are values. Where the operand has an extent other than 1, the result has that.
  Value broadcastTo(Value x, ArrayRef<OpFoldResult> extents);
  Value insertUnitDims(Value x, ArrayRef<int64_t> axes);
  Value concat(ValueRange parts, int64_t axis);
  Value pad(Value x, ArrayRef<int64_t> low, ArrayRef<int64_t> high, double value);
  Value pad(Value x, ArrayRef<int64_t> low, ArrayRef<int64_t> high, TypedAttr value);
  /// `stride` - 1 zeros between the elements along an axis.
  Value spread(Value x, int64_t axis, int64_t stride);
  Value gather(Value x, Value indices, int64_t axis);
  /// The same with indices that are known.
  Value gather(Value x, ArrayRef<int64_t> indices, int64_t axis);
  /// The elements along a static axis, the last one first.
  Value reverse(Value x, int64_t axis);
  /// `x` with the slices along `axis` that `indices` name updated.
  Value scatter(ScatterKind kind, Value x, Value indices, Value updates, int64_t axis);
  Value iota(ArrayRef<int64_t> shape, int64_t axis, Type element);
  Value iota(ArrayRef<OpFoldResult> extents, int64_t axis, Type element);
  /// A number, such as an extent, as a tensor of rank 0.
  Value fromIndex(OpFoldResult number, Type element);

private:
  RankedTensorType inferType(ValueRange operands, Type element);
  /// The same elements in another shape.
  RankedTensorType withShape(Value x, ArrayRef<int64_t> shape) {
    return makeType(shape, elementOf(x));
  }

  std::optional<ImplicitLocOpBuilder> own;
  ImplicitLocOpBuilder &b;
  CheckShape *check = nullptr;
  std::string error;
};

} // namespace mlir::fuse

#endif // FUSE_IR_FUSEBUILDER_H
