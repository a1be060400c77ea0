//===- Barriers.h - Where the threads of a block wait for each other -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_GPU_BARRIERS_H
#define FUSE_LIB_CODEGEN_GPU_BARRIERS_H

#include "PrivateTiles.h"

namespace mlir::fuse {

/// Puts a barrier between ops of which one writes what another touches, unless each element is
/// touched by the same threads in both; and at the end of loops whose next iteration would do so.
/// Runs while members are still whole.
void insertBarriers(func::FuncOp function, const MappedMembers &members,
                    const DenseMap<Value, PrivateTile> &privates);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_GPU_BARRIERS_H
