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

/// The one dynamic extent on either side of a reshape, among equally many static elements, is the
/// same.
static void listSources(ReshapeOp reshape, SmallVectorImpl<ExtentSource> &sources) {
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
    return;
  for (int64_t dim = 0; dim < from.getRank(); ++dim)
    if (from.isDynamicDim(dim))
      sources.push_back({reshape->getOperand(0), dim});
}

/// The dimensions of the defining op's operands that have the extent of a dimension of its result,
/// in the order of the operands.
static void listSources(ExtentSource result, SmallVectorImpl<ExtentSource> &sources) {
  Operation *def = result.value.getDefiningOp();
  if (auto reshape = dyn_cast_or_null<ReshapeOp>(def))
    return listSources(reshape, sources);
  // A scatter's result has the operand's shape.
  if (auto scatter = dyn_cast_or_null<ScatterOp>(def))
    return sources.push_back({scatter.getOperand(), result.dim});
  // Each output of a scan has an element for each step.
  if (auto scan = dyn_cast_or_null<ScanOp>(def)) {
    if (result.dim == 0 && cast<OpResult>(result.value).getResultNumber() >= scan.getNumStates())
      for (Value sequence : scan.getSequences())
        sources.push_back({sequence, 0});
    return;
  }
  auto fusable = dyn_cast_or_null<FusableOpInterface>(def);
  if (!fusable)
    return;
  AffineMap written = fusable.getIndexingMapMatchingResult(cast<OpResult>(result.value));
  auto loop =
      dyn_cast_or_null<AffineDimExpr>(written ? written.getResult(result.dim) : AffineExpr());
  if (!loop)
    return;
  for (OpOperand &operand : def->getOpOperands())
    if (AffineMap map = fusable.getMatchingIndexingMap(&operand))
      for (auto [at, expr] : llvm::enumerate(map.getResults()))
        if (expr == loop)
          sources.push_back({operand.get(), static_cast<int64_t>(at)});
}

FailureOr<ExtentSource> ExtentSources::find(Value value, int64_t dim) {
  /// A dimension whose source is looked for, and where it may come from.
  struct Step {
    std::pair<Value, int64_t> dim;
    SmallVector<ExtentSource, 2> rest; // in reverse
  };
  SmallVector<Step> path;
  ExtentSource next = {value, dim};
  while (true) {
    FailureOr<ExtentSource> found = failure();
    auto [slot, isNew] = known.try_emplace({next.value, next.dim}, failure());
    if (!isNew) {
      found = slot->second;
    } else if (isSource(next.value)) {
      found = slot->second = next;
    } else {
      Step &step = path.emplace_back(Step{{next.value, next.dim}, {}});
      listSources(next, step.rest);
      std::reverse(step.rest.begin(), step.rest.end());
    }
    if (succeeded(found)) {
      for (const Step &step : path)
        known[step.dim] = found;
      return found;
    }
    // What has nowhere left to come from is known to have no source.
    while (!path.empty() && path.back().rest.empty())
      path.pop_back();
    if (path.empty())
      return failure();
    next = path.back().rest.pop_back_val();
  }
}
