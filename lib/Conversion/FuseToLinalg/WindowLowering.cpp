//===- WindowLowering.cpp - Convolutions and pools -----===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Lowerings.h"
#include "fuse/Conversion/FuseToLinalg/FuseToLinalg.h"
#include "fuse/IR/ScalarBody.h"
#include "fuse/IR/Views.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::fuse;
using utils::IteratorType;

namespace {

/// The window along height and width, and where those stand in input and result.
struct Window {
  int64_t axes[2];
  int64_t kernel[2];
  SmallVector<int64_t> strides, dilations, padding;
  int64_t feature;

  template <typename OpT>
  Window(OpT op, ArrayRef<int64_t> kernelShape)
      : strides(op.getStrides()), dilations(op.getDilations()), padding(op.getPadding()) {
    bool nchw = op.getLayout() == ConvLayout::NchwFchw;
    feature = nchw ? 1 : 3;
    axes[0] = nchw ? 2 : 1;
    axes[1] = nchw ? 3 : 2;
    kernel[0] = kernelShape[0];
    kernel[1] = kernelShape[1];
  }

  bool isPadded() const {
    return llvm::any_of(padding, [](int64_t count) { return count != 0; });
  }
  /// Where the window of result position `out` has its tap `tap`, in the padded input.
  AffineExpr getPosition(int axis, AffineExpr out, AffineExpr tap) const {
    return out * strides[axis] + tap * dilations[axis];
  }
};

/// `input` as a tensor whose dimensions are the input's, in order. One that is stored in another order, or
/// repeated, is copied. The copy is marked `fuse.recompute`: the tiler makes the part that a tile reads.
LazyTensor copyInOrder(ImplicitLocOpBuilder &b, const LazyTensor &input) {
  LazyTensor value = prepareForReads(b, input);
  bool isSplit =
      llvm::any_of(value.factors, [](ArrayRef<TensorFactor> dim) { return dim.size() > 1; });
  if (!isSplit && value.isInOrder())
    return value;
  SmallVector<OpFoldResult> extents = getExtents(b, value);
  if (!isSplit)
    return buildMap(
        b, extents, value, value.element, [](BodyContext &context) { return context.inputs[0]; },
        /*factors=*/{}, /*recompute=*/true);
  // The number of an element in a dimension of several factors tells its number along each of them.
  return buildMap(
      b, extents, {}, value.element,
      [&](BodyContext &context) {
        SmallVector<ElementIndex> position;
        for (int64_t dim = 0; dim < value.getRank(); ++dim)
          position.push_back(context.getIndex(dim));
        return readElement(context.b, value, position);
      },
      /*factors=*/{}, /*recompute=*/true);
}

/// Whether memory has the dimensions of a value in another order.
bool isTransposed(const LazyTensor &value) {
  int64_t last = 0;
  for (ArrayRef<TensorFactor> dim : value.factors)
    for (const TensorFactor &factor : dim) {
      if (factor.dim != TensorFactor::kRepeated && factor.dim < last)
        return true;
      last = std::max(last, factor.dim);
    }
  return false;
}

/// `input` with a border of `low` and `high` elements along each dimension, as a `tensor.pad`.
LazyTensor addBorder(ImplicitLocOpBuilder &b, const LazyTensor &input, ArrayRef<int64_t> low,
                     ArrayRef<int64_t> high, TypedAttr value) {
  // Dimensions of one element are no dimensions of the tensor, but for those that grow.
  LazyTensor whole = copyInOrder(b, input), kept = whole;
  SmallVector<OpFoldResult> keptLow, keptHigh;
  kept.shape.clear();
  kept.factors.clear();
  SmallVector<int64_t> dropped;
  for (int64_t dim = 0; dim < whole.getRank(); ++dim) {
    if (whole.shape[dim] == 1 && low[dim] + high[dim] == 0) {
      dropped.push_back(dim);
      continue;
    }
    kept.shape.push_back(whole.shape[dim]);
    kept.factors.push_back(whole.factors[dim]);
    keptLow.push_back(b.getIndexAttr(low[dim]));
    keptHigh.push_back(b.getIndexAttr(high[dim]));
  }
  Type storage = getStorageType(input.element);
  Value source = expandUnits(b, kept, RankedTensorType::get(kept.shape, storage));
  Value padded = tensor::PadOp::create(b, Type(), source, keptLow, keptHigh,
                                       arith::ConstantOp::create(b, value), /*nofold=*/false);
  LazyTensor result = collapseUnits(b, padded, input.element);
  for (int64_t dim : dropped) {
    result.shape.insert(result.shape.begin() + dim, 1);
    result.factors.insert(result.factors.begin() + dim, SmallVector<TensorFactor, 1>());
  }
  return result;
}

/// The input of `op` with its border of `value`. Without a border it is read where it lies, unless vectors
/// would have to gather it. A dimension that no window goes along keeps its factors apart (see GroupDomain.cpp), so that members
/// go over them with the same loops: of 24 channels that are 2 groups of 12, a border is added around an
/// image of 2 by 12 channels. An argument of the function takes the factors that the result has there.
LazyTensor padInput(ImplicitLocOpBuilder &b, FusableOpInterface op, const LazyTensor &input,
                    const Window &window, TypedAttr value, const DimFactors &factors) {
  if (!window.isPadded() && !(readsWindowsAlongVectors(op) && isTransposed(input)))
    return input;
  LazyTensor apart = prepareForReads(b, input);
  bool isReordered = isTransposed(apart);
  SmallVector<int64_t> shape, low, high, joined; // joined: the first of the dimensions that were one
  for (int64_t dim = 0; dim < input.getRank(); ++dim) {
    const auto *axis = llvm::find(window.axes, dim);
    bool isAxis = axis != std::end(window.axes);
    SmallVector<int64_t> parts = {apart.shape[dim]};
    if (isAxis || isReordered)
      ; // stays whole
    else if (apart.factors[dim].size() > 1)
      parts = llvm::map_to_vector(apart.factors[dim],
                                  [](const TensorFactor &factor) { return factor.extent; });
    else if (!factors.empty() && factors[dim].size() > 1)
      parts = factors[dim];
    joined.append(parts.size() - 1, shape.size());
    shape.append(parts);
    low.append(parts.size(), isAxis ? window.padding[axis - window.axes] : 0);
    high.append(parts.size(), isAxis ? window.padding[axis - window.axes + 2] : 0);
  }
  if (!joined.empty())
    apart = reshapeOrCopy(b, apart, shape);
  LazyTensor result =
      window.isPadded() ? addBorder(b, apart, low, high, value) : copyInOrder(b, apart);
  for (int64_t dim : llvm::reverse(joined))
    result = joinDims(result, dim);
  return result;
}

/// The number of windows along an axis of the padded input.
OpFoldResult getWindowCount(ImplicitLocOpBuilder &b, const LazyTensor &padded,
                            const Window &window, int axis) {
  int64_t dim = window.axes[axis];
  int64_t reach = window.dilations[axis] * (window.kernel[axis] - 1) + 1;
  OpFoldResult extent = getExtent(b, padded, dim);
  if (std::optional<int64_t> fixed = getConstantIntValue(extent))
    return b.getIndexAttr((*fixed - reach) / window.strides[axis] + 1);
  auto constant = [&](int64_t value) { return arith::ConstantIndexOp::create(b, value); };
  Value room = arith::SubIOp::create(b, cast<Value>(extent), constant(reach));
  Value steps = arith::FloorDivSIOp::create(b, room, constant(window.strides[axis]));
  return arith::AddIOp::create(b, steps, constant(1)).getResult();
}

/// Dimension `dim` as `outer` parts.
LazyTensor splitDim(ImplicitLocOpBuilder &b, const LazyTensor &value, int64_t dim, int64_t outer) {
  SmallVector<int64_t> shape(value.shape);
  shape[dim] /= outer;
  shape.insert(shape.begin() + dim, outer);
  // One dimension becomes two: possible in any order.
  return reshapeOrCopy(b, value, shape);
}

/// How many taps of window `out` lie in the input, of index type: its first position is
/// out · stride − low, and tap t lies t · dilation behind it.
Value countTaps(ImplicitLocOpBuilder &b, const Window &window, int axis, Value out,
                OpFoldResult size) {
  auto constant = [&](int64_t value) { return arith::ConstantIndexOp::create(b, value); };
  Value zero = constant(0), dilation = constant(window.dilations[axis]);
  Value start = arith::SubIOp::create(
      b, arith::MulIOp::create(b, out, constant(window.strides[axis])),
      constant(window.padding[axis]));
  // The number of taps at positions below `bound`.
  auto below = [&](Value bound) -> Value {
    Value room = arith::MaxSIOp::create(b, arith::SubIOp::create(b, bound, start), zero);
    Value rounded = arith::AddIOp::create(b, room, constant(window.dilations[axis] - 1));
    Value taps = arith::DivUIOp::create(b, rounded, dilation);
    return arith::MinSIOp::create(b, taps, constant(window.kernel[axis]));
  };
  return arith::SubIOp::create(b, below(getValueOrCreateConstantIndexOp(b, b.getLoc(), size)), below(zero));
}

/// The result's four loops, then the window's two.
Domain getPoolDomain(ImplicitLocOpBuilder &b, const LazyTensor &padded, const Window &window) {
  Domain domain = Domain::parallel(getExtents(b, padded));
  for (int axis : {0, 1})
    domain.extents[window.axes[axis]] = getWindowCount(b, padded, window, axis);
  for (int axis : {0, 1})
    domain.add(b.getIndexAttr(window.kernel[axis]), IteratorType::reduction);
  return domain;
}

AffineMap getPoolInputMap(MLIRContext *context, const Window &window) {
  SmallVector<AffineExpr> loops(6);
  bindDimsList(context, MutableArrayRef<AffineExpr>(loops));
  SmallVector<AffineExpr> exprs(loops.begin(), loops.begin() + 4);
  for (int axis : {0, 1}) {
    int64_t dim = window.axes[axis];
    exprs[dim] = window.getPosition(axis, loops[dim], loops[4 + axis]);
  }
  return AffineMap::get(6, 0, exprs, context);
}

/// Folds each window with the combiner of `kind`.
LazyTensor foldWindows(ImplicitLocOpBuilder &b, const LazyTensor &padded, const Window &window,
                       ReduceKind kind, Type accumulator, const DimFactors &factors) {
  Output output{accumulator, {0, 1, 2, 3}, getReduceNeutral(kind, accumulator), factors};
  Input input{padded, getPoolInputMap(b.getContext(), window)};
  return buildGeneric(b, getPoolDomain(b, padded, window), input, output,
                      [&](BodyContext &context) {
                        Value x =
                            buildCast(context.b, padded.element, accumulator, context.inputs[0]);
                        return SmallVector<Value>{buildReduceCombine(
                            context.b, kind, accumulator, context.accumulators[0], x)};
                      })
      .front();
}

} // namespace

LazyTensor fuse::lowerMaxPool2d(ImplicitLocOpBuilder &b, MaxPool2dOp op, const LazyTensor &input,
                                const DimFactors &factors) {
  Window window(op, op.getKernel());
  LazyTensor padded =
      padInput(b, op, input, window, getReduceNeutral(ReduceKind::Max, input.element), factors);
  return foldWindows(b, padded, window, ReduceKind::Max, input.element, factors);
}

LazyTensor fuse::lowerAvgPool2d(ImplicitLocOpBuilder &b, AvgPool2dOp op, const LazyTensor &input,
                                const DimFactors &factors) {
  Window window(op, op.getKernel());
  Type accumulator = getAccumulatorType(ReduceKind::Sum, input.element);
  LazyTensor padded =
      padInput(b, op, input, window, getReduceNeutral(ReduceKind::Sum, input.element), factors);
  LazyTensor sum = foldWindows(b, padded, window, ReduceKind::Sum, accumulator, factors);
  bool whole = op.getCountIncludePad() || !window.isPadded();
  OpFoldResult sizes[] = {getExtent(b, input, window.axes[0]),
                          getExtent(b, input, window.axes[1])};
  return buildMap(b, getExtents(b, sum), sum, input.element, [&](BodyContext &context) {
    ImplicitLocOpBuilder &inner = context.b;
    Value count;
    if (whole) {
      count = arith::ConstantIndexOp::create(inner, window.kernel[0] * window.kernel[1]);
    } else {
      Value rows = countTaps(inner, window, 0, context.getIndex(window.axes[0]), sizes[0]);
      Value columns = countTaps(inner, window, 1, context.getIndex(window.axes[1]), sizes[1]);
      count = arith::MulIOp::create(inner, rows, columns);
    }
    Value mean = buildReduceFinish(inner, ReduceKind::Mean, accumulator, context.inputs[0], count);
    return buildCast(inner, accumulator, input.element, mean);
  });
}

LazyTensor fuse::lowerConv2d(ImplicitLocOpBuilder &b, Conv2dOp op, ArrayRef<LazyTensor> operands,
                             const std::optional<BlockedColumns> &blocked,
                             const DimFactors &factors) {
  bool nchw = op.getLayout() == ConvLayout::NchwFchw;
  ArrayRef<int64_t> filterShape = operands[1].shape;
  int64_t groups = op.getGroups();
  bool grouped = groups > 1;
  Window window(op, nchw ? filterShape.drop_front(2) : filterShape.take_front(2));
  Type element = operands[0].element, resultElement = getElementTypeOrSelf(op.getResult());
  Type accumulator = getAccumulatorType(ReduceKind::Sum, element);
  LazyTensor input = operands[0], filter = operands[1];
  int64_t filterFeature = nchw ? 0 : 3, filterChannel = nchw ? 1 : 2;

  // Grouped features stand in two dimensions: of arguments, not of what this computes, so that no
  // reshape comes between its members.
  int64_t group = window.feature, feature = group + grouped;
  if (grouped) {
    input = splitDim(b, input, window.feature, groups);
    for (int64_t &axis : window.axes)
      axis += axis > group;
  }
  DimFactors resultFactors = factors;
  if (grouped)
    splitFactors(resultFactors, group, filterShape[filterFeature] / groups);
  DimFactors inputFactors = resultFactors;
  if (!inputFactors.empty())
    inputFactors[feature].clear(); // the channels of the input are others
  input = padInput(b, op, input, window, getReduceNeutral(ReduceKind::Sum, element), inputFactors);

  // The result's loops; then those of the sum.
  Domain domain = Domain::parallel(getExtents(b, input));
  domain.extents[feature] = b.getIndexAttr(filterShape[filterFeature] / groups);
  for (int axis : {0, 1})
    domain.extents[window.axes[axis]] = getWindowCount(b, input, window, axis);
  // The loop over features is two where the weights lie in whole blocks of them.
  bool isSplit = blocked && blocked->isSplit();
  if (isSplit) {
    domain.extents[feature] = b.getIndexAttr(blocked->blocks);
    domain.add(b.getIndexAttr(blocked->block), IteratorType::parallel);
  }
  unsigned results = domain.size();
  // Channels innermost, in either layout, so that sums do not depend on it. With channels last that
  // is the order of memory: what is read of a few pixels, a power of two apart, stays near.
  unsigned firstTap = results, channelLoop = results + 2;
  for (int axis : {0, 1})
    domain.add(b.getIndexAttr(window.kernel[axis]), IteratorType::reduction);
  domain.add(b.getIndexAttr(filterShape[filterChannel]), IteratorType::reduction);

  SmallVector<AffineExpr> loops(domain.size());
  bindDimsList(b.getContext(), MutableArrayRef<AffineExpr>(loops));
  AffineExpr channel = loops[channelLoop], taps[] = {loops[firstTap], loops[firstTap + 1]};
  SmallVector<AffineExpr> inputExprs(loops.begin(), loops.begin() + input.getRank());
  inputExprs[feature] = channel;
  for (int axis : {0, 1}) {
    int64_t dim = window.axes[axis];
    inputExprs[dim] = window.getPosition(axis, loops[dim], taps[axis]);
  }
  SmallVector<AffineExpr> filterExprs =
      nchw ? SmallVector<AffineExpr>{loops[feature], channel, taps[0], taps[1]}
           : SmallVector<AffineExpr>{taps[0], taps[1], channel, loops[feature]};
  if (grouped) {
    filter = splitDim(b, filter, filterFeature, groups);
    filterExprs.insert(filterExprs.begin() + filterFeature, loops[group]);
  }
  if (blocked) {
    filter = blocked->value;
    filterExprs = blocked->getPositions(filterExprs, filterFeature, isSplit ? loops[feature + 1] : AffineExpr());
  }
  Output output{accumulator, llvm::to_vector(llvm::seq<unsigned>(0, results)),
                getReduceNeutral(ReduceKind::Sum, accumulator), resultFactors};
  if (isSplit)
    splitFactors(output.factors, feature, blocked->block);
  Input inputs[] = {{input, AffineMap::get(domain.size(), 0, inputExprs, b.getContext())},
                    {filter, AffineMap::get(domain.size(), 0, filterExprs, b.getContext())}};
  LazyTensor result = buildGeneric(b, domain, inputs, output, [&](BodyContext &context) {
                        Value l = buildCast(context.b, element, accumulator, context.inputs[0]);
                        Value r = buildCast(context.b, filter.element, accumulator, context.inputs[1]);
                        return SmallVector<Value>{
                            buildMultiplyAdd(context.b, l, r, context.accumulators[0])};
                      }).front();
  if (isSplit) {
    result = joinDims(result, feature);
    --results;
  }

  if (op.getBias()) {
    LazyTensor bias = operands[2];
    if (grouped)
      bias = splitDim(b, bias, 0, groups);
    // Along the features, repeated along everything else.
    SmallVector<int64_t> others;
    for (unsigned dim = 0; dim < results; ++dim)
      if (dim != feature && !(grouped && dim == group))
        others.push_back(dim);
    bias = broadcast(bias, others, result.shape);
    result = buildMap(b, getExtents(b, result), {result, bias}, resultElement,
                      [&](BodyContext &context) {
                        Value offset = buildCast(context.b, bias.element, accumulator,
                                                 context.inputs[1]);
                        Value sum = buildBinary(context.b, BinaryKind::Add, accumulator,
                                                context.inputs[0], offset);
                        return buildCast(context.b, accumulator, resultElement, sum);
                      });
  } else {
    result = castTo(b, result, resultElement);
  }
  return grouped ? joinDims(result, group) : result;
}
