//===- BufferSize.h - Bytes of buffers to be placed ---------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_KERNEL_BUFFERSIZE_H
#define FUSE_LIB_CODEGEN_KERNEL_BUFFERSIZE_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::fuse {

/// Of the places of buffers: a cache line, and the widest vector register.
inline constexpr int64_t kBufferAlignment = 64;

/// Bytes of one element in memory; what a reshape's list of extents holds are indices.
int64_t getElementBytes(MemRefType type);

/// Bytes of a buffer of static size, in whole multiples of the alignment.
int64_t getAlignedBytes(MemRefType type);

/// The same for a buffer of dynamic size, computed at `builder`.
Value computeAlignedBytes(OpBuilder &builder, memref::AllocOp alloc);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_KERNEL_BUFFERSIZE_H
