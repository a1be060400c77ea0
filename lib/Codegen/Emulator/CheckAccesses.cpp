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
            llvm::Value *bytes, llvm::Align alignment);
  void tell(llvm::Instruction &access, llvm::StringRef how, llvm::Value *address, llvm::Type *type,
            llvm::Align alignment);
  llvm::Value *noteElement(llvm::IRBuilder<> &builder, llvm::Type *type);
  void checkMasked(llvm::IntrinsicInst &call, bool writes);

  EmulatedFunction &function;
  const llvm::DataLayout &layout;
};

} // namespace

/// What lies on the thread's own stack is no other thread's.
static bool isOwn(const llvm::Value *address) {
  return llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(address));
}

void Checks::tell(llvm::Instruction &access, llvm::StringRef how, llvm::Value *address,
                  llvm::Value *bytes, llvm::Align alignment) {
  if (isOwn(address))
    return;
  auto *constant = llvm::dyn_cast<llvm::ConstantInt>(bytes);
  function.getSites().noteAccess(constant ? constant->getZExtValue() : 0, alignment);
  llvm::IRBuilder<> builder(&access);
  function.call(builder, ("fuse_emulated_" + how).str(), builder.getVoidTy(),
                {address, builder.CreateZExtOrTrunc(bytes, builder.getInt64Ty()),
                 function.site(access, how)});
}

void Checks::tell(llvm::Instruction &access, llvm::StringRef how, llvm::Value *address,
                  llvm::Type *type, llvm::Align alignment) {
  tell(access, how, address,
       llvm::ConstantInt::get(llvm::Type::getInt64Ty(access.getContext()),
                              layout.getTypeStoreSize(type).getFixedValue()),
       alignment);
}

/// The bytes of a vector's elements, each of which is an access.
llvm::Value *Checks::noteElement(llvm::IRBuilder<> &builder, llvm::Type *type) {
  uint64_t bytes = layout.getTypeStoreSize(type->getScalarType()).getFixedValue();
  function.getSites().noteAccess(bytes, llvm::Align(llvm::bit_floor(bytes)));
  return builder.getInt64(bytes);
}

/// Of a masked load or store, and of a gather or scatter, whose lanes have addresses of their own.
void Checks::checkMasked(llvm::IntrinsicInst &call, bool writes) {
  // store: value, address, mask; load: address, mask, value where the mask is not set.
  llvm::Value *address = call.getArgOperand(writes ? 1 : 0);
  llvm::Value *mask = call.getArgOperand(writes ? 2 : 1);
  llvm::Type *type = writes ? call.getArgOperand(0)->getType() : call.getType();
  llvm::IRBuilder<> builder(&call);
  llvm::StringRef how = writes ? "write" : "read";
  auto tellLanes = [&](llvm::Value *place, llvm::Value *bits) {
    function.call(builder, ("fuse_emulated_" + how + "_masked").str(), builder.getVoidTy(),
                  {place, noteElement(builder, type),
                   builder.CreateZExtOrTrunc(bits, builder.getInt64Ty()),
                   function.site(call, how)});
  };
  unsigned lanes = llvm::cast<llvm::FixedVectorType>(type)->getNumElements();
  if (!address->getType()->isVectorTy()) {
    if (!isOwn(address))
      tellLanes(address, builder.CreateBitCast(mask, builder.getIntNTy(lanes)));
    return;
  }
  for (unsigned i = 0; i < lanes; ++i)
    tellLanes(builder.CreateExtractElement(address, i), builder.CreateExtractElement(mask, i));
}

void Checks::check(llvm::Instruction &instruction) {
  if (llvm::Value *address = llvm::getLoadStorePointerOperand(&instruction))
    return tell(instruction, llvm::isa<llvm::LoadInst>(instruction) ? "read" : "write", address,
                llvm::getLoadStoreType(&instruction), llvm::getLoadStoreAlignment(&instruction));
  if (auto *atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
    return tell(instruction, "atomic", atomic->getPointerOperand(), atomic->getType(),
                atomic->getAlign());
  if (auto *exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
    return tell(instruction, "atomic", exchange->getPointerOperand(),
                exchange->getCompareOperand()->getType(), exchange->getAlign());
  if (auto *memory = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction)) {
    if (auto *transfer = llvm::dyn_cast<llvm::MemTransferInst>(memory))
      tell(instruction, "read", transfer->getRawSource(), transfer->getLength(),
           transfer->getSourceAlign().valueOrOne());
    return tell(instruction, "write", memory->getRawDest(), memory->getLength(),
                memory->getDestAlign().valueOrOne());
  }
  auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (!call)
    return;
  switch (call->getIntrinsicID()) {
  case llvm::Intrinsic::masked_load:
  case llvm::Intrinsic::masked_gather:
    return checkMasked(*call, /*writes=*/false);
  case llvm::Intrinsic::masked_store:
  case llvm::Intrinsic::masked_scatter:
    return checkMasked(*call, /*writes=*/true);
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
