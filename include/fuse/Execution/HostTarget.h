//===- HostTarget.h - What a CPU's facts say of its speed -------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Times are predicted for the CPU that a program runs on, by what the system tells of it: nothing
// is measured, so the figures are the same in every run.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_EXECUTION_HOSTTARGET_H
#define FUSE_EXECUTION_HOSTTARGET_H

#include "fuse/Execution/Calibration.h"
#include "fuse/Execution/CpuLevel.h"

namespace mlir::fuse {

struct CpuFacts {
  CpuVectors vectors;
  /// Clock while vectors are computed; 0 where nothing tells.
  double gigahertz = 0;
  CacheSizes caches;
  int32_t threads = 1;
};

/// Of this CPU, for so many threads.
CpuFacts getCpuFacts(int32_t threads);

/// The clock that a CPU reaches, of what the system tells: the highest one in kHz (0: unknown), the
/// one in MHz that /proc/cpuinfo has, which is the nominal one in a virtual machine and wanders
/// elsewhere. 0 where neither tells.
double findGigahertz(int64_t maxKilohertz, double megahertz, bool isVirtual);

/// The target `host`, whose figures follow from the facts.
TargetAttr makeHostTarget(MLIRContext *context, const CpuFacts &facts);

} // namespace mlir::fuse

#endif // FUSE_EXECUTION_HOSTTARGET_H
