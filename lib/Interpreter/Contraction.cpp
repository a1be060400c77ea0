//===- Contraction.cpp - Matrix products -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Accumulate.h"
#include "Evaluator.h"
#include "Strided.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::interpreter;

namespace {

/// Extents of one product, and the strides of its operands, in elements.
struct Product {
  int64_t m, n, k;
  int64_t lhsRow, lhsColumn, rhsRow, rhsColumn;
};

/// Row by row, so that the inner loop runs along a row of sums.
template <typename Kind>
void multiply(const Product &p, const typename Kind::Value *lhs, const typename Kind::Value *rhs,
              HostArray &result, int64_t first) {
  using Sum = typename Kind::Sum;
  std::vector<typename Kind::Value> columns(p.k * p.n);
  for (int64_t k = 0; k < p.k; ++k)
    for (int64_t n = 0; n < p.n; ++n)
      columns[k * p.n + n] = rhs[k * p.rhsRow + n * p.rhsColumn];
  std::vector<Sum> sums(p.n);
  for (int64_t m = 0; m < p.m; ++m) {
    std::fill(sums.begin(), sums.end(), Sum(0));
    for (int64_t k = 0; k < p.k; ++k) {
      Sum left = lhs[m * p.lhsRow + k * p.lhsColumn];
      const typename Kind::Value *row = columns.data() + k * p.n;
      for (int64_t n = 0; n < p.n; ++n)
        sums[n] += left * row[n];
    }
    for (int64_t n = 0; n < p.n; ++n)
      storeSum(result, first + m * p.n + n, sums[n]);
  }
}

/// Batch dimensions, of strides that step over matrices.
SmallVector<int64_t> getBatchStrides(const HostArray &operand, ArrayRef<int64_t> batch) {
  ArrayRef<int64_t> shape = operand.getShape();
  SmallVector<int64_t> strides = getBroadcastStrides(shape.drop_back(2), batch);
  for (int64_t &stride : strides)
    stride *= shape[shape.size() - 2] * shape[shape.size() - 1];
  return strides;
}

} // namespace

FailureOr<HostArray> interpreter::evaluateMatmul(MatmulOp op, ArrayRef<HostArray> operands) {
  const HostArray &lhs = operands[0], &rhs = operands[1];
  ArrayRef<int64_t> left = lhs.getShape().take_back(2), right = rhs.getShape().take_back(2);
  Product p;
  p.m = left[op.getTransposeLhs()];
  p.k = left[!op.getTransposeLhs()];
  p.n = right[!op.getTransposeRhs()];
  if (failed(expectEqualExtents(op, "contracted extents", p.k, right[op.getTransposeRhs()])))
    return failure();
  p.lhsRow = op.getTransposeLhs() ? 1 : p.k;
  p.lhsColumn = op.getTransposeLhs() ? p.m : 1;
  p.rhsRow = op.getTransposeRhs() ? 1 : p.n;
  p.rhsColumn = op.getTransposeRhs() ? p.k : 1;

  // Batch dimensions broadcast as declared: see getBroadcastShape.
  SmallVector<HostArray> batches;
  SmallVector<RankedTensorType> types;
  for (auto [value, array] : llvm::zip(op.getOperands(), operands)) {
    auto type = cast<RankedTensorType>(value.getType());
    types.push_back(RankedTensorType::get(type.getShape().drop_back(2), type.getElementType()));
    batches.push_back(HostArray(ElementType::I1, array.getShape().drop_back(2)));
  }
  FailureOr<SmallVector<int64_t>> batch = getBroadcastShape(op, batches, types);
  if (failed(batch))
    return failure();
  SmallVector<int64_t> shape(*batch);
  shape.append({p.m, p.n});
  FailureOr<HostArray> result = createResult(op, shape);
  if (failed(result))
    return failure();

  withSumOf(lhs.getElementType(), [&](auto kind) {
    using Kind = decltype(kind);
    auto leftValues = loadAll<Kind>(lhs), rightValues = loadAll<Kind>(rhs);
    int64_t next = 0;
    forEachIndex<2>(*batch, {getBatchStrides(lhs, *batch), getBatchStrides(rhs, *batch)},
                    [&](std::array<int64_t, 2> at) {
                      multiply<Kind>(p, leftValues.data() + at[0], rightValues.data() + at[1],
                                     *result, next);
                      next += p.m * p.n;
                    });
  });
  return result;
}
