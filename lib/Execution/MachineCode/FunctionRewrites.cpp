//===- FunctionRewrites.cpp - What LLVM does not do itself, or does wrongly -----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "FunctionRewrites.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm::PatternMatch;
using llvm::Value;

/// The product of two f32 is exact in f64. Their sum with a third is rounded there to odd: where it
/// is not exact, to that neighbour whose last bit is set. With more than twice the bits of f32,
/// rounding that once more gives what rounding once would have.
static Value *emit(llvm::IRBuilder<> &b, llvm::IntrinsicInst &fma) {
  llvm::Type *narrow = fma.getType();
  llvm::Type *wide = narrow->getWithNewType(b.getDoubleTy());
  llvm::Type *bits = narrow->getWithNewType(b.getInt64Ty());
  auto widen = [&](unsigned i) { return b.CreateFPExt(fma.getArgOperand(i), wide); };
  Value *product = b.CreateFMul(widen(0), widen(1)), *addend = widen(2);
  Value *sum = b.CreateFAdd(product, addend);
  // What the sum lacks, exactly.
  Value *second = b.CreateFSub(sum, product);
  Value *first = b.CreateFSub(sum, second);
  Value *rest = b.CreateFAdd(b.CreateFSub(product, first), b.CreateFSub(addend, second));

  Value *word = b.CreateBitCast(sum, bits), *restWord = b.CreateBitCast(rest, bits);
  // Ordered: what is infinite or no number has a rest that is none, and stays.
  Value *isInexact = b.CreateFCmpONE(rest, llvm::Constant::getNullValue(wide));
  Value *one = llvm::ConstantInt::get(bits, 1);
  Value *isEven = b.CreateICmpEQ(b.CreateAnd(word, one), llvm::Constant::getNullValue(bits));
  // Away from zero where the rest has the sign of the sum, else towards it: +1 or -1.
  Value *isOpposite =
      b.CreateICmpSLT(b.CreateXor(word, restWord), llvm::Constant::getNullValue(bits));
  Value *step = b.CreateOr(b.CreateSExt(isOpposite, bits), one);
  Value *odd = b.CreateBitCast(b.CreateAdd(word, step), wide);
  return b.CreateFPTrunc(b.CreateSelect(b.CreateAnd(isInexact, isEven), odd, sum), narrow);
}

void mlir::fuse::expandFma(llvm::Function &function) {
  llvm::SmallVector<llvm::IntrinsicInst *> found;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
      if (call->getIntrinsicID() == llvm::Intrinsic::fma &&
          call->getType()->getScalarType()->isFloatTy())
        found.push_back(call);
  for (llvm::IntrinsicInst *fma : found) {
    llvm::IRBuilder<> builder(fma);
    fma->replaceAllUsesWith(emit(builder, *fma));
    fma->eraseFromParent();
  }
}

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
