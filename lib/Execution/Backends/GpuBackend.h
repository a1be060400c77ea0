//===- GpuBackend.h - What backends of GPUs have in common ------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_EXECUTION_BACKENDS_GPUBACKEND_H
#define FUSE_LIB_EXECUTION_BACKENDS_GPUBACKEND_H

#include "Backends.h"
#include "fuse/Pipelines/Pipelines.h"

namespace mlir::fuse {

/// Lowers through fuse-to-gpu and runs on a device. Unless a backend says otherwise it is for
/// NVIDIA's GPUs.
class GpuBackend : public Backend {
public:
  ArrayRef<StringRef> getChips() const override;
  StringRef getTargetName(StringRef chip) const override { return chip; }

  void buildLoweringPipeline(OpPassManager &passes, TargetAttr target,
                             const LoweringOptions &options) const override;
  bool hasDevice() const override { return true; }

protected:
  /// Chooses the dialect of device code, and what depends on the chip.
  virtual void setDevice(FuseToGPUOptions &pipeline, const LoweringOptions &options) const {}
};

} // namespace mlir::fuse

#endif // FUSE_LIB_EXECUTION_BACKENDS_GPUBACKEND_H
