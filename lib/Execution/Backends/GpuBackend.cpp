//===- GpuBackend.cpp - What backends of GPUs have in common --------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Backends.h"
#include "fuse/Pipelines/Pipelines.h"

using namespace mlir;
using namespace mlir::fuse;

ArrayRef<StringRef> GpuBackend::getChips() const {
  static constexpr StringRef chips[] = {"sm_80", "sm_90"};
  return chips;
}

void GpuBackend::buildLoweringPipeline(OpPassManager &passes, TargetAttr target,
                                       const LoweringOptions &options) const {
  FuseToGPUOptions pipeline;
  pipeline.stream = options.numerics != Numerics::Exact;
  pipeline.tf32 = options.numerics >= Numerics::ReducedPrecision;
  setDevice(pipeline, options);
  if (auto bytes = static_cast<int64_t>(target.getFigure("shared_memory_bytes")); bytes > 0)
    pipeline.sharedBytes = bytes;
  buildFuseToGPUPipeline(passes, pipeline);
}
