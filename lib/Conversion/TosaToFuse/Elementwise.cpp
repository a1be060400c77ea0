//===- Elementwise.cpp - Element-wise ops and reductions --------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Patterns.h"

using namespace mlir;
using namespace mlir::fuse;

/// The result's type if the op can be element-wise over `operands`, else null.
static RankedTensorType getElementwiseResult(Operation *op, ValueRange operands) {
  RankedTensorType result = getTensorType(op->getResult(0));
  return result && isBroadcastOf(operands, result) ? result : RankedTensorType();
}

static bool takes(TypeClass legal, Value operand) {
  return getTypeClass(getElementTypeOrSelf(operand)) & legal;
}

template <typename Op, UnaryKind kind>
static LogicalResult convertUnary(Op op, PatternRewriter &rewriter) {
  Value x = op->getOperand(0);
  if (!getElementwiseResult(op, x) || !takes(getLegalTypes(kind), x))
    return rewriter.notifyMatchFailure(op, "its types have no form in the dialect");
  rewriter.replaceOpWithNewOp<UnaryOp>(op, kind, x);
  return success();
}

template <typename Op, BinaryKind kind>
static LogicalResult convertBinary(Op op, PatternRewriter &rewriter) {
  Value l = op->getOperand(0), r = op->getOperand(1);
  RankedTensorType result = getElementwiseResult(op, {l, r});
  if (!result || !takes(getLegalTypes(kind), l))
    return rewriter.notifyMatchFailure(op, "its types have no form in the dialect");
  rewriter.replaceOp(op, FuseBuilder(rewriter, op.getLoc()).binary(kind, l, r, result));
  return success();
}

template <typename Op, ComparePredicate predicate>
static LogicalResult convertCompare(Op op, PatternRewriter &rewriter) {
  Value l = op->getOperand(0), r = op->getOperand(1);
  RankedTensorType result = getElementwiseResult(op, {l, r});
  if (!result)
    return rewriter.notifyMatchFailure(op, "its types have no form in the dialect");
  rewriter.replaceOp(op, FuseBuilder(rewriter, op.getLoc()).compare(predicate, l, r, result));
  return success();
}

/// A NaN is passed over in mode IGNORE: the other operand counts.
template <typename Op, BinaryKind kind>
static LogicalResult convertExtreme(Op op, PatternRewriter &rewriter) {
  Value l = op.getInput1(), r = op.getInput2();
  RankedTensorType result = getElementwiseResult(op, {l, r});
  if (!result)
    return rewriter.notifyMatchFailure(op, "its types have no form in the dialect");
  FuseBuilder g(rewriter, op.getLoc());
  Value extreme = g.binary(kind, l, r, result);
  if (!propagatesNaN(op, l)) {
    extreme = g.select(g.unary(UnaryKind::IsNan, r), l, extreme, result);
    extreme = g.select(g.unary(UnaryKind::IsNan, l), r, extreme, result);
  }
  rewriter.replaceOp(op, extreme);
  return success();
}

/// Operands are widened to the result's type first.
static LogicalResult convertMul(tosa::MulOp op, PatternRewriter &rewriter) {
  Value l = op.getInput1(), r = op.getInput2();
  RankedTensorType result = getElementwiseResult(op, {l, r});
  if (!result || !takes(NumericTypes, l) || !isZeroPoint(op.getShift()))
    return rewriter.notifyMatchFailure(op, "a shift that is not 0, or types without a form");
  FuseBuilder g(rewriter, op.getLoc());
  Type element = result.getElementType();
  rewriter.replaceOp(op, g.binary(BinaryKind::Mul, g.cast(l, element), g.cast(r, element), result));
  return success();
}

/// zero points - x; integers of 8 and 16 bits saturate.
static LogicalResult convertNegate(tosa::NegateOp op, PatternRewriter &rewriter) {
  Value x = op.getInput1();
  if (!getElementwiseResult(op, x) || !takes(getLegalTypes(UnaryKind::Neg), x))
    return rewriter.notifyMatchFailure(op, "its types have no form in the dialect");
  FuseBuilder g(rewriter, op.getLoc());
  bool hasZeroPoint = !isZeroPoint(op.getInput1Zp()) || !isZeroPoint(op.getOutputZp());
  auto element = dyn_cast<IntegerType>(getElementTypeOrSelf(x));
  if (!element || element.getWidth() > 16) {
    if (hasZeroPoint)
      return rewriter.notifyMatchFailure(op, "a zero point of other elements than of 8 or 16 bits");
    rewriter.replaceOp(op, g.unary(UnaryKind::Neg, x));
    return success();
  }
  FailureOr<SmallVector<int64_t>> from = getConstantIntegers(op.getInput1Zp()), to = getConstantIntegers(op.getOutputZp());
  if (failed(from) || failed(to) || from->size() != 1 || to->size() != 1)
    return rewriter.notifyMatchFailure(op, "a zero point that is not known");
  Type wide = rewriter.getI32Type();
  int64_t most = (int64_t(1) << (element.getWidth() - 1)) - 1;
  Value negated = g.sub(g.constant({from->front() + to->front()}, wide, {}), g.cast(x, wide));
  Value bounded = g.clamp(negated, g.constant({-most - 1}, wide, {}), g.constant({most}, wide, {}));
  rewriter.replaceOp(op, g.cast(bounded, element));
  return success();
}

/// Signless integers are signed here: the bits go through the unsigned type.
static LogicalResult convertLogicalRightShift(tosa::LogicalRightShiftOp op,
                                              PatternRewriter &rewriter) {
  Value l = op.getInput1(), r = op.getInput2();
  RankedTensorType result = getElementwiseResult(op, {l, r});
  if (!result || !takes(IntegerTypes, l))
    return rewriter.notifyMatchFailure(op, "its types have no form in the dialect");
  FuseBuilder g(rewriter, op.getLoc());
  Type element = result.getElementType();
  auto bits =
      IntegerType::get(op.getContext(), element.getIntOrFloatBitWidth(), IntegerType::Unsigned);
  Value shifted =
      g.binary(BinaryKind::ShiftRight, g.bitcast(l, bits), g.bitcast(r, bits), result.clone(bits));
  rewriter.replaceOp(op, g.bitcast(shifted, element));
  return success();
}

static LogicalResult convertArithmeticRightShift(tosa::ArithmeticRightShiftOp op,
                                                 PatternRewriter &rewriter) {
  if (op.getRound() || takes(UnsignedTypes, op.getInput1()))
    return rewriter.notifyMatchFailure(op, "a shift that rounds");
  return convertBinary<tosa::ArithmeticRightShiftOp, BinaryKind::ShiftRight>(op, rewriter);
}

static LogicalResult convertSelect(tosa::SelectOp op, PatternRewriter &rewriter) {
  RankedTensorType result = getElementwiseResult(op, op->getOperands());
  if (!result)
    return rewriter.notifyMatchFailure(op, "its types have no form in the dialect");
  FuseBuilder g(rewriter, op.getLoc());
  rewriter.replaceOp(op, g.select(op.getPred(), op.getOnTrue(), op.getOnFalse(), result));
  return success();
}

static LogicalResult convertClamp(tosa::ClampOp op, PatternRewriter &rewriter) {
  RankedTensorType result = getElementwiseResult(op, op.getInput());
  auto low = dyn_cast<TypedAttr>(op.getMinValAttr());
  auto high = dyn_cast<TypedAttr>(op.getMaxValAttr());
  bool isTyped = result && low && high && low.getType() == result.getElementType() &&
                 high.getType() == result.getElementType();
  if (!isTyped || !takes(TypeClass(FloatTypes | SignedTypes), op.getInput()) ||
      !propagatesNaN(op, op.getInput()))
    return rewriter.notifyMatchFailure(op, "NaN is passed over, or types without a form");
  FuseBuilder g(rewriter, op.getLoc());
  rewriter.replaceOpWithNewOp<fuse::ClampOp>(op, result, op.getInput(), g.constant(low),
                                             g.constant(high));
  return success();
}

/// Floats are rounded to the nearest integer, and not cut off.
static LogicalResult convertCast(tosa::CastOp op, PatternRewriter &rewriter) {
  RankedTensorType result = getElementwiseResult(op, op.getInput());
  if (!result)
    return rewriter.notifyMatchFailure(op, "its types have no form in the dialect");
  FuseBuilder g(rewriter, op.getLoc());
  Value x = op.getInput();
  bool isRounded = isa<FloatType>(getElementTypeOrSelf(x)) &&
                   isa<IntegerType>(result.getElementType()) &&
                   !result.getElementType().isInteger(1);
  if (isRounded)
    x = g.unary(UnaryKind::RoundEven, x);
  rewriter.replaceOp(op, g.cast(x, result.getElementType()));
  return success();
}

/// A table of 256 entries is a gather; those of 513 interpolate.
static LogicalResult convertTable(tosa::TableOp op, PatternRewriter &rewriter) {
  RankedTensorType input = getTensorType(op.getInput1()), table = getTensorType(op.getTable());
  RankedTensorType result = getTensorType(op.getOutput());
  if (!input || !table || !result || result.getShape() != input.getShape() ||
      !input.getElementType().isSignlessInteger(8) || table.getShape() != ArrayRef<int64_t>{256} ||
      table.getElementType() != result.getElementType())
    return rewriter.notifyMatchFailure(op, "a table that interpolates");
  FuseBuilder g(rewriter, op.getLoc());
  Type i32 = rewriter.getI32Type();
  Value index = g.binary(BinaryKind::Add, g.cast(op.getInput1(), i32), g.scalar(128, i32));
  rewriter.replaceOp(op, g.gather(op.getTable(), index, 0));
  return success();
}

template <typename Op, ReduceKind kind>
static LogicalResult convertReduce(Op op, PatternRewriter &rewriter) {
  RankedTensorType input = getTensorType(op.getInput()), result = getTensorType(op.getOutput());
  if (!input || !result || !takes(getLegalTypes(kind), op.getInput()))
    return rewriter.notifyMatchFailure(op, "its types have no form in the dialect");
  SmallVector<int64_t> shape(input.getShape());
  shape[op.getAxis()] = 1;
  if (result != input.clone(shape))
    return rewriter.notifyMatchFailure(op, "its result's shape is not inferred");
  rewriter.replaceOpWithNewOp<ReduceOp>(op, result, kind, op.getInput(),
                                        ArrayRef<int64_t>{int64_t(op.getAxis())}, true);
  return success();
}

template <typename Op, ReduceKind kind>
static LogicalResult convertExtremeReduce(Op op, PatternRewriter &rewriter) {
  if (!propagatesNaN(op, op.getInput()))
    return rewriter.notifyMatchFailure(op, "NaN is passed over");
  return convertReduce<Op, kind>(op, rewriter);
}

static LogicalResult convertArgMax(tosa::ArgMaxOp op, PatternRewriter &rewriter) {
  RankedTensorType input = getTensorType(op.getInput()), result = getTensorType(op.getOutput());
  if (!input || !result || !takes(NumericTypes, op.getInput()) ||
      !isa<IntegerType>(result.getElementType()) || !propagatesNaN(op, op.getInput()))
    return rewriter.notifyMatchFailure(op, "NaN is passed over, or types without a form");
  SmallVector<int64_t> shape(input.getShape());
  shape.erase(shape.begin() + op.getAxis());
  if (!llvm::equal(result.getShape(), shape))
    return rewriter.notifyMatchFailure(op, "its result's shape is not inferred");
  Value index = ArgmaxOp::create(rewriter, op.getLoc(), result.clone(rewriter.getI64Type()),
                                 op.getInput(), uint64_t(op.getAxis()));
  rewriter.replaceOp(op, FuseBuilder(rewriter, op.getLoc()).cast(index, result.getElementType()));
  return success();
}

void fuse::populateTosaElementwisePatterns(RewritePatternSet &patterns) {
#define UNARY(OP, KIND) patterns.add(convertUnary<tosa::OP, UnaryKind::KIND>);
  UNARY(AbsOp, Abs)
  UNARY(BitwiseNotOp, BitwiseNot)
  UNARY(CeilOp, Ceil)
  UNARY(CosOp, Cos)
  UNARY(ErfOp, Erf)
  UNARY(ExpOp, Exp)
  UNARY(FloorOp, Floor)
  UNARY(LogOp, Log)
  UNARY(LogicalNotOp, LogicalNot)
  UNARY(ReciprocalOp, Reciprocal)
  UNARY(RsqrtOp, Rsqrt)
  UNARY(SigmoidOp, Sigmoid)
  UNARY(SinOp, Sin)
  UNARY(TanhOp, Tanh)
#undef UNARY
#define BINARY(OP, KIND) patterns.add(convertBinary<tosa::OP, BinaryKind::KIND>);
  BINARY(AddOp, Add)
  BINARY(SubOp, Sub)
  BINARY(PowOp, Pow)
  BINARY(IntDivOp, Div)
  BINARY(BitwiseAndOp, And)
  BINARY(BitwiseOrOp, Or)
  BINARY(BitwiseXorOp, Xor)
  BINARY(LogicalAndOp, And)
  BINARY(LogicalOrOp, Or)
  BINARY(LogicalXorOp, Xor)
  BINARY(LogicalLeftShiftOp, ShiftLeft)
#undef BINARY
#define COMPARE(OP, PREDICATE) patterns.add(convertCompare<tosa::OP, ComparePredicate::PREDICATE>);
  COMPARE(EqualOp, Eq)
  COMPARE(GreaterOp, Gt)
  COMPARE(GreaterEqualOp, Ge)
#undef COMPARE
#define REDUCE(OP, KIND, FUNCTION) patterns.add(FUNCTION<tosa::OP, ReduceKind::KIND>);
  REDUCE(ReduceSumOp, Sum, convertReduce)
  REDUCE(ReduceProductOp, Prod, convertReduce)
  REDUCE(ReduceAllOp, All, convertReduce)
  REDUCE(ReduceAnyOp, Any, convertReduce)
  REDUCE(ReduceMaxOp, Max, convertExtremeReduce)
  REDUCE(ReduceMinOp, Min, convertExtremeReduce)
#undef REDUCE
  patterns.add(convertExtreme<tosa::MaximumOp, BinaryKind::Max>);
  patterns.add(convertExtreme<tosa::MinimumOp, BinaryKind::Min>);
  patterns.add(convertMul);
  patterns.add(convertNegate);
  patterns.add(convertLogicalRightShift);
  patterns.add(convertArithmeticRightShift);
  patterns.add(convertSelect);
  patterns.add(convertClamp);
  patterns.add(convertCast);
  patterns.add(convertTable);
  patterns.add(convertArgMax);
}
