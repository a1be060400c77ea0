//===- FunctionRewrites.h - Functions before LLVM's passes ------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_EXECUTION_MACHINECODE_FUNCTIONREWRITES_H
#define FUSE_LIB_EXECUTION_MACHINECODE_FUNCTIONREWRITES_H

#include "llvm/IR/Function.h"

namespace mlir::fuse {

/// Makes llvm.fma of f32 arithmetic of f64, with the same result to the last bit: for CPUs without
/// the instruction, where LLVM calls libm for each element. llvm.fma of f64 stays.
void expandFma(llvm::Function &function);

/// LLVM 22's InstCombine moves the choice between 0 and a widened float, x < 0 ? 0 : fpext x, in
/// front of the widening, and takes it there for a maximum that may make -0.0 a 0.0. Puts a fence
/// (llvm.arithmetic.fence, no instruction) between the two.
void keepZeroSigns(llvm::Function &function);

} // namespace mlir::fuse

#endif // FUSE_LIB_EXECUTION_MACHINECODE_FUNCTIONREWRITES_H
