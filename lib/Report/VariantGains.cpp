//===- VariantGains.cpp - What code for some sizes gains -----------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "VariantGains.h"

#include "fuse/CostModel/CallTime.h"
#include "fuse/CostModel/LaunchBlocks.h"
#include "fuse/IR/DimNames.h"
#include "fuse/IR/FuseDialect.h"
#include "fuse/IR/StatedExtents.h"
#include "fuse/IR/Variants.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

bool statesSizes(func::FuncOp function) {
  bool states = true;
  forEachOpenDim(function, [&](unsigned argument, int64_t dim) {
    states &= getPlannedExtent(function, argument, dim).has_value();
  });
  return states;
}

} // namespace

std::vector<VariantReport> mlir::fuse::describeVariants(FunctionOpInterface op, Numerics numerics, TargetAttr timed) {
  std::vector<VariantReport> reports;
  auto function = dyn_cast<func::FuncOp>(op.getOperation());
  if (!function || !function->hasAttr(attr::kVariants))
    return reports;
  FailureOr<SmallVector<func::FuncOp>> variants = getVariants(function);
  if (failed(variants))
    return reports;
  for (func::FuncOp variant : *variants) {
    VariantReport &report = reports.emplace_back();
    report.name = variant.getName().str();
    FailureOr<SmallVector<VariantDim>> dims = getVariantDims(variant);
    if (failed(dims))
      return reports;
    SmallVector<std::string> sizes;
    for (const VariantDim &at : *dims) {
      StringRef name = getDimName(function, at.argument, at.dim);
      std::string text = name.empty() ? getDimPlace(function, at.argument, at.dim) : name.str();
      text += "=" + std::to_string(at.least);
      text += at.least < at.most ? ".." + std::to_string(at.most) : "";
      if (!llvm::is_contained(sizes, text))
        sizes.push_back(text);
    }
    report.sizes = llvm::join(sizes, ", ");
    report.kernels = collectLaunches(variant).size();
    if (!statesSizes(variant))
      continue; // a price of extents that were made up would be none
    CallTime time = estimateCall(variant, numerics, timed);
    CallTime open = estimateCall(function, numerics, timed, getLikelySizes(variant, *dims));
    if (time.isWhole)
      report.predictedMs = time.ns * 1e-6;
    if (open.isWhole)
      report.openMs = open.ns * 1e-6;
  }
  return reports;
}
