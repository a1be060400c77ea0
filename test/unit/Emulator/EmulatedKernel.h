//===- EmulatedKernel.h - Kernels from text, run on the emulator -------------- -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TEST_UNIT_EMULATOR_EMULATEDKERNEL_H
#define FUSE_TEST_UNIT_EMULATOR_EMULATEDKERNEL_H

#include "fuse/Codegen/Emulator/EmulateNvvm.h"
#include "fuse/Runtime/Context.h"
#include "fuse/Runtime/Emulator.h"

#include <memory>
#include <string>
#include <vector>

namespace mlir::fuse::test {

/// An array of one dimension that a kernel is given.
template <class T>
struct Numbers {
  explicit Numbers(int64_t count, T value = T()) : values(count, value), size(count) {}
  fuse_buffer buffer() {
    static const int64_t stride = 1;
    int32_t dtype = sizeof(T) == 8   ? FUSE_I64
                    : sizeof(T) == 4 ? (std::is_floating_point_v<T> ? FUSE_F32 : FUSE_I32)
                                     : FUSE_U16;
    return {values.data(), &size, &stride, 1, dtype};
  }
  T &operator[](int64_t i) { return values[i]; }

  std::vector<T> values;
  int64_t size;
};

struct LaunchOptions {
  int64_t blocks = 1;
  int32_t threads = 32;
  int32_t sharedBytes = 0;  // dynamic
  int64_t scratchBytes = 0; // per block
  int64_t mostBlocks = 0;
  int32_t workers = 1; // of the context
};

/// The kernel @k of a gpu.module in a text called "kernel.mlir". It takes a pointer to each buffer
/// and then the number of blocks and a pointer to scratch.
class EmulatedKernel {
public:
  static constexpr int32_t kAllChecks =
      FUSE_EMULATOR_DIVERGENCE | FUSE_EMULATOR_BOUNDS | FUSE_EMULATOR_RACES;

  /// `error` says why there is no kernel. gpu.func are converted to NVVM first.
  explicit EmulatedKernel(const std::string &text, int32_t checks = kAllChecks,
                          const EmulationOptions &options = {});
  ~EmulatedKernel();

  /// The text of the error, or nothing.
  std::string launch(std::vector<fuse_buffer> buffers, const LaunchOptions &options = {});

  fuse_device *getDevice() const { return device; }
  int64_t getStaticShared() const { return staticShared; }
  std::string error;

private:
  struct Code;
  std::unique_ptr<Code> code;
  fuse_device *device;
  int64_t staticShared = 0;
};

/// The text of a gpu.module with `body`, an llvm.func @k after what is in front of it.
std::string inModule(const std::string &body);

} // namespace mlir::fuse::test

#endif // FUSE_TEST_UNIT_EMULATOR_EMULATEDKERNEL_H
