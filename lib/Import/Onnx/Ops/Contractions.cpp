//===- Contractions.cpp - Products of matrices -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../../Common/Einsum.h"
#include "../OpTable.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::onnx;

/// As NumPy: vectors are rows on the left and columns on the right, and that dimension goes again.
static LogicalResult importMatMul(Node &n) {
  FuseBuilder &b = n.b;
  Value x = n.getInput(0), y = n.getInput(1);
  int64_t lhsRank = n.getRank(0), rhsRank = n.getRank(1);
  if (lhsRank < 1 || rhsRank < 1)
    return n.fail("expected rank 1 or more, found 0");
  if (lhsRank == 1)
    x = b.insertUnitDims(x, {0});
  if (rhsRank == 1)
    y = b.insertUnitDims(y, {1});
  Value product = b.matmul(x, y);
  SmallVector<int64_t> shape(b.shapeOf(product));
  if (lhsRank == 1)
    shape.erase(shape.end() - 2);
  if (rhsRank == 1)
    shape.pop_back();
  return n.setResult(b.reshape(product, shape));
}

/// alpha · A · B + beta · C.
static LogicalResult importGemm(Node &n) {
  FuseBuilder &b = n.b;
  if (n.getRank(0) != 2 || n.getRank(1) != 2)
    return n.fail("expected two matrices");
  double alpha = n.getFloat("alpha", 1), beta = n.getFloat("beta", 1);
  Value result = b.matmul(n.getInput(0), n.getInput(1), n.getInt("transA", 0) != 0,
                          n.getInt("transB", 0) != 0);
  if (alpha != 1)
    result = b.mul(result, alpha);
  if (!n.hasInput(2) || beta == 0)
    return n.setResult(result);
  Value offset = n.getInput(2);
  return n.setResult(b.add(result, beta == 1 ? offset : b.mul(offset, beta)));
}

static LogicalResult importEinsum(Node &n) {
  SmallVector<Value> operands;
  for (size_t i = 0; i < n.getNumInputs(); ++i) {
    if (!n.hasInput(i))
      return n.fail("operand " + Twine(i) + " is missing");
    operands.push_back(n.getInput(i));
  }
  return n.setResult(buildEinsum(n, operands, n.getString("equation", "")));
}

void mlir::fuse::onnx::addContractionOps(OpTable &table) {
  table.add("MatMul", 2, 2, importMatMul);
  table.add("Gemm", 2, 3, importGemm);
  table.add("Einsum", 1, OpTable::kAny, importEinsum);
}
