//===- Backends.h - The backends that are always there ----------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_EXECUTION_BACKENDS_BACKENDS_H
#define FUSE_LIB_EXECUTION_BACKENDS_BACKENDS_H

#include "fuse/Execution/Backend.h"

namespace mlir::fuse {

struct FuseToGPUOptions;

/// "cpu": code of this CPU, or of a level of CPUs like it.
std::unique_ptr<Backend> createCpuBackend();
/// "cuda": an NVIDIA GPU.
std::unique_ptr<Backend> createCudaBackend();
/// "rocm": an AMD GPU. Its code is built, and nothing here runs it.
std::unique_ptr<Backend> createRocmBackend();
/// "emulator": the kernels of "cuda", run and checked by this CPU.
std::unique_ptr<Backend> createEmulatorBackend();

/// Lowers through fuse-to-gpu and runs on a device. Unless a backend says otherwise it is for
/// NVIDIA's GPUs.
class GpuBackend : public Backend {
public:
  ArrayRef<StringRef> getChips() const override;
  StringRef getTargetName(StringRef chip) const override;

  void buildLoweringPipeline(OpPassManager &passes, TargetAttr target,
                             const LoweringOptions &options) const override;
  bool hasDevice() const override { return true; }
  bool usesSchedules() const override { return true; }
  std::string getMeasuredName(StringRef chip) const override { return resolveChip(chip); }

protected:
  /// Chooses the dialect of device code, and what depends on the chip.
  virtual void setDevice(FuseToGPUOptions &pipeline, const LoweringOptions &options) const {}
};

} // namespace mlir::fuse

#endif // FUSE_LIB_EXECUTION_BACKENDS_BACKENDS_H
