//===- TileRegisters.h - What a CPU's tile registers hold -------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The tile registers of Intel's AMX: eight of up to 16 lines of 64 bytes. One instruction adds the product of two tiles to a
// third, sums[16, 16] += rows[16, steps] x columns[steps, 16], with as many steps as a line holds: 64 bytes or 32 bf16. The
// steps come in groups that fill a word of 32 bits, four bytes or two bf16.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_TILEREGISTERS_H
#define FUSE_ANALYSIS_TILEREGISTERS_H

#include <cstdint>
#include <optional>

namespace mlir::fuse {

/// Lines of a tile register, bytes of a line, and registers.
inline constexpr int64_t kTileLines = 16, kTileLineBytes = 64, kTileRegisters = 8;

/// How many of `steps` steps one instruction takes: the largest divisor that a line holds and that is whole groups of
/// `group` steps. None where a line would be less than half full although there are more steps, and for fewer than 16 bytes of
/// steps: vectors multiply them then. Example: 160 steps of bytes are four times 40.
std::optional<int64_t> getTileSteps(int64_t steps, int64_t group);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_TILEREGISTERS_H
