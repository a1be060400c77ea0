//===- EmulatedFunction.cpp - What rewrites of one function share -------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "EmulatedFunction.h"

#include "llvm/IR/DebugInfoMetadata.h"

using namespace mlir::fuse;

int32_t EmulatedSites::add(const llvm::Instruction &instruction, llvm::StringRef what) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (const llvm::DebugLoc &location = instruction.getDebugLoc(); location && location.getLine())
    stream << location->getFilename() << ":" << location.getLine() << ":" << location.getCol();
  else
    stream << "@" << instruction.getFunction()->getName() << ", " << what << " number "
           << ++numbers[instruction.getFunction()];
  texts.push_back(text);
  return static_cast<int32_t>(texts.size()) - 1;
}

/// Before anything that is not an alloca.
static llvm::IRBuilder<> atEntry(llvm::Function &function) {
  llvm::BasicBlock &entry = function.getEntryBlock();
  return llvm::IRBuilder<>(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
}

llvm::Value *EmulatedFunction::getThread() {
  if (thread)
    return thread;
  llvm::IRBuilder<> builder = atEntry(function);
  llvm::Type *pointer = builder.getPtrTy();
  llvm::FunctionCallee callee =
      getModule().getOrInsertFunction("fuse_emulated_thread_now", pointer);
  auto *declaration = llvm::cast<llvm::Function>(callee.getCallee());
  // As long as the function runs it is one thread.
  declaration->setDoesNotAccessMemory();
  declaration->setDoesNotThrow();
  declaration->setWillReturn();
  thread = builder.CreateCall(callee, {}, "thread");
  return thread;
}

llvm::Value *EmulatedFunction::loadField(llvm::IRBuilder<> &builder, llvm::Type *type,
                                         unsigned offset) {
  llvm::Value *place = builder.CreateConstGEP1_32(builder.getInt8Ty(), getThread(), offset);
  llvm::LoadInst *load = builder.CreateLoad(type, place);
  load->setMetadata(llvm::LLVMContext::MD_invariant_load,
                    llvm::MDNode::get(builder.getContext(), {}));
  return load;
}

llvm::Value *EmulatedFunction::getShared() {
  if (shared)
    return shared;
  getThread();
  llvm::IRBuilder<> builder(thread->getNextNode());
  constexpr unsigned kOffset = 56; // of fuse_emulated_thread.shared
  shared = loadField(builder, builder.getPtrTy(), kOffset);
  shared->setName("shared");
  return shared;
}

llvm::AllocaInst *EmulatedFunction::allocate(llvm::Type *type) {
  llvm::IRBuilder<> builder(&function.getEntryBlock(), function.getEntryBlock().begin());
  return builder.CreateAlloca(type);
}

llvm::CallInst *EmulatedFunction::call(llvm::IRBuilder<> &builder, llvm::StringRef name,
                                       llvm::Type *result,
                                       llvm::ArrayRef<llvm::Value *> arguments) {
  llvm::SmallVector<llvm::Value *> values = {getThread()};
  llvm::SmallVector<llvm::Type *> types = {builder.getPtrTy()};
  for (llvm::Value *argument : arguments) {
    if (argument->getType()->isPointerTy() && argument->getType()->getPointerAddressSpace() != 0)
      argument = builder.CreateAddrSpaceCast(argument, builder.getPtrTy());
    values.push_back(argument);
    types.push_back(argument->getType());
  }
  llvm::FunctionCallee callee = getModule().getOrInsertFunction(
      name, llvm::FunctionType::get(result, types, /*isVarArg=*/false));
  llvm::cast<llvm::Function>(callee.getCallee())->setDoesNotThrow();
  return builder.CreateCall(callee, values);
}

llvm::Value *EmulatedFunction::site(const llvm::Instruction &instruction, llvm::StringRef what) {
  return llvm::ConstantInt::getSigned(llvm::Type::getInt32Ty(instruction.getContext()),
                                      sites.add(instruction, what));
}
