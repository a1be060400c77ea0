//===- Rescale.cpp - Rescaling in integers ----------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Patterns.h"

using namespace mlir;
using namespace mlir::fuse;

/// A zero point's value, or failure.
static FailureOr<int64_t> getZeroPoint(Value value, bool isUnsigned) {
  FailureOr<SmallVector<int64_t>> values = getConstantIntegers(value);
  if (failed(values) || values->size() != 1)
    return failure();
  unsigned width = getElementTypeOrSelf(value).getIntOrFloatBitWidth();
  if (isUnsigned && width < 64)
    return values->front() & ((int64_t(1) << width) - 1);
  return values->front();
}

/// ((x - input_zp) · multiplier + 2^(shift - 1)) >> shift, plus output_zp, in i64, which holds all
/// of it for i8, i16 and i32; bounded to the result's type.
static LogicalResult convertRescale(tosa::RescaleOp op, PatternRewriter &rewriter) {
  RankedTensorType input = getTensorType(op.getInput()), result = getTensorType(op.getOutput());
  auto isShort = [](RankedTensorType type) {
    return type && isa<IntegerType>(type.getElementType()) &&
           type.getElementType().getIntOrFloatBitWidth() <= 32 &&
           type.getElementType().getIntOrFloatBitWidth() >= 8;
  };
  if (!isShort(input) || !isShort(result) || input.getShape() != result.getShape())
    return rewriter.notifyMatchFailure(op, "its types have no form in the dialect");
  if (op.getRoundingMode() != tosa::RoundingMode::SINGLE_ROUND)
    return rewriter.notifyMatchFailure(op, "another rounding than SINGLE_ROUND");
  FailureOr<SmallVector<int64_t>> multipliers = getConstantIntegers(op.getMultiplier());
  FailureOr<SmallVector<int64_t>> shifts = getConstantIntegers(op.getShift());
  FailureOr<int64_t> inputZp = getZeroPoint(op.getInputZp(), op.getInputUnsigned());
  FailureOr<int64_t> outputZp = getZeroPoint(op.getOutputZp(), op.getOutputUnsigned());
  if (failed(multipliers) || failed(shifts) || failed(inputZp) || failed(outputZp))
    return rewriter.notifyMatchFailure(op, "factors that are not known");
  auto isPlausible = [](int64_t shift) { return shift >= 1 && shift <= 62; };
  if (!llvm::all_of(*shifts, isPlausible) || multipliers->size() != shifts->size())
    return rewriter.notifyMatchFailure(op, "a shift that is out of range");

  FuseBuilder g(rewriter, op.getLoc());
  Type i64 = rewriter.getI64Type();
  RankedTensorType wide = input.clone(i64);
  auto asType = [&](Type element, bool isUnsigned) -> Type {
    auto sign = isUnsigned ? IntegerType::Unsigned : IntegerType::Signless;
    return IntegerType::get(op.getContext(), element.getIntOrFloatBitWidth(), sign);
  };
  SmallVector<int64_t> roundings =
      llvm::map_to_vector(*shifts, [](int64_t shift) { return int64_t(1) << (shift - 1); });
  // One factor, or one for each element of the last dimension.
  SmallVector<int64_t, 1> shape;
  if (op.getPerChannel())
    shape.push_back(static_cast<int64_t>(shifts->size()));
  auto constant = [&](int64_t value) { return g.constant(rewriter.getI64IntegerAttr(value)); };
  auto add = [&](Value l, Value r) { return g.binary(BinaryKind::Add, l, r, wide); };

  Value x = g.bitcast(op.getInput(), asType(input.getElementType(), op.getInputUnsigned()));
  x = g.cast(x, i64);
  if (*inputZp != 0)
    x = g.binary(BinaryKind::Sub, x, constant(*inputZp), wide);
  x = g.binary(BinaryKind::Mul, x, g.constant(*multipliers, i64, shape), wide);
  x = add(x, g.constant(roundings, i64, shape));
  x = g.binary(BinaryKind::ShiftRight, x, g.constant(*shifts, i64, shape), wide);
  if (*outputZp != 0)
    x = add(x, constant(*outputZp));
  unsigned width = result.getElementType().getIntOrFloatBitWidth();
  bool isUnsigned = op.getOutputUnsigned();
  int64_t low = isUnsigned ? 0 : -(int64_t(1) << (width - 1));
  int64_t high = (int64_t(1) << (isUnsigned ? width : width - 1)) - 1;
  x = fuse::ClampOp::create(rewriter, op.getLoc(), wide, x, constant(low), constant(high));
  // Bits that are dropped are copies of the sign, or zeros.
  x = g.cast(x, asType(result.getElementType(), false));
  rewriter.replaceOp(op, g.bitcast(x, result.getElementType()));
  return success();
}

void fuse::populateTosaRescalePatterns(RewritePatternSet &patterns) {
  patterns.add(convertRescale);
}
