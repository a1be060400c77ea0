//===- Clock.h - The clock that runs and launches are timed by -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_SUPPORT_CLOCK_H
#define FUSE_SUPPORT_CLOCK_H

#include <chrono>
#include <cstdint>

namespace mlir::fuse {

/// Nanoseconds of a clock that only goes on; the runtime's events are by the same.
inline int64_t getSteadyNs() {
  auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

} // namespace mlir::fuse

#endif // FUSE_SUPPORT_CLOCK_H
