//===- EmulatorDevice.h - The emulator as a device ---------------------------- -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_RUNTIME_EMULATOR_EMULATORDEVICE_H
#define FUSE_LIB_RUNTIME_EMULATOR_EMULATORDEVICE_H

#include "Worker.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace mlir::fuse::emulator {

/// What a context has of the device: its workers, one per thread of the context.
struct Queue {
  std::vector<std::unique_ptr<Worker>> workers;
  std::vector<char> scratch;
};

/// Memory given out, between two stretches of a pattern that must stay.
struct Allocation {
  char *base;
  int64_t bytes;
  int64_t mapped; // bytes of whole pages, which are closed to the host; 0: memory of the heap
};

struct EmulatorDevice : fuse_device {
  EmulatorDevice() : fuse_device() {}

  int32_t checks = 0;
  uint64_t seed = 0;
  std::mutex mutex; // for what is below
  std::map<char *, Allocation> allocations;
  int64_t opened = 0; // of class OpenMemory
  /// By kernel, and by site and its text.
  std::map<std::string, std::map<std::pair<int64_t, std::string>, RequestSums>> requests;

  void addRequests(const Launch &launch, const Queue &queue, size_t workers);
};

inline EmulatorDevice &deviceOf(fuse_device *device) { return *static_cast<EmulatorDevice *>(device); }

/// What memory that is given out is aligned to, as a driver's is.
inline constexpr int64_t kAlignment = 256;

/// The device's memory can be read and written as long as one of these lives.
class OpenMemory {
public:
  explicit OpenMemory(EmulatorDevice &device);
  ~OpenMemory();
  OpenMemory(const OpenMemory &) = delete;

private:
  EmulatorDevice &device;
};

// Functions of fuse_device; see Device.h.
int32_t allocateEmulated(fuse_device *device, fuse_context *context, int64_t bytes, void **memory);
void releaseEmulated(fuse_device *device, fuse_context *context, void *memory);
int32_t copyEmulated(fuse_device *device, fuse_context *context, void *to, const void *from,
                     int64_t bytes);
int32_t fillEmulated(fuse_device *device, fuse_context *context, void *to, const void *element,
                     int32_t elementBytes, int64_t count);
int32_t waitEmulated(fuse_device *device, fuse_context *context);
void freeAllocation(const Allocation &allocation);
int32_t launchEmulated(fuse_device *device, fuse_context *context, const fuse_kernel *kernel,
                       const fuse_buffer *args, int64_t blocks);

} // namespace mlir::fuse::emulator

#endif // FUSE_LIB_RUNTIME_EMULATOR_EMULATORDEVICE_H
