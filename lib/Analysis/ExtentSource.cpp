//===- ExtentSource.cpp - Where an extent that is not static comes from -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/ExtentSource.h"
#include "fuse/IR/FuseOps.h"

using namespace mlir;
using namespace mlir::fuse;

/// The one dynamic extent on either side, among equally many static elements, is the same.
static FailureOr<ExtentSource> throughReshape(ReshapeOp reshape,
                                              llvm::function_ref<bool(Value)> isSource) {
  auto from = cast<RankedTensorType>(reshape->getOperand(0).getType());
  auto to = cast<RankedTensorType>(reshape.getType());
  auto countStatic = [](RankedTensorType type) {
    int64_t elements = 1;
    for (int64_t extent : type.getShape())
      elements *= ShapedType::isDynamic(extent) ? 1 : extent;
    return elements;
  };
  if (from.getNumDynamicDims() != 1 || to.getNumDynamicDims() != 1 ||
      countStatic(from) != countStatic(to))
    return failure();
  for (int64_t dim = 0; dim < from.getRank(); ++dim)
    if (from.isDynamicDim(dim))
      return findExtentSource(reshape->getOperand(0), dim, isSource);
  return failure();
}

FailureOr<ExtentSource> mlir::fuse::findExtentSource(Value value, int64_t dim,
                                                     llvm::function_ref<bool(Value)> isSource) {
  if (isSource(value))
    return ExtentSource{value, dim};
  Operation *def = value.getDefiningOp();
  if (auto reshape = dyn_cast_or_null<ReshapeOp>(def))
    return throughReshape(reshape, isSource);
  // A scatter's result has the operand's shape.
  if (auto scatter = dyn_cast_or_null<ScatterOp>(def))
    return findExtentSource(scatter.getOperand(), dim, isSource);
  // Each output of a scan has an element for each step.
  if (auto scan = dyn_cast_or_null<ScanOp>(def)) {
    if (dim == 0 && cast<OpResult>(value).getResultNumber() >= scan.getNumStates())
      for (Value sequence : scan.getSequences())
        if (FailureOr<ExtentSource> found = findExtentSource(sequence, 0, isSource);
            succeeded(found))
          return found;
    return failure();
  }
  auto fusable = dyn_cast_or_null<FusableOpInterface>(def);
  if (!fusable)
    return failure();
  AffineMap written = fusable.getIndexingMapMatchingResult(cast<OpResult>(value));
  auto loop = dyn_cast_or_null<AffineDimExpr>(written ? written.getResult(dim) : AffineExpr());
  if (!loop)
    return failure();
  for (OpOperand &operand : def->getOpOperands()) {
    AffineMap map = fusable.getMatchingIndexingMap(&operand);
    if (!map)
      continue;
    for (auto [at, expr] : llvm::enumerate(map.getResults()))
      if (expr == loop) {
        FailureOr<ExtentSource> found = findExtentSource(operand.get(), at, isSource);
        if (succeeded(found))
          return found;
      }
  }
  return failure();
}
