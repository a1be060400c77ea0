//===- RoundedRows.cpp - Products of rows that are rounded to bytes -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "RoundedRows.h"
#include "fuse/IR/FuseDialect.h"
#include "mlir/IR/Matchers.h"
#include <cmath>

using namespace mlir;
using namespace mlir::fuse;

/// Bytes of a word, each of which has a step of its own.
static constexpr int64_t kWordBytes = 4;

static Value markWidened(Value value) {
  value.getDefiningOp()->setAttr(attr::kWidened, UnitAttr::get(value.getContext()));
  return value;
}

/// The numbers as bytes from 0 on, [blocks, groups, words, numbers of a byte, columns, bytes of a word]: packed where the
/// parameters are prepared, and taken apart by the product's kernel.
Value RoundedProduct::layOut(FuseBuilder &b) const {
  Type i32 = b.getBuilder().getI32Type(), ui8 = b.getBuilder().getIntegerType(8, /*isSigned=*/false);
  int64_t perByte = 8 / bits, words = group / (perByte * kWordBytes), steps = group * groups;
  Value matrix = b.cast(numbers, i32);
  if (least != 0)
    matrix = b.sub(matrix, b.scalar(static_cast<double>(least), i32));
  SmallVector<int64_t> want = {steps, blocks * block}, high;
  for (auto [dim, wanted] : llvm::enumerate(want)) {
    int64_t have = FuseBuilder::shapeOf(matrix)[dim];
    if (have > wanted)
      matrix = b.slice(matrix, static_cast<int64_t>(dim), 0, wanted);
    high.push_back(std::max<int64_t>(0, wanted - have));
  }
  if (high[0] || high[1])
    matrix = b.pad(matrix, {0, 0}, high, 0.0);
  int64_t allWords = words * groups;
  if (perByte > 1) {
    SmallVector<int64_t> shifts;
    for (int64_t number = 0; number < perByte; ++number)
      shifts.push_back(number * bits);
    matrix = b.reshape(matrix, {allWords, perByte, kWordBytes, blocks * block});
    matrix = b.binary(BinaryKind::ShiftLeft, matrix, b.constant(shifts, i32, {perByte, 1, 1}));
    matrix = b.reduce(ReduceKind::Sum, matrix, {1}, /*keepDims=*/false);
  }
  matrix = b.reshape(b.cast(matrix, ui8), {allWords, kWordBytes, blocks, block});
  matrix = b.transpose(matrix, {2, 0, 3, 1});
  Value bytes = CopyOp::create(b.getBuilder(), FuseBuilder::typeOf(matrix), matrix);
  bytes = b.reshape(bytes, {blocks, groups, words, 1, block, kWordBytes});
  if (perByte == 1)
    return bytes;
  Value number = markWidened(b.iota({blocks, groups, words, perByte, block, kWordBytes}, 3, ui8));
  Value shift = markWidened(b.mul(number, b.scalar(static_cast<double>(bits), ui8)));
  Value moved = markWidened(b.binary(BinaryKind::ShiftRight, bytes, shift));
  return markWidened(b.binary(BinaryKind::And, moved, b.scalar(static_cast<double>((1 << bits) - 1), ui8)));
}

Value RoundedProduct::build(FuseBuilder &b, Value x, StringRef label) const {
  Type f32 = b.getBuilder().getF32Type(), i32 = b.getBuilder().getI32Type(), i8 = b.getBuilder().getIntegerType(8);
  int64_t rows = FuseBuilder::shapeOf(x)[0];
  constexpr double kMost = 127;
  // Rows. Where all are 0 the scale is one that may be divided by.
  Operation *last = b.getBuilder().getInsertionBlock()->empty() ? nullptr : &*std::prev(b.getBuilder().getInsertionPoint());
  Value parts = b.reshape(b.cast(x, f32), {rows, groups, group});
  Value most = b.reduce(ReduceKind::Max, b.unary(UnaryKind::Abs, parts), {2}, /*keepDims=*/true);
  most = b.binary(BinaryKind::Max, most, b.scalar(kMost * std::numeric_limits<float>::min(), f32));
  Value rowScale = b.mul(most, 1 / kMost);
  Value numbers = b.div(parts, rowScale);
  if (digits > 1) {
    // The first digits of x are those of round(x · 250ⁱ), of which the one before has round(x · 250ⁱ⁻¹). Each is at most 126.
    constexpr double kBase = 250;
    SmallVector<double> upTo, before = {0}, scales;
    for (int64_t digit = 0; digit < digits; ++digit) {
      upTo.push_back(std::pow(kBase, digit));
      before.push_back(upTo.back());
      scales.push_back(1 / upTo.back());
    }
    auto ofDigits = [&](ArrayRef<double> values) {
      SmallVector<float> floats(values.begin(), values.end());
      return b.constant(DenseElementsAttr::get(RankedTensorType::get({digits, 1, 1, 1}, f32), ArrayRef<float>(floats)));
    };
    numbers = b.insertUnitDims(numbers, {0});
    Value all = b.unary(UnaryKind::RoundEven, b.mul(numbers, ofDigits(upTo)));
    Value others = b.unary(UnaryKind::RoundEven, b.mul(numbers, ofDigits(ArrayRef(before).drop_back())));
    numbers = b.reshape(b.sub(all, b.mul(others, kBase)), {digits * rows, groups, group});
    rowScale = b.reshape(b.mul(b.insertUnitDims(rowScale, {0}), ofDigits(scales)), {digits * rows, groups, 1});
  } else {
    numbers = b.unary(UnaryKind::RoundEven, numbers);
  }
  Value rounded = b.cast(numbers, i8);
  Value sum = b.cast(b.reduce(ReduceKind::Sum, b.cast(rounded, i32), {2}, /*keepDims=*/true), f32);
  // What the origin of the numbers adds to each sum of products.
  Value origin = zero ? zero : b.scalar(0.0, f32);
  if (least != 0)
    origin = b.sub(origin, static_cast<double>(least));
  bool isCommon = FuseBuilder::rankOf(origin) == 0;
  if (isCommon)
    sum = b.mul(sum, origin);
  // They are rounded once, not by each block of the product, and maybe where they are computed.
  auto mark = [&](Operation *op, StringRef of) {
    op->setAttr(attr::kTogether, b.getBuilder().getStringAttr(label + of));
  };
  Block::iterator at = last ? std::next(last->getIterator()) : b.getBuilder().getInsertionBlock()->begin();
  for (; at != b.getBuilder().getInsertionPoint(); ++at)
    if (!isa<ReshapeOp>(*at) && !matchPattern(&*at, m_Constant()))
      mark(&*at, " rows");

  Value bytes = layOut(b);
  // The layout is the one that is read: no other is to be made of this view.
  bytes = b.reshape(markWidened(b.transpose(bytes, {0, 1, 2, 3, 5, 4})), {blocks, groups, group, block});
  Value factors = b.broadcast(b.transpose(rounded, {1, 0, 2}), {0}, {blocks});
  auto type = RankedTensorType::get({blocks, groups, digits * rows, block}, i32);
  auto product = MatmulOp::create(b.getBuilder(), type, factors, bytes, false, false);
  mark(product, " product");
  Value sums = b.cast(product, f32);
  if (zero || least != 0) {
    sum = b.transpose(sum, {1, 0, 2});
    sums = b.sub(sums, isCommon ? sum : b.mul(sum, origin));
  }
  Value scale = b.transpose(rowScale, {1, 0, 2});
  for (Value each : scales)
    scale = b.mul(each, scale);
  Value result = b.reduce(ReduceKind::Sum, b.mul(sums, scale), {1}, /*keepDims=*/false);
  if (digits > 1)
    result = b.reduce(ReduceKind::Sum, b.reshape(result, {blocks, digits, rows, block}), {1}, /*keepDims=*/false);
  return result;
}
