//===- Occupancy.cpp - How full a kernel keeps a GPU -----------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Execution/Occupancy.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::fuse;

/// Warps of one block are spread evenly over this many schedulers, each with registers of its own.
static constexpr int64_t kSchedulers = 4;
static constexpr int64_t kWarpThreads = 32;

std::optional<MultiprocessorLimits> mlir::fuse::getMultiprocessorLimits(StringRef chip) {
  auto make = [](int64_t warps, int64_t blocks, int64_t sharedKiB, int64_t reserved,
                 int64_t unit = 128) {
    MultiprocessorLimits limits;
    limits.warps = warps;
    limits.blocks = blocks;
    limits.sharedBytes = sharedKiB * 1024;
    limits.sharedReserved = reserved;
    limits.sharedBlockBytes = limits.sharedBytes - reserved;
    limits.sharedUnit = unit;
    return std::optional(limits);
  };
  // A letter at the end names a set of instructions, not another chip.
  return llvm::StringSwitch<std::optional<MultiprocessorLimits>>(chip.rtrim("af"))
      .Case("sm_75", make(32, 16, 64, 0, 256))
      .Case("sm_80", make(64, 32, 164, 1024))
      .Case("sm_86", make(48, 16, 100, 1024))
      .Case("sm_87", make(48, 16, 164, 1024))
      .Case("sm_89", make(48, 24, 100, 1024))
      .Case("sm_90", make(64, 32, 228, 1024))
      .Case("sm_100", make(64, 32, 228, 1024))
      .Case("sm_120", make(48, 24, 100, 1024))
      .Default(std::nullopt);
}

Occupancy mlir::fuse::computeOccupancy(const MultiprocessorLimits &limits, int64_t threads,
                                       int64_t registers, int64_t sharedBytes) {
  Occupancy result;
  result.maxWarps = limits.warps;
  int64_t warps = std::max<int64_t>(1, llvm::divideCeil(threads, kWarpThreads));

  int64_t byThreads = threads > limits.blockThreads ? 0 : limits.warps / warps;
  int64_t byRegisters = limits.blocks;
  if (registers > limits.threadRegisters) {
    byRegisters = 0;
  } else if (registers > 0) {
    int64_t perWarp = llvm::alignTo(registers * kWarpThreads, limits.registerUnit);
    byRegisters = limits.registers / kSchedulers / perWarp * kSchedulers / warps;
  }
  int64_t byShared = limits.blocks;
  if (sharedBytes > limits.sharedBlockBytes)
    byShared = 0;
  else if (int64_t bytes = llvm::alignTo(sharedBytes + limits.sharedReserved, limits.sharedUnit))
    byShared = limits.sharedBytes / bytes;

  result.blocks = limits.blocks;
  result.limit = "blocks";
  for (auto [blocks, limit] : {std::pair<int64_t, StringRef>(byThreads, "threads"),
                               {byRegisters, "registers"},
                               {byShared, "shared memory"}})
    if (blocks < result.blocks) {
      result.blocks = blocks;
      result.limit = limit;
    }
  result.warps = result.blocks * warps;
  return result;
}
