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

/// torch.matmul: operands of rank 1 are rows on the left and columns on the right. `element`: the product's, if another one.
static FailureOr<Value> multiply(Node &n, Value x, Value y, Type element = Type()) {
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
  Value product = b.matmul(x, y, /*transposeLhs=*/false, /*transposeRhs=*/false, element);
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

/// Whether a factor is there, and other than 1.
static bool scales(Node &n, StringRef name) { return n.has(name) && n.getNumber(name).value != 1.0; }

/// beta · self + alpha · product, of `element`.
static LogicalResult addProduct(Node &n, FailureOr<Value> product, Type element) {
  if (failed(product))
    return failure();
  FuseBuilder &b = n.b;
  Type own = b.elementOf(*product);
  auto scaleBy = [&](Value x, StringRef name) {
    return scales(n, name) ? b.binary(BinaryKind::Mul, x, n.makeScalar(n.getNumber(name), own)) : x;
  };
  Value sum = scaleBy(*product, "alpha");
  if (!n.has("beta") || n.getFloat("beta", 1) != 0)
    sum = b.add(sum, scaleBy(b.cast(n.tensor("self"), own), "beta"));
  return n.setResult(b.cast(sum, element));
}

/// beta · self + alpha · x · y. Eager mode rounds that once to f16 and bf16, so that factors want sums of f32.
static LogicalResult multiplyAndAdd(Node &n, Value x, Value y) {
  Type element = n.b.elementOf(x);
  bool isWide = isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32 && (scales(n, "alpha") || scales(n, "beta"));
  return addProduct(n, multiply(n, x, y, isWide ? n.b.getBuilder().getF32Type() : Type()), element);
}

/// addbmm, which sums the products of all batches: one product of matrices, whose rows have those of all batches side by side.
/// So sums of f16 and bf16 are rounded once, not once for each batch.
static LogicalResult importSummedBatches(Node &n) {
  FuseBuilder &b = n.b;
  Value x = n.tensor("batch1"), y = n.tensor("batch2");
  if (n.hasFailed() || b.rankOf(x) != 3 || b.rankOf(y) != 3)
    return n.fail("expected batches of matrices");
  SmallVector<AffineExpr> left = n.getExtents(x), right = n.getExtents(y);
  for (auto [one, other] : {std::pair(left[0], right[0]), std::pair(left[2], right[1])}) {
    if (isa<AffineConstantExpr>(one) && isa<AffineConstantExpr>(other) && one != other)
      return n.fail("expected matrices that fit each other");
    n.assumeEqual(one, other);
  }
  return multiplyAndAdd(n, n.reshape(b.transpose(x, {1, 0, 2}), {left[1], n.getProduct({left[0], left[2]})}),
                        n.reshape(y, {n.getProduct({right[0], right[1]}), right[2]}));
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
  return adds ? addProduct(n, product, type) : n.setResult(product);
}

void mlir::fuse::torch::addContractionOps(OpTable &table) {
  table.add("mm.default", "self mat2", [](Node &n) { return importMatmul(n, "self", "mat2", 2); });
  table.add("bmm.default", "self mat2", [](Node &n) { return importMatmul(n, "self", "mat2", 3); });
  table.add("matmul.default", "self other", [](Node &n) { return importMatmul(n, "self", "other", 0); });
  table.add("mv.default", "self vec", [](Node &n) { return importMatmul(n, "self", "vec", 0); });
  table.add("dot.default", "self tensor", [](Node &n) { return importMatmul(n, "self", "tensor", 1); });
  table.add("vdot.default", "self other", [](Node &n) { return importMatmul(n, "self", "other", 1); });
  table.add("addmm.default", "self mat1 mat2",
            [](Node &n) { return multiplyAndAdd(n, n.tensor("mat1"), n.tensor("mat2")); });
  table.add("addmv.default", "self mat vec",
            [](Node &n) { return multiplyAndAdd(n, n.tensor("mat"), n.tensor("vec")); });
  table.add("baddbmm.default", "self batch1 batch2",
            [](Node &n) { return multiplyAndAdd(n, n.tensor("batch1"), n.tensor("batch2")); });
  table.add("addbmm.default", "self batch1 batch2", importSummedBatches);
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
