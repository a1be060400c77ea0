//===- RandomProgram.h - Programs of random ops and annotations --*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TEST_UNIT_DISTRIBUTE_RANDOMPROGRAM_H
#define FUSE_TEST_UNIT_DISTRIBUTE_RANDOMPROGRAM_H

#include "fuse/Support/HostArray.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::fuse::test {

/// A module with a grid `g` of one or two axes and a function `f`, which follow from the seed. Some
/// values are annotated; with `mayNotDivide` also such that no partition can follow.
OwningOpRef<ModuleOp> makeRandomProgram(MLIRContext *context, unsigned seed, bool mayNotDivide);

/// Arguments for `f`: numbers of moderate size; indices 0 and 1.
SmallVector<HostArray> makeRandomArguments(func::FuncOp function, unsigned seed);

} // namespace mlir::fuse::test

#endif // FUSE_TEST_UNIT_DISTRIBUTE_RANDOMPROGRAM_H
