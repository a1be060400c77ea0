//===- Contractions.cpp - Products of matrices -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../../Common/Einsum.h"
#include "Elementwise.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::torch;

/// torch.matmul: operands of rank 1 are rows on the left and columns on the right.
static FailureOr<Value> multiply(Node &n, Value x, Value y) {
  FuseBuilder &b = n.b;
  int64_t lhsRank = b.rankOf(x), rhsRank = b.rankOf(y);
  if (lhsRank < 1 || rhsRank < 1)
    return n.fail("expected tensors of rank 1 or more");
  if (b.elementOf(x) != b.elementOf(y) || b.elementOf(x).isInteger(1))
    return n.fail("expected operands of one type, which is not bool");
  if (lhsRank == 1)
    x = b.insertUnitDims(x, {0});
  if (rhsRank == 1)
    y = b.insertUnitDims(y, {1});
  int64_t left = b.shapeOf(x).back(), right = b.shapeOf(y)[b.rankOf(y) - 2];
  if (!ShapedType::isDynamic(left) && !ShapedType::isDynamic(right) && left != right)
    return n.fail("expected matrices that fit each other, found extents " + Twine(left) + " and " + Twine(right));
  n.assumeEqual(n.getExtents(x).back(), n.getExtents(y)[b.rankOf(y) - 2]);
  Value product = b.matmul(x, y);
  if (lhsRank > 1 && rhsRank > 1)
    return product;
  SmallVector<AffineExpr> shape = n.getExtents(product);
  if (lhsRank == 1)
    shape.erase(shape.end() - 2);
  if (rhsRank == 1)
    shape.pop_back();
  return n.reshape(product, shape);
}

static LogicalResult importMatmul(Node &n, StringRef left, StringRef right, int64_t rank) {
  Value x = n.tensor(left), y = n.tensor(right);
  if (rank > 0 && (n.b.rankOf(x) != rank || n.b.rankOf(y) != rank))
    return n.fail("expected tensors of rank " + Twine(rank));
  return n.setResult(multiply(n, x, y));
}

/// beta · self + alpha · product. Eager mode adds a float's product before it rounds it.
static LogicalResult addProduct(Node &n, FailureOr<Value> product) {
  if (failed(product))
    return failure();
  FuseBuilder &b = n.b;
  Type element = b.elementOf(*product);
  auto scaleBy = [&](Value x, StringRef name) {
    if (!n.has(name))
      return x;
    Number factor = n.getNumber(name);
    return factor.value == 1.0 ? x : b.binary(BinaryKind::Mul, x, n.makeScalar(factor, element));
  };
  Value scaled = scaleBy(*product, "alpha");
  if (n.has("beta") && n.getFloat("beta", 1) == 0)
    return n.setResult(scaled);
  return n.setResult(b.add(scaled, scaleBy(b.cast(n.tensor("self"), element), "beta")));
}

static LogicalResult importLinear(Node &n) {
  FuseBuilder &b = n.b;
  Value x = n.tensor("input"), weight = n.tensor("weight"), bias = n.optional("bias");
  if (b.rankOf(x) < 1 || b.rankOf(weight) < 1 || b.rankOf(weight) > 2)
    return n.fail("expected an input of rank 1 or more, and a matrix as weight");
  if (b.elementOf(x) != b.elementOf(weight))
    return n.fail("expected operands of one type");
  int64_t features = b.shapeOf(x).back(), wanted = b.shapeOf(weight).back();
  if (!ShapedType::isDynamic(features) && !ShapedType::isDynamic(wanted) && features != wanted)
    return n.fail("expected " + Twine(wanted) + " features, found " + Twine(features));
  bool isRow = b.rankOf(x) == 1, isVector = b.rankOf(weight) == 1;
  if (isRow)
    x = b.insertUnitDims(x, {0});
  if (isVector)
    weight = b.insertUnitDims(weight, {0});
  Value y = b.matmul(x, weight, false, /*transposeRhs=*/true);
  if (bias)
    y = b.add(y, bias);
  SmallVector<AffineExpr> shape = n.getExtents(y);
  if (isVector)
    shape.pop_back();
  if (isRow)
    shape.erase(shape.begin() + (shape.size() - (isVector ? 1 : 2)));
  return n.setResult(n.reshape(y, shape));
}

static LogicalResult importOuter(Node &n, StringRef left, StringRef right, bool adds) {
  FuseBuilder &b = n.b;
  Value x = n.tensor(left), y = n.tensor(right);
  if (b.rankOf(x) != 1 || b.rankOf(y) != 1)
    return n.fail("expected lists");
  Type type = n.toType(promote({Node::describe(x), Node::describe(y)}));
  if (type.isInteger(1))
    return n.fail("expected numbers, found bools");
  Value product = b.mul(b.insertUnitDims(b.cast(x, type), {1}), b.cast(y, type));
  return adds ? addProduct(n, product) : n.setResult(product);
}

void mlir::fuse::torch::addContractionOps(OpTable &table) {
  table.add("mm.default", "self mat2", [](Node &n) { return importMatmul(n, "self", "mat2", 2); });
  table.add("bmm.default", "self mat2", [](Node &n) { return importMatmul(n, "self", "mat2", 3); });
  table.add("matmul.default", "self other", [](Node &n) { return importMatmul(n, "self", "other", 0); });
  table.add("mv.default", "self vec", [](Node &n) { return importMatmul(n, "self", "vec", 0); });
  table.add("dot.default", "self tensor", [](Node &n) { return importMatmul(n, "self", "tensor", 1); });
  table.add("vdot.default", "self other", [](Node &n) { return importMatmul(n, "self", "other", 1); });
  table.add("addmm.default", "self mat1 mat2",
            [](Node &n) { return addProduct(n, multiply(n, n.tensor("mat1"), n.tensor("mat2"))); });
  table.add("addmv.default", "self mat vec",
            [](Node &n) { return addProduct(n, multiply(n, n.tensor("mat"), n.tensor("vec"))); });
  table.add("baddbmm.default", "self batch1 batch2",
            [](Node &n) { return addProduct(n, multiply(n, n.tensor("batch1"), n.tensor("batch2"))); });
  table.add("addbmm.default", "self batch1 batch2", [](Node &n) -> LogicalResult {
    FailureOr<Value> product = multiply(n, n.tensor("batch1"), n.tensor("batch2"));
    if (failed(product) || n.b.rankOf(*product) != 3)
      return n.fail("expected batches of matrices");
    return addProduct(n, n.b.reduce(ReduceKind::Sum, *product, {0}, false));
  });
  table.add("einsum.default", "", [](Node &n) -> LogicalResult {
    SmallVector<Value> operands = n.tensors("tensors");
    if (n.hasFailed() || operands.empty() || llvm::is_contained(operands, Value()))
      return n.fail("expected one tensor or more");
    return n.setResult(buildEinsum(n, operands, n.getString("equation", "")));
  });
  table.add("linear.default", "input weight", importLinear);
  table.add("outer.default ger.default", "self vec2", [](Node &n) { return importOuter(n, "self", "vec2", false); });
  table.add("addr.default", "self vec1 vec2", [](Node &n) { return importOuter(n, "vec1", "vec2", true); });
}
