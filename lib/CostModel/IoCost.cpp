//===- IoCost.cpp - The price of launches, waits and bytes -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/CostModel/IoCost.h"
#include "fuse/CostModel/Profile.h"
#include "fuse/Support/Saturating.h"

#include <algorithm>
#include <limits>

using namespace mlir;
using namespace mlir::fuse;

bool Benefit::operator==(const Benefit &other) const {
  return launchesSaved == other.launchesSaved && syncPointsSaved == other.syncPointsSaved &&
         hostReadbackBytesSaved == other.hostReadbackBytesSaved &&
         deviceTrafficBytesSaved == other.deviceTrafficBytesSaved;
}

Benefit mlir::fuse::computeBenefit(const Profile &before, const Profile &after) {
  return {subSaturating(before.kernelLaunches, after.kernelLaunches),
          subSaturating(before.syncPoints, after.syncPoints),
          subSaturating(before.hostOutputBytes, after.hostOutputBytes),
          subSaturating(before.deviceTrafficBytes, after.deviceTrafficBytes)};
}

IoFigures mlir::fuse::getIoFigures(TargetAttr target) {
  IoFigures figures;
  figures.dispatchNs = target.getFigure("dispatch_ns");
  figures.roundtripNs = target.getFigure("roundtrip_ns");
  figures.memoryBw = target.getFigure("memory_bw");
  figures.readbackBw = target.getFigure("readback_bw");
  figures.unified = target.getFigure("unified") != 0;
  figures.unifiedReadbackBw = target.getFigure("unified_readback_bw");
  figures.hostThunkPenaltyNs = target.getFigure("host_thunk_penalty_ns");
  figures.minGainNs = target.getFigure("min_gain_ns");
  return figures;
}

/// count · ns, bounded so that a sum of such terms is finite.
static double multiply(int64_t count, double ns) {
  constexpr double bound = std::numeric_limits<double>::max() / 8;
  return std::clamp(static_cast<double>(count) * ns, -bound, bound);
}

static double divideBytes(int64_t bytes, double bytesPerNs) {
  return static_cast<double>(bytes) / std::max(bytesPerNs, 1.0);
}

double mlir::fuse::computeScore(const Benefit &benefit, const IoFigures &figures) {
  double readbackBw = figures.unified ? figures.unifiedReadbackBw : figures.readbackBw;
  return multiply(benefit.launchesSaved, figures.dispatchNs) +
         multiply(benefit.syncPointsSaved, figures.roundtripNs) +
         divideBytes(benefit.deviceTrafficBytesSaved, figures.memoryBw) +
         divideBytes(benefit.hostReadbackBytesSaved, readbackBw);
}

double mlir::fuse::computeGatedScore(const Benefit &benefit, const IoFigures &figures) {
  int64_t added = std::min<int64_t>(benefit.syncPointsSaved, 0);
  return computeScore(benefit, figures) + multiply(added, figures.hostThunkPenaltyNs);
}

IoPrice mlir::fuse::computePrice(const Benefit &benefit, const IoFigures &figures) {
  IoPrice price;
  price.scoreNs = computeScore(benefit, figures);
  price.gatedScoreNs = computeGatedScore(benefit, figures);
  price.plainFuses = price.scoreNs >= figures.minGainNs;
  price.gatedFuses = price.gatedScoreNs >= figures.minGainNs;
  return price;
}
