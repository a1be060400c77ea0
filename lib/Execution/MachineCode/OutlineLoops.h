//===- OutlineLoops.h - Large functions cut at their loops ----------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_EXECUTION_MACHINECODE_OUTLINELOOPS_H
#define FUSE_LIB_EXECUTION_MACHINECODE_OUTLINELOOPS_H

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace mlir::fuse {

/// Makes loops of large functions functions of their own, which are not inlined again.
///
/// A kernel that holds a layer of a network is one loop over its blocks, with a hundred loops in it. LLVM asks for what
/// those loops compute of the outer one's counter again after each change, so that its time grows with the square of their
/// number: of the 4.4 seconds for such a kernel of 28,000 instructions, 3 went to unrolling, rotating and strength reduction.
///
///   for block                      for block
///     for m, n, k: …                 call kernel.loop0(…)
///     for m, n: …             ->     call kernel.loop1(…)
///
/// A loop is taken whole where it is no larger than a part, else loops within it are. Loops stay where they are that
/// compute values used behind them, or that would need too many arguments.
void outlineLoops(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace mlir::fuse

#endif // FUSE_LIB_EXECUTION_MACHINECODE_OUTLINELOOPS_H
