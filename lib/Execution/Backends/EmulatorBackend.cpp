//===- EmulatorBackend.cpp - Kernels of a GPU, run and checked by this CPU ------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../MachineCode/NativeCode.h"
#include "Backends.h"
#include "fuse/Pipelines/Pipelines.h"
#include "fuse/Execution/Session.h"
#include "fuse/Runtime/Emulator.h"

using namespace mlir;
using namespace mlir::fuse;

/// What is not told by the result alone.
static constexpr int32_t kChecks =
    FUSE_EMULATOR_DIVERGENCE | FUSE_EMULATOR_BOUNDS | FUSE_EMULATOR_RACES | FUSE_EMULATOR_HOST;

namespace {
class EmulatorBackend : public GpuBackend {
public:
  StringRef getName() const override { return "emulator"; }
  StringRef getDescription() const override {
    return "kernels of a GPU, run on this CPU, and checked";
  }

  llvm::Expected<UnitCode> compileKernel(StringRef bytecode, StringRef name, StringRef from,
                                         const ObjectCompilerOptions &options) const override {
    auto object = compileEmulated(bytecode, name, from, name, options);
    if (!object)
      return object.takeError();
    return UnitCode{std::move(*object), {}};
  }
  /// Times of it say nothing of a GPU.
  std::string getMeasuredName(StringRef chip) const override { return "emulator"; }
  /// It says where a fault is.
  bool keepsLocations() const override { return true; }

  RunPlace getRunPlace() const override { return RunPlace::ThisCpu; }
  llvm::Expected<std::shared_ptr<fuse_device>>
  openDevice(const SessionOptions &options) const override {
    int32_t checks = kChecks | (options.countsRequests ? FUSE_EMULATOR_REQUESTS : 0);
    std::shared_ptr<fuse_device> device(fuse_emulator_create(checks), fuse_emulator_destroy);
    if (!device)
      return llvm::createStringError("no memory for an emulator");
    return device;
  }

  bool countsRequests() const override { return true; }
  std::vector<MemoryRequests> takeRequests(fuse_device &device) const override {
    std::vector<fuse_emulator_request_count> counts(fuse_emulator_requests(&device, nullptr, 0));
    fuse_emulator_requests(&device, counts.data(), static_cast<int64_t>(counts.size()));
    std::vector<MemoryRequests> requests;
    for (const fuse_emulator_request_count &count : counts)
      requests.push_back({count.kernel, count.site, count.writes != 0, count.requests,
                          count.sectors, count.ideal_sectors, count.rounds, count.ideal_rounds});
    fuse_emulator_forget_requests(&device);
    return requests;
  }
};
} // namespace

std::unique_ptr<Backend> mlir::fuse::createEmulatorBackend() {
  return std::make_unique<EmulatorBackend>();
}
