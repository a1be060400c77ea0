//===- Reduction.cpp - Reductions -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Evaluator.h"
#include "Strided.h"
#include "fuse/Support/ScalarFunctions.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::interpreter;

namespace {

/// An operand's dimensions, split into those that stay and those that are folded.
struct Split {
  SmallVector<int64_t> keptShape, keptStrides, foldedShape, foldedStrides, resultShape;

  Split(const HostArray &operand, ArrayRef<int64_t> dimensions, bool keepDims) {
    SmallVector<int64_t> strides = operand.getStrides();
    for (auto [dim, extent] : llvm::enumerate(operand.getShape())) {
      bool folded = llvm::is_contained(dimensions, static_cast<int64_t>(dim));
      (folded ? foldedShape : keptShape).push_back(extent);
      (folded ? foldedStrides : keptStrides).push_back(strides[dim]);
      if (!folded || keepDims)
        resultShape.push_back(folded ? 1 : extent);
    }
  }

  /// `make()` gives a reducer for each result element; `finish(reducer)` its value.
  template <typename Make, typename Finish>
  void run(const HostArray &operand, HostArray &result, Make make, Finish finish) const {
    int64_t next = 0;
    forEachIndex<1>(keptShape, {keptStrides}, [&](std::array<int64_t, 1> base) {
      auto reducer = make();
      forEachIndex<1>(foldedShape, {foldedStrides}, [&](std::array<int64_t, 1> at) {
        reducer.add(operand.get(base[0] + at[0]));
      });
      result.set(next++, finish(reducer));
    });
  }
};

template <typename OpT>
FailureOr<HostArray> evaluateArg(OpT op, ArgReduceKind kind, const HostArray &operand) {
  int64_t dimension = op.getDimension();
  Split split(operand, dimension, op.getKeepDims());
  FailureOr<HostArray> result = createResult(op, split.resultShape);
  if (failed(result))
    return failure();
  if (operand.getShape()[dimension] == 0)
    return op.emitOpError() << "dimension " << dimension << " is empty: no index to return";
  split.run(
      operand, *result, [&] { return ScalarArgReducer(kind); },
      [](const ScalarArgReducer &reducer) {
        return Scalar::fromInt(ElementType::I64, reducer.getResult());
      });
  return result;
}

} // namespace

FailureOr<HostArray> interpreter::evaluateReduction(Operation *op, ArrayRef<HostArray> operands) {
  const HostArray &operand = operands[0];
  if (auto argmax = dyn_cast<ArgmaxOp>(op))
    return evaluateArg(argmax, ArgReduceKind::Argmax, operand);
  if (auto argmin = dyn_cast<ArgminOp>(op))
    return evaluateArg(argmin, ArgReduceKind::Argmin, operand);
  auto reduce = cast<ReduceOp>(op);
  Split split(operand, reduce.getDimensions(), reduce.getKeepDims());
  FailureOr<HostArray> result = createResult(op, split.resultShape);
  if (failed(result))
    return failure();
  ReduceKind kind = reduce.getKind();
  split.run(
      operand, *result, [&] { return ScalarReducer(kind, operand.getElementType()); },
      [](const ScalarReducer &reducer) { return reducer.getResult(); });
  return result;
}
