//===- Launch.h - One launch on the emulator, and its first fault ------------- -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_RUNTIME_EMULATOR_LAUNCH_H
#define FUSE_LIB_RUNTIME_EMULATOR_LAUNCH_H

#include "Bounds.h"
#include "fuse/Runtime/Context.h"
#include "fuse/Runtime/Device.h"
#include "fuse/Runtime/EmulatedCalls.h"
#include "fuse/Runtime/Emulator.h"

#include <atomic>
#include <cstdarg>
#include <mutex>

namespace mlir::fuse::emulator {

/// What all blocks of a launch share.
struct Launch {
  const char *kernel = ""; // as messages name it
  void (*entry)(void *const *params) = nullptr;
  void *const *params = nullptr;
  const fuse_emulated_kernel *description = nullptr;
  int32_t threads = 0;     // of a block
  int64_t blocks = 0;      // of the grid
  int64_t sharedBytes = 0; // static and dynamic
  int32_t checks = 0;      // fuse_emulator_check
  uint64_t seed = 0;       // of when copies arrive
  bool isChecked = false;  // whether accesses are looked at
  bool isParallel = false; // whether several threads of the system run blocks
  Regions regions;

  std::atomic<int64_t> next{0}; // the block to run next
  std::atomic<bool> stopped{false};
  char fault[FUSE_ERROR_CAPACITY] = ""; // the first one

  bool checksFor(fuse_emulator_check check) const { return checks & check; }

  /// Where in the source a site is.
  const char *locate(int32_t site) const {
    return site >= 0 && site < description->num_sites ? description->sites[site]
                                                      : "an unknown place";
  }

  /// Keeps the text unless there is one, and stops the launch.
  void fail(int64_t block, const char *format, va_list args);

private:
  std::mutex mutex;
};

} // namespace mlir::fuse::emulator

#endif // FUSE_LIB_RUNTIME_EMULATOR_LAUNCH_H
