//===- ComputedNumbers.h - Integers that are known when the model runs -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A list of integers that says a shape, axes or pads is most often known when a model is imported, or computed from
// extents of open dimensions. It may also be an input of the model. Its elements then are values of type `index`, and
// so is all that follows from them: the extents of
//
//   Reshape(x, shape), x of 4x6 and shape an input of two integers
//
// are select(shape[k] == -1, 24 / product of the others, shape[k]).
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_COMMON_COMPUTEDNUMBERS_H
#define FUSE_IMPORT_COMMON_COMPUTEDNUMBERS_H

#include "OpContext.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::fuse::importer {

/// Arithmetic on values of type `index` at the node that is imported.
class ComputedNumbers {
public:
  explicit ComputedNumbers(OpContext &n) : n(n), builder(n.b.getBuilder()), loc(n.b.getLoc()) {}

  Value number(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }
  /// An extent that is computed otherwise.
  Value number(AffineExpr extent);
  SmallVector<Value> numbers(ArrayRef<AffineExpr> extents) {
    return llvm::map_to_vector(extents, [&](AffineExpr extent) { return number(extent); });
  }

  Value add(Value x, Value y) { return arith::AddIOp::create(builder, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubIOp::create(builder, loc, x, y); }
  Value mul(Value x, Value y) { return arith::MulIOp::create(builder, loc, x, y); }
  Value min(Value x, Value y) { return arith::MinSIOp::create(builder, loc, x, y); }
  Value max(Value x, Value y) { return arith::MaxSIOp::create(builder, loc, x, y); }
  Value clamp(Value x, Value low, Value high) { return max(min(x, high), low); }
  /// Rounded up; `y` other than 0.
  Value ceilDiv(Value x, Value y) { return arith::CeilDivSIOp::create(builder, loc, x, y); }
  /// Of numbers of at least 0, without a rest.
  Value divide(Value x, Value y) { return arith::DivUIOp::create(builder, loc, x, y); }
  /// ⌊x / y⌋ as an extent: an expression where one says it, else a number that is computed. A divisor of 0 is an error of the call.
  AffineExpr quotient(AffineExpr x, AffineExpr y);
  /// The least of numbers, or the greatest, as an extent: one of them where it is seen to be that for all sizes.
  AffineExpr min(ArrayRef<AffineExpr> list) { return extreme(list, /*isGreatest=*/false); }
  AffineExpr max(ArrayRef<AffineExpr> list) { return extreme(list, /*isGreatest=*/true); }
  /// `at`, and `at + extent` where it is negative.
  AffineExpr wrapped(AffineExpr at, AffineExpr extent);
  Value equal(Value x, Value y) { return compare(arith::CmpIPredicate::eq, x, y); }
  Value less(Value x, Value y) { return compare(arith::CmpIPredicate::slt, x, y); }
  Value select(Value condition, Value x, Value y) { return arith::SelectOp::create(builder, loc, condition, x, y); }
  Value either(Value x, Value y) { return arith::OrIOp::create(builder, loc, x, y); }
  /// ⌊extent · factors[i]⌋, of a list of floats; a factor that is not above 0 is an error of the call.
  AffineExpr scaled(AffineExpr extent, Value factors, size_t i);
  /// The same with one factor, of type f64.
  AffineExpr scaled(AffineExpr extent, Value factor);
  /// An extent as a float of type f64.
  Value toFloat(AffineExpr extent);
  /// A float as an extent, truncated.
  AffineExpr truncate(Value number);
  Value product(ArrayRef<Value> values);
  /// `list[at]`, of which `at` is known when the model runs; 0 outside.
  Value element(ArrayRef<Value> list, Value at);
  /// Whether `axes` has `axis`, or that counted from the end of `rank` ones.
  Value contains(ArrayRef<Value> axes, int64_t axis, int64_t rank);

  /// A call in which `condition` does not hold is an error: `text` behind the name of the node.
  void require(Value condition, const Twine &text);

  /// As an extent, which callers have seen to be at least 0.
  OpFoldResult extent(Value number);
  SmallVector<OpFoldResult> extents(ArrayRef<Value> numbers) {
    return llvm::map_to_vector(numbers, [&](Value number) { return extent(number); });
  }
  /// As a tensor of rank 0.
  Value tensor(Value number, Type element) { return n.b.fromIndex(number, element); }

private:
  AffineExpr extreme(ArrayRef<AffineExpr> list, bool isGreatest);
  /// What `compute` makes as an extent, once for each `op` of these operands; in any order where it `commutes`.
  AffineExpr once(StringRef op, ArrayRef<AffineExpr> operands, bool commutes, llvm::function_ref<Value()> compute);
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(builder, loc, predicate, x, y);
  }

  OpContext &n;
  OpBuilder &builder;
  Location loc;
};

} // namespace mlir::fuse::importer

#endif // FUSE_IMPORT_COMMON_COMPUTEDNUMBERS_H
