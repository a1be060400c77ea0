//===- VariantGains.cpp - What code for some sizes gains -----------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "VariantGains.h"

#include "fuse/CostModel/LaunchBlocks.h"
#include "fuse/IR/DimNames.h"
#include "fuse/IR/FuseDialect.h"
#include "fuse/IR/StatedExtents.h"
#include "fuse/IR/Variants.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

class Estimate {
public:
  Estimate(FunctionOpInterface function, Numerics numerics, TargetAttr timed) : function(function) {
    target = TargetAttr::lookup(function);
    costModel = createCostModel("roofline", target, numerics);
    timeModel = createCostModel("roofline", timed ? timed : target, numerics);
  }

  /// Of one call; nothing for a function with a launch that the planner knows nothing of.
  std::optional<double> getMs(ArrayRef<VariantDim> sizes, ArrayRef<int64_t> likely = {}) {
    InlinedFunction inlined(function);
    if (!sizes.empty()) {
      // The tiles are those that the function has, whatever the sizes.
      forEachLaunch(inlined, [&](const LaunchBlock &block, int64_t launch) {
        if (ScheduleAttr schedule = block.getSchedule(launch))
          inlined.setSchedule(launch, schedule);
      });
      for (auto [at, size] : llvm::zip_equal(sizes, likely))
        writeExtent(inlined.getFunction(), at.argument, attr::kDimHints, at.dim, size);
    }
    double ns = 0;
    bool isKnown = true;
    forEachLaunch(inlined, [&](const LaunchBlock &block, int64_t launch) {
      std::optional<LaunchFacts> facts = block.getFacts(launch);
      isKnown &= facts.has_value();
      ns += facts ? timeModel->estimateNs(*facts) : 0;
    });
    return isKnown ? std::optional(ns * 1e-6) : std::nullopt;
  }

private:
  void forEachLaunch(InlinedFunction &inlined, llvm::function_ref<void(const LaunchBlock &, int64_t)> act) {
    inlined.getFunction()->walk<WalkOrder::PreOrder>([&](Block *body) {
      LaunchBlock block(*body, inlined, target, *costModel);
      for (int64_t launch : block.getLaunches())
        act(block, launch);
    });
  }

  FunctionOpInterface function;
  TargetAttr target;
  std::unique_ptr<CostModel> costModel, timeModel;
};

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
    SmallVector<int64_t> likely;
    for (const VariantDim &at : *dims) {
      StringRef name = getDimName(function, at.argument, at.dim);
      std::string text = name.empty() ? getDimPlace(function, at.argument, at.dim) : name.str();
      text += "=" + std::to_string(at.least);
      text += at.least < at.most ? ".." + std::to_string(at.most) : "";
      if (!llvm::is_contained(sizes, text))
        sizes.push_back(text);
      likely.push_back(at.least < at.most ? getPlannedExtent(variant, at.argument, at.dim).value_or(at.most) : at.most);
    }
    report.sizes = llvm::join(sizes, ", ");
    report.kernels = collectLaunches(variant).size();
    if (!statesSizes(variant))
      continue; // a price of extents that were made up would be none
    report.predictedMs = Estimate(variant, numerics, timed).getMs({});
    report.openMs = Estimate(function, numerics, timed).getMs(*dims, likely);
  }
  return reports;
}
