//===- Arithmetic.cpp - Arithmetic that has an intrinsic ----------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Intrinsics.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir::fuse;

/// Approximations are computed exactly: what depends on their errors is wrong anyway.
static llvm::Value *emulateUnary(IntrinsicCall &call) {
  llvm::IRBuilder<> &builder = call.builder;
  llvm::Value *value = call.operand(0);
  llvm::StringRef head = call.name.split('.').first;
  auto id = llvm::StringSwitch<llvm::Intrinsic::ID>(head)
                .Case("ex2", llvm::Intrinsic::exp2)
                .Case("lg2", llvm::Intrinsic::log2)
                .Case("sin", llvm::Intrinsic::sin)
                .Case("cos", llvm::Intrinsic::cos)
                .Case("tanh", llvm::Intrinsic::tanh)
                .Case("sqrt", llvm::Intrinsic::sqrt)
                .Case("fabs", llvm::Intrinsic::fabs)
                .Case("floor", llvm::Intrinsic::floor)
                .Case("ceil", llvm::Intrinsic::ceil)
                .Case("trunc", llvm::Intrinsic::trunc)
                .Case("round", llvm::Intrinsic::roundeven)
                .Default(llvm::Intrinsic::not_intrinsic);
  if (id != llvm::Intrinsic::not_intrinsic)
    return builder.CreateUnaryIntrinsic(id, value);
  llvm::Value *one = llvm::ConstantFP::get(call.type(), 1.0);
  if (head == "rcp")
    return builder.CreateFDiv(one, value);
  if (head == "rsqrt")
    return builder.CreateFDiv(one, builder.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, value));
  return nullptr;
}

/// To nearest, ties away from zero, which adds half of what is cut off.
static llvm::Value *roundToTF32(IntrinsicCall &call) {
  llvm::IRBuilder<> &builder = call.builder;
  llvm::Value *bits = builder.CreateBitCast(call.operand(0), builder.getInt32Ty());
  llvm::Value *rounded = builder.CreateAnd(builder.CreateAdd(bits, call.number(0x1000)),
                                           call.number(~int64_t(0x1fff)));
  llvm::Value *isFinite = builder.CreateICmpNE(builder.CreateAnd(bits, call.number(0x7f800000)),
                                               call.number(0x7f800000));
  return builder.CreateSelect(isFinite, rounded, bits);
}

llvm::Value *mlir::fuse::emulateArithmetic(IntrinsicCall &call) {
  llvm::IRBuilder<> &builder = call.builder;
  llvm::StringRef name = call.name;
  if (name == "f2tf32.rna")
    return roundToTF32(call);
  if (!call.type()->isFPOrFPVectorTy())
    return nullptr;
  // Rounding modes other than to nearest, saturation and the like have no equivalent.
  if (name.contains(".rz") || name.contains(".rm") || name.contains(".rp") ||
      name.contains(".sat") || name.contains(".relu") || name.contains("xorsign"))
    return nullptr;
  unsigned operands = call.call.arg_size();
  if (operands == 1)
    return emulateUnary(call);
  llvm::StringRef head = name.split('.').first;
  if (operands == 3 && head == "fma")
    return builder.CreateIntrinsic(llvm::Intrinsic::fma, {call.type()},
                                   {call.operand(0), call.operand(1), call.operand(2)});
  if (operands != 2)
    return nullptr;
  llvm::Value *a = call.operand(0), *b = call.operand(1);
  bool keepsNaN = name.contains(".nan");
  if (head == "fmin")
    return builder.CreateBinaryIntrinsic(
        keepsNaN ? llvm::Intrinsic::minimum : llvm::Intrinsic::minnum, a, b);
  if (head == "fmax")
    return builder.CreateBinaryIntrinsic(
        keepsNaN ? llvm::Intrinsic::maximum : llvm::Intrinsic::maxnum, a, b);
  if (head == "add")
    return builder.CreateFAdd(a, b);
  if (head == "mul")
    return builder.CreateFMul(a, b);
  return head == "div" ? builder.CreateFDiv(a, b) : nullptr;
}
