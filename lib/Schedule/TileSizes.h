//===- TileSizes.h - How large the tiles of a CPU's blocks are -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_SCHEDULE_TILESIZES_H
#define FUSE_LIB_SCHEDULE_TILESIZES_H

#include "fuse/Analysis/ValueSizes.h"
#include "fuse/Schedule/KernelSchedule.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::fuse {

/// A tile size for each shared dim. `streams`: the schedule has a streamed dim.
SmallVector<int64_t> computeTileSizes(const KernelFacts &facts, TargetAttr target, bool streams);

/// Makes a tile that holds all likely rows of an open extent, of `sizes`, serve many more.
void enlargeOpenRows(const KernelFacts &facts, TargetAttr target, MutableArrayRef<int64_t> sizes);

/// Whether tiles of enough rows to serve what they read keep their temporaries near the core, where
/// rows are folded; of as few as are computed together, where they only lie between contractions.
bool rowsFit(const KernelFacts &facts, TargetAttr target);

/// The extent, or what an unknown one counts as.
inline int64_t getKnown(int64_t extent) {
  return ShapedType::isDynamic(extent) ? ValueSizes::kUnknownExtent : std::max<int64_t>(extent, 1);
}

} // namespace mlir::fuse

#endif // FUSE_LIB_SCHEDULE_TILESIZES_H
