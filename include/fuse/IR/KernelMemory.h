//===- KernelMemory.h - Which memory a kernel writes --------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IR_KERNELMEMORY_H
#define FUSE_IR_KERNELMEMORY_H

#include "llvm/ADT/StringRef.h"

namespace mlir::fuse {

/// Of a kernel's module: memory that it stores to may be that of any operand. Results otherwise lie in memory of their own.
constexpr llvm::StringLiteral kWritesOperands = "fuse.writes_operands";

} // namespace mlir::fuse

#endif // FUSE_IR_KERNELMEMORY_H
