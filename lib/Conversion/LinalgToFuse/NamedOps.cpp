//===- NamedOps.cpp - Windows, softmax, fills -------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Patterns.h"
#include "fuse/IR/Shapes.h"

using namespace mlir;
using namespace mlir::fuse;

static SmallVector<int64_t> getList(DenseIntElementsAttr attribute) {
  return SmallVector<int64_t>(attribute.getValues<int64_t>());
}

namespace {
/// Inputs, result and attributes of a window op; static.
struct Window {
  RankedTensorType input, filter, result;
  SmallVector<int64_t> strides, dilations;
  SmallVector<int64_t> padding = {0, 0, 0, 0};

  /// Whether the windows of `kernel` have elements and give the result's extents, which start at
  /// `first`.
  bool fits(int64_t first, ArrayRef<int64_t> kernel) const {
    for (int axis : {0, 1})
      if (kernel[axis] <= 0 ||
          getWindowExtent(input.getDimSize(first + axis), kernel[axis], strides[axis],
                          dilations[axis], 0, 0) != result.getDimSize(first + axis))
        return false;
    return true;
  }

  bool hasNoChannels(bool isChannelsFirst) const {
    return input.getDimSize(isChannelsFirst ? 1 : 3) == 0;
  }
};
} // namespace

template <typename Op>
static FailureOr<Window> getWindow(Op op) {
  if (!op.hasPureTensorSemantics())
    return failure();
  Window window;
  window.input = getStaticTensorType(op.getInputs()[0]);
  window.filter = getStaticTensorType(op.getInputs()[1]);
  window.result = getStaticTensorType(op.getOutputs()[0]);
  window.strides = getList(op.getStrides());
  window.dilations = getList(op.getDilations());
  if (!window.input || !window.filter || !window.result)
    return failure();
  return window;
}

/// `value` combined with what the op started from.
static Value combineInit(FuseBuilder &g, ReduceKind kind, BinaryKind binary, Value value,
                         Value init) {
  if (isNeutral(kind, getSplatValue(init)))
    return value;
  return g.binary(binary, value, init, FuseBuilder::typeOf(value));
}

/// Whether products of the operands' elements may be summed in the result's type.
static bool canAccumulate(const Window &window) {
  Type from = window.input.getElementType(), to = window.result.getElementType();
  if (from != window.filter.getElementType() || !(getTypeClass(from) & NumericTypes))
    return false;
  return from == to || ((from.isF16() || from.isBF16()) && to.isF32()) ||
         (from.isSignlessInteger(8) && to.isSignlessInteger(32));
}

namespace {
enum class Filter { AsIs, FhwcToHwcf, Depthwise, DepthwiseMultiplied, DepthwiseChannelsFirst };
}

template <typename Op, ConvLayout layout, Filter form>
static LogicalResult convertConv(Op op, PatternRewriter &rewriter) {
  FailureOr<Window> window = getWindow(op);
  if (failed(window) || !canAccumulate(*window))
    return rewriter.notifyMatchFailure(op, "types without a form, or dynamic extents");
  ArrayRef<int64_t> shape = window->filter.getShape();
  bool isChannelsFirst = layout == ConvLayout::NchwFchw;
  int64_t first = form == Filter::DepthwiseChannelsFirst ? 1
                  : form == Filter::FhwcToHwcf           ? 1
                  : isChannelsFirst                      ? 2
                                                         : 0;
  if (!window->fits(isChannelsFirst ? 2 : 1, shape.slice(first, 2)))
    return rewriter.notifyMatchFailure(op, "windows that do not fit");
  if (form != Filter::AsIs && form != Filter::FhwcToHwcf && window->hasNoChannels(isChannelsFirst))
    return rewriter.notifyMatchFailure(op, "no channels, of which each is a group");
  FuseBuilder g(rewriter, op.getLoc());
  Value filter = op.getInputs()[1];
  SmallVector<int64_t> resultShape(window->result.getShape());
  int64_t groups = 1;
  switch (form) {
  case Filter::AsIs:
    break;
  case Filter::FhwcToHwcf:
    filter = g.transpose(filter, {1, 2, 3, 0});
    break;
  case Filter::Depthwise:
    groups = shape[2];
    filter = g.reshape(filter, {shape[0], shape[1], 1, groups});
    break;
  case Filter::DepthwiseMultiplied:
    groups = shape[2];
    filter = g.reshape(filter, {shape[0], shape[1], 1, groups * shape[3]});
    resultShape.pop_back();
    resultShape.back() = groups * shape[3];
    break;
  case Filter::DepthwiseChannelsFirst:
    groups = shape[0];
    filter = g.reshape(filter, {groups, 1, shape[1], shape[2]});
    break;
  }
  Value product = Conv2dOp::create(rewriter, op.getLoc(), window->result.clone(resultShape),
                                   op.getInputs()[0], filter, Value(), window->strides,
                                   window->dilations, window->padding, groups, layout);
  product = g.reshape(product, window->result.getShape());
  rewriter.replaceOp(op,
                     combineInit(g, ReduceKind::Sum, BinaryKind::Add, product, op.getOutputs()[0]));
  return success();
}

namespace {
enum class Pool { Max, Min, Sum };
}

/// A minimum is the maximum in the reverse order, a sum the product with ones: both are exact.
template <typename Op, ConvLayout layout, Pool pool>
static LogicalResult convertPool(Op op, PatternRewriter &rewriter) {
  FailureOr<Window> window = getWindow(op);
  if (failed(window) || window->input.getElementType() != window->result.getElementType() ||
      !(getTypeClass(window->input.getElementType()) & (FloatTypes | SignedTypes)))
    return rewriter.notifyMatchFailure(op, "types without a form, or dynamic extents");
  bool isChannelsFirst = layout == ConvLayout::NchwFchw;
  if (window->hasNoChannels(isChannelsFirst))
    return rewriter.notifyMatchFailure(op, "no channels");
  ArrayRef<int64_t> kernel = window->filter.getShape();
  if (!window->fits(isChannelsFirst ? 2 : 1, kernel))
    return rewriter.notifyMatchFailure(op, "windows that do not fit");
  FuseBuilder g(rewriter, op.getLoc());
  Type element = window->input.getElementType();
  Value input = op.getInputs()[0], init = op.getOutputs()[0], result;
  if (pool == Pool::Sum) {
    int64_t channels = window->input.getDimSize(isChannelsFirst ? 1 : 3);
    SmallVector<int64_t> shape = {kernel[0], kernel[1], 1, channels};
    if (isChannelsFirst)
      shape = {channels, 1, kernel[0], kernel[1]};
    auto filterType = RankedTensorType::get(shape, element);
    Attribute one = isa<FloatType>(element) ? Attribute(rewriter.getFloatAttr(element, 1.0))
                                            : Attribute(rewriter.getIntegerAttr(element, 1));
    Value filter =
        arith::ConstantOp::create(rewriter, op.getLoc(), SplatElementsAttr::get(filterType, one));
    result =
        Conv2dOp::create(rewriter, op.getLoc(), window->result, input, filter, Value(),
                         window->strides, window->dilations, window->padding, channels, layout);
    rewriter.replaceOp(op, combineInit(g, ReduceKind::Sum, BinaryKind::Add, result, init));
    return success();
  }
  UnaryKind turn = isa<FloatType>(element) ? UnaryKind::Neg : UnaryKind::BitwiseNot;
  bool isMin = pool == Pool::Min;
  result = MaxPool2dOp::create(rewriter, op.getLoc(), window->result,
                               isMin ? g.unary(turn, input) : input, kernel, window->strides,
                               window->dilations, window->padding, layout);
  if (isMin)
    result = g.unary(turn, result);
  rewriter.replaceOp(op, combineInit(g, isMin ? ReduceKind::Min : ReduceKind::Max,
                                     isMin ? BinaryKind::Min : BinaryKind::Max, result, init));
  return success();
}

static LogicalResult convertSoftmax(linalg::SoftmaxOp op, PatternRewriter &rewriter) {
  RankedTensorType type = getTensorType(op.getInput());
  if (!op.hasPureTensorSemantics() || !type || !isa<FloatType>(type.getElementType()) ||
      op->getResult(0).getType() != type)
    return rewriter.notifyMatchFailure(op, "types without a form");
  rewriter.replaceOpWithNewOp<fuse::SoftmaxOp>(op, type, op.getInput(), op.getDimension());
  return success();
}

static LogicalResult convertFill(linalg::FillOp op, PatternRewriter &rewriter) {
  if (!op.hasPureTensorSemantics() || !canBeConstant(op.getResult(0).getType()))
    return rewriter.notifyMatchFailure(op, "dynamic extents, or a type without a form");
  TypedAttr value = getSplatValue(op.getResult(0));
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  if (!value || value.getType() != type.getElementType())
    return rewriter.notifyMatchFailure(op, "a value that is not known");
  rewriter.replaceOpWithNewOp<arith::ConstantOp>(op,
                                                 SplatElementsAttr::get(type, Attribute(value)));
  return success();
}

void fuse::populateLinalgNamedOpPatterns(RewritePatternSet &patterns) {
  // Before the pattern of all structured ops is asked.
  PatternBenefit benefit(2);
#define CONV(OP, LAYOUT, FORM)                                                                     \
  patterns.add(convertConv<linalg::OP, ConvLayout::LAYOUT, Filter::FORM>, benefit);
  CONV(Conv2DNhwcHwcfOp, NhwcHwcf, AsIs)
  CONV(Conv2DNchwFchwOp, NchwFchw, AsIs)
  CONV(Conv2DNhwcFhwcOp, NhwcHwcf, FhwcToHwcf)
  CONV(DepthwiseConv2DNhwcHwcOp, NhwcHwcf, Depthwise)
  CONV(DepthwiseConv2DNhwcHwcmOp, NhwcHwcf, DepthwiseMultiplied)
  CONV(DepthwiseConv2DNchwChwOp, NchwFchw, DepthwiseChannelsFirst)
#undef CONV
#define POOL(OP, LAYOUT, POOL_KIND)                                                                \
  patterns.add(convertPool<linalg::OP, ConvLayout::LAYOUT, Pool::POOL_KIND>, benefit);
  POOL(PoolingNhwcMaxOp, NhwcHwcf, Max)
  POOL(PoolingNchwMaxOp, NchwFchw, Max)
  POOL(PoolingNhwcMinOp, NhwcHwcf, Min)
  POOL(PoolingNhwcSumOp, NhwcHwcf, Sum)
  POOL(PoolingNchwSumOp, NchwFchw, Sum)
#undef POOL
  patterns.add(convertSoftmax, benefit);
  patterns.add(convertFill, benefit);
}
