//===- Reductions.cpp - Reductions, extreme elements and running sums -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../../Common/Indices.h"
#include "../../Common/Scans.h"
#include "Elementwise.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::torch;

/// The dimensions of a reduction; those of `dim` or all.
static SmallVector<int64_t> getAxes(Node &n, Value x) { return n.getDims("dim", n.b.rankOf(x), /*allIfEmpty=*/true); }

/// The type that sums are made in: what is stated; i64 of integers.
static Type getSumType(Node &n, Value x) {
  Type element = n.b.elementOf(x);
  return n.getType("dtype", isa<IntegerType>(element) ? Type(n.b.getBuilder().getI64Type()) : element);
}

static LogicalResult importSum(Node &n, ReduceKind kind) {
  Value x = n.tensor("self");
  Type type = getSumType(n, x);
  SmallVector<int64_t> axes = getAxes(n, x);
  if (n.hasFailed())
    return failure();
  if (type.isInteger(1))
    return n.setResult(n.b.reduce(kind == ReduceKind::Sum ? ReduceKind::Any : ReduceKind::All, toBool(n, x), axes,
                                  n.getBool("keepdim", false)));
  return n.setResult(n.b.reduce(kind, n.b.cast(x, type), axes, n.getBool("keepdim", false)));
}

static LogicalResult importMean(Node &n) {
  Value x = n.tensor("self");
  Type type = n.getType("dtype", n.b.elementOf(x));
  SmallVector<int64_t> axes = getAxes(n, x);
  if (n.hasFailed())
    return failure();
  if (!isa<FloatType>(type))
    return n.fail("expected floats");
  return n.setResult(n.b.reduce(ReduceKind::Mean, n.b.cast(x, type), axes, n.getBool("keepdim", false)));
}

static LogicalResult importExtreme(Node &n, ReduceKind kind) {
  Value x = n.tensor("self");
  SmallVector<int64_t> axes = getAxes(n, x);
  if (n.hasFailed())
    return failure();
  if (n.b.elementOf(x).isInteger(1))
    kind = kind == ReduceKind::Max ? ReduceKind::Any : ReduceKind::All;
  return n.setResult(n.b.reduce(kind, x, axes, n.getBool("keepdim", false)));
}

static LogicalResult importAny(Node &n, ReduceKind kind) {
  Value x = n.tensor("self");
  SmallVector<int64_t> axes = getAxes(n, x);
  if (n.hasFailed())
    return failure();
  Value result = n.b.reduce(kind, toBool(n, x), axes, n.getBool("keepdim", false));
  return n.setResult(n.b.cast(result, n.getResultType(0, n.b.elementOf(result))));
}

/// The extreme element along one dimension and where it is. NaN is both the largest and the least.
static LogicalResult importExtremeAlong(Node &n, bool isMax) {
  FuseBuilder &b = n.b;
  Value x = n.tensor("self");
  int64_t dim = n.getDim("dim", 0, b.rankOf(x));
  bool keeps = n.getBool("keepdim", false);
  if (n.hasFailed())
    return failure();
  if (b.rankOf(x) == 0) {
    n.setResult(0, x);
    n.setResult(1, b.scalar(0, b.getBuilder().getI64Type()));
    return success();
  }
  Value wide = b.elementOf(x).isInteger(1) ? b.cast(x, b.getBuilder().getIntegerType(32)) : x;
  n.setResult(0, b.cast(b.reduce(isMax ? ReduceKind::Max : ReduceKind::Min, wide, {dim}, keeps), b.elementOf(x)));
  n.setResult(1, isMax ? b.argmax(wide, dim, keeps) : b.argmin(wide, dim, keeps));
  return success();
}

static LogicalResult importArg(Node &n, bool isMax) {
  FuseBuilder &b = n.b;
  Value x = n.tensor("self");
  bool isFlat = !n.has("dim");
  int64_t rank = b.rankOf(x), dim = n.getDim("dim", 0, rank);
  bool keeps = n.getBool("keepdim", false);
  if (n.hasFailed())
    return failure();
  if (rank == 0)
    return n.setResult(b.scalar(0, b.getBuilder().getI64Type()));
  if (b.elementOf(x).isInteger(1))
    x = b.cast(x, b.getBuilder().getIntegerType(32));
  if (isFlat)
    x = flatten(n, x);
  Value where =
      isMax ? b.argmax(x, isFlat ? 0 : dim, !isFlat && keeps) : b.argmin(x, isFlat ? 0 : dim, !isFlat && keeps);
  if (isFlat && keeps)
    where = b.reshape(where, SmallVector<int64_t>(rank, 1));
  return n.setResult(where);
}

/// Variance, in f32 for shorter floats: Σ (x − mean)² / max(0, count − correction).
static LogicalResult importVariance(Node &n, bool isRoot, bool withMean) {
  FuseBuilder &b = n.b;
  Value given = n.tensor("self"), x = b.widen(given);
  SmallVector<int64_t> axes = getAxes(n, x);
  double correction = n.has("unbiased") ? double(n.getBool("unbiased", true)) : n.getFloat("correction", 1);
  bool keeps = n.getBool("keepdim", false);
  if (n.hasFailed())
    return failure();
  if (!isa<FloatType>(b.elementOf(x)))
    return n.fail("expected floats");
  Value mean = b.reduce(ReduceKind::Mean, x, axes, true), centered = b.sub(x, mean);
  Value sum = b.reduce(ReduceKind::Sum, b.mul(centered, centered), axes, keeps);
  SmallVector<AffineExpr> extents = n.getExtents(x), reduced;
  for (int64_t axis : axes)
    reduced.push_back(extents[axis]);
  AffineExpr count = n.getProduct(reduced);
  Value divisor;
  if (auto number = dyn_cast<AffineConstantExpr>(count))
    divisor = b.scalarLike(std::max(0.0, double(number.getValue()) - correction), sum);
  else
    divisor = b.binary(BinaryKind::Max, b.sub(n.getNumber(count, b.elementOf(sum)), correction), b.scalarLike(0, sum));
  Value variance = b.div(sum, divisor);
  n.setResult(0, b.cast(isRoot ? b.unary(UnaryKind::Sqrt, variance) : variance, b.elementOf(given)));
  if (withMean) {
    SmallVector<AffineExpr> kept;
    for (auto [dim, extent] : llvm::enumerate(extents))
      if (!llvm::is_contained(axes, static_cast<int64_t>(dim)))
        kept.push_back(extent);
    n.setResult(1, b.cast(keeps ? mean : n.reshape(mean, kept), b.elementOf(given)));
  }
  return success();
}

static LogicalResult importLogSumExp(Node &n) {
  FuseBuilder &b = n.b;
  Value given = toFloat(n, n.tensor("self")), x = b.widen(given);
  SmallVector<int64_t> axes = getAxes(n, x);
  if (n.hasFailed())
    return failure();
  Value largest = b.reduce(ReduceKind::Max, x, axes, true);
  Value isFinite =
      b.compare(ComparePredicate::Lt, b.unary(UnaryKind::Abs, largest), std::numeric_limits<double>::infinity());
  Value shift = b.select(isFinite, largest, b.scalarLike(0, largest));
  Value sum = b.reduce(ReduceKind::Sum, b.unary(UnaryKind::Exp, b.sub(x, shift)), axes, true);
  Value result = b.cast(b.add(b.unary(UnaryKind::Log, sum), shift), b.elementOf(given));
  if (n.getBool("keepdim", false))
    return n.setResult(result);
  SmallVector<AffineExpr> kept;
  for (auto [dim, extent] : llvm::enumerate(n.getExtents(x)))
    if (!llvm::is_contained(axes, static_cast<int64_t>(dim)))
      kept.push_back(extent);
  return n.setResult(n.reshape(result, kept));
}

static LogicalResult importNorm(Node &n, StringRef order) {
  FuseBuilder &b = n.b;
  Value x = n.tensor("self");
  double p = n.getFloat(order, 2);
  Type type = n.getType("dtype", b.elementOf(x));
  SmallVector<int64_t> axes = getAxes(n, x);
  bool keeps = n.getBool("keepdim", false);
  if (n.hasFailed())
    return failure();
  if (!isa<FloatType>(type))
    return n.fail("expected floats");
  x = b.widen(b.cast(x, type));
  Value size = b.unary(UnaryKind::Abs, x), result;
  if (p == std::numeric_limits<double>::infinity())
    result = b.reduce(ReduceKind::Max, size, axes, keeps);
  else if (p == -std::numeric_limits<double>::infinity())
    result = b.reduce(ReduceKind::Min, size, axes, keeps);
  else if (p == 0)
    result = b.reduce(ReduceKind::Sum, b.cast(b.compare(ComparePredicate::Ne, x, 0.0), b.elementOf(x)), axes, keeps);
  else if (p == 1)
    result = b.reduce(ReduceKind::Sum, size, axes, keeps);
  else if (p == 2)
    result = b.unary(UnaryKind::Sqrt, b.reduce(ReduceKind::Sum, b.mul(x, x), axes, keeps));
  else
    result = b.binary(BinaryKind::Pow,
                      b.reduce(ReduceKind::Sum, b.binary(BinaryKind::Pow, size, b.scalarLike(p, size)), axes, keeps),
                      b.scalarLike(1 / p, size));
  return n.setResult(b.cast(result, type));
}

static LogicalResult importScan(Node &n, BinaryKind kind) {
  Value x = n.tensor("self");
  Type type = getSumType(n, x);
  int64_t rank = n.b.rankOf(x), dim = n.getDim("dim", 0, rank);
  if (n.hasFailed())
    return failure();
  x = n.b.cast(x, type);
  if (rank == 0)
    return n.setResult(x);
  Value sums = scanAxis(n, n.b.widen(x), kind, dim, /*exclusive=*/false, /*isReversed=*/false);
  return n.setResult(n.b.cast(sums, type));
}

static LogicalResult importTopK(Node &n) {
  FuseBuilder &b = n.b;
  Value x = n.tensor("self");
  AffineExpr k = n.getExpr("k", 1);
  int64_t rank = b.rankOf(x), dim = n.getDim("dim", -1, rank);
  if (n.hasFailed() || rank == 0 || b.elementOf(x).isInteger(1))
    return n.fail("expected numbers of rank 1 or more");
  AffineExpr extent = n.getExtents(x)[dim];
  auto number = dyn_cast<AffineConstantExpr>(k), known = dyn_cast<AffineConstantExpr>(extent);
  if (number && (number.getValue() < 0 || (known && number.getValue() > known.getValue())))
    return n.fail("expected k in [0, " + describeExtent(b.shapeOf(x)[dim]) + "], found " + Twine(number.getValue()));
  n.assumeAtLeast(extent, k);
  auto [values, indices] = findTop(n, x, k, dim, n.getBool("largest", true));
  n.setResult(0, values);
  n.setResult(1, indices);
  return success();
}

static LogicalResult importSort(Node &n, bool onlyIndices) {
  FuseBuilder &b = n.b;
  Value x = n.tensor("self");
  int64_t rank = b.rankOf(x), dim = n.getDim("dim", -1, rank);
  bool descending = n.getBool("descending", false);
  if (n.hasFailed())
    return failure();
  Value values = x, indices = b.scalar(0, b.getBuilder().getI64Type());
  if (rank > 0) {
    Value wide = b.elementOf(x).isInteger(1) ? b.cast(x, b.getBuilder().getIntegerType(32)) : x;
    std::tie(values, indices) = findTop(n, wide, n.getExtents(x)[dim], dim, descending);
    values = b.cast(values, b.elementOf(x));
  }
  n.setResult(0, onlyIndices ? indices : values);
  if (!onlyIndices)
    n.setResult(1, indices);
  return success();
}

/// The element that stands at place k − 1 of those sorted along a dimension, and where it is.
static LogicalResult importKthValue(Node &n) {
  FuseBuilder &b = n.b;
  Value x = n.tensor("self");
  int64_t rank = b.rankOf(x), dim = n.getDim("dim", -1, rank), k = n.getInt("k", 1);
  if (n.hasFailed() || rank == 0 || k < 1 || b.shapeOf(x)[dim] == 0 || b.elementOf(x).isInteger(1))
    return n.fail("expected numbers of rank 1 or more, and k of at least 1");
  n.assumeAtLeast(n.getExtents(x)[dim], n.getConstant(k));
  auto [values, indices] = findTop(n, x, n.getConstant(k), dim, false);
  auto take = [&](Value list) {
    Value last = b.slice(list, dim, k - 1, 1);
    SmallVector<AffineExpr> extents = n.getExtents(last);
    extents.erase(extents.begin() + dim);
    return n.getBool("keepdim", false) ? last : n.reshape(last, extents);
  };
  n.setResult(0, take(values));
  n.setResult(1, take(indices));
  return success();
}

/// The lower of the two in the middle; a NaN where there is one.
static LogicalResult importMedian(Node &n, bool isOfAll) {
  FuseBuilder &b = n.b;
  Value x = n.tensor("self");
  if (isOfAll)
    x = flatten(n, x);
  int64_t rank = b.rankOf(x), dim = isOfAll ? 0 : n.getDim("dim", -1, rank);
  if (n.hasFailed() || rank == 0 || b.shapeOf(x)[dim] < 1 || b.elementOf(x).isInteger(1))
    return n.fail("expected numbers along a dimension whose extent is known before the program runs");
  bool keeps = !isOfAll && n.getBool("keepdim", false);
  int64_t k = (b.shapeOf(x)[dim] + 1) / 2;
  auto [values, indices] = findTop(n, x, n.getConstant(k), dim, false);
  Value value = b.slice(values, dim, k - 1, 1), index = b.slice(indices, dim, k - 1, 1);
  if (isa<FloatType>(b.elementOf(x))) {
    Value isNan = b.unary(UnaryKind::IsNan, x), some = b.reduce(ReduceKind::Any, isNan, {dim}, true);
    value = b.select(some, b.scalarLike(std::numeric_limits<double>::quiet_NaN(), value), value);
    Value first = b.argmax(b.cast(isNan, b.getBuilder().getIntegerType(32)), dim, true);
    index = b.select(some, b.cast(first, b.elementOf(index)), index);
  }
  SmallVector<AffineExpr> extents = n.getExtents(value);
  if (!keeps)
    extents.erase(extents.begin() + dim);
  n.setResult(0, n.reshape(value, extents));
  if (!isOfAll)
    n.setResult(1, n.reshape(index, extents));
  return success();
}

void mlir::fuse::torch::addReductionOps(OpTable &table) {
  table.add("sum.default sum.dim_IntList", "self", [](Node &n) { return importSum(n, ReduceKind::Sum); });
  table.add("prod.default prod.dim_int", "self", [](Node &n) { return importSum(n, ReduceKind::Prod); });
  table.add("mean.default mean.dim", "self", importMean);
  table.add("amax.default max.default", "self", [](Node &n) { return importExtreme(n, ReduceKind::Max); });
  table.add("amin.default min.default", "self", [](Node &n) { return importExtreme(n, ReduceKind::Min); });
  table.add("max.dim", "self", [](Node &n) { return importExtremeAlong(n, true); });
  table.add("min.dim", "self", [](Node &n) { return importExtremeAlong(n, false); });
  table.add("aminmax.default", "self", [](Node &n) {
    Value x = n.tensor("self");
    SmallVector<int64_t> axes = getAxes(n, x);
    if (n.hasFailed() || n.b.elementOf(x).isInteger(1))
      return n.fail("expected numbers");
    n.setResult(0, n.b.reduce(ReduceKind::Min, x, axes, n.getBool("keepdim", false)));
    n.setResult(1, n.b.reduce(ReduceKind::Max, x, axes, n.getBool("keepdim", false)));
    return success();
  });
  table.add("any.default any.dim any.dims", "self", [](Node &n) { return importAny(n, ReduceKind::Any); });
  table.add("all.default all.dim all.dims", "self", [](Node &n) { return importAny(n, ReduceKind::All); });
  table.add("argmax.default", "self", [](Node &n) { return importArg(n, true); });
  table.add("argmin.default", "self", [](Node &n) { return importArg(n, false); });
  table.add("var.default var.dim var.correction", "self", [](Node &n) { return importVariance(n, false, false); });
  table.add("std.default std.dim std.correction", "self", [](Node &n) { return importVariance(n, true, false); });
  table.add("var_mean.default var_mean.dim var_mean.correction", "self",
            [](Node &n) { return importVariance(n, false, true); });
  table.add("std_mean.default std_mean.dim std_mean.correction", "self",
            [](Node &n) { return importVariance(n, true, true); });
  table.add("logsumexp.default special_logsumexp.default", "self", importLogSumExp);
  table.add("linalg_vector_norm.default", "self", [](Node &n) { return importNorm(n, "ord"); });
  table.add("norm.Scalar norm.ScalarOpt_dim norm.ScalarOpt_dim_dtype", "self",
            [](Node &n) { return importNorm(n, "p"); });
  table.add("count_nonzero.default count_nonzero.dim_IntList", "self", [](Node &n) {
    Value x = n.tensor("self");
    SmallVector<int64_t> axes = getAxes(n, x);
    Value isSet = n.b.cast(toBool(n, x), n.b.getBuilder().getI64Type());
    return n.hasFailed() ? failure() : n.setResult(n.b.reduce(ReduceKind::Sum, isSet, axes, false));
  });
  table.add("nansum.default", "self", [](Node &n) {
    Value x = n.tensor("self");
    Type type = getSumType(n, x);
    SmallVector<int64_t> axes = getAxes(n, x);
    if (n.hasFailed())
      return failure();
    if (isa<FloatType>(n.b.elementOf(x)))
      x = n.b.select(n.b.unary(UnaryKind::IsNan, x), n.b.scalarLike(0, x), x);
    return n.setResult(n.b.reduce(ReduceKind::Sum, n.b.cast(x, type), axes, n.getBool("keepdim", false)));
  });
  table.add("cumsum.default", "self", [](Node &n) { return importScan(n, BinaryKind::Add); });
  table.add("cumprod.default", "self", [](Node &n) { return importScan(n, BinaryKind::Mul); });
  table.add("kthvalue.default", "self", importKthValue);
  table.add("median.default", "self", [](Node &n) { return importMedian(n, true); });
  table.add("median.dim", "self", [](Node &n) { return importMedian(n, false); });
  table.add("topk.default", "self", importTopK);
  table.add("sort.default sort.stable", "self", [](Node &n) { return importSort(n, false); });
  table.add("argsort.default argsort.stable", "self", [](Node &n) { return importSort(n, true); });
}
