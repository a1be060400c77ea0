//===- CheckAccesses.cpp - Accesses are told to the emulator ------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "EmulatedFunction.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace mlir::fuse;

namespace {

class Checks {
public:
  explicit Checks(EmulatedFunction &function)
      : function(function), layout(function.getModule().getDataLayout()) {}

  void check(llvm::Instruction &instruction);

private:
  void tell(llvm::Instruction &access, llvm::StringRef how, llvm::Value *address,
            llvm::Value *bytes);
  void tell(llvm::Instruction &access, llvm::StringRef how, llvm::Value *address, llvm::Type *type);
  void checkMasked(llvm::IntrinsicInst &call, bool writes);
  void checkEach(llvm::IntrinsicInst &call, bool writes);

  EmulatedFunction &function;
  const llvm::DataLayout &layout;
};

} // namespace

/// What lies on the thread's own stack is no other thread's.
static bool isOwn(const llvm::Value *address) {
  return llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(address));
}

void Checks::tell(llvm::Instruction &access, llvm::StringRef how, llvm::Value *address,
                  llvm::Value *bytes) {
  if (isOwn(address))
    return;
  llvm::IRBuilder<> builder(&access);
  function.call(builder, ("fuse_emulated_" + how).str(), builder.getVoidTy(),
                {address, builder.CreateZExtOrTrunc(bytes, builder.getInt64Ty()),
                 function.site(access, how)});
}

void Checks::tell(llvm::Instruction &access, llvm::StringRef how, llvm::Value *address,
                  llvm::Type *type) {
  tell(access, how, address,
       llvm::ConstantInt::get(llvm::Type::getInt64Ty(access.getContext()),
                              layout.getTypeStoreSize(type).getFixedValue()));
}

void Checks::checkMasked(llvm::IntrinsicInst &call, bool writes) {
  // store: value, address, mask; load: address, mask, value where the mask is not set.
  llvm::Value *address = call.getArgOperand(writes ? 1 : 0);
  llvm::Value *mask = call.getArgOperand(writes ? 2 : 1);
  llvm::Type *type = writes ? call.getArgOperand(0)->getType() : call.getType();
  if (isOwn(address))
    return;
  llvm::IRBuilder<> builder(&call);
  unsigned lanes = llvm::cast<llvm::FixedVectorType>(type)->getNumElements();
  llvm::Value *bits = builder.CreateZExtOrTrunc(
      builder.CreateBitCast(mask, builder.getIntNTy(lanes)), builder.getInt64Ty());
  llvm::StringRef how = writes ? "write" : "read";
  function.call(builder, ("fuse_emulated_" + how + "_masked").str(), builder.getVoidTy(),
                {address,
                 builder.getInt64(layout.getTypeStoreSize(type->getScalarType()).getFixedValue()),
                 bits, function.site(call, how)});
}

void Checks::checkEach(llvm::IntrinsicInst &call, bool writes) {
  llvm::Value *addresses = call.getArgOperand(writes ? 1 : 0);
  llvm::Value *mask = call.getArgOperand(writes ? 2 : 1);
  llvm::Type *type = writes ? call.getArgOperand(0)->getType() : call.getType();
  llvm::IRBuilder<> builder(&call);
  llvm::StringRef how = writes ? "write" : "read";
  for (unsigned i = 0, n = llvm::cast<llvm::FixedVectorType>(type)->getNumElements(); i < n; ++i)
    function.call(builder, ("fuse_emulated_" + how + "_masked").str(), builder.getVoidTy(),
                  {builder.CreateExtractElement(addresses, i),
                   builder.getInt64(layout.getTypeStoreSize(type->getScalarType()).getFixedValue()),
                   builder.CreateZExt(builder.CreateExtractElement(mask, i), builder.getInt64Ty()),
                   function.site(call, how)});
}

void Checks::check(llvm::Instruction &instruction) {
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
    return tell(instruction, "read", load->getPointerOperand(), load->getType());
  if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
    return tell(instruction, "write", store->getPointerOperand(),
                store->getValueOperand()->getType());
  if (auto *atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
    return tell(instruction, "atomic", atomic->getPointerOperand(), atomic->getType());
  if (auto *exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
    return tell(instruction, "atomic", exchange->getPointerOperand(),
                exchange->getCompareOperand()->getType());
  if (auto *memory = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction)) {
    if (auto *transfer = llvm::dyn_cast<llvm::MemTransferInst>(memory))
      tell(instruction, "read", transfer->getRawSource(), transfer->getLength());
    return tell(instruction, "write", memory->getRawDest(), memory->getLength());
  }
  auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (!call)
    return;
  switch (call->getIntrinsicID()) {
  case llvm::Intrinsic::masked_load:
    return checkMasked(*call, /*writes=*/false);
  case llvm::Intrinsic::masked_store:
    return checkMasked(*call, /*writes=*/true);
  case llvm::Intrinsic::masked_gather:
    return checkEach(*call, /*writes=*/false);
  case llvm::Intrinsic::masked_scatter:
    return checkEach(*call, /*writes=*/true);
  default:
    return;
  }
}

void mlir::fuse::checkAccesses(EmulatedFunction &function) {
  llvm::SmallVector<llvm::Instruction *> all;
  for (llvm::Instruction &instruction : llvm::instructions(function.get()))
    all.push_back(&instruction);
  Checks checks(function);
  for (llvm::Instruction *instruction : all)
    checks.check(*instruction);
}
