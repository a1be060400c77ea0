//===- DeviceParams.cpp - What a device's function is given -------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Runtime/Device.h"

extern "C" void fuse_device_params(const fuse_device_kernel *kernel, const fuse_buffer *args,
                                   int64_t blocks, void *scratch, int64_t scratchBytes,
                                   uint64_t *values) {
  for (int64_t i = 0; i < kernel->num_params; ++i) {
    const fuse_device_param &param = kernel->params[i];
    if (param.buffer < 0)
      values[i] = param.what == FUSE_DEVICE_BLOCKS    ? static_cast<uint64_t>(blocks)
                  : param.what == FUSE_DEVICE_SCRATCH ? reinterpret_cast<uintptr_t>(scratch)
                                                      : static_cast<uint64_t>(scratchBytes);
    else if (param.what < 0)
      values[i] = reinterpret_cast<uintptr_t>(args[param.buffer].data);
    else
      values[i] = static_cast<uint64_t>(args[param.buffer].sizes[param.what]);
  }
}
