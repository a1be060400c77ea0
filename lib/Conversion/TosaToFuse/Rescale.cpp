//===- Rescale.cpp - Scaling and averages in integers -----------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Patterns.h"
#include "llvm/Support/MathExtras.h"

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

namespace {
/// Factors 2^-shift · multiplier: one, or as many as `shape` has elements, which broadcasts.
struct Factors {
  SmallVector<int64_t> multipliers, shifts;
  SmallVector<int64_t> shape;

  /// Shifts of 1 to 62, and one for each multiplier.
  bool areInRange() const {
    return multipliers.size() == shifts.size() &&
           llvm::all_of(shifts, [](int64_t shift) { return shift >= 1 && shift <= 62; });
  }
};
} // namespace

/// (x · multiplier + 2^(shift - 1)) >> shift of x in i64, which holds all of it for 32 bits. Rounding twice adds 2^30
/// before, with the sign of x, where the shift is above 31.
static Value scale(FuseBuilder &g, Value x, const Factors &factors, bool roundsTwice) {
  Type i64 = g.getBuilder().getI64Type();
  RankedTensorType wide = FuseBuilder::typeOf(x).clone(i64);
  auto list = [&](function_ref<int64_t(int64_t)> get) {
    return g.constant(llvm::map_to_vector(factors.shifts, get), i64, factors.shape);
  };
  Value sum = g.binary(BinaryKind::Mul, x, g.constant(factors.multipliers, i64, factors.shape), wide);
  sum = g.binary(BinaryKind::Add, sum, list([](int64_t shift) { return int64_t(1) << (shift - 1); }), wide);
  auto isLong = [](int64_t shift) { return shift > 31; };
  if (roundsTwice && llvm::any_of(factors.shifts, isLong)) {
    Value more = list([&](int64_t shift) { return isLong(shift) ? int64_t(1) << 30 : 0; });
    Value less = list([&](int64_t shift) { return isLong(shift) ? -(int64_t(1) << 30) : 0; });
    sum = g.add(sum, g.select(g.compare(ComparePredicate::Ge, x, 0.0), more, less));
  }
  return g.binary(BinaryKind::ShiftRight, sum, list([](int64_t shift) { return shift; }), wide);
}

/// x + zero point of x in i64, bounded to a signless integer type, whose bits are those of unsigned numbers if
/// `isUnsigned`.
static Value bound(FuseBuilder &g, Value x, int64_t zeroPoint, Type element, bool isUnsigned) {
  Type i64 = g.getBuilder().getI64Type();
  auto constant = [&](int64_t value) { return g.constant({value}, i64, {}); };
  if (zeroPoint != 0)
    x = g.binary(BinaryKind::Add, x, constant(zeroPoint), FuseBuilder::typeOf(x));
  unsigned width = element.getIntOrFloatBitWidth();
  int64_t low = isUnsigned ? 0 : -(int64_t(1) << (width - 1));
  int64_t high = (int64_t(1) << (isUnsigned ? width : width - 1)) - 1;
  // Bits that are dropped are copies of the sign, or zeros.
  return g.cast(g.clamp(x, constant(low), constant(high)), element);
}

static LogicalResult convertRescale(tosa::RescaleOp op, PatternRewriter &rewriter) {
  RankedTensorType input = getTensorType(op.getInput()), result = getTensorType(op.getOutput());
  auto isShort = [](RankedTensorType type) {
    return type && isa<IntegerType>(type.getElementType()) &&
           type.getElementType().getIntOrFloatBitWidth() <= 32 &&
           type.getElementType().getIntOrFloatBitWidth() >= 8;
  };
  if (!isShort(input) || !isShort(result) || input.getShape() != result.getShape())
    return rewriter.notifyMatchFailure(op, "its types have no form in the dialect");
  FailureOr<SmallVector<int64_t>> multipliers = getConstantIntegers(op.getMultiplier());
  FailureOr<SmallVector<int64_t>> shifts = getConstantIntegers(op.getShift());
  FailureOr<int64_t> inputZp = getZeroPoint(op.getInputZp(), op.getInputUnsigned());
  FailureOr<int64_t> outputZp = getZeroPoint(op.getOutputZp(), op.getOutputUnsigned());
  if (failed(multipliers) || failed(shifts) || failed(inputZp) || failed(outputZp))
    return rewriter.notifyMatchFailure(op, "factors that are not known");
  Factors factors{*multipliers, *shifts, {}};
  if (!factors.areInRange())
    return rewriter.notifyMatchFailure(op, "a shift that is out of range");
  // One factor, or one for each element of the last dimension.
  if (op.getPerChannel())
    factors.shape.push_back(static_cast<int64_t>(shifts->size()));

  FuseBuilder g(rewriter, op.getLoc());
  Type element = input.getElementType();
  if (op.getInputUnsigned())
    element = IntegerType::get(op.getContext(), element.getIntOrFloatBitWidth(), IntegerType::Unsigned);
  Value x = g.cast(g.bitcast(op.getInput(), element), rewriter.getI64Type());
  if (*inputZp != 0)
    x = g.binary(BinaryKind::Sub, x, g.constant(rewriter.getI64IntegerAttr(*inputZp)), FuseBuilder::typeOf(x));
  // Where rounding is inexact any may be chosen.
  x = scale(g, x, factors, op.getRoundingMode() == tosa::RoundingMode::DOUBLE_ROUND);
  rewriter.replaceOp(op, bound(g, x, *outputZp, result.getElementType(), op.getOutputUnsigned()));
  return success();
}

/// For each window the factor that divides by the number of elements that it has in the image.
static Factors getReciprocals(RankedTensorType input, RankedTensorType result, ArrayRef<int64_t> kernel,
                              ArrayRef<int64_t> strides, ArrayRef<int64_t> padding) {
  auto count = [&](int axis, int64_t i) {
    int64_t first = i * strides[axis] - padding[axis];
    int64_t last = std::min(first + kernel[axis], input.getDimSize(axis + 1));
    return std::max<int64_t>(last - std::max<int64_t>(first, 0), 0);
  };
  Factors factors{{}, {}, {result.getDimSize(1), result.getDimSize(2), 1}};
  for (int64_t row = 0; row < result.getDimSize(1); ++row)
    for (int64_t column = 0; column < result.getDimSize(2); ++column) {
      int64_t elements = std::max<int64_t>(count(0, row) * count(1, column), 1), bits = llvm::Log2_64_Ceil(elements);
      factors.multipliers.push_back((((int64_t(1) << 30) + 1) << bits) / elements);
      factors.shifts.push_back(30 + bits);
    }
  return factors;
}

static constexpr int64_t kMostWindows = int64_t(1) << 20, kMostElements = int64_t(1) << 16;

/// The mean of integers: a sum of what zero points leave, by a product with ones, divided in integers.
static LogicalResult convertIntegerAvgPool(tosa::AvgPool2dOp op, PatternRewriter &rewriter) {
  RankedTensorType input = getStaticTensorType(op.getInput()), result = getStaticTensorType(op.getOutput());
  SmallVector<int64_t> padding = reorderPadding(op.getPad()), ones = {1, 1};
  auto element = input ? dyn_cast<IntegerType>(input.getElementType()) : IntegerType();
  if (!element || !result || element.getWidth() > 16 || element.getWidth() < 8 || result.getElementType() != element ||
      input.getDimSize(3) < 1 || !fitsWindow(op.getInput(), result, op.getKernel(), op.getStride(), ones, padding))
    return rewriter.notifyMatchFailure(op, "other types than i8 and i16, or dynamic extents");
  FailureOr<int64_t> inputZp = getZeroPoint(op.getInputZp(), false), outputZp = getZeroPoint(op.getOutputZp(), false);
  if (failed(inputZp) || failed(outputZp))
    return rewriter.notifyMatchFailure(op, "a zero point that is not known");
  // Of each window a factor is written down, and its elements are summed in i32.
  int64_t windows = 0, elements = 0;
  if (llvm::MulOverflow(result.getDimSize(1), result.getDimSize(2), windows) || windows > kMostWindows ||
      llvm::MulOverflow(op.getKernel()[0], op.getKernel()[1], elements) || elements > kMostElements)
    return rewriter.notifyMatchFailure(op, "many windows, or large ones");
  FuseBuilder g(rewriter, op.getLoc());
  Type i32 = rewriter.getI32Type();
  Value image = g.cast(op.getInput(), i32);
  if (*inputZp != 0)
    image = g.sub(image, static_cast<double>(*inputZp));
  int64_t channels = input.getDimSize(3);
  Value filter = g.splat(1, RankedTensorType::get({op.getKernel()[0], op.getKernel()[1], 1, channels}, i32));
  Value sum = Conv2dOp::create(rewriter, op.getLoc(), result.clone(i32), image, filter, Value(), op.getStride(), ones,
                               padding, channels, ConvLayout::NhwcHwcf);
  Factors factors = getReciprocals(input, result, op.getKernel(), op.getStride(), padding);
  Value mean = scale(g, g.cast(sum, rewriter.getI64Type()), factors, /*roundsTwice=*/false);
  rewriter.replaceOp(op, bound(g, mean, *outputZp, element, /*isUnsigned=*/false));
  return success();
}

void fuse::populateTosaRescalePatterns(RewritePatternSet &patterns) {
  patterns.add(convertRescale);
  patterns.add(convertIntegerAvgPool);
}
