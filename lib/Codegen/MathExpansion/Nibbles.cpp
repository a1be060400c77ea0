//===- Nibbles.cpp - Numbers of four bits as floats ----------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Of the numbers 0 to 15 every function is a table of 16 floats, which is one register of 512 bits.
// The instruction that permutes its lanes by the low four bits of others makes float(x & 15) - 8 at
// once: instead of an and, a conversion and a subtraction.
//
//===----------------------------------------------------------------------------------------===//

#include "Expansions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::fuse;

/// The lanes of the register that holds a table.
static constexpr int64_t kTableLanes = 16;

/// What `numbers` are in front of an and that keeps the low bits of each, four at most; null if
/// they are none such.
static Value getPacked(Value numbers, int64_t &mask) {
  auto kept = numbers.getDefiningOp<arith::AndIOp>();
  if (!kept)
    return {};
  for (auto [value, other] :
       {std::pair(kept.getLhs(), kept.getRhs()), std::pair(kept.getRhs(), kept.getLhs())}) {
    APInt bits;
    if (!matchPattern(other, m_ConstantInt(&bits)) || bits.uge(kTableLanes) ||
        !(bits + 1).isPowerOf2())
      continue;
    mask = bits.getZExtValue();
    return value;
  }
  return {};
}

/// For each of `numbers` the entry of `table` that its low four bits count to.
static Value readPermuted(ImplicitLocOpBuilder &b, ArrayRef<float> table, Value numbers) {
  auto type = cast<VectorType>(numbers.getType()).clone(b.getF32Type());
  auto part = VectorType::get({kTableLanes}, b.getF32Type());
  Value entries = arith::ConstantOp::create(b, DenseElementsAttr::get(part, table));
  auto read = [&](Value counts) -> Value {
    Value operands[] = {entries, counts};
    return LLVM::CallIntrinsicOp::create(b, part, b.getStringAttr("llvm.x86.avx512.permvar.sf.512"),
                                         operands)
        .getResult(0);
  };
  if (type == part)
    return read(numbers);
  Value result = arith::ConstantOp::create(b, b.getZeroAttr(type));
  for (int64_t at = 0; at < type.getNumElements(); at += kTableLanes) {
    Value some = vector::ExtractStridedSliceOp::create(b, numbers, at, kTableLanes, 1);
    result = vector::InsertStridedSliceOp::create(b, read(some), result, at, 1);
  }
  return result;
}

void fuse::readNibblesOffTables(Operation *root, const MathExpansionOptions &options) {
  if (options.permutedLanes != kTableLanes)
    return;
  SmallVector<Operation *> casts;
  root->walk([&](Operation *op) {
    if (isa<arith::UIToFPOp, arith::SIToFPOp>(op))
      casts.push_back(op);
  });
  for (Operation *cast : casts) {
    int64_t mask = 0;
    Value packed = getPacked(cast->getOperand(0), mask);
    auto type = dyn_cast<VectorType>(cast->getResult(0).getType());
    if (!packed || !type || type.getRank() != 1 || type.isScalable() ||
        type.getNumElements() % kTableLanes != 0 || !type.getElementType().isF32() ||
        !getElementTypeOrSelf(packed).isInteger(32))
      continue;
    // The difference of what was read and one constant is another table.
    auto replace = [&](Operation *op, float offset) {
      ImplicitLocOpBuilder b(op->getLoc(), op);
      SmallVector<float> table;
      for (int64_t number = 0; number < kTableLanes; ++number)
        table.push_back(static_cast<float>(number & mask) - offset);
      op->getResult(0).replaceAllUsesWith(readPermuted(b, table, packed));
      op->erase();
    };
    for (Operation *user : llvm::make_early_inc_range(cast->getUsers())) {
      auto difference = dyn_cast<arith::SubFOp>(user);
      APFloat offset(0.0f);
      if (difference && difference.getLhs() == cast->getResult(0) &&
          difference.getRhs() != cast->getResult(0) &&
          matchPattern(difference.getRhs(), m_ConstantFloat(&offset)))
        replace(difference, offset.convertToFloat());
    }
    if (cast->use_empty())
      cast->erase();
    else
      replace(cast, 0.0f);
  }
}
