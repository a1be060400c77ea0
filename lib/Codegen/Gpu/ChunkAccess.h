//===- ChunkAccess.h - Neighbouring elements in one access -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_GPU_CHUNKACCESS_H
#define FUSE_LIB_CODEGEN_GPU_CHUNKACCESS_H

#include "mlir/IR/Builders.h"

namespace mlir::fuse {

/// `count` elements of a buffer from `at` on, as a vector; they are aligned to their own bytes.
Value createChunkLoad(OpBuilder &b, Location loc, Value buffer, ValueRange at, int64_t count);

/// The opposite.
void createChunkStore(OpBuilder &b, Location loc, ValueRange elements, Value buffer, ValueRange at);

/// The elements of such a vector.
SmallVector<Value> createElements(OpBuilder &b, Location loc, Value chunk);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_GPU_CHUNKACCESS_H
