//===- StepLoop.h - The loop over the steps of a recurrence -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A kernel whose function is one step (`fuse.steps`) runs all steps of a block before the next block:
//
//   for block in [begin, end):
//     for t in [0, T):
//       step(arguments of t, block, block + 1, scratch)
//
// Arguments differ from step to step in the place of their first element alone. A state that no
// output holds alternates between two places behind the thread's other scratch.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_ABI_STEPLOOP_H
#define FUSE_LIB_CODEGEN_ABI_STEPLOOP_H

#include "BufferABI.h"
#include "fuse/IR/FuseAttributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::fuse {

/// Bytes of scratch that the states of `step` take, from `scratchBytes` on (a multiple of 64).
int64_t getStateBytes(func::FuncOp step, StepsAttr steps);

/// Emits the loops at `builder`. `step` has the signature (arguments…, begin, end, scratch);
/// `buffers`, `begin`, `end` and `scratch` are the kernel's in the LLVM dialect; `scratchArgument` is
/// `scratch` as the step's last argument. States lie in `scratch` from `scratchBytes` on.
void emitStepLoop(OpBuilder &builder, Location loc, const LLVMTypeConverter &converter,
                  func::FuncOp step, StepsAttr steps, Value buffers, Value begin, Value end,
                  Value scratch, Value scratchArgument, int64_t scratchBytes);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_ABI_STEPLOOP_H
