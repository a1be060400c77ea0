//===- ExpandFma.h - Sums of products in one rounding, without an instruction for it -*- C++
//-*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_EXECUTION_MACHINECODE_EXPANDFMA_H
#define FUSE_LIB_EXECUTION_MACHINECODE_EXPANDFMA_H

#include "llvm/IR/Function.h"

namespace mlir::fuse {

/// Makes llvm.fma of f32 arithmetic of f64, with the same result to the last bit: for CPUs without
/// the instruction, where LLVM calls libm for each element. llvm.fma of f64 stays.
void expandFma(llvm::Function &function);

} // namespace mlir::fuse

#endif // FUSE_LIB_EXECUTION_MACHINECODE_EXPANDFMA_H
