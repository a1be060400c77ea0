//===- CheckedSizes.h - Sizes that no int64_t holds --------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_PROGRAM_CHECKEDSIZES_H
#define FUSE_LIB_CODEGEN_PROGRAM_CHECKEDSIZES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace mlir::fuse {

/// Multiplies two numbers of i64, and remembers in `overflowed`, an i1 or null so far, whether that is too large.
Value multiplyChecked(OpBuilder &builder, Location loc, Value left, Value right, Value &overflowed);

/// Gives a function that computes sizes one more result, of type i1: whether a sum or a product that its block computes
/// is too large for an int64_t. An extent of 2^32 times another one would be an empty array.
///
///   %0 = arith.muli %n, %m : index     →   %0 = arith.muli %n, %m : index
///   return %0 : index                      %1 = llvm.intr.smul.with.overflow(%n, %m), extracted
///                                          return %0, %1 : index, i1
void returnOverflow(func::FuncOp function);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_PROGRAM_CHECKEDSIZES_H
