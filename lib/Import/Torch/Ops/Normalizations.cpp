//===- Normalizations.cpp - Normalizations -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../../Common/Moments.h"
#include "../OpTable.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::torch;

static LogicalResult checkFloat(Node &n, Value x) {
  return isa<FloatType>(n.b.elementOf(x)) ? success() : n.fail("expected floats");
}

/// A list of `count` numbers, or one of `value` where it is not there.
static Value getList(Node &n, StringRef name, double value, AffineExpr count, Type element) {
  FuseBuilder &b = n.b;
  auto known = dyn_cast<AffineConstantExpr>(count);
  if (!n.has(name) && known)
    return b.splat(value, b.makeType({known.getValue()}, element));
  if (!n.has(name))
    return n.expand(b.scalar(value, element), {count});
  Value list = n.tensor(name);
  SmallVector<AffineExpr> own = n.getExtents(list);
  if (own.size() != 1 || (known && isa<AffineConstantExpr>(own[0]) && own[0] != count)) {
    (void)n.fail("expected a list of as many elements as there are channels as '" + name + "'");
    return list;
  }
  n.assumeEqual(own[0], count);
  return b.cast(list, element);
}

/// Batch normalization: with running statistics, or with those of the batch, which then are results and move the
/// running ones. `isFunctional`: these are results, too.
static LogicalResult importBatchNorm(Node &n, bool isTraining, bool isFunctional) {
  FuseBuilder &b = n.b;
  Value given = n.tensor("input"), x = b.widen(given);
  int64_t rank = b.rankOf(x);
  if (rank < 2 || failed(checkFloat(n, x)))
    return n.fail("expected rank 2 or more");
  // Instances that are each normalized may come as channels: [1, N * C, ...].
  if (!isTraining && ShapedType::isDynamic(b.shapeOf(x)[1]))
    return n.fail("expected channels whose number is known before the program runs");
  AffineExpr channels = n.getExtents(x)[1];
  Type element = b.elementOf(x);
  // Statistics have the type that the program says: PyTorch keeps those of f16 and bf16 in the one or the other.
  auto setStatistics = [&](size_t i, Value value, Type otherwise) {
    n.setResult(i, b.cast(value, n.getResultType(i, otherwise)));
  };
  double epsilon = n.getFloat("eps", 1e-5), momentum = n.getFloat("momentum", 0.1);
  Value scale = getList(n, "weight", 1, channels, element), offset = getList(n, "bias", 0, channels, element);
  if (n.hasFailed())
    return failure();
  if (!isTraining) {
    if (!n.has("running_mean") || !n.has("running_var"))
      return n.fail("expected running statistics outside of training");
    Value mean = getList(n, "running_mean", 0, channels, element),
          variance = getList(n, "running_var", 1, channels, element);
    if (n.hasFailed())
      return failure();
    Value y = BatchNormOp::create(b.getBuilder(), x.getType(), x, scale, offset, mean, variance,
                                  b.getBuilder().getF64FloatAttr(epsilon), b.getBuilder().getI64IntegerAttr(1));
    n.setResult(0, b.cast(y, b.elementOf(given)));
    Value none = b.splat(0, RankedTensorType::get({0}, element));
    setStatistics(1, none, element);
    setStatistics(2, none, element);
    if (isFunctional) { // nothing moves the running ones
      setStatistics(3, n.tensor("running_mean"), element);
      setStatistics(4, n.tensor("running_var"), element);
    }
    return success();
  }
  SmallVector<int64_t> axes = {0};
  llvm::append_range(axes, llvm::seq<int64_t>(2, rank));
  Moments moments(b, x, axes);
  Value deviation = moments.invert(b, epsilon);
  Value normal = b.mul(moments.centered, deviation);
  Value y = b.add(b.mul(normal, alongChannels(b, scale, rank)), alongChannels(b, offset, rank));
  n.setResult(0, b.cast(y, b.elementOf(given)));
  setStatistics(1, n.reshape(moments.mean, {channels}), element);
  setStatistics(2, n.reshape(deviation, {channels}), element);
  if (!isFunctional || !n.has("running_mean"))
    return success();
  // The running variance is that of a sample.
  SmallVector<AffineExpr> extents = n.getExtents(x), counted = {extents[0]};
  llvm::append_range(counted, ArrayRef(extents).drop_front(2));
  Value count = n.getNumber(n.getProduct(counted), element);
  Value sample = b.mul(n.reshape(moments.variance, {channels}), b.div(count, b.sub(count, 1.0)));
  size_t first = n.getNumResults() == 6 ? 4 : 3; // between them is what only other devices have
  for (auto [i, name, now] : {std::tuple(first, "running_mean", n.reshape(moments.mean, {channels})),
                              std::tuple(first + 1, "running_var", sample)}) {
    Value before = n.tensor(name), wide = b.cast(before, element);
    setStatistics(i, b.add(b.mul(wide, 1 - momentum), b.mul(now, momentum)), b.elementOf(before));
  }
  if (n.getNumResults() == 6)
    n.setResult(3, b.splat(0, RankedTensorType::get({0}, b.getBuilder().getIntegerType(8, /*isSigned=*/false))));
  return success();
}

/// The last dimensions, as many as 'normalized_shape' has.
static FailureOr<SmallVector<int64_t>> getNormalizedAxes(Node &n, Value x) {
  int64_t count = n.getExprs("normalized_shape").size(), rank = n.b.rankOf(x);
  if (n.hasFailed())
    return failure();
  if (count < 1 || count > rank)
    return n.fail("expected a normalized_shape of 1 to " + Twine(rank) + " dimensions, found " + Twine(count));
  return getAxesFrom(rank - count, rank);
}

static LogicalResult importLayerNorm(Node &n, bool hasMoments) {
  FuseBuilder &b = n.b;
  Value given = n.tensor("input"), scale = n.optional("weight"), offset = n.optional("bias");
  FailureOr<SmallVector<int64_t>> axes = getNormalizedAxes(n, given);
  double epsilon = n.getFloat("eps", 1e-5);
  if (failed(axes) || failed(checkFloat(n, given)))
    return failure();
  Type element = b.elementOf(given);
  Value x = b.widen(given);
  Type wide = b.elementOf(x);
  scale = scale ? b.cast(scale, wide) : scale;
  offset = offset ? b.cast(offset, wide) : offset;
  bool wantsMoments = hasMoments && (n.wants(1) || n.wants(2));
  if (!wantsMoments && element == wide && (scale || !offset))
    return n.setResult(LayerNormOp::create(b.getBuilder(), x.getType(), x, scale, offset, *axes, APFloat(epsilon)));
  Moments moments(b, x, *axes);
  Value deviation = moments.invert(b, epsilon), y = b.mul(moments.centered, deviation);
  y = scale ? b.mul(y, scale) : y;
  y = offset ? b.add(y, offset) : y;
  n.setResult(0, b.cast(y, element));
  Type statistics = n.getResultType(1, wide);
  n.setResult(1, b.cast(moments.mean, statistics));
  n.setResult(2, b.cast(deviation, statistics));
  return success();
}

/// Groups of channels: [N, groups, C / groups, ...].
static LogicalResult importGroupNorm(Node &n, StringRef groupsName, bool hasMoments) {
  FuseBuilder &b = n.b;
  Value given = n.tensor("input"), x = b.widen(given);
  int64_t rank = b.rankOf(x), groups = n.getInt(groupsName, 1);
  double epsilon = n.getFloat("eps", 1e-5);
  if (n.hasFailed() || failed(checkFloat(n, x)))
    return failure();
  if (rank < 2 || ShapedType::isDynamic(b.shapeOf(x)[1]) || groups < 1 || b.shapeOf(x)[1] % groups != 0)
    return n.fail("expected rank 2 or more, and channels that the groups divide");
  SmallVector<AffineExpr> extents = n.getExtents(x), split(extents);
  AffineExpr channels = extents[1];
  split[1] = n.getConstant(b.shapeOf(x)[1] / groups);
  split.insert(split.begin() + 1, n.getConstant(groups));
  Moments moments(b, n.reshape(x, split), getAxesFrom(2, rank + 1));
  Value deviation = moments.invert(b, epsilon);
  Value y = n.reshape(b.mul(moments.centered, deviation), extents);
  if (n.has("weight"))
    y = b.mul(y, alongChannels(b, getList(n, "weight", 1, channels, b.elementOf(x)), rank));
  if (n.has("bias"))
    y = b.add(y, alongChannels(b, getList(n, "bias", 0, channels, b.elementOf(x)), rank));
  n.setResult(0, b.cast(y, b.elementOf(given)));
  if (hasMoments) {
    Type statistics = n.getResultType(1, b.elementOf(x));
    n.setResult(1, b.cast(n.reshape(moments.mean, {extents[0], n.getConstant(groups)}), statistics));
    n.setResult(2, b.cast(n.reshape(deviation, {extents[0], n.getConstant(groups)}), statistics));
  }
  return success();
}

static LogicalResult importInstanceNorm(Node &n) {
  FuseBuilder &b = n.b;
  Value given = n.tensor("input"), x = b.widen(given);
  int64_t rank = b.rankOf(x);
  if (rank < 3 || failed(checkFloat(n, x)) || ShapedType::isDynamic(b.shapeOf(x)[1]))
    return n.fail("expected rank 3 or more, and channels whose number is known before the program runs");
  if (!n.getBool("use_input_stats", true))
    return importBatchNorm(n, /*isTraining=*/false, /*isFunctional=*/false);
  AffineExpr channels = n.getExtents(x)[1];
  Value y = normalize(b, x, getAxesFrom(2, rank), n.getFloat("eps", 1e-5));
  if (n.has("weight"))
    y = b.mul(y, alongChannels(b, getList(n, "weight", 1, channels, b.elementOf(x)), rank));
  if (n.has("bias"))
    y = b.add(y, alongChannels(b, getList(n, "bias", 0, channels, b.elementOf(x)), rank));
  return n.setResult(b.cast(y, b.elementOf(given)));
}

static LogicalResult importRmsNorm(Node &n) {
  FuseBuilder &b = n.b;
  Value given = n.tensor("input"), x = b.widen(given);
  FailureOr<SmallVector<int64_t>> axes = getNormalizedAxes(n, x);
  if (failed(axes) || failed(checkFloat(n, x)))
    return failure();
  const auto &semantics = cast<FloatType>(b.elementOf(x)).getFloatSemantics();
  double least = std::ldexp(1.0, 1 - int(llvm::APFloat::semanticsPrecision(semantics)));
  double epsilon = n.getFloat("eps", least);
  Value mean = b.reduce(ReduceKind::Mean, b.mul(x, x), *axes, true);
  Value deviation = b.unary(UnaryKind::Rsqrt, b.add(mean, epsilon));
  Value y = b.mul(x, deviation);
  if (n.has("weight"))
    y = b.mul(y, b.cast(n.tensor("weight"), b.elementOf(y)));
  n.setResult(0, b.cast(y, n.getResultType(0, b.elementOf(given))));
  n.setResult(1, b.cast(deviation, n.getResultType(1, b.elementOf(x))));
  return success();
}

void mlir::fuse::torch::addNormalizationOps(OpTable &table) {
  table.add("batch_norm.default native_batch_norm.default", "input", [](Node &n) -> LogicalResult {
    bool isTraining = n.getBool("training", false);
    if (isTraining && n.has("running_mean"))
      return n.fail("writes to its running statistics; call run_decompositions() of the program first");
    return importBatchNorm(n, isTraining, false);
  });
  table.add("_native_batch_norm_legit_no_training.default _batch_norm_no_update.default", "input",
            [](Node &n) { return importBatchNorm(n, false, false); });
  table.add("_native_batch_norm_legit.no_stats", "input", [](Node &n) { return importBatchNorm(n, true, false); });
  table.add("_native_batch_norm_legit_functional.default", "input",
            [](Node &n) { return importBatchNorm(n, n.getBool("training", true), true); });
  table.add("_batch_norm_with_update_functional.default", "input",
            [](Node &n) { return importBatchNorm(n, true, true); });
  table.add("layer_norm.default", "input", [](Node &n) { return importLayerNorm(n, false); });
  table.add("native_layer_norm.default", "input", [](Node &n) { return importLayerNorm(n, true); });
  table.add("group_norm.default", "input", [](Node &n) { return importGroupNorm(n, "num_groups", false); });
  table.add("native_group_norm.default", "input", [](Node &n) { return importGroupNorm(n, "group", true); });
  table.add("instance_norm.default", "input", importInstanceNorm);
  table.add("rms_norm.default _fused_rms_norm.default", "input", importRmsNorm);
}
