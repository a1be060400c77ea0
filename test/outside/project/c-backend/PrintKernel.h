//===- PrintKernel.h - One kernel as a C function -------------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef OUTSIDE_PRINTKERNEL_H
#define OUTSIDE_PRINTKERNEL_H

#include "fuse/IR/FuseOps.h"
#include "llvm/Support/Error.h"

/// The text of the function `name`. Error: a member that is neither element-wise on operands of the
/// result's shape nor a sum over the last dimension, or a type other than a static tensor of f32.
llvm::Expected<std::string> printKernel(mlir::fuse::KernelOp kernel, llvm::StringRef name);

#endif // OUTSIDE_PRINTKERNEL_H
