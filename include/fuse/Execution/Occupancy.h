//===- Occupancy.h - How full a kernel keeps a GPU ----------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_EXECUTION_OCCUPANCY_H
#define FUSE_EXECUTION_OCCUPANCY_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace mlir::fuse {

/// What a multiprocessor of an NVIDIA GPU has, by compute capability.
struct MultiprocessorLimits {
  int64_t warps = 0;
  int64_t blocks = 0;
  int64_t sharedBytes = 0;      // for all of its blocks
  int64_t sharedBlockBytes = 0; // the most that one block may ask for
  int64_t sharedReserved = 0;   // bytes that the system takes per block
  int64_t sharedUnit = 128;     // bytes, in which shared memory is given out
  int64_t registers = 65536;
  int64_t registerUnit = 256; // in which registers are given to a warp
  int64_t threadRegisters = 255;
  int64_t blockThreads = 1024;
};

/// The limits of a chip ("sm_80", "sm_90a"); none for one whose figures are not known.
std::optional<MultiprocessorLimits> getMultiprocessorLimits(StringRef chip);

struct Occupancy {
  int64_t blocks = 0; // at once on one multiprocessor; 0: the kernel cannot run
  int64_t warps = 0;  // of those blocks
  int64_t maxWarps = 0;
  StringRef limit; // what allows no more: "threads", "blocks", "registers" or "shared memory"

  double getRatio() const { return maxWarps ? static_cast<double>(warps) / maxWarps : 0; }
};

/// For blocks of `threads` threads that use `registers` registers each and `sharedBytes` bytes of
/// shared memory together, static and dynamic. Assumes that shared memory gets all of the memory
/// that it may share with the cache.
Occupancy computeOccupancy(const MultiprocessorLimits &limits, int64_t threads, int64_t registers,
                           int64_t sharedBytes);

} // namespace mlir::fuse

#endif // FUSE_EXECUTION_OCCUPANCY_H
