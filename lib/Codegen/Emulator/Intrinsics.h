//===- Intrinsics.h - One intrinsic's replacement ----------------------------- -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_EMULATOR_INTRINSICS_H
#define FUSE_LIB_CODEGEN_EMULATOR_INTRINSICS_H

#include "EmulatedFunction.h"

namespace mlir::fuse {

/// A call of an intrinsic, with the builder right before it.
struct IntrinsicCall {
  EmulatedFunction &function;
  llvm::CallInst &call;
  llvm::StringRef name; // without "llvm.nvvm."
  llvm::IRBuilder<> builder;

  llvm::Value *operand(unsigned i) const { return call.getArgOperand(i); }
  llvm::Type *type() const { return call.getType(); }
  llvm::Value *number(int64_t value) { return builder.getInt32(static_cast<uint32_t>(value)); }
  llvm::Value *site(llvm::StringRef what) const { return function.site(call, what); }
};

/// What stands for the call; poison for one without a result, null if the name is none of these.
llvm::Value *emulateRegister(IntrinsicCall &call);
llvm::Value *emulateSynchronization(IntrinsicCall &call);
llvm::Value *emulateWarpFunction(IntrinsicCall &call);
llvm::Value *emulateMatrix(IntrinsicCall &call);
llvm::Value *emulateArithmetic(IntrinsicCall &call);
llvm::Value *emulateWarpgroup(IntrinsicCall &call);

/// The same of a call of inline assembly, which the products of warpgroups are.
llvm::Value *emulateAssembly(IntrinsicCall &call);
/// Has what uses the results of such products ask the emulator for them.
void checkSums(EmulatedFunction &function);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_EMULATOR_INTRINSICS_H
