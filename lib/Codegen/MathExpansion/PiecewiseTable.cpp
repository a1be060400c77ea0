//===- PiecewiseTable.cpp - Tables that are read off registers --------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "PiecewiseTable.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr int64_t kPieces = 16;

static int64_t lanesOf(Value vector) { return cast<VectorType>(vector.getType()).getNumElements(); }

static Value constantVector(ExpansionBuilder &e, ArrayRef<float> values) {
  ImplicitLocOpBuilder &b = e.getBuilder();
  auto type = VectorType::get({static_cast<int64_t>(values.size())}, b.getF32Type());
  return arith::ConstantOp::create(b, DenseElementsAttr::get(type, values));
}

static Value callPermute(ExpansionBuilder &e, StringRef name, ArrayRef<float> table,
                         Value numbers) {
  ImplicitLocOpBuilder &b = e.getBuilder();
  auto type = VectorType::get({lanesOf(numbers)}, b.getF32Type());
  SmallVector<Value> operands = {constantVector(e, table), numbers};
  return LLVM::CallIntrinsicOp::create(b, type, b.getStringAttr(name), operands).getResult(0);
}

/// The entries of a register of numbers.
static Value readRegister(ExpansionBuilder &e, ArrayRef<float> table, Value numbers) {
  if (lanesOf(numbers) == kPieces)
    return callPermute(e, "llvm.x86.avx512.permvar.sf.512", table, numbers);
  constexpr StringLiteral permuteHalf = "llvm.x86.avx2.permps";
  Value lower = callPermute(e, permuteHalf, table.take_front(kPieces / 2), numbers);
  Value upper = callPermute(e, permuteHalf, table.drop_front(kPieces / 2), numbers);
  // Bit 3, as the sign that a blend looks at.
  Value isUpper = e.icmp(arith::CmpIPredicate::slt, e.shl(numbers, 28), 0);
  return e.select(isUpper, upper, lower);
}

static Value readOne(ExpansionBuilder &e, Value table, Value number) {
  ImplicitLocOpBuilder &b = e.getBuilder();
  Value index = arith::IndexCastUIOp::create(b, b.getIndexType(), e.bitAnd(number, kPieces - 1));
  return vector::ExtractOp::create(b, table, index);
}

/// For each number the entry that its low four bits count to. Vectors have one dimension and, where
/// there is an instruction, whole registers.
static Value readTable(ExpansionBuilder &e, ArrayRef<float> table, Value numbers) {
  ImplicitLocOpBuilder &b = e.getBuilder();
  int64_t step = e.options.permutedLanes;
  if (!isa<VectorType>(numbers.getType()))
    return readOne(e, constantVector(e, table), numbers);
  int64_t lanes = lanesOf(numbers);
  if (step > 1 && lanes == step)
    return readRegister(e, table, numbers);
  auto type = VectorType::get({lanes}, b.getF32Type());
  Value entries = arith::ConstantOp::create(b, b.getZeroAttr(type));
  if (step == 1) {
    Value whole = constantVector(e, table);
    for (int64_t at = 0; at < lanes; ++at)
      entries = vector::InsertOp::create(
          b, readOne(e, whole, vector::ExtractOp::create(b, numbers, at)), entries, at);
    return entries;
  }
  for (int64_t at = 0; at < lanes; at += step) {
    Value part = vector::ExtractStridedSliceOp::create(b, numbers, at, step, 1);
    entries = vector::InsertStridedSliceOp::create(b, readRegister(e, table, part), entries, at, 1);
  }
  return entries;
}

bool fuse::canReadTables(const ExpansionBuilder &e, Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return e.options.permutedLanes != 0 && !(vector && vector.isScalable());
}

Value fuse::readPiecewise(ExpansionBuilder &e, const PiecewiseTable &table, Value a) {
  Value shifted = e.fma(a, e.fma(a, table.quadratic, table.linear), roundingMagic);
  Value piece = e.toBits(shifted);
  Value r = e.fsub(a, readTable(e, table.centers, piece));
  Value sum = readTable(e, table.coefficients.back(), piece);
  for (const float (&row)[kPieces] : llvm::reverse(table.coefficients.drop_back()))
    sum = e.fma(sum, r, readTable(e, row, piece));
  return sum;
}

Value fuse::padToRegisters(ExpansionBuilder &e, Value x) {
  ImplicitLocOpBuilder &b = e.getBuilder();
  int64_t step = e.options.permutedLanes;
  auto type = dyn_cast<VectorType>(x.getType());
  if (!type)
    return step == 1 ? x : vector::BroadcastOp::create(b, VectorType::get({step}, x.getType()), x);
  if (type.getRank() != 1)
    x = vector::ShapeCastOp::create(
        b, VectorType::get({type.getNumElements()}, type.getElementType()), x);
  int64_t lanes = llvm::alignTo(type.getNumElements(), step);
  if (lanes == type.getNumElements())
    return x;
  auto padded = VectorType::get({lanes}, type.getElementType());
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(padded));
  return vector::InsertStridedSliceOp::create(b, x, zero, 0, 1);
}

Value fuse::cutTo(ExpansionBuilder &e, Type type, Value padded) {
  ImplicitLocOpBuilder &b = e.getBuilder();
  auto vector = dyn_cast<VectorType>(type);
  if (padded.getType() == type)
    return padded;
  if (!vector)
    return vector::ExtractOp::create(b, padded, 0);
  if (lanesOf(padded) != vector.getNumElements())
    padded = vector::ExtractStridedSliceOp::create(b, padded, 0, vector.getNumElements(), 1);
  return padded.getType() == type ? padded : vector::ShapeCastOp::create(b, vector, padded);
}
