//===- IoCost.h - The price of launches, waits and bytes -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What two versions of a program differ by (a Benefit), priced in nanoseconds (a score), and what
// follows from it (a verdict). Pure arithmetic: counts saturate, scores stay finite.
//
//   score = launches · dispatch + waits · roundtrip + traffic / memory_bw + readback / r
//
// where r is the readback bandwidth of a discrete device, or that of a unified one. Bandwidths are
// bytes per ns and count as 1 at least.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_COSTMODEL_IOCOST_H
#define FUSE_COSTMODEL_IOCOST_H

#include <cstdint>

namespace mlir::fuse {

class TargetAttr;
struct Profile;

/// What `after` saves over `before`; negative where it costs more.
struct Benefit {
  int64_t launchesSaved = 0;
  int64_t syncPointsSaved = 0;
  int64_t hostReadbackBytesSaved = 0;
  int64_t deviceTrafficBytesSaved = 0;

  bool operator==(const Benefit &other) const;
};

Benefit computeBenefit(const Profile &before, const Profile &after);

/// The figures of `#fuse.target` that the price depends on, with its defaults.
struct IoFigures {
  double dispatchNs = 0;         ///< one launch
  double roundtripNs = 0;        ///< one wait for the device
  double memoryBw = 1;           ///< bytes per ns
  double readbackBw = 1;         ///< bytes per ns, of a discrete device
  bool unified = false;          ///< host and device share memory
  double unifiedReadbackBw = 1;  ///< bytes per ns, of a unified device
  double hostThunkPenaltyNs = 0; ///< one more wait in the middle of a program
  double minGainNs = 0;          ///< what a change must bring to be made
};

IoFigures getIoFigures(TargetAttr target);

/// What `benefit` is worth, in ns: how much faster `after` is. Never infinite or NaN for figures
/// that are finite and not negative; monotone in each saving.
double computeScore(const Benefit &benefit, const IoFigures &figures);

/// The score less the penalty for each wait that is added.
double computeGatedScore(const Benefit &benefit, const IoFigures &figures);

/// A benefit, priced. The plain verdict judges the score, the gated one the gated score.
struct IoPrice {
  double scoreNs = 0;
  double gatedScoreNs = 0;
  bool plainFuses = false; ///< scoreNs ≥ minGainNs
  bool gatedFuses = false; ///< gatedScoreNs ≥ minGainNs
};

IoPrice computePrice(const Benefit &benefit, const IoFigures &figures);

} // namespace mlir::fuse

#endif // FUSE_COSTMODEL_IOCOST_H
