//===- SkipNormalizations.cpp - Norms of sums, as transformers have them -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../../Common/Indices.h"
#include "../../Common/Moments.h"
#include "../OpTable.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::onnx;

/// x over its root mean square along `axes`, and 1 over that.
static std::pair<Value, Value> normalizeRootMeanSquare(FuseBuilder &b, Value x, ArrayRef<int64_t> axes,
                                                       double epsilon) {
  Value mean = b.reduce(ReduceKind::Mean, b.mul(x, x), axes, /*keepDims=*/true);
  Value inverse = b.unary(UnaryKind::Rsqrt, b.add(mean, epsilon));
  return {b.mul(x, inverse), inverse};
}

static LogicalResult importSimplifiedLayerNormalization(Node &n) {
  FuseBuilder &b = n.b;
  int64_t rank = n.getRank(0);
  SmallVector<int64_t> axes = getAxesFrom(n.getAxis(-1, rank), rank);
  if (n.hasFailed())
    return failure();
  auto [normal, inverse] = normalizeRootMeanSquare(b, b.widen(n.getInput(0)), axes, n.getFloat("epsilon", 1e-5));
  Type element = n.getElementType(1);
  n.setResult(0, b.mul(b.cast(normal, element), n.getInput(1)));
  n.setResult(1, inverse);
  return success();
}

/// gamma · x / deviation + beta along the last axis, of what was widened; beta may be null.
static Value normalizeRows(Node &n, Value x, Value gamma, Value beta, bool isSimplified, double epsilon, Type element) {
  FuseBuilder &b = n.b;
  int64_t last = b.rankOf(x) - 1;
  gamma = b.widen(gamma);
  beta = beta ? b.widen(beta) : beta;
  Value result;
  if (isSimplified)
    result = b.mul(normalizeRootMeanSquare(b, x, {last}, epsilon).first, gamma);
  else
    result = LayerNormOp::create(b.getBuilder(), x.getType(), x, gamma, beta, SmallVector<int64_t>{last},
                                 APFloat(epsilon));
  return b.cast(result, element);
}

/// The norm of input + skip + bias, and that sum.
static LogicalResult importSkipNormalization(Node &n, bool isSimplified) {
  FuseBuilder &b = n.b;
  int64_t rank = n.getRank(0);
  if (rank < 2 || n.getRank(2) != 1 || n.getRank(1) > rank)
    return n.fail("expected rank 2 or more, a skip of no higher rank, and a list as gamma");
  size_t bias = isSimplified ? 3 : 4;
  Type element = n.getElementType(0);
  Value sum = b.add(b.widen(n.getInput(0)), b.widen(n.getInput(1)));
  if (n.hasInput(bias))
    sum = b.add(sum, b.widen(n.getInput(bias)));
  Value beta = !isSimplified && n.hasInput(3) ? n.getInput(3) : Value();
  n.setResult(0, normalizeRows(n, sum, n.getInput(2), beta, isSimplified, n.getFloat("epsilon", 1e-12), element));
  n.setResult(3, b.cast(sum, element));
  return success();
}

/// The norm of what three tables have for the words, their positions and their segments.
static LogicalResult importEmbedLayerNormalization(Node &n) {
  FuseBuilder &b = n.b;
  for (size_t i : {0, 2, 3, 4})
    if (n.hasInput(i) && n.getRank(i) != 2)
      return n.fail("expected words [batch, length] and tables of rank 2");
  if (n.hasInput(1) != n.hasInput(4))
    return n.fail("expected segments and their table together");
  Type i64 = b.getBuilder().getI64Type(), i32 = b.getBuilder().getI32Type();
  auto look = [&](size_t table, Value indices) { return b.gather(n.getInput(table), b.cast(indices, i64), 0); };
  Value positions = n.hasInput(8) ? n.getInput(8) : b.iota(n.getSizes({n.getExtents(0)[1]}), 0, i64);
  Value sum = b.add(look(2, n.getInput(0)), look(3, positions));
  if (n.hasInput(1))
    sum = b.add(sum, look(4, n.getInput(1)));
  Type element = b.elementOf(sum);
  n.setResult(0, normalizeRows(n, b.widen(sum), n.getInput(5), n.getInput(6), false, n.getFloat("epsilon", 1e-12),
                               element));
  if (n.wantsOutput(1)) {
    Value count;
    if (n.hasInput(7)) {
      Value isOne = b.compare(ComparePredicate::Eq, n.getInput(7), 1.0);
      count = b.reduce(ReduceKind::Sum, b.cast(isOne, i32), {1}, /*keepDims=*/false);
    } else {
      count = b.broadcastTo(b.scalar(0, i32), n.getSizes({n.getExtents(0)[0]}));
    }
    n.setResult(1, count);
  }
  n.setResult(2, sum);
  return success();
}

void mlir::fuse::onnx::addSkipNormalizationOps(OpTable &table) {
  for (const char *name : {"SimplifiedLayerNormalization", "com.microsoft.SimplifiedLayerNormalization"})
    table.add(name, 2, 2, importSimplifiedLayerNormalization);
  table.add("com.microsoft.SkipLayerNormalization", 3, 5, [](Node &n) { return importSkipNormalization(n, false); });
  table.add("com.microsoft.SkipSimplifiedLayerNormalization", 3, 4,
            [](Node &n) { return importSkipNormalization(n, true); });
  table.add("com.microsoft.EmbedLayerNormalization", 7, 9, importEmbedLayerNormalization).optionalInputs = {1, 4};
}
