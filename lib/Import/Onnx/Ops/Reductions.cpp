//===- Reductions.cpp - Operators that fold along axes -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../OpTable.h"

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

/// log Σ exp x, with the largest element taken out of the exponent where it is finite.
static Value buildLogSumExp(Node &n, Value x, const Axes &axes) {
  FuseBuilder &b = n.b;
  Value largest = b.reduce(ReduceKind::Max, x, axes.list, /*keepDims=*/true);
  Value isFinite = b.compare(ComparePredicate::Lt, b.unary(UnaryKind::Abs, largest),
                             b.scalarLike(std::numeric_limits<double>::infinity(), largest));
  Value shift = b.select(isFinite, largest, b.scalarLike(0, largest));
  Value sum = b.reduce(ReduceKind::Sum, b.unary(UnaryKind::Exp, b.sub(x, shift)), axes.list, true);
  Value result = b.add(b.unary(UnaryKind::Log, sum), shift);
  if (axes.keepDims)
    return result;
  SmallVector<int64_t> shape;
  for (auto [dim, extent] : llvm::enumerate(b.shapeOf(x)))
    if (!llvm::is_contained(axes.list, static_cast<int64_t>(dim)))
      shape.push_back(extent);
  return b.reshape(result, shape);
}

static LogicalResult importReduce(Node &n, Fold fold) {
  FailureOr<Axes> axes = getAxes(n);
  if (failed(axes))
    return failure();
  FuseBuilder &b = n.b;
  Value x = n.getInput(0);
  Type element = n.getElementType(0);
  bool isFloat = isa<FloatType>(element);
  auto sum = [&](Value v) { return b.reduce(ReduceKind::Sum, v, axes->list, axes->keepDims); };
  // Roots and logarithms of integers go through floats, those of short floats through longer ones.
  auto toFloat = [&](Value v) {
    return isFloat ? b.widen(v) : b.cast(v, b.getBuilder().getF64Type());
  };
  switch (fold) {
  case Fold::Sum:
    return n.setResult(sum(x));
  case Fold::Mean:
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
    return n.setResult(b.reduce(ReduceKind::Mean, x, axes->list, axes->keepDims));
  case Fold::Max:
  case Fold::Min:
    return n.setResult(b.reduce(fold == Fold::Max ? ReduceKind::Max : ReduceKind::Min, x,
                                axes->list, axes->keepDims));
  case Fold::Prod:
    return n.setResult(b.reduce(ReduceKind::Prod, x, axes->list, axes->keepDims));
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
  case Fold::LogSumExp:
    return n.setResult(b.cast(buildLogSumExp(n, toFloat(x), *axes), element));
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
