//===- SharedMemory.cpp - Variables of shared memory become parts of the block's ----------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "EmulatedFunction.h"

#include "llvm/IR/ReplaceConstant.h"

using namespace mlir::fuse;

int64_t mlir::fuse::placeSharedMemory(llvm::Module &module,
                                      llvm::MutableArrayRef<EmulatedFunction> functions) {
  const llvm::DataLayout &layout = module.getDataLayout();
  llvm::SmallVector<llvm::GlobalVariable *> variables;
  llvm::SmallVector<llvm::Constant *> constants;
  for (llvm::GlobalVariable &variable : module.globals())
    if (variable.getAddressSpace() == kSharedSpace) {
      variables.push_back(&variable);
      constants.push_back(&variable);
    }
  llvm::convertUsersOfConstantsToInstructions(constants);

  llvm::DenseMap<llvm::GlobalVariable *, int64_t> offsets;
  int64_t bytes = 0;
  auto isDynamic = [](llvm::GlobalVariable *variable) { return variable->isDeclaration(); };
  for (llvm::GlobalVariable *variable : variables) {
    if (isDynamic(variable))
      continue;
    bytes = llvm::alignTo(bytes, variable->getAlign().valueOrOne());
    offsets[variable] = bytes;
    bytes += layout.getTypeAllocSize(variable->getValueType());
  }
  // Dynamic shared memory has any alignment that a kernel may ask for.
  constexpr int64_t kAlignment = 128;
  bytes = llvm::alignTo(bytes, kAlignment);
  for (llvm::GlobalVariable *variable : variables)
    if (isDynamic(variable))
      offsets[variable] = bytes;

  for (EmulatedFunction &function : functions)
    for (llvm::GlobalVariable *variable : variables) {
      auto isHere = [&](llvm::Use &use) {
        auto *user = llvm::dyn_cast<llvm::Instruction>(use.getUser());
        return user && user->getFunction() == &function.get();
      };
      if (llvm::none_of(variable->uses(), isHere))
        continue;
      auto *base = llvm::cast<llvm::Instruction>(function.getShared());
      llvm::IRBuilder<> builder(base->getNextNode());
      llvm::Value *place =
          builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), base, offsets[variable]);
      place = builder.CreateAddrSpaceCast(place, variable->getType());
      variable->replaceUsesWithIf(place, isHere);
    }
  for (llvm::GlobalVariable *variable : variables) {
    variable->replaceAllUsesWith(llvm::PoisonValue::get(variable->getType()));
    variable->eraseFromParent();
  }
  return bytes;
}
