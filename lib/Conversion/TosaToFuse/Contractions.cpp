//===- Contractions.cpp - Products, convolutions and pools ------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Patterns.h"
#include "fuse/IR/Shapes.h"

using namespace mlir;
using namespace mlir::fuse;

SmallVector<int64_t> fuse::reorderPadding(ArrayRef<int64_t> pad) { return {pad[0], pad[2], pad[1], pad[3]}; }

/// Whether a product of elements of `operand` may be given in `result`.
static bool canAccumulate(Type operand, Type result) {
  if (operand == result)
    return true;
  if (operand.isF16() || operand.isBF16())
    return result.isF32();
  return operand.isSignlessInteger(8) && result.isSignlessInteger(32);
}

/// Whether both zero points are 0, or the operands are bytes whose products are summed as i32.
static bool haveZeroPointsForm(Value x, Value xZero, Value w, Value wZero, RankedTensorType result) {
  if (isZeroPoint(xZero) && isZeroPoint(wZero))
    return true;
  auto isByte = [](Value operand, Value zero) {
    RankedTensorType type = getStaticTensorType(zero);
    return type && type.getNumElements() == 1 && FuseBuilder::elementOf(operand).isSignlessInteger(8) &&
           type.getElementType().isSignlessInteger(8);
  };
  return result.getElementType().isSignlessInteger(32) && isByte(x, xZero) && isByte(w, wZero);
}

/// The two operands; where one has a zero point, as i32, with the zero points taken off. `fuse-integer-products` takes them
/// out of the sums.
static std::pair<Value, Value> takeZeroPoints(FuseBuilder &g, Value x, Value xZero, Value w, Value wZero) {
  if (isZeroPoint(xZero) && isZeroPoint(wZero))
    return {x, w};
  Type i32 = g.getBuilder().getI32Type();
  auto take = [&](Value operand, Value zero) {
    Value wide = g.cast(operand, i32);
    if (isZeroPoint(zero))
      return wide;
    FailureOr<SmallVector<int64_t>> known = getConstantIntegers(zero);
    if (succeeded(known))
      return g.sub(wide, static_cast<double>(known->front()));
    return g.sub(wide, g.cast(g.reshape(zero, ArrayRef<int64_t>{}), i32));
  };
  return {take(x, xZero), take(w, wZero)};
}

/// Adds a bias of shape [F] or [1] along the last dimension, or gives `product` where it is zero.
static Value addBias(FuseBuilder &g, Value product, Value bias) {
  if (isZeroPoint(bias))
    return product;
  return g.binary(BinaryKind::Add, product, bias, FuseBuilder::typeOf(product));
}

/// A convolution over NHWC, the filter in HWCF. A bias of floats becomes an operand; integers are
/// added afterwards, in the accumulator's type.
static Value buildConv(FuseBuilder &g, Value input, Value filter, Value bias,
                       ArrayRef<int64_t> strides, ArrayRef<int64_t> dilations,
                       ArrayRef<int64_t> padding, int64_t groups, RankedTensorType result) {
  RankedTensorType biasType = FuseBuilder::typeOf(bias);
  bool isOperand = biasType.getDimSize(0) == result.getDimSize(3) &&
                   biasType.getElementType() == FuseBuilder::typeOf(input).getElementType() &&
                   isa<FloatType>(result.getElementType()) && !isZeroPoint(bias);
  Value product =
      Conv2dOp::create(g.getBuilder(), result, input, filter, isOperand ? bias : Value(), strides,
                       dilations, padding, groups, ConvLayout::NhwcHwcf);
  return isOperand ? product : addBias(g, product, bias);
}

/// What the convolutions have in common; static shapes, and zero points with a form.
template <typename Op>
static LogicalResult checkConv(Op op, PatternRewriter &rewriter) {
  RankedTensorType input = getStaticTensorType(op.getInput());
  RankedTensorType weight = getStaticTensorType(op.getWeight());
  RankedTensorType bias = getStaticTensorType(op.getBias());
  RankedTensorType result = getStaticTensorType(op.getOutput());
  if (!input || !weight || !bias || !result)
    return rewriter.notifyMatchFailure(op, "types without a form, or dynamic extents");
  if (!haveZeroPointsForm(op.getInput(), op.getInputZp(), op.getWeight(), op.getWeightZp(), result))
    return rewriter.notifyMatchFailure(op, "a zero point of other elements than i8");
  if (input.getElementType() != weight.getElementType() ||
      !canAccumulate(input.getElementType(), result.getElementType()) ||
      bias.getElementType() != result.getElementType())
    return rewriter.notifyMatchFailure(op, "element types that do not fit");
  return success();
}

bool fuse::fitsWindow(Value input, RankedTensorType result, ArrayRef<int64_t> kernel,
                      ArrayRef<int64_t> strides, ArrayRef<int64_t> dilations,
                      ArrayRef<int64_t> padding) {
  for (int axis : {0, 1}) {
    int64_t extent =
        getWindowExtent(FuseBuilder::typeOf(input).getDimSize(axis + 1), kernel[axis],
                        strides[axis], dilations[axis], padding[axis], padding[axis + 2]);
    if (extent < 1 || extent != result.getDimSize(axis + 1))
      return false;
  }
  return llvm::all_of(padding, [](int64_t pad) { return pad >= 0; });
}

/// The filter OHWI becomes HWCF.
static LogicalResult convertConv2d(tosa::Conv2DOp op, PatternRewriter &rewriter) {
  if (failed(checkConv(op, rewriter)))
    return failure();
  auto result = cast<RankedTensorType>(op.getType());
  RankedTensorType weight = FuseBuilder::typeOf(op.getWeight());
  SmallVector<int64_t> padding = reorderPadding(op.getPad());
  if (!fitsWindow(op.getInput(), result, weight.getShape().slice(1, 2), op.getStride(),
                  op.getDilation(), padding))
    return rewriter.notifyMatchFailure(op, "windows that do not fit");
  FuseBuilder g(rewriter, op.getLoc());
  auto [input, weights] = takeZeroPoints(g, op.getInput(), op.getInputZp(), op.getWeight(), op.getWeightZp());
  Value filter = g.transpose(weights, {1, 2, 3, 0});
  rewriter.replaceOp(op, buildConv(g, input, filter, op.getBias(), op.getStride(),
                                   op.getDilation(), padding, 1, result));
  return success();
}

/// The filter HWCM becomes one of C groups with M features each.
static LogicalResult convertDepthwise(tosa::DepthwiseConv2DOp op, PatternRewriter &rewriter) {
  if (failed(checkConv(op, rewriter)))
    return failure();
  auto result = cast<RankedTensorType>(op.getType());
  ArrayRef<int64_t> shape = FuseBuilder::typeOf(op.getWeight()).getShape();
  SmallVector<int64_t> padding = reorderPadding(op.getPad());
  if (!fitsWindow(op.getInput(), result, shape.take_front(2), op.getStride(), op.getDilation(),
                  padding))
    return rewriter.notifyMatchFailure(op, "windows that do not fit");
  FuseBuilder g(rewriter, op.getLoc());
  auto [input, weights] = takeZeroPoints(g, op.getInput(), op.getInputZp(), op.getWeight(), op.getWeightZp());
  Value filter = g.reshape(weights, {shape[0], shape[1], 1, shape[2] * shape[3]});
  rewriter.replaceOp(op, buildConv(g, input, filter, op.getBias(), op.getStride(),
                                   op.getDilation(), padding, shape[2], result));
  return success();
}

/// A convolution with the filter reversed, over the input with zeros between its elements.
static LogicalResult convertTransposeConv(tosa::TransposeConv2DOp op, PatternRewriter &rewriter) {
  if (failed(checkConv(op, rewriter)))
    return failure();
  auto result = cast<RankedTensorType>(op.getType());
  ArrayRef<int64_t> shape = FuseBuilder::typeOf(op.getWeight()).getShape();
  ArrayRef<int64_t> outPad = op.getOutPad(), stride = op.getStride();
  SmallVector<int64_t> padding = {shape[1] - 1 + outPad[0], shape[2] - 1 + outPad[2],
                                  shape[1] - 1 + outPad[1], shape[2] - 1 + outPad[3]};
  SmallVector<int64_t> spreadShape(FuseBuilder::typeOf(op.getInput()).getShape());
  for (int axis : {0, 1}) {
    spreadShape[axis + 1] = (spreadShape[axis + 1] - 1) * stride[axis] + 1;
    int64_t extent = getWindowExtent(spreadShape[axis + 1], shape[axis + 1], 1, 1, padding[axis],
                                     padding[axis + 2]);
    if (padding[axis] < 0 || padding[axis + 2] < 0 || extent != result.getDimSize(axis + 1))
      return rewriter.notifyMatchFailure(op, "windows that do not fit");
  }
  FuseBuilder g(rewriter, op.getLoc());
  auto [image, weights] = takeZeroPoints(g, op.getInput(), op.getInputZp(), op.getWeight(), op.getWeightZp());
  Value input = g.spread(g.spread(image, 1, stride[0]), 2, stride[1]);
  Value filter = g.transpose(g.reverse(g.reverse(weights, 1), 2), {1, 2, 3, 0});
  rewriter.replaceOp(op,
                     buildConv(g, input, filter, op.getBias(), {1, 1}, {1, 1}, padding, 1, result));
  return success();
}

static LogicalResult convertMatmul(tosa::MatMulOp op, PatternRewriter &rewriter) {
  RankedTensorType a = getTensorType(op.getA()), b = getTensorType(op.getB());
  RankedTensorType result = getTensorType(op.getOutput());
  if (!a || !b || !result || a.getElementType() != b.getElementType() ||
      !canAccumulate(a.getElementType(), result.getElementType()))
    return rewriter.notifyMatchFailure(op, "its types have no form in the dialect");
  if (!haveZeroPointsForm(op.getA(), op.getAZp(), op.getB(), op.getBZp(), result))
    return rewriter.notifyMatchFailure(op, "a zero point of other elements than i8");
  // TOSA does not broadcast batches.
  SmallVector<int64_t> shape = {a.getDimSize(0), a.getDimSize(1), b.getDimSize(2)};
  if (a.getDimSize(0) != b.getDimSize(0) || !llvm::equal(shape, result.getShape()))
    return rewriter.notifyMatchFailure(op, "extents that are not inferred");
  FuseBuilder g(rewriter, op.getLoc());
  auto [lhs, rhs] = takeZeroPoints(g, op.getA(), op.getAZp(), op.getB(), op.getBZp());
  rewriter.replaceOpWithNewOp<fuse::MatmulOp>(op, result, lhs, rhs, false, false);
  return success();
}

static LogicalResult convertMaxPool(tosa::MaxPool2dOp op, PatternRewriter &rewriter) {
  RankedTensorType input = getStaticTensorType(op.getInput());
  RankedTensorType result = getStaticTensorType(op.getOutput());
  SmallVector<int64_t> padding = reorderPadding(op.getPad()), ones = {1, 1};
  if (!input || !result || !propagatesNaN(op, op.getInput()) ||
      !fitsWindow(op.getInput(), result, op.getKernel(), op.getStride(), ones, padding))
    return rewriter.notifyMatchFailure(op, "NaN is passed over, or dynamic extents");
  rewriter.replaceOpWithNewOp<fuse::MaxPool2dOp>(op, result, op.getInput(), op.getKernel(),
                                                 op.getStride(), ones, padding,
                                                 ConvLayout::NhwcHwcf);
  return success();
}

/// The divisor is the number of elements within the input.
static LogicalResult convertAvgPool(tosa::AvgPool2dOp op, PatternRewriter &rewriter) {
  RankedTensorType input = getStaticTensorType(op.getInput());
  RankedTensorType result = getStaticTensorType(op.getOutput());
  SmallVector<int64_t> padding = reorderPadding(op.getPad()), ones = {1, 1};
  if (!input || !result || !isa<FloatType>(input.getElementType()) ||
      !isZeroPoint(op.getInputZp()) || !isZeroPoint(op.getOutputZp()) ||
      !fitsWindow(op.getInput(), result, op.getKernel(), op.getStride(), ones, padding))
    return rewriter.notifyMatchFailure(op, "other types than floats, or dynamic extents");
  rewriter.replaceOpWithNewOp<fuse::AvgPool2dOp>(op, result, op.getInput(), op.getKernel(),
                                                 op.getStride(), ones, padding,
                                                 ConvLayout::NhwcHwcf, false);
  return success();
}

void fuse::populateTosaContractionPatterns(RewritePatternSet &patterns) {
  patterns.add(convertConv2d);
  patterns.add(convertDepthwise);
  patterns.add(convertTransposeConv);
  patterns.add(convertMatmul);
  patterns.add(convertMaxPool);
  patterns.add(convertAvgPool);
}
