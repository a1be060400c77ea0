//===- TileRegisters.cpp - What a CPU's tile registers hold -----===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/TileRegisters.h"

#include <algorithm>

using namespace mlir::fuse;

std::optional<int64_t> mlir::fuse::getTileSteps(int64_t steps, int64_t group) {
  constexpr int64_t kWordBytes = 4, kLeastBytes = 16;
  int64_t most = kTileLineBytes / kWordBytes * group;
  int64_t least = std::max(std::min(steps, most / 2), kLeastBytes / kWordBytes * group);
  for (int64_t part = std::min(steps, most); part >= least; --part)
    if (steps % part == 0 && part % group == 0)
      return part;
  return std::nullopt;
}
