//===- Backward.cpp - Gradients that are ops of their own -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../../Common/Indices.h"
#include "../OpTable.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::torch;

static LogicalResult importSoftmaxBackward(Node &n, bool isLog) {
  FuseBuilder &b = n.b;
  Value given = n.tensor("grad_output"), dy = b.widen(given), y = b.widen(n.tensor("output"));
  int64_t rank = b.rankOf(dy), dim = n.getDim("dim", -1, rank);
  Type element = n.getType("input_dtype", b.elementOf(given));
  if (n.hasFailed() || rank == 0)
    return n.fail("expected tensors of rank 1 or more");
  Value dx;
  if (isLog) {
    dx = b.sub(dy, b.mul(b.unary(UnaryKind::Exp, y), b.reduce(ReduceKind::Sum, dy, {dim}, true)));
  } else {
    Value product = b.mul(dy, y);
    dx = b.sub(product, b.mul(y, b.reduce(ReduceKind::Sum, product, {dim}, true)));
  }
  return n.setResult(b.cast(dx, element));
}

/// A formula of the gradient and the operand or the result.
static LogicalResult importElementwise(Node &n, StringRef other,
                                       llvm::function_ref<Value(FuseBuilder &, Value dy, Value x)> build) {
  FuseBuilder &b = n.b;
  Value given = n.tensor("grad_output");
  Value dx = build(b, b.widen(given), b.widen(n.tensor(other)));
  return n.hasFailed() ? failure() : n.setResult(b.cast(dx, n.getResultType(0, b.elementOf(given))));
}

/// Each element of the gradient goes to where the largest one of its window was.
static LogicalResult importMaxPoolBackward(Node &n) {
  FuseBuilder &b = n.b;
  Value dy = n.tensor("grad_output"), x = n.tensor("self"), index = n.tensor("indices");
  if (b.rankOf(x) != 4 || b.rankOf(dy) != 4 || b.rankOf(index) != 4)
    return n.fail("expected images of rank 4");
  SmallVector<AffineExpr> extents = n.getExtents(x), made = n.getExtents(dy);
  auto flat = [&](Value v, ArrayRef<AffineExpr> all) {
    return n.reshape(v, {all[0], all[1], n.getProduct(all.drop_front(2))});
  };
  Number zero;
  zero.value = 0;
  Value start = n.fill(zero, {extents[0], extents[1], n.getProduct(ArrayRef(extents).drop_front(2))}, b.elementOf(dy));
  FailureOr<Value> dx = scatterElements(n, ScatterKind::Add, start, flat(index, made), flat(dy, made), 2);
  return failed(dx) ? failure() : n.setResult(n.reshape(*dx, extents));
}

static LogicalResult importEmbeddingBackward(Node &n) {
  FuseBuilder &b = n.b;
  Value dy = n.tensor("grad_output"), index = n.tensor("indices");
  AffineExpr rows = n.getExpr("num_weights", 0);
  int64_t padding = n.getInt("padding_idx", -1);
  if (n.getBool("scale_grad_by_freq", false))
    return n.fail("scale_grad_by_freq is not supported");
  if (n.hasFailed() || b.rankOf(dy) != b.rankOf(index) + 1)
    return n.fail("expected a gradient for each index");
  if (padding >= 0) {
    Value isKept = b.insertUnitDims(b.compare(ComparePredicate::Ne, index, double(padding)), {b.rankOf(index)});
    dy = b.select(isKept, dy, b.scalarLike(0, dy));
  }
  Number zero;
  zero.value = 0;
  Value wide = b.widen(dy);
  Value start = n.fill(zero, {rows, n.getExtents(dy).back()}, b.elementOf(wide));
  return n.setResult(b.cast(b.scatter(ScatterKind::Add, start, index, wide, 0), b.elementOf(dy)));
}

void mlir::fuse::torch::addBackwardOps(OpTable &table) {
  table.add("_softmax_backward_data.default", "grad_output output",
            [](Node &n) { return importSoftmaxBackward(n, false); });
  table.add("_log_softmax_backward_data.default", "grad_output output",
            [](Node &n) { return importSoftmaxBackward(n, true); });
  table.add("tanh_backward.default", "grad_output output", [](Node &n) {
    return importElementwise(n, "output", [](FuseBuilder &b, Value dy, Value y) {
      return b.mul(dy, b.sub(b.scalarLike(1, y), b.mul(y, y)));
    });
  });
  table.add("sigmoid_backward.default", "grad_output output", [](Node &n) {
    return importElementwise(n, "output", [](FuseBuilder &b, Value dy, Value y) {
      return b.mul(dy, b.mul(b.sub(b.scalarLike(1, y), y), y));
    });
  });
  table.add("threshold_backward.default", "grad_output self", [](Node &n) {
    double bound = n.getFloat("threshold", 0);
    return importElementwise(n, "self", [&](FuseBuilder &b, Value dy, Value x) {
      return b.select(b.compare(ComparePredicate::Le, x, bound), b.scalarLike(0, dy), dy);
    });
  });
  table.add("silu_backward.default", "grad_output self", [](Node &n) {
    return importElementwise(n, "self", [](FuseBuilder &b, Value dy, Value x) {
      Value s = b.unary(UnaryKind::Sigmoid, x), one = b.scalarLike(1, x);
      return b.mul(b.mul(dy, s), b.add(one, b.mul(x, b.sub(one, s))));
    });
  });
  table.add("max_pool2d_with_indices_backward.default", "grad_output self indices", importMaxPoolBackward);
  table.add("embedding_dense_backward.default", "grad_output indices", importEmbeddingBackward);
}
