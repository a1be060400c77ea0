//===- AsyncCopies.h - Copies to shared memory that a thread waits for later -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// cp.async of sm_80 and later: a thread asks for copies of 4, 8 or 16 bytes, ends a group of them
// (which may be empty), and waits later until all groups but the newest few have arrived. What has
// arrived is seen by the thread that waited, and by others behind the next barrier.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_GPU_ASYNCCOPIES_H
#define FUSE_LIB_CODEGEN_GPU_ASYNCCOPIES_H

#include "mlir/IR/Builders.h"

namespace mlir::fuse {

/// Whether a copy may have so many bytes.
inline bool isAsyncCopySize(int64_t bytes) { return bytes == 4 || bytes == 8 || bytes == 16; }

/// The address in shared memory `bytes` behind where a buffer begins.
Value createSharedPointer(OpBuilder &b, Location loc, Value buffer, Value bytes);

/// How many elements one of a buffer lies behind where its memory begins.
Value createElementNumber(OpBuilder &b, Location loc, Value buffer, ValueRange at);

/// The buffer's memory from the element of a number on, as one line.
Value createViewFrom(OpBuilder &b, Location loc, Value buffer, Value element);

/// A pointer to the buffer's element of a number.
Value createElementPointer(OpBuilder &b, Location loc, Value buffer, Value element);

/// The addresses of an element of memory of the device, by its number, and of one of a row-major buffer that will lie in
/// shared memory.
Value createElementAddress(OpBuilder &b, Location loc, Value buffer, Value element);
Value createSharedAddress(OpBuilder &b, Location loc, Value buffer, ValueRange at);

/// The address so many elements behind another one. What is the same in all iterations of a loop should be part of the first
/// one.
Value createBehind(OpBuilder &b, Location loc, Value address, Value elements, int64_t elementBytes = 1);

/// An address so many bytes further, which instructions hold as a number.
Value createFurther(OpBuilder &b, Location loc, Value address, int64_t bytes);

/// Copies `bytes` from the one address to the other. Where `valid` does not hold (null: it always does), nothing is read, and
/// zeros arrive.
void createAsyncCopy(OpBuilder &b, Location loc, Value from, Value to, int64_t bytes, Value valid);

/// Ends a group.
void createAsyncCommit(OpBuilder &b, Location loc);

/// Waits for all groups but the newest `left`.
void createAsyncWait(OpBuilder &b, Location loc, int64_t left);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_GPU_ASYNCCOPIES_H
