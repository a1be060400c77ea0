//===- Losses.cpp - Losses -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Elementwise.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::torch;

/// None, the mean or the sum.
static LogicalResult reduceLoss(Node &n, Value loss, Type element) {
  int64_t reduction = n.getInt("reduction", 1);
  FuseBuilder &b = n.b;
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(0, b.rankOf(loss)));
  if (n.hasFailed())
    return failure();
  if (reduction < 0 || reduction > 2)
    return n.fail("expected reduction = 0, 1 or 2, found " + Twine(reduction));
  if (reduction > 0)
    loss = b.reduce(reduction == 1 ? ReduceKind::Mean : ReduceKind::Sum, loss, axes, false);
  return n.setResult(b.cast(loss, element));
}

static LogicalResult importLoss(Node &n, llvm::function_ref<Value(FuseBuilder &, Value x, Value y)> build) {
  Pair operands = getPair(n, "self", "target");
  Type element = n.b.elementOf(operands.left);
  if (!isa<FloatType>(element))
    return n.fail("expected floats");
  return reduceLoss(n, build(n.b, n.b.widen(operands.left), n.b.widen(operands.right)), element);
}

static LogicalResult importSmoothL1(Node &n, StringRef name, bool isHuber) {
  double bound = n.getFloat(name, 1);
  return importLoss(n, [&](FuseBuilder &b, Value x, Value y) -> Value {
    Value size = b.unary(UnaryKind::Abs, b.sub(x, y));
    if (bound == 0 && !isHuber)
      return size;
    Value square = b.mul(b.mul(size, size), isHuber ? 0.5 : 0.5 / bound);
    Value line = isHuber ? b.mul(b.sub(size, 0.5 * bound), bound) : b.sub(size, 0.5 * bound);
    Value isNear = b.compare(isHuber ? ComparePredicate::Le : ComparePredicate::Lt, size, bound);
    return b.select(isNear, square, line);
  });
}

static LogicalResult importCrossEntropy(Node &n, bool hasLogits) {
  FuseBuilder &b = n.b;
  Pair operands = getPair(n, "self", "target");
  Type element = b.elementOf(operands.left);
  if (!isa<FloatType>(element))
    return n.fail("expected floats");
  Value x = b.widen(operands.left), y = b.widen(operands.right), rest = b.sub(b.scalarLike(1, y), y), loss;
  auto wide = [&](StringRef name) { return b.cast(n.tensor(name), b.elementOf(x)); };
  if (hasLogits) {
    // −log sigmoid(x) = log(1 + exp(−x))
    Value size = b.unary(UnaryKind::Neg, b.unary(UnaryKind::Abs, x));
    Value low = b.binary(BinaryKind::Max, b.unary(UnaryKind::Neg, x), b.scalarLike(0, x));
    Value soft = b.add(low, b.unary(UnaryKind::Log1p, b.unary(UnaryKind::Exp, size)));
    if (n.has("pos_weight")) {
      Value weight = b.add(b.mul(b.sub(wide("pos_weight"), 1.0), y), 1.0);
      soft = b.mul(weight, soft);
    }
    loss = b.add(b.mul(rest, x), soft);
  } else {
    auto log = [&](Value v) { return b.binary(BinaryKind::Max, b.unary(UnaryKind::Log, v), b.scalarLike(-100, v)); };
    Value inverse =
        b.binary(BinaryKind::Max, b.unary(UnaryKind::Log1p, b.unary(UnaryKind::Neg, x)), b.scalarLike(-100, x));
    loss = b.sub(b.mul(b.sub(y, 1.0), inverse), b.mul(y, log(x)));
  }
  if (n.has("weight"))
    loss = b.mul(loss, wide("weight"));
  return n.hasFailed() ? failure() : reduceLoss(n, loss, element);
}

/// The elements of `x` [N, C, ...] that the classes [N, ...] name; `dim` is that of the classes.
static Value pickClasses(Node &n, Value x, Value classes, int64_t dim) {
  FuseBuilder &b = n.b;
  Type index = b.getBuilder().getI64Type();
  SmallVector<AffineExpr> along(b.rankOf(x), n.getConstant(1));
  along[dim] = n.getExtents(x)[dim];
  Value place = b.iota(n.getSizes(along), dim, index), wanted = b.insertUnitDims(b.cast(classes, index), {dim});
  Value isOn = b.compare(ComparePredicate::Eq, place, wanted);
  return b.reduce(ReduceKind::Sum, b.select(isOn, x, b.scalarLike(0, x)), {dim}, false);
}

/// −weight · log-probability of each class, which is left out where it is `ignore_index`.
static LogicalResult importNll(Node &n, bool fromLogits) {
  FuseBuilder &b = n.b;
  Value given = n.tensor("self"), target = n.tensor("target"), x = b.widen(given);
  int64_t rank = b.rankOf(x), reduction = n.getInt("reduction", 1), dim = rank == 1 ? 0 : 1;
  int64_t ignored = n.getInt("ignore_index", -100);
  if (n.hasFailed())
    return failure();
  if (rank < 1 || b.rankOf(target) != rank - 1 || !isa<IntegerType>(b.elementOf(target)) ||
      !isa<FloatType>(b.elementOf(x)))
    return n.fail("expected scores of rank 1 or more, and classes of one dimension less");
  if (fromLogits) {
    if (n.getFloat("label_smoothing", 0) != 0)
      return n.fail("label_smoothing is not supported");
    Value shifted = b.sub(x, b.reduce(ReduceKind::Max, x, {dim}, true));
    x = b.sub(shifted,
              b.unary(UnaryKind::Log, b.reduce(ReduceKind::Sum, b.unary(UnaryKind::Exp, shifted), {dim}, true)));
  }
  Value isKept = b.compare(ComparePredicate::Ne, target, double(ignored));
  Value zero = b.scalarLike(0, x), weight = b.select(isKept, b.scalarLike(1, x), zero);
  if (n.has("weight")) {
    Value list = b.cast(n.tensor("weight"), b.elementOf(x));
    Value held = b.select(isKept, target, b.scalarLike(0, target));
    weight = b.mul(weight, b.gather(list, held, 0));
  }
  Value loss = b.unary(UnaryKind::Neg, b.mul(b.select(isKept, pickClasses(n, x, target, dim), zero), weight));
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(0, b.rankOf(loss)));
  Type element = b.elementOf(given);
  Value total = b.reduce(ReduceKind::Sum, weight, axes, false);
  if (reduction > 0)
    loss = b.reduce(ReduceKind::Sum, loss, axes, false);
  if (reduction == 1)
    loss = b.div(loss, total);
  n.setResult(0, b.cast(loss, element));
  n.setResult(1, reduction > 0 ? b.cast(total, element) : b.scalar(0, element));
  return success();
}

void mlir::fuse::torch::addLossOps(OpTable &table) {
  table.add("mse_loss.default", "self target", [](Node &n) {
    return importLoss(n, [](FuseBuilder &b, Value x, Value y) {
      Value difference = b.sub(x, y);
      return b.mul(difference, difference);
    });
  });
  table.add("l1_loss.default", "self target", [](Node &n) {
    return importLoss(n, [](FuseBuilder &b, Value x, Value y) { return b.unary(UnaryKind::Abs, b.sub(x, y)); });
  });
  table.add("smooth_l1_loss.default", "self target", [](Node &n) { return importSmoothL1(n, "beta", false); });
  table.add("huber_loss.default", "self target", [](Node &n) { return importSmoothL1(n, "delta", true); });
  table.add("binary_cross_entropy.default", "self target", [](Node &n) { return importCrossEntropy(n, false); });
  table.add("binary_cross_entropy_with_logits.default", "self target",
            [](Node &n) { return importCrossEntropy(n, true); });
  table.add(
      "nll_loss.default nll_loss_nd.default nll_loss2d.default nll_loss_forward.default nll_loss2d_forward.default",
      "self target", [](Node &n) { return importNll(n, false); });
  table.add("cross_entropy_loss.default", "self target", [](Node &n) { return importNll(n, true); });
}
