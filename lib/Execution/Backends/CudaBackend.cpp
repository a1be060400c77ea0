//===- CudaBackend.cpp - NVIDIA GPUs --------------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Backends.h"
#include "fuse/Pipelines/Pipelines.h"
#include "fuse/Runtime/Context.h"
#include "fuse/Runtime/Cuda.h"

#include <mutex>

using namespace mlir;
using namespace mlir::fuse;

namespace {
class CudaBackend : public GpuBackend {
public:
  StringRef getName() const override { return "cuda"; }
  StringRef getDescription() const override { return "an NVIDIA GPU"; }

  /// A cubin, or PTX where nothing assembles it here, or it is for any GPU since a chip
  /// ("compute_90"): the driver does then. For that chip it is assembled all the same, which shows
  /// whether it spills.
  llvm::Expected<UnitCode> compileKernel(StringRef bytecode, StringRef name, StringRef from,
                                         const ObjectCompilerOptions &options) const override {
    std::string wanted = resolveChip(options.chip), chip = getTargetName(wanted).str();
    UnitCode code;
    if (canAssemble()) {
      auto assembled = compileCuda(bytecode, name, chip, from, name);
      if (!assembled)
        return assembled.takeError();
      code.image = std::move(*assembled);
      if (chip != wanted)
        code.image.binary.clear();
      return code;
    }
    auto ptx = compilePtx(bytecode, name, chip, from, name);
    if (!ptx)
      return ptx.takeError();
    code.image.text = std::move(*ptx);
    return code;
  }
  bool measuresResources() const override { return true; }
  StringRef getTextStage() const override { return "ptx"; }

  RunPlace getRunPlace() const override { return RunPlace::Device; }
  /// One for all sessions at a time, which share what is loaded.
  llvm::Expected<std::shared_ptr<fuse_device>>
  openDevice(const SessionOptions &options) const override {
    static std::mutex mutex;
    static std::weak_ptr<fuse_device> known;
    std::lock_guard<std::mutex> lock(mutex);
    if (std::shared_ptr<fuse_device> device = known.lock())
      return device;
    char error[FUSE_ERROR_CAPACITY];
    fuse_device *opened = nullptr;
    if (fuse_cuda_open(0, &opened, error, sizeof(error)))
      return llvm::createStringError(std::string("cannot open a GPU: ") + error);
    std::shared_ptr<fuse_device> device(opened, fuse_cuda_close);
    known = device;
    return device;
  }

  bool canBundle() const override { return true; }
  StringRef getBundleDevice() const override { return "cuda"; }
};
} // namespace

std::unique_ptr<Backend> mlir::fuse::createCudaBackend() { return std::make_unique<CudaBackend>(); }
