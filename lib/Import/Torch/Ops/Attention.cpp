//===- Attention.cpp - Scaled dot-product attention -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Elementwise.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::torch;

/// softmax(scale · Q·Kᵀ + mask) · V; queries without a key give 0. `hasSums`: the second result is log Σ exp of the
/// scores.
static LogicalResult importAttention(Node &n, bool hasSums) {
  FuseBuilder &b = n.b;
  Value query = n.tensor("query"), key = n.tensor("key"), value = n.tensor("value"), mask = n.optional("attn_mask");
  if (n.getFloat("dropout_p", 0) != 0)
    return n.fail("dropout is not supported: it draws random numbers");
  int64_t rank = b.rankOf(query);
  Type element = b.elementOf(query);
  if (rank < 2 || b.rankOf(key) != rank || b.rankOf(value) != rank || !isa<FloatType>(element) ||
      b.elementOf(key) != element || b.elementOf(value) != element)
    return n.fail("expected queries, keys and values of one rank and type, which is a float");
  if (ShapedType::isDynamic(b.shapeOf(query).back()))
    return n.fail("expected queries of a width that is known before the program runs");
  double scale = n.getFloat("scale", 1 / std::sqrt(double(b.shapeOf(query).back())));
  bool isCausal = n.getBool("is_causal", false);
  if (n.hasFailed())
    return failure();
  SmallVector<AffineExpr> shape = n.getExtents(query);
  AffineExpr queries = shape[rank - 2], keys = n.getExtents(key)[rank - 2];
  shape.back() = n.getExtents(value).back();

  // Heads that share keys are a dimension of their own.
  bool isGrouped =
      rank >= 3 && n.getBool("enable_gqa", hasSums) && b.shapeOf(query)[rank - 3] != b.shapeOf(key)[rank - 3];
  if (isGrouped) {
    int64_t heads = b.shapeOf(query)[rank - 3], groups = b.shapeOf(key)[rank - 3];
    if (ShapedType::isDynamic(heads) || ShapedType::isDynamic(groups) || groups < 1 || heads % groups != 0 ||
        b.shapeOf(value)[rank - 3] != groups)
      return n.fail("expected a multiple of " + describeExtent(groups) + " heads, found " + describeExtent(heads));
    SmallVector<AffineExpr> split = n.getExtents(query);
    split[rank - 3] = n.getConstant(groups);
    split.insert(split.begin() + rank - 2, n.getConstant(heads / groups));
    query = n.reshape(query, split);
    key = b.insertUnitDims(key, {rank - 2});
    value = b.insertUnitDims(value, {rank - 2});
    if (mask && b.rankOf(mask) >= 3) {
      SmallVector<AffineExpr> own = n.getExtents(mask);
      size_t at = own.size() - 3;
      bool isOne = own[at] == n.getConstant(1);
      own[at] = n.getConstant(isOne ? 1 : groups);
      own.insert(own.begin() + at + 1, n.getConstant(isOne ? 1 : heads / groups));
      mask = n.reshape(mask, own);
    }
  }

  // Scores of short floats are not rounded before their softmax.
  Type wide = element.isF16() || element.isBF16() ? Type(b.getBuilder().getF32Type()) : element;
  Value scores = b.mul(b.matmul(query, key, false, /*transposeRhs=*/true, wide), scale);
  double infinity = std::numeric_limits<double>::infinity();
  Value none = b.scalar(-infinity, wide), zero = b.scalar(0, wide), bias, isEmpty;
  if (mask) {
    bias = b.elementOf(mask).isInteger(1) ? b.select(mask, zero, none) : b.cast(mask, wide);
    if (b.rankOf(bias) < 1)
      return n.fail("expected a mask of rank 1 or more");
  }
  if (isCausal) {
    Type index = b.getBuilder().getI64Type();
    SmallVector<OpFoldResult> matrix = n.getSizes({queries, keys});
    Value isSeen = b.compare(ComparePredicate::Le, b.iota(matrix, 1, index), b.iota(matrix, 0, index));
    bias = b.select(isSeen, bias ? bias : zero, none);
  }
  if (bias)
    scores = b.add(scores, bias);
  if (mask) {
    Value most = b.reduce(ReduceKind::Max, bias, {b.rankOf(bias) - 1}, true);
    isEmpty = b.compare(ComparePredicate::Eq, most, none);
  }
  Value weights = SoftmaxOp::create(b.getBuilder(), scores.getType(), scores, b.rankOf(scores) - 1);
  if (isEmpty)
    weights = b.select(isEmpty, zero, weights);
  Value result = b.matmul(b.cast(weights, element), value);
  n.setResult(0, n.reshape(result, shape));
  if (hasSums && n.wants(1)) {
    int64_t last = b.rankOf(scores) - 1;
    Value largest = b.reduce(ReduceKind::Max, scores, {last}, true);
    Value sum = b.reduce(ReduceKind::Sum, b.unary(UnaryKind::Exp, b.sub(scores, largest)), {last}, true);
    shape.pop_back();
    n.setResult(1, n.reshape(b.add(b.unary(UnaryKind::Log, sum), largest), shape));
  }
  return success();
}

void mlir::fuse::torch::addAttentionOps(OpTable &table) {
  table.add("scaled_dot_product_attention.default", "query key value",
            [](Node &n) { return importAttention(n, false); });
  table.add("_scaled_dot_product_flash_attention_for_cpu.default", "query key value",
            [](Node &n) { return importAttention(n, true); });
}
