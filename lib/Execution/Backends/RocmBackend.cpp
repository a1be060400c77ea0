//===- RocmBackend.cpp - AMD GPUs, whose code is built and not run --------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Backends.h"
#include "fuse/Pipelines/Pipelines.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
class RocmBackend : public GpuBackend {
public:
  StringRef getName() const override { return "rocm"; }
  StringRef getDescription() const override { return "an AMD GPU; built, not run"; }

  ArrayRef<StringRef> getChips() const override {
    static constexpr StringRef chips[] = {"gfx942", "gfx90a"};
    return chips;
  }
  /// The two are alike in what matters to kernels.
  StringRef getTargetName(StringRef chip) const override { return "gfx942"; }

  llvm::Expected<UnitCode> compileKernel(StringRef bytecode, StringRef name, StringRef from,
                                         const ObjectCompilerOptions &options) const override {
    auto object = compileHsaco(bytecode, name, resolveChip(options.chip), from, name);
    if (!object)
      return object.takeError();
    UnitCode code;
    code.image.binary = std::move(*object);
    return code;
  }

  RunPlace getRunPlace() const override { return RunPlace::Nowhere; }

protected:
  void setDevice(FuseToGPUOptions &pipeline, const LoweringOptions &options) const override {
    pipeline.device = DeviceDialect::ROCDL;
    pipeline.chip = resolveChip(options.chip);
  }
};
} // namespace

std::unique_ptr<Backend> mlir::fuse::createRocmBackend() { return std::make_unique<RocmBackend>(); }
