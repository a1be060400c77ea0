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

FailureOr<ExtentSource> mlir::fuse::findExtentSource(Value value, int64_t dim,
                                                     llvm::function_ref<bool(Value)> isSource) {
  if (isSource(value))
    return ExtentSource{value, dim};
  Operation *def = value.getDefiningOp();
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
