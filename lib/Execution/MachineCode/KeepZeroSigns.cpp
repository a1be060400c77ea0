//===- KeepZeroSigns.cpp - Against an optimization that loses a zero's sign -----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "KeepZeroSigns.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm::PatternMatch;

void mlir::fuse::keepZeroSigns(llvm::Function &function) {
  llvm::SmallVector<llvm::Use *> widened;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *choice = llvm::dyn_cast<llvm::SelectInst>(&instruction))
      for (auto [arm, other] : {std::pair(1, 2), std::pair(2, 1)})
        if (match(choice->getOperand(arm), m_FPExt(m_Value())) &&
            match(choice->getOperand(other), m_AnyZeroFP()))
          widened.push_back(&choice->getOperandUse(arm));
  for (llvm::Use *use : widened) {
    llvm::IRBuilder<> builder(llvm::cast<llvm::Instruction>(use->getUser()));
    use->set(builder.CreateArithmeticFence(use->get(), use->get()->getType()));
  }
}
