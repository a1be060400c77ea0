//===- NamedOps.cpp - Windows, softmax, fills -------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Patterns.h"
#include "fuse/IR/Shapes.h"
#include "mlir/IR/Matchers.h"

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

/// Whether products of elements of the operand's type may be summed in the result's.
static bool canAccumulate(RankedTensorType operand, RankedTensorType result) {
  Type from = operand.getElementType(), to = result.getElementType();
  if (!(getTypeClass(from) & NumericTypes))
    return false;
  return from == to || ((from.isF16() || from.isBF16()) && to.isF32()) ||
         (from.isSignlessInteger(8) && to.isSignlessInteger(32));
}

namespace {
/// How the elements of a filter lie, and with it how groups are told apart.
enum class Filter {
  AsIs,                   ///< as fuse.conv2d has it
  FhwcToHwcf,             ///< [F, H, W, C]
  Depthwise,              ///< [H, W, C], a group for each channel
  DepthwiseMultiplied,    ///< [H, W, C, M], with M features in each
  DepthwiseChannelsFirst, ///< [C, H, W]
  Gfhwc,                  ///< [G, F, H, W, C] beside an image [N, H, W, G, C]
  Gfchw,                  ///< [G, F, C, H, W] beside an image [N, G, C, H, W]
  Fgchw                   ///< [F, G, C, H, W] beside the same
};

/// The operands of a convolution, and the result's shape, as fuse.conv2d has them.
struct Convolution {
  Value image, filter;
  SmallVector<int64_t> result;
  int64_t groups = 1;
};
} // namespace

/// Whether groups are a dimension of the image and of the result.
static bool hasGroupDim(Filter form) {
  return form == Filter::Gfhwc || form == Filter::Gfchw || form == Filter::Fgchw;
}

/// The first of the two spatial dimensions of a filter.
static int64_t getKernelPosition(Filter form, bool isChannelsFirst) {
  switch (form) {
  case Filter::AsIs:
    return isChannelsFirst ? 2 : 0;
  case Filter::Depthwise:
  case Filter::DepthwiseMultiplied:
    return 0;
  case Filter::FhwcToHwcf:
  case Filter::DepthwiseChannelsFirst:
    return 1;
  case Filter::Gfhwc:
    return 2;
  case Filter::Gfchw:
  case Filter::Fgchw:
    return 3;
  }
  llvm_unreachable("a form of filters");
}

/// `x` with the dimensions `dim` and `dim + 1` as one.
static SmallVector<int64_t> joinDims(ArrayRef<int64_t> shape, int64_t dim) {
  SmallVector<int64_t> joined(shape);
  joined[dim] *= joined[dim + 1];
  joined.erase(joined.begin() + dim + 1);
  return joined;
}

static Convolution arrange(FuseBuilder &g, Filter form, const Window &window, Value image, Value filter) {
  ArrayRef<int64_t> shape = window.filter.getShape();
  Convolution conv{image, filter, SmallVector<int64_t>(window.result.getShape())};
  switch (form) {
  case Filter::AsIs:
    break;
  case Filter::FhwcToHwcf:
    conv.filter = g.transpose(filter, {1, 2, 3, 0});
    break;
  case Filter::Depthwise:
    conv.groups = shape[2];
    conv.filter = g.reshape(filter, {shape[0], shape[1], 1, shape[2]});
    break;
  case Filter::DepthwiseMultiplied:
    conv.groups = shape[2];
    conv.filter = g.reshape(filter, {shape[0], shape[1], 1, shape[2] * shape[3]});
    conv.result = joinDims(conv.result, 3);
    break;
  case Filter::DepthwiseChannelsFirst:
    conv.groups = shape[0];
    conv.filter = g.reshape(filter, {shape[0], 1, shape[1], shape[2]});
    break;
  case Filter::Gfhwc:
    conv.groups = shape[0];
    conv.image = g.reshape(image, joinDims(window.input.getShape(), 3));
    conv.filter = g.reshape(g.transpose(filter, {2, 3, 4, 0, 1}), {shape[2], shape[3], shape[4], shape[0] * shape[1]});
    conv.result = joinDims(conv.result, 3);
    break;
  case Filter::Gfchw:
  case Filter::Fgchw:
    conv.groups = shape[form == Filter::Fgchw];
    if (form == Filter::Fgchw)
      conv.filter = g.transpose(filter, {1, 0, 2, 3, 4});
    conv.image = g.reshape(image, joinDims(window.input.getShape(), 1));
    conv.filter = g.reshape(conv.filter, {shape[0] * shape[1], shape[2], shape[3], shape[4]});
    conv.result = joinDims(conv.result, 1);
    break;
  }
  return conv;
}

/// Whether `x`, a tensor or a scalar, is of signed integers that the accumulator holds.
static bool isHeld(Value x, Type accumulator) {
  Type element = getElementTypeOrSelf(x);
  return isa<IntegerType>(element) && (getTypeClass(element) & SignedTypes) &&
         element.getIntOrFloatBitWidth() <= accumulator.getIntOrFloatBitWidth();
}

/// `x` in the accumulator's type, with the zero point taken off. `fuse-integer-products` takes zero points out of the
/// sums. Failure: a scalar without a form.
static LogicalResult takeZeroPoint(FuseBuilder &g, Value &x, Value zero, Type accumulator) {
  FailureOr<Value> known = buildScalar(g, zero);
  if (failed(known))
    return failure();
  x = g.sub(g.cast(x, accumulator), g.cast(*known, accumulator));
  return success();
}

template <typename Op, ConvLayout layout, Filter form>
static LogicalResult convertConv(Op op, PatternRewriter &rewriter) {
  FailureOr<Window> window = getWindow(op);
  // Image, filter and, of ops whose names end in _q, their zero points.
  bool hasZeroPoints = op.getInputs().size() == 4;
  Type accumulator = getElementTypeOrSelf(op.getOutputs()[0]);
  auto isHeldIn = [&](Value x) { return isHeld(x, accumulator); };
  if (failed(window))
    return rewriter.notifyMatchFailure(op, "types of other dialects, or dynamic extents");
  bool isProduct = window->input.getElementType() == window->filter.getElementType() &&
                   canAccumulate(window->input, window->result);
  if (hasZeroPoints ? !isa<IntegerType>(accumulator) || !llvm::all_of(op.getInputs(), isHeldIn) : !isProduct)
    return rewriter.notifyMatchFailure(op, "types without a form");
  bool isChannelsFirst = layout == ConvLayout::NchwFchw;
  int64_t first = (isChannelsFirst ? 2 : 1) + (isChannelsFirst && hasGroupDim(form));
  if (!window->fits(first, window->filter.getShape().slice(getKernelPosition(form, isChannelsFirst), 2)))
    return rewriter.notifyMatchFailure(op, "windows that do not fit");
  if (form != Filter::AsIs && form != Filter::FhwcToHwcf && window->hasNoChannels(isChannelsFirst))
    return rewriter.notifyMatchFailure(op, "no channels, of which each is a group");
  auto isZero = [](Value zero) { return matchPattern(zero, m_Zero()); };
  bool isShifted = hasZeroPoints && !(isProduct && llvm::all_of(op.getInputs().drop_front(2), isZero));
  Operation *before = op->getPrevNode();
  FuseBuilder g(rewriter, op.getLoc());
  Convolution conv = arrange(g, form, *window, op.getInputs()[0], op.getInputs()[1]);
  if (isShifted && (failed(takeZeroPoint(g, conv.image, op.getInputs()[2], accumulator)) ||
                    failed(takeZeroPoint(g, conv.filter, op.getInputs()[3], accumulator)))) {
    eraseBuilt(rewriter, op, before);
    return rewriter.notifyMatchFailure(op, "a zero point that is computed by what has no form");
  }
  Value product = Conv2dOp::create(rewriter, op.getLoc(), window->result.clone(conv.result), conv.image, conv.filter,
                                   Value(), window->strides, window->dilations, window->padding, conv.groups, layout);
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
  // A sum may be wider than what is summed.
  if (failed(window) || !(getTypeClass(window->input.getElementType()) & (FloatTypes | SignedTypes)) ||
      !(window->input.getElementType() == window->result.getElementType() ||
        (pool == Pool::Sum && canAccumulate(window->input, window->result))))
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
  CONV(Conv2DNhwgcGfhwcOp, NhwcHwcf, Gfhwc)
  CONV(Conv2DNgchwGfchwOp, NchwFchw, Gfchw)
  CONV(Conv2DNgchwFgchwOp, NchwFchw, Fgchw)
  CONV(Conv2DNhwcHwcfQOp, NhwcHwcf, AsIs)
  CONV(Conv2DNchwFchwQOp, NchwFchw, AsIs)
  CONV(Conv2DNhwcFhwcQOp, NhwcHwcf, FhwcToHwcf)
  CONV(DepthwiseConv2DNhwcHwcQOp, NhwcHwcf, Depthwise)
  CONV(DepthwiseConv2DNhwcHwcmQOp, NhwcHwcf, DepthwiseMultiplied)
  CONV(Conv2DNhwgcGfhwcQOp, NhwcHwcf, Gfhwc)
  CONV(Conv2DNgchwGfchwQOp, NchwFchw, Gfchw)
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
