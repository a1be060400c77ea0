//===- ReadOnly.h - Buffers that a function only reads -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_GPU_READONLY_H
#define FUSE_LIB_CODEGEN_GPU_READONLY_H

#include "mlir/IR/Value.h"

namespace mlir::fuse {

/// Whether nothing that uses `buffer`, its views included, may write to its memory: it is loaded, asked for its sizes, or
/// copied from asynchronously.
bool isOnlyRead(Value buffer);

/// Says of all loads by pointers to such a buffer, which may be many steps from it, that nothing writes there.
void markInvariant(Value buffer);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_GPU_READONLY_H
