//===- WarpgroupTile.h - Which products are those of warpgroups -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Schedules choose tiles for warpgroups, and prices take their rate, where code will use them (StagedOperands in
// lib/Codegen/Gpu). Code asks buffers what planning asks members; test/device/warpgroups_test.py compares the answers.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_WARPGROUPTILE_H
#define FUSE_ANALYSIS_WARPGROUPTILE_H

#include "fuse/Analysis/GroupDomain.h"

namespace mlir::fuse {

/// How many bytes of an operand lie in one piece wherever a line of it begins, at most 16.
int64_t getAccessBytes(const MemberRead &read);

/// Whether warpgroups can multiply what contraction `m` reads, in some tile: f16 or bf16 that lies in memory in pieces of 16
/// bytes, for more steps than one part has.
bool suitsWarpgroups(const MemberTable &table, const GroupDomain &domain, unsigned m);

/// And whether they do in tiles of `tileSizes`, one for each shared dim, that so many threads compute.
bool takesWarpgroups(const MemberTable &table, const GroupDomain &domain, unsigned m, ArrayRef<int64_t> tileSizes,
                     int64_t threads);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_WARPGROUPTILE_H
