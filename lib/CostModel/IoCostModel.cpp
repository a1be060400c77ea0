//===- IoCostModel.cpp - The cost model io -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Models.h"
#include "fuse/CostModel/Profile.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

Profile toProfile(const LaunchFacts &launch) {
  Profile profile;
  profile.kernelLaunches = launch.launches;
  profile.syncPoints = launch.syncPoints;
  profile.deviceTrafficBytes = launch.trafficBytes;
  return profile;
}

class IoCostModel : public CostModel {
public:
  IoCostModel(const IoFigures &figures, Numerics numerics) : CostModel(figures.minGainNs, numerics), figures(figures) {}

  StringRef getName() const override { return "io"; }
  double estimateNs(const LaunchFacts &launch) const override {
    return scoreMerge(computeBenefit(toProfile(launch), Profile()));
  }
  double scoreMerge(const Benefit &benefit) const override {
    return computeScore(benefit, figures);
  }
  /// Counts are subtracted before they are priced: then nothing is lost to rounding.
  double scoreGroup(ArrayRef<LaunchFacts> apart, const LaunchFacts &together) const override {
    Profile before;
    for (const LaunchFacts &launch : apart)
      before += toProfile(launch);
    return scoreMerge(computeBenefit(before, toProfile(together)));
  }

private:
  IoFigures figures;
};

} // namespace

std::unique_ptr<CostModel> mlir::fuse::createIoCostModel(TargetAttr target, Numerics numerics) {
  return std::make_unique<IoCostModel>(getIoFigures(target), numerics);
}
