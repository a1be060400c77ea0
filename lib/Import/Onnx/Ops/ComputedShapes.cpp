//===- ComputedShapes.cpp - Operators whose shapes are known when the model runs -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../ComputedNumbers.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::onnx;

/// The elements of the first operand in a shape of `sizes`, which must have as many.
static LogicalResult reshapeTo(Node &n, ComputedNumbers &a, ArrayRef<Value> sizes) {
  Value isEqual = a.equal(a.product(sizes), a.product(a.numbers(n.getExtents(0))));
  for (Value size : sizes)
    a.require(a.less(a.number(-1), size), "expected extents of at least 0 in the shape");
  a.require(isEqual, "expected a shape of as many elements as the operand has");
  return n.setResult(n.b.reshape(n.getInput(0), a.extents(sizes)));
}

/// 0 takes the operand's extent over (unless `allowzero`), one −1 is what the others leave.
LogicalResult mlir::fuse::onnx::importComputedReshape(Node &n) {
  ComputedNumbers a(n);
  SmallVector<Value> sizes = n.getNumbers(1, "shape"), from = a.numbers(n.getExtents(0));
  if (n.hasFailed())
    return failure();
  Value zero = a.number(0), one = a.number(1), open = a.number(-1);
  bool takesOver = n.getInt("allowzero", 0) == 0;
  Value known = one, numOpen = zero;
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    if (takesOver && dim < from.size())
      size = a.select(a.equal(size, zero), from[dim], size);
    Value isOpen = a.equal(size, open);
    known = a.mul(known, a.select(isOpen, one, size));
    numOpen = a.add(numOpen, a.select(isOpen, one, zero));
  }
  a.require(a.less(numOpen, a.number(2)), "expected at most one −1 in the shape");
  Value rest = a.divide(a.product(from), a.max(known, one));
  for (Value &size : sizes)
    size = a.select(a.equal(size, open), rest, size);
  return reshapeTo(n, a, sizes);
}

/// Kept dimension p has the extent of the p-th one that is not dropped.
LogicalResult mlir::fuse::onnx::importComputedSqueeze(Node &n) {
  ComputedNumbers a(n);
  SmallVector<Value> axes = n.getNumbers(1, "axes"), from = a.numbers(n.getExtents(0));
  int64_t rank = n.getRank(0), kept = rank - static_cast<int64_t>(axes.size());
  if (n.hasFailed())
    return failure();
  if (kept < 0)
    return n.fail("expected at most " + Twine(rank) + " axes, found " + Twine(axes.size()));
  Value zero = a.number(0), one = a.number(1), place = zero;
  SmallVector<Value> sizes(kept, zero);
  for (int64_t dim = 0; dim < rank; ++dim) {
    Value isDropped = a.contains(axes, dim, rank);
    for (auto [p, size] : llvm::enumerate(sizes)) {
      Value isHere = a.equal(place, a.number(static_cast<int64_t>(p)));
      size = a.select(isDropped, size, a.select(isHere, from[dim], size));
    }
    place = a.add(place, a.select(isDropped, zero, one));
  }
  a.require(a.equal(place, a.number(kept)), "expected axes that differ, within the rank");
  return reshapeTo(n, a, sizes);
}

LogicalResult mlir::fuse::onnx::importComputedUnsqueeze(Node &n) {
  ComputedNumbers a(n);
  SmallVector<Value> axes = n.getNumbers(1, "axes"), from = a.numbers(n.getExtents(0));
  int64_t rank = n.getRank(0) + static_cast<int64_t>(axes.size());
  if (n.hasFailed())
    return failure();
  Value one = a.number(1), zero = a.number(0), place = zero;
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < rank; ++dim) {
    Value isNew = a.contains(axes, dim, rank);
    sizes.push_back(a.select(isNew, one, a.element(from, place)));
    place = a.add(place, a.select(isNew, zero, one));
  }
  a.require(a.equal(place, a.number(n.getRank(0))), "expected axes that differ, within the result's rank");
  return reshapeTo(n, a, sizes);
}

/// How many steps of `step` lead from `start` up to `limit`, of floats.
static Value countFloats(Node &n, Value start, Value limit, Value step) {
  OpBuilder &b = n.b.getBuilder();
  Location loc = n.b.getLoc();
  auto read = [&](Value number) {
    Value element = tensor::ExtractOp::create(b, loc, n.b.reshape(number, ArrayRef<int64_t>()), ValueRange());
    return b.getF64Type() == element.getType()
               ? element
               : Value(arith::ExtFOp::create(b, loc, b.getF64Type(), element));
  };
  Value distance = arith::SubFOp::create(b, loc, read(limit), read(start));
  Value count = math::CeilOp::create(b, loc, arith::DivFOp::create(b, loc, distance, read(step)));
  return arith::IndexCastOp::create(b, loc, b.getIndexType(),
                                    arith::FPToSIOp::create(b, loc, b.getI64Type(), count));
}

LogicalResult mlir::fuse::onnx::importComputedRange(Node &n) {
  for (size_t i = 0; i < 3; ++i)
    if (n.getType(i).hasStaticShape() ? n.getType(i).getNumElements() != 1 : true)
      return n.fail("expected one number for start, limit and delta");
  ComputedNumbers a(n);
  Type element = n.getElementType(0);
  Value count, zero = a.number(0);
  // What kernels compute is known too late (see Node::isComputed); the error is that of what must be known.
  StringRef names[] = {"start", "limit", "delta"};
  for (size_t i = 0; i < 3; ++i)
    if (!n.isComputed(i) && !n.isSymbolic(i) && failed(n.getRequired(i, names[i])))
      return failure();
  if (isa<FloatType>(element)) {
    count = countFloats(n, n.getInput(0), n.getInput(1), n.getInput(2));
  } else {
    Value start = n.getNumber(0, "start"), limit = n.getNumber(1, "limit"), step = n.getNumber(2, "delta");
    if (n.hasFailed())
      return failure();
    a.require(a.either(a.less(step, zero), a.less(zero, step)), "expected a delta other than 0");
    count = a.ceilDiv(a.sub(limit, start), a.select(a.equal(step, zero), a.number(1), step));
  }
  FuseBuilder &b = n.b;
  Value places = b.iota(ArrayRef<OpFoldResult>(a.extent(a.max(count, zero))), 0, element);
  auto scalar = [&](size_t i) { return b.reshape(n.getInput(i), ArrayRef<int64_t>()); };
  return n.setResult(b.add(b.mul(places, scalar(2)), scalar(0)));
}

/// Begins and ends are clamped; negative ones count from the end; negative steps go backwards. Whatever is given for axes,
/// each axis has a begin, an end and a step.
LogicalResult mlir::fuse::onnx::importComputedSlice(Node &n) {
  ComputedNumbers a(n);
  SmallVector<Value> starts = n.getNumbers(1, "starts"), ends = n.getNumbers(2, "ends"), axes, steps;
  if (n.hasInput(3))
    axes = n.getNumbers(3, "axes");
  else
    for (size_t i = 0; i < starts.size(); ++i)
      axes.push_back(a.number(static_cast<int64_t>(i)));
  steps = n.hasInput(4) ? n.getNumbers(4, "steps") : SmallVector<Value>(starts.size(), a.number(1));
  if (n.hasFailed())
    return failure();
  if (ends.size() != starts.size() || axes.size() != starts.size() || steps.size() != starts.size())
    return n.fail("expected as many ends, axes and steps as starts");
  int64_t rank = n.getRank(0);
  Value x = n.getInput(0), zero = a.number(0), one = a.number(1);
  Type index = n.b.getBuilder().getI64Type();
  for (int64_t dim = 0; dim < rank; ++dim) {
    Value extent = a.number(n.getExtents(x)[dim]), start = zero, end = extent, step = one;
    bool isCut = false;
    for (auto [axis, from, to, by] : llvm::zip_equal(axes, starts, ends, steps)) {
      std::optional<int64_t> known = getConstantIntValue(axis);
      if (known && *known != dim && *known != dim - rank)
        continue;
      Value isHere = a.contains(axis, dim, rank);
      start = a.select(isHere, from, start);
      end = a.select(isHere, to, end);
      step = a.select(isHere, by, step);
      isCut = true;
    }
    if (!isCut)
      continue;
    Value isBack = a.less(step, zero), last = a.sub(extent, one);
    a.require(a.either(isBack, a.less(zero, step)), "expected steps other than 0");
    step = a.select(a.equal(step, zero), one, step);
    auto fromEnd = [&](Value at) { return a.select(a.less(at, zero), a.add(at, extent), at); };
    start = a.clamp(fromEnd(start), zero, a.select(isBack, last, extent));
    end = a.clamp(fromEnd(end), a.select(isBack, a.number(-1), zero), a.select(isBack, last, extent));
    Value count = a.max(a.ceilDiv(a.sub(end, start), step), zero);
    count = a.select(a.equal(extent, zero), zero, count);
    bool isForward = llvm::all_of(steps, [](Value by) { return getConstantIntValue(by) == 1; });
    if (isForward) {
      x = n.b.slice(x, dim, a.extent(a.min(start, extent)), a.extent(count));
      continue;
    }
    Value places = n.b.mul(n.b.iota(ArrayRef<OpFoldResult>(a.extent(count)), 0, index), a.tensor(step, index));
    x = n.b.gather(x, n.b.add(places, a.tensor(start, index)), dim);
  }
  return n.setResult(x);
}

namespace {
/// A border of `low` and `high` elements, which may be negative, along one axis.
class ComputedPad {
public:
  ComputedPad(Node &n, StringRef mode, Value fill) : n(n), b(n.b), a(n), mode(mode), fill(fill) {}

  Value pad(Value x, int64_t axis, Value low, Value high) {
    Value zero = a.number(0), extent = a.number(n.getExtents(x)[axis]);
    // What is cut off is no part of what is repeated.
    Value first = a.max(a.sub(zero, low), zero), border = a.max(low, zero);
    Value inner = a.sub(a.sub(extent, first), a.max(a.sub(zero, high), zero));
    Value count = a.add(a.add(extent, low), high);
    a.require(a.less(a.number(-1), count), "expected pads that leave at least 0 elements along axis " + Twine(axis));
    Type index = b.getBuilder().getI64Type();
    Value places = b.iota(ArrayRef<OpFoldResult>(a.extent(a.max(count, zero))), 0, index);
    places = b.sub(places, a.tensor(border, index));
    Value last = a.max(a.sub(inner, a.number(1)), zero);
    Value least = b.scalar(0, index), most = a.tensor(last, index);
    Value inside;
    if (mode == "constant")
      inside = b.binary(BinaryKind::And, b.compare(ComparePredicate::Ge, places, 0),
                        b.compare(ComparePredicate::Lt, places, a.tensor(inner, index)));
    else if (mode == "wrap")
      places = wrap(places, a.max(inner, a.number(1)));
    else if (mode == "reflect")
      places = reflect(places, last);
    places = b.add(b.clamp(places, least, most), a.tensor(first, index));
    Value padded = b.gather(x, places, axis);
    if (!inside)
      return padded;
    SmallVector<int64_t> others;
    for (int64_t dim = axis + 1; dim < b.rankOf(x); ++dim)
      others.push_back(dim - axis);
    return b.select(b.insertUnitDims(inside, others), padded, fill);
  }

private:
  /// The rest of a division by `period`, from 0 on.
  Value wrap(Value places, Value period) {
    Value by = a.tensor(period, b.elementOf(places));
    Value rest = b.binary(BinaryKind::Rem, places, by);
    return b.binary(BinaryKind::Rem, b.add(rest, by), by);
  }

  /// 3 2 1 0 1 2 3 2 1 of four elements, of which the last is `last`.
  Value reflect(Value places, Value last) {
    Value period = a.max(a.mul(last, a.number(2)), a.number(1));
    Value rest = wrap(places, period), back = b.sub(a.tensor(period, b.elementOf(places)), rest);
    return b.binary(BinaryKind::Min, rest, back);
  }

  Node &n;
  FuseBuilder &b;
  ComputedNumbers a;
  StringRef mode;
  Value fill;
};
} // namespace

LogicalResult mlir::fuse::onnx::importComputedPad(Node &n) {
  std::string mode = n.getString("mode", "constant");
  if (!llvm::is_contained({"constant", "edge", "reflect", "wrap"}, mode))
    return n.fail("expected mode = constant, reflect, edge or wrap, found '" + mode + "'");
  ComputedNumbers a(n);
  SmallVector<Value> pads = n.getNumbers(1, "pads"), axes;
  int64_t rank = n.getRank(0);
  if (n.hasInput(3))
    axes = n.getNumbers(3, "axes");
  else
    for (int64_t dim = 0; dim < rank; ++dim)
      axes.push_back(a.number(dim));
  if (n.hasFailed())
    return failure();
  if (pads.size() != 2 * axes.size())
    return n.fail("expected two pads for each of " + Twine(axes.size()) + " axes, found " + Twine(pads.size()));
  Value fill = n.b.scalar(0, n.getElementType(0));
  if (n.hasInput(2))
    fill = n.b.reshape(n.getInput(2), ArrayRef<int64_t>());
  ComputedPad border(n, mode, fill);
  Value x = n.getInput(0), zero = a.number(0);
  for (int64_t dim = 0; dim < rank; ++dim) {
    Value low = zero, high = zero;
    bool isPadded = false;
    for (auto [i, axis] : llvm::enumerate(axes)) {
      std::optional<int64_t> known = getConstantIntValue(axis);
      if (known && *known != dim && *known != dim - rank)
        continue;
      Value isHere = a.contains(axis, dim, rank);
      low = a.select(isHere, pads[i], low);
      high = a.select(isHere, pads[i + axes.size()], high);
      isPadded = true;
    }
    if (isPadded)
      x = border.pad(x, dim, low, high);
  }
  return n.setResult(x);
}
