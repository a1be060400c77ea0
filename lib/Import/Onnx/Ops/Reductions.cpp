//===- Reductions.cpp - Operators that fold along axes -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../ComputedNumbers.h"
#include "../OpTable.h"
#include "fuse/IR/ScalarBody.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::onnx;

namespace {

enum class Fold { Sum, Mean, Max, Min, Prod, L1, L2, LogSum, LogSumExp, SumSquare };

struct Axes {
  SmallVector<int64_t> list;
  bool keepDims;
};

} // namespace

/// Axes are an attribute, from opset 13 (sums) or 18 (the others) on an operand. None means all, or,
/// with `noop_with_empty_axes`, none.
static FailureOr<Axes> getAxes(Node &n) {
  SmallVector<int64_t> axes = n.getIntegers(1, "axes");
  int64_t rank = n.getRank(0);
  Axes result{{}, n.getInt("keepdims", 1) != 0};
  for (int64_t axis : axes) {
    axis = n.normalizeAxis(axis, rank);
    if (!llvm::is_contained(result.list, axis))
      result.list.push_back(axis);
  }
  if (n.hasFailed())
    return failure();
  llvm::sort(result.list);
  if (axes.empty() && !n.getInt("noop_with_empty_axes", 0))
    llvm::append_range(result.list, llvm::seq<int64_t>(0, rank));
  return result;
}

namespace {
/// A reduction along axes that are known when the model runs: each element goes to the place that the indices along the
/// other axes say.
class ComputedReduction {
public:
  explicit ComputedReduction(Node &n) : n(n), b(n.b), a(n) {
    SmallVector<Value> axes = n.getNumbers(1, "axes"), from = a.numbers(n.getExtents(0));
    int64_t rank = n.getRank(0);
    bool keepDims = n.getInt("keepdims", 1), reducesAll = axes.empty() && !n.getInt("noop_with_empty_axes", 0);
    int64_t kept = reducesAll ? 0 : std::max<int64_t>(0, rank - static_cast<int64_t>(axes.size()));
    Value zero = a.number(0), one = a.number(1), place = zero;
    sizes.assign(keepDims ? rank : kept, keepDims ? one : zero);
    SmallVector<Value> strides(rank, zero);
    count = elements = one;
    for (int64_t dim = rank; dim-- > 0;) {
      Value isReduced = reducesAll ? a.equal(zero, zero) : a.contains(axes, dim, rank);
      strides[dim] = a.select(isReduced, zero, elements);
      elements = a.mul(elements, a.select(isReduced, one, from[dim]));
      count = a.mul(count, a.select(isReduced, from[dim], one));
      if (keepDims)
        sizes[dim] = a.select(isReduced, one, from[dim]);
      for (int64_t p = 0; p < kept && !keepDims; ++p) { // the last dimension that is kept comes first
        Value isHere = a.equal(place, a.number(kept - 1 - p));
        sizes[p] = a.select(isReduced, sizes[p], a.select(isHere, from[dim], sizes[p]));
      }
      place = a.add(place, a.select(isReduced, zero, one));
    }
    if (!keepDims)
      a.require(a.equal(place, a.number(kept)), "expected axes that differ, within the rank");
    // Where each element goes.
    Type index = b.getBuilder().getI64Type();
    SmallVector<OpFoldResult> shape = n.getSizes(n.getExtents(0));
    places = b.broadcastTo(b.scalar(0, index), shape);
    for (int64_t dim = 0; dim < rank; ++dim)
      places = b.add(places, b.mul(b.iota(shape, dim, index), a.tensor(strides[dim], index)));
    places = flatten(places);
  }

  /// Sums of short types are made in longer ones, as `fuse.reduce` makes them.
  Value fold(ReduceKind kind, Value x) {
    Type element = b.elementOf(x), wide = getAccumulatorType(kind, element);
    Value start = b.broadcastTo(getNeutral(kind, wide), ArrayRef<OpFoldResult>(a.extent(elements)));
    Value folded = b.scatter(getScatterKind(kind), start, places, flatten(b.cast(x, wide)), 0);
    if (kind == ReduceKind::Mean)
      folded = b.div(folded, a.tensor(count, wide));
    return b.reshape(b.cast(folded, element), a.extents(sizes));
  }

  /// What was folded, at each element that it was folded of.
  Value spread(Value folded) {
    Value list = b.reshape(folded, ArrayRef<OpFoldResult>(a.extent(elements)));
    return b.reshape(b.gather(list, places, 0), n.getSizes(n.getExtents(0)));
  }

private:
  Value flatten(Value x) { return n.reshape(x, {n.getProduct(n.getExtents(x))}); }

  Value getNeutral(ReduceKind kind, Type element) {
    TypedAttr neutral = getReduceNeutral(kind, element); // of the signless type
    if (auto integer = dyn_cast<IntegerAttr>(neutral))
      neutral = IntegerAttr::get(element, integer.getValue());
    return b.constant(neutral);
  }

  static ScatterKind getScatterKind(ReduceKind kind) {
    switch (kind) {
    case ReduceKind::Max:
      return ScatterKind::Max;
    case ReduceKind::Min:
      return ScatterKind::Min;
    case ReduceKind::Prod:
      return ScatterKind::Mul;
    default:
      return ScatterKind::Add;
    }
  }

  Node &n;
  FuseBuilder &b;
  ComputedNumbers a;
  SmallVector<Value> sizes; // of the result
  Value elements, count;    // of the result; folded into each of them
  Value places;             // for each element of the operand, that of the result
};
} // namespace

/// log Σ exp x, with the largest element taken out of the exponent where it is finite.
/// `fold`: a reduction of a value; `spread`: what it gave, such that it broadcasts to the value.
static Value buildLogSumExp(FuseBuilder &b, Value x, llvm::function_ref<Value(ReduceKind, Value)> fold,
                            llvm::function_ref<Value(Value)> spread) {
  Value largest = fold(ReduceKind::Max, x);
  Value isFinite = b.compare(ComparePredicate::Lt, b.unary(UnaryKind::Abs, largest),
                             b.scalarLike(std::numeric_limits<double>::infinity(), largest));
  Value shift = b.select(isFinite, largest, b.scalarLike(0, largest));
  Value sum = fold(ReduceKind::Sum, b.unary(UnaryKind::Exp, b.sub(x, spread(shift))));
  return b.add(b.unary(UnaryKind::Log, sum), shift);
}

static Value buildLogSumExp(FuseBuilder &b, Value x, const Axes &axes) {
  auto fold = [&](ReduceKind kind, Value v) { return b.reduce(kind, v, axes.list, /*keepDims=*/true); };
  Value result = buildLogSumExp(b, x, fold, [](Value kept) { return kept; });
  if (axes.keepDims)
    return result;
  SmallVector<int64_t> shape;
  for (auto [dim, extent] : llvm::enumerate(b.shapeOf(x)))
    if (!llvm::is_contained(axes.list, static_cast<int64_t>(dim)))
      shape.push_back(extent);
  return b.reshape(result, shape);
}

static LogicalResult importReduce(Node &n, Fold fold) {
  std::optional<ComputedReduction> computed;
  if (n.isComputed(1))
    computed.emplace(n);
  FailureOr<Axes> axes = computed ? Axes() : getAxes(n);
  if (failed(axes))
    return failure();
  FuseBuilder &b = n.b;
  Value x = n.getInput(0);
  Type element = n.getElementType(0);
  bool isFloat = isa<FloatType>(element);
  auto reduce = [&](ReduceKind kind, Value v) {
    return computed ? computed->fold(kind, v) : b.reduce(kind, v, axes->list, axes->keepDims);
  };
  auto sum = [&](Value v) { return reduce(ReduceKind::Sum, v); };
  // Roots and logarithms of integers go through floats, those of short floats through longer ones.
  auto toFloat = [&](Value v) {
    return isFloat ? b.widen(v) : b.cast(v, b.getBuilder().getF64Type());
  };
  switch (fold) {
  case Fold::Sum:
    return n.setResult(sum(x));
  case Fold::Mean:
    if (computed)
      return n.setResult(reduce(ReduceKind::Mean, x));
    if (axes->list.empty())
      return n.setResult(x);
    if (!isFloat) {
      int64_t count = 1;
      for (int64_t axis : axes->list) {
        if (ShapedType::isDynamic(n.getShape(0)[axis]))
          return n.fail("the mean of integers needs static extents");
        count *= n.getShape(0)[axis];
      }
      return n.setResult(b.div(sum(x), double(count)));
    }
    return n.setResult(reduce(ReduceKind::Mean, x));
  case Fold::Max:
  case Fold::Min:
    return n.setResult(reduce(fold == Fold::Max ? ReduceKind::Max : ReduceKind::Min, x));
  case Fold::Prod:
    return n.setResult(reduce(ReduceKind::Prod, x));
  case Fold::L1:
    return n.setResult(sum(b.unary(UnaryKind::Abs, x)));
  case Fold::L2: {
    Value wide = toFloat(x);
    return n.setResult(b.cast(b.unary(UnaryKind::Sqrt, sum(b.mul(wide, wide))), element));
  }
  case Fold::LogSum: {
    // Of integers, a sum below 0 has the logarithm of 0: the lowest one. No integer is a NaN.
    Value total = sum(toFloat(x));
    if (!isFloat)
      total = b.binary(BinaryKind::Max, total, b.scalarLike(0, total));
    return n.setResult(b.cast(b.unary(UnaryKind::Log, total), element));
  }
  case Fold::LogSumExp: {
    Value wide = toFloat(x);
    Value result = computed ? buildLogSumExp(b, wide, reduce, [&](Value folded) { return computed->spread(folded); })
                            : buildLogSumExp(b, wide, *axes);
    return n.setResult(b.cast(result, element));
  }
  case Fold::SumSquare:
    return n.setResult(sum(b.mul(x, x)));
  }
  llvm_unreachable("all folds are handled");
}

static LogicalResult importArg(Node &n, bool isMax) {
  int64_t axis = n.getAxis(0, n.getRank(0));
  bool keepDims = n.getInt("keepdims", 1), last = n.getInt("select_last_index", 0);
  if (n.hasFailed())
    return failure();
  FuseBuilder &b = n.b;
  Value x = n.getInput(0);
  auto pick = [&](Value v) {
    return isMax ? b.argmax(v, axis, keepDims) : b.argmin(v, axis, keepDims);
  };
  if (!last)
    return n.setResult(pick(x));
  // The last of equals is the first from behind.
  AffineExpr extent = n.getExtents(0)[axis];
  Type index = b.getBuilder().getI64Type();
  if (isa<AffineConstantExpr>(extent)) {
    if (failed(n.takeListed(n.getShape(0)[axis])))
      return failure();
    x = b.reverse(x, axis);
  } else {
    x = b.gather(x, b.sub(n.getNumber(extent - 1, index), b.iota(n.getSizes({extent}), 0, index)), axis);
  }
  Value first = pick(x);
  return n.setResult(b.sub(n.getNumber(extent - 1, index), first));
}

void mlir::fuse::onnx::addReductionOps(OpTable &table) {
  static constexpr std::pair<const char *, Fold> kFolds[] = {
      {"ReduceSum", Fold::Sum},       {"ReduceMean", Fold::Mean},
      {"ReduceMax", Fold::Max},       {"ReduceMin", Fold::Min},
      {"ReduceProd", Fold::Prod},     {"ReduceL1", Fold::L1},
      {"ReduceL2", Fold::L2},         {"ReduceLogSum", Fold::LogSum},
      {"ReduceLogSumExp", Fold::LogSumExp}, {"ReduceSumSquare", Fold::SumSquare}};
  for (auto [name, fold] : kFolds)
    table.add(name, 1, 2, [fold = fold](Node &n) { return importReduce(n, fold); }, {1});
  table.add("ArgMax", 1, 1, [](Node &n) { return importArg(n, true); });
  table.add("ArgMin", 1, 1, [](Node &n) { return importArg(n, false); });
}
