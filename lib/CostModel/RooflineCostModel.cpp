//===- RooflineCostModel.cpp - The cost model roofline -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "RooflineCostModel.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

class RooflineCostModel : public CostModel {
public:
  explicit RooflineCostModel(TargetAttr target)
      : CostModel(target.getFigure("min_gain_ns")), figures(getIoFigures(target)) {
    double threads = std::max(1.0, target.getFigure("max_threads"));
    cacheBw = threads * target.getFigure("l3_bw");
    flopsPerNs = threads * target.getFigure("flops_per_ns");
    // Other threads and programs want their share.
    cacheBytes = target.getFigure("l3_bytes") / 2;
  }

  StringRef getName() const override { return "roofline"; }

  double estimateNs(const LaunchFacts &launch) const override {
    double memoryBw = std::max(1.0, figures.memoryBw);
    double memory = launch.trafficBytes / memoryBw, again = 0, compute = 0;
    // A figure that a target does not give costs nothing.
    if (cacheBw > 0)
      again = launch.rereadBytes / (launch.reusedBytes > cacheBytes ? std::min(memoryBw, cacheBw)
                                                                    : cacheBw);
    if (flopsPerNs > 0)
      compute = launch.flops / flopsPerNs;
    return launch.launches * figures.dispatchNs + launch.syncPoints * figures.roundtripNs +
           std::max(memory, compute) + again;
  }

  double scoreMerge(const Benefit &benefit) const override {
    return computeScore(benefit, figures);
  }

private:
  IoFigures figures;
  double cacheBw, flopsPerNs, cacheBytes;
};

} // namespace

std::unique_ptr<CostModel> mlir::fuse::createRooflineCostModel(TargetAttr target) {
  return std::make_unique<RooflineCostModel>(target);
}
