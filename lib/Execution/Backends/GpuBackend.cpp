//===- GpuBackend.cpp - What backends of GPUs have in common --------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Backends.h"
#include "fuse/Pipelines/Pipelines.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::fuse;

ArrayRef<StringRef> GpuBackend::getChips() const {
  static constexpr StringRef chips[] = {"sm_80", "sm_90", "sm_90a", "compute_80", "compute_90"};
  return chips;
}

/// What is made for any GPU since a chip is planned and scheduled for that chip.
StringRef GpuBackend::getTargetName(StringRef chip) const {
  return llvm::StringSwitch<StringRef>(chip)
      .Case("compute_80", "sm_80")
      .Case("compute_90", "sm_90")
      .Default(chip);
}

/// cp.async is there since sm_80.
static bool hasAsyncCopies(StringRef chip) {
  unsigned number = 0;
  return (chip.consume_front("sm_") || chip.consume_front("compute_")) &&
         !chip.consumeInteger(10, number) && number >= 80;
}

/// wgmma is an instruction of sm_90a, which later chips have not. The letter names what is for one chip alone.
static bool hasWarpgroups(StringRef chip) { return chip == "sm_90a"; }

void GpuBackend::buildLoweringPipeline(OpPassManager &passes, TargetAttr target,
                                       const LoweringOptions &options) const {
  FuseToGPUOptions pipeline;
  pipeline.stream = options.numerics != Numerics::Exact;
  pipeline.tf32 = options.numerics >= Numerics::ReducedPrecision;
  if (!options.asyncCopies || !hasAsyncCopies(resolveChip(options.chip)))
    pipeline.asyncStages = 1;
  pipeline.warpgroups = options.warpgroups && hasWarpgroups(resolveChip(options.chip));
  setDevice(pipeline, options);
  pipeline.schedules = options.schedules;
  pipeline.measuredOn = getMeasuredName(options.chip);
  if (auto bytes = static_cast<int64_t>(target.getFigure("shared_memory_bytes")); bytes > 0)
    pipeline.sharedBytes = bytes;
  buildFuseToGPUPipeline(passes, pipeline);
}
