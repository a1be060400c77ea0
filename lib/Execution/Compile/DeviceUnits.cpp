//===- DeviceUnits.cpp - Kernels of a device among those to compile --------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "KernelUnits.h"

#include "fuse/IR/FuseDialect.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace mlir::fuse;

/// Of a grid, in one dimension; and where each has memory of its own, enough to fill a GPU.
static constexpr int64_t kMostBlocks = (int64_t(1) << 31) - 1, kMostScratchBlocks = 1024;

gpu::GPUModuleOp mlir::fuse::getDeviceModule(ModuleOp kernel) {
  auto modules = kernel.getOps<gpu::GPUModuleOp>();
  return modules.empty() ? gpu::GPUModuleOp() : *modules.begin();
}

llvm::Expected<KernelUnit::Device> mlir::fuse::describeDevice(ModuleOp kernel) {
  auto fail = [&](StringRef name) {
    return llvm::createStringError("kernel @" + kernel.getSymName()->str() + ": expected " +
                                   name.str() + ", as fuse-to-gpu leaves it");
  };
  KernelUnit::Device device;
  auto threads = kernel->getAttrOfType<IntegerAttr>(attr::kThreads);
  if (!threads)
    return fail(attr::kThreads);
  device.threads = static_cast<int32_t>(threads.getInt());
  auto shared = kernel->getAttrOfType<IntegerAttr>(attr::kSharedBytes);
  if (!shared)
    return fail(attr::kSharedBytes);
  device.sharedBytes = static_cast<int32_t>(shared.getInt());
  auto params = kernel->getAttrOfType<DenseI64ArrayAttr>(attr::kDeviceParams);
  if (!params || params.size() % 2 != 0)
    return fail(attr::kDeviceParams);
  device.mostBlocks = kMostBlocks;
  for (int64_t i = 0; i < params.size(); i += 2) {
    device.params.push_back({static_cast<int32_t>(params[i]), static_cast<int32_t>(params[i + 1])});
    if (params[i] < 0 && params[i + 1] == FUSE_DEVICE_SCRATCH)
      device.mostBlocks = kMostScratchBlocks;
  }
  return device;
}

OwningOpRef<ModuleOp> mlir::fuse::cloneDeviceFunctions(gpu::GPUModuleOp device) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(device.getLoc());
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  for (Operation &op : *device.getBody())
    builder.clone(op);
  return module;
}
