//===- Scans.cpp - Extremes and sums up to each element -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../../Common/Scans.h"
#include "Elementwise.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::torch;

/// The states after each step along `dim`.
static SmallVector<Value> scanStates(Node &n, ArrayRef<Value> sequences, ArrayRef<Value> starts, int64_t dim,
                                     importer::StepBuilder step) {
  auto elements = llvm::map_to_vector(starts, [&](Value start) { return n.b.elementOf(start); });
  auto yieldTwice = [&](ValueRange states, ValueRange rows) {
    SmallVector<Value> after = step(states, rows), yielded(after);
    llvm::append_range(yielded, after);
    return yielded;
  };
  return importer::scanSteps(n, sequences, starts, elements, dim, /*isReversed=*/false, yieldTwice);
}

/// The least or the largest number of a type, and of floats an infinity.
static Value makeExtreme(FuseBuilder &b, Type element, bool isLargest) {
  if (isa<FloatType>(element)) {
    double infinity = std::numeric_limits<double>::infinity();
    return b.scalar(isLargest ? infinity : -infinity, element);
  }
  unsigned width = element.getIntOrFloatBitWidth();
  bool isUnsigned = element.isUnsignedInteger() || width == 1;
  APInt value =
      isUnsigned ? (isLargest ? APInt::getMaxValue(width) : APInt::getMinValue(width))
                 : (isLargest ? APInt::getSignedMaxValue(width) : APInt::getSignedMinValue(width));
  auto type = RankedTensorType::get({}, element);
  return arith::ConstantOp::create(b.getBuilder(), DenseElementsAttr::get(type, value)).getResult();
}

/// The extremes up to each element along 'dim', and the places of the last of those: NaN is one
/// from where it is on.
static LogicalResult importExtremes(Node &n, bool isMax) {
  FuseBuilder &b = n.b;
  Value x = n.tensor("self");
  int64_t rank = b.rankOf(x), dim = n.getDim("dim", 0, rank);
  if (n.hasFailed())
    return failure();
  Type element = b.elementOf(x), index = b.getBuilder().getI64Type();
  if (rank == 0) {
    n.setResult(0, x);
    n.setResult(1, b.scalar(0, index));
    return success();
  }
  Value given = element.isInteger(1) ? b.cast(x, b.getBuilder().getIntegerType(32)) : x;
  Type type = b.elementOf(given);
  bool isFloat = isa<FloatType>(type);
  Value places = b.iota(n.getSizes(n.getExtents(x)), dim, index);
  SmallVector<Value> found = scanStates(
      n, {given, places}, {makeExtreme(b, type, !isMax), b.scalar(0, index)}, dim,
      [&](ValueRange states, ValueRange elements) -> SmallVector<Value> {
        Value isNext =
            b.compare(isMax ? ComparePredicate::Ge : ComparePredicate::Le, elements[0], states[0]);
        if (isFloat) {
          Value isAfterNan = b.unary(UnaryKind::LogicalNot, b.unary(UnaryKind::IsNan, states[0]));
          isNext = b.binary(BinaryKind::Or, b.unary(UnaryKind::IsNan, elements[0]),
                            b.binary(BinaryKind::And, isAfterNan, isNext));
        }
        return {b.select(isNext, elements[0], states[0]), b.select(isNext, elements[1], states[1])};
      });
  n.setResult(0, b.cast(found[0], element));
  n.setResult(1, found[1]);
  return success();
}

/// log of the sums of exponentials up to each element, from one to the next.
static LogicalResult importLogSums(Node &n) {
  FuseBuilder &b = n.b;
  Value x = n.tensor("self");
  int64_t rank = b.rankOf(x), dim = n.getDim("dim", 0, rank);
  Type element = b.elementOf(x);
  if (n.hasFailed() || !isa<FloatType>(element))
    return n.fail("expected floats");
  if (rank == 0)
    return n.setResult(x);
  Value given = b.widen(x), start = makeExtreme(b, b.elementOf(given), /*isLargest=*/false);
  SmallVector<Value> sums = scanStates(
      n, given, start, dim, [&](ValueRange states, ValueRange elements) -> SmallVector<Value> {
        return {addExponentials(b, states[0], elements[0], /*isBinary=*/false)};
      });
  return n.setResult(b.cast(sums[0], element));
}

void mlir::fuse::torch::addScanOps(OpTable &table) {
  table.add("cummax.default", "self", [](Node &n) { return importExtremes(n, true); });
  table.add("cummin.default", "self", [](Node &n) { return importExtremes(n, false); });
  table.add("logcumsumexp.default", "self", importLogSums);
}
