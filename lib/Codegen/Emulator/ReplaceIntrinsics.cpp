//===- ReplaceIntrinsics.cpp - Intrinsics become calls of the emulator --------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Intrinsics.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace mlir::fuse;

static constexpr llvm::StringLiteral kPrefix = "llvm.nvvm.";

static llvm::Error replaceCall(EmulatedFunction &function, llvm::CallInst &call) {
  if (call.isInlineAsm()) {
    IntrinsicCall assembly = {function, call, "", llvm::IRBuilder<>(&call)};
    llvm::Value *result = emulateAssembly(assembly);
    if (!result)
      return llvm::createStringError(
          "@" + function.get().getName() + ": the emulator does not run inline assembly, found \"" +
          llvm::cast<llvm::InlineAsm>(call.getCalledOperand())->getAsmString() + "\"");
    if (!call.getType()->isVoidTy())
      call.replaceAllUsesWith(result);
    call.eraseFromParent();
    return llvm::Error::success();
  }
  llvm::Function *callee = call.getCalledFunction();
  if (!callee)
    return llvm::createStringError("@" + function.get().getName() +
                                   ": the emulator does not run calls of computed functions");
  llvm::StringRef name = callee->getName();
  llvm::IRBuilder<> builder(&call);
  if (callee->getIntrinsicID() == llvm::Intrinsic::trap || name == "__assertfail") {
    llvm::Value *text =
        name == "__assertfail" ? call.getArgOperand(0) : builder.CreateGlobalString("trap");
    function.call(builder, "fuse_emulated_fail", builder.getVoidTy(),
                  {text, function.site(call, "assertion")});
    call.eraseFromParent();
    return llvm::Error::success();
  }
  if (!name.consume_front(kPrefix))
    return llvm::Error::success();
  IntrinsicCall intrinsic = {function, call, name, llvm::IRBuilder<>(&call)};
  llvm::Value *result = nullptr;
  for (auto *emulate : {emulateRegister, emulateSynchronization, emulateWarpFunction, emulateMatrix,
                        emulateArithmetic, emulateWarpgroup})
    if ((result = emulate(intrinsic)))
      break;
  if (!result)
    return llvm::createStringError("@" + function.get().getName() +
                                   ": the emulator does not know the intrinsic " +
                                   callee->getName());
  if (!call.getType()->isVoidTy())
    call.replaceAllUsesWith(result);
  call.eraseFromParent();
  return llvm::Error::success();
}

llvm::Error mlir::fuse::replaceIntrinsics(EmulatedFunction &function) {
  checkSums(function);
  llvm::SmallVector<llvm::CallInst *> calls;
  for (llvm::Instruction &instruction : llvm::instructions(function.get()))
    if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction))
      calls.push_back(call);
  for (llvm::CallInst *call : calls)
    if (llvm::Error error = replaceCall(function, *call))
      return error;
  return llvm::Error::success();
}
