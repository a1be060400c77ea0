//===- StructuredOps.cpp - Contractions and windows: verifiers and domains -----===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/FuseOps.h"
#include "fuse/IR/Shapes.h"
#include "fuse/IR/TypeOf.h"
#include "fuse/Support/Saturating.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

LogicalResult verifyResultShape(Operation *op, ArrayRef<int64_t> wanted) {
  RankedTensorType result = typeOf(op->getResult(0));
  if (result.getShape() == wanted)
    return success();
  return op->emitOpError() << "expected result shape " << formatShape(wanted) << ", found "
                           << formatShape(result.getShape());
}

/// A contraction's operands share an element type, or are i8 and ui8; the result has it or the accumulator's.
LogicalResult verifyContractionTypes(Operation *op, Value lhs, Value rhs) {
  Type element = typeOf(lhs).getElementType(), other = typeOf(rhs).getElementType();
  if (element.isInteger(1))
    return op->emitOpError() << "does not take element type i1";
  Type result = typeOf(op->getResult(0)).getElementType();
  Type accumulator = getAccumulatorType(ReduceKind::Sum, element);
  auto isByte = [](Type type) { return isa<IntegerType>(type) && type.getIntOrFloatBitWidth() == 8; };
  if (other != element && isByte(element) && isByte(other)) {
    if (result == accumulator)
      return success();
    return op->emitOpError() << "expected result element type " << accumulator << " of " << element << " and "
                             << other << ", found " << result;
  }
  if (other != element)
    return op->emitOpError() << "expected element type " << element << " throughout, found " << other;
  if (result == element || result == accumulator)
    return success();
  InFlightDiagnostic error = op->emitOpError() << "expected result element type " << element;
  if (accumulator != element)
    error << " or " << accumulator;
  return error << ", found " << result;
}

/// Batch, feature and the two spatial positions of a layout's input and result.
struct LayoutPositions {
  int batch, feature, height, width;
};
LayoutPositions positions(ConvLayout layout) {
  return layout == ConvLayout::NchwFchw ? LayoutPositions{0, 1, 2, 3} : LayoutPositions{0, 3, 1, 2};
}

LogicalResult verifyWindow(Operation *op, ArrayRef<int64_t> kernel, ArrayRef<int64_t> strides,
                           ArrayRef<int64_t> dilations, ArrayRef<int64_t> padding) {
  auto check = [&](StringRef what, ArrayRef<int64_t> list, size_t count, int64_t least) {
    if (list.size() != count)
      return op->emitOpError() << "expected " << count << " entries of '" << what << "', found "
                               << list.size();
    // Products of two stay far from overflow.
    constexpr int64_t most = std::numeric_limits<int32_t>::max();
    for (int64_t entry : list)
      if (entry < least || entry > most)
        return op->emitOpError() << "entries of '" << what << "' are at "
                                 << (entry < least ? "least " : "most ")
                                 << (entry < least ? least : most) << ", found " << entry;
    return InFlightDiagnostic();
  };
  if (failed(check("kernel", kernel, 2, 1)) || failed(check("strides", strides, 2, 1)) ||
      failed(check("dilations", dilations, 2, 1)) || failed(check("padding", padding, 4, 0)))
    return failure();
  return success();
}

/// The result's shape of a window op over `input` with `features` result features.
LogicalResult inferWindowShape(Operation *op, ConvLayout layout, RankedTensorType input,
                               int64_t features, ArrayRef<int64_t> kernel,
                               ArrayRef<int64_t> strides, ArrayRef<int64_t> dilations,
                               ArrayRef<int64_t> padding, SmallVector<int64_t> &shape) {
  LayoutPositions at = positions(layout);
  shape.assign(4, 0);
  shape[at.batch] = input.getDimSize(at.batch);
  shape[at.feature] = features;
  for (int axis : {0, 1}) {
    int position = axis == 0 ? at.height : at.width;
    shape[position] = getWindowExtent(input.getDimSize(position), kernel[axis], strides[axis],
                                      dilations[axis], padding[axis], padding[axis + 2]);
    if (!ShapedType::isDynamic(shape[position]) && shape[position] < 1)
      return op->emitOpError() << "a window of " << kernel[axis] << " with dilation "
                               << dilations[axis] << " does not fit in the padded extent "
                               << input.getDimSize(position) + padding[axis] + padding[axis + 2];
  }
  return success();
}

template <typename PoolT> LogicalResult verifyPool(PoolT op) {
  RankedTensorType input = typeOf(op.getInput()), result = typeOf(op.getResult());
  if (input.getRank() != 4)
    return op.emitOpError() << "expected an input of rank 4, found rank " << input.getRank();
  if (input.getElementType() != result.getElementType())
    return op.emitOpError() << "expected result element type " << input.getElementType()
                            << ", found " << result.getElementType();
  if (failed(verifyWindow(op, op.getKernel(), op.getStrides(), op.getDilations(), op.getPadding())))
    return failure();
  SmallVector<int64_t> shape;
  if (failed(inferWindowShape(op, op.getLayout(), input,
                              input.getDimSize(positions(op.getLayout()).feature), op.getKernel(),
                              op.getStrides(), op.getDilations(), op.getPadding(), shape)))
    return failure();
  return verifyResultShape(op, shape);
}

/// Position of a window's element in the input: out · stride + tap · dilation − padding. Positions
/// outside the input are padding.
AffineExpr windowPosition(AffineExpr out, AffineExpr tap, int64_t stride, int64_t dilation,
                          int64_t low) {
  return out * stride + tap * dilation - low;
}

/// Loops of a pool: the result's four, then the window's two.
template <typename PoolT> SmallVector<AffineMap> poolMaps(PoolT op) {
  MLIRContext *context = op.getContext();
  LayoutPositions at = positions(op.getLayout());
  SmallVector<AffineExpr> loops(6);
  bindDimsList(context, MutableArrayRef<AffineExpr>(loops));
  SmallVector<AffineExpr> input(loops.begin(), loops.begin() + 4);
  input[at.height] = windowPosition(loops[at.height], loops[4], op.getStrides()[0],
                                    op.getDilations()[0], op.getPadding()[0]);
  input[at.width] = windowPosition(loops[at.width], loops[5], op.getStrides()[1],
                                   op.getDilations()[1], op.getPadding()[1]);
  return {AffineMap::get(6, 0, input, context),
          AffineMap::getMultiDimIdentityMap(6, context).getMajorSubMap(4)};
}

} // namespace

//===- matmul -------------------------------------------------------------------------------===//

LogicalResult MatmulOp::verify() {
  RankedTensorType lhs = typeOf(getLhs()), rhs = typeOf(getRhs());
  if (lhs.getRank() < 2 || rhs.getRank() < 2)
    return emitOpError() << "expected operands of rank 2 at least, found ranks " << lhs.getRank()
                         << " and " << rhs.getRank();
  if (failed(verifyContractionTypes(*this, getLhs(), getRhs())))
    return failure();
  int64_t l = lhs.getRank(), r = rhs.getRank();
  int64_t m = lhs.getDimSize(getTransposeLhs() ? l - 1 : l - 2);
  int64_t lk = lhs.getDimSize(getTransposeLhs() ? l - 2 : l - 1);
  int64_t n = rhs.getDimSize(getTransposeRhs() ? r - 2 : r - 1);
  int64_t rk = rhs.getDimSize(getTransposeRhs() ? r - 1 : r - 2);
  if (lk != rk && !ShapedType::isDynamic(lk) && !ShapedType::isDynamic(rk))
    return emitOpError() << "contracted extents differ: " << lk << " in "
                         << formatShape(lhs.getShape()) << ", " << rk << " in "
                         << formatShape(rhs.getShape());
  FailureOr<SmallVector<int64_t>> batch =
      inferBroadcastShape({lhs.getShape().drop_back(2), rhs.getShape().drop_back(2)});
  if (failed(batch))
    return emitOpError() << "batch dimensions do not broadcast: " << formatShape(lhs.getShape())
                         << " and " << formatShape(rhs.getShape());
  batch->append({m, n});
  return verifyResultShape(*this, *batch);
}

SmallVector<AffineMap> MatmulOp::getIndexingMapsArray() {
  int64_t rank = typeOf(getResult()).getRank(), batchRank = rank - 2;
  AffineExpr m = getAffineDimExpr(batchRank, getContext());
  AffineExpr n = getAffineDimExpr(batchRank + 1, getContext());
  AffineExpr k = getAffineDimExpr(batchRank + 2, getContext());
  ArrayRef<int64_t> batch = typeOf(getResult()).getShape().take_front(batchRank);
  auto operandMap = [&](Value operand, AffineExpr row, AffineExpr column) {
    RankedTensorType type = typeOf(operand);
    auto batchType =
        RankedTensorType::get(type.getShape().drop_back(2), type.getElementType());
    SmallVector<AffineExpr> exprs(getBroadcastMap(batchType, batch).getResults());
    exprs.append({row, column});
    return AffineMap::get(rank + 1, 0, exprs, getContext());
  };
  return {getTransposeLhs() ? operandMap(getLhs(), k, m) : operandMap(getLhs(), m, k),
          getTransposeRhs() ? operandMap(getRhs(), n, k) : operandMap(getRhs(), k, n),
          AffineMap::getMultiDimIdentityMap(rank + 1, getContext()).getMajorSubMap(rank)};
}

int64_t MatmulOp::getFlopsPerElement() { return 2; }

//===- conv2d -------------------------------------------------------------------------------===//

LogicalResult Conv2dOp::verify() {
  RankedTensorType input = typeOf(getInput()), filter = typeOf(getFilter());
  if (input.getRank() != 4 || filter.getRank() != 4)
    return emitOpError() << "expected input and filter of rank 4, found ranks " << input.getRank()
                         << " and " << filter.getRank();
  if (failed(verifyContractionTypes(*this, getInput(), getFilter())))
    return failure();
  bool nchw = getLayout() == ConvLayout::NchwFchw;
  int64_t features = filter.getDimSize(nchw ? 0 : 3);
  int64_t filterChannels = filter.getDimSize(nchw ? 1 : 2);
  int64_t channels = input.getDimSize(nchw ? 1 : 3);
  SmallVector<int64_t> kernel = {filter.getDimSize(nchw ? 2 : 0), filter.getDimSize(nchw ? 3 : 1)};
  if (!filter.hasStaticShape() || ShapedType::isDynamic(channels))
    return emitOpError() << "expected static channels and a static filter, found "
                         << formatShape(input.getShape()) << " and "
                         << formatShape(filter.getShape());
  auto groups = static_cast<int64_t>(getGroups());
  if (groups < 1 || channels != mulSaturating(filterChannels, groups) || features % groups != 0)
    return emitOpError() << groups << " groups do not fit " << channels
                         << " input channels, " << filterChannels << " filter channels and "
                         << features << " features";
  if (failed(verifyWindow(*this, kernel, getStrides(), getDilations(), getPadding())))
    return failure();
  if (Value bias = getBias())
    if (typeOf(bias).getShape() != ArrayRef<int64_t>{features} ||
        typeOf(bias).getElementType() != typeOf(getResult()).getElementType())
      return emitOpError() << "expected a bias of shape " << features << " and element type "
                           << typeOf(getResult()).getElementType() << ", found "
                           << typeOf(bias);
  SmallVector<int64_t> shape;
  if (failed(inferWindowShape(*this, getLayout(), input, features, kernel, getStrides(),
                              getDilations(), getPadding(), shape)))
    return failure();
  return verifyResultShape(*this, shape);
}

// The result's four loops, then channel and the window's two.
SmallVector<AffineMap> Conv2dOp::getIndexingMapsArray() {
  LayoutPositions at = positions(getLayout());
  SmallVector<AffineExpr> loops(7);
  bindDimsList(getContext(), MutableArrayRef<AffineExpr>(loops));
  AffineExpr feature = loops[at.feature], channel = loops[4], kh = loops[5], kw = loops[6];
  bool nchw = getLayout() == ConvLayout::NchwFchw;
  RankedTensorType filter = typeOf(getFilter());
  int64_t groupFeatures = filter.getDimSize(nchw ? 0 : 3) / getGroups();
  int64_t groupChannels = filter.getDimSize(nchw ? 1 : 2);
  SmallVector<AffineExpr> input(loops.begin(), loops.begin() + 4);
  input[at.feature] = getGroups() == 1
                          ? channel
                          : feature.floorDiv(groupFeatures) * groupChannels + channel;
  input[at.height] = windowPosition(loops[at.height], kh, getStrides()[0], getDilations()[0],
                                    getPadding()[0]);
  input[at.width] =
      windowPosition(loops[at.width], kw, getStrides()[1], getDilations()[1], getPadding()[1]);
  SmallVector<AffineExpr> taps = nchw ? SmallVector<AffineExpr>{feature, channel, kh, kw}
                                      : SmallVector<AffineExpr>{kh, kw, channel, feature};
  SmallVector<AffineMap> maps = {AffineMap::get(7, 0, input, getContext()),
                                 AffineMap::get(7, 0, taps, getContext())};
  if (getBias())
    maps.push_back(AffineMap::get(7, 0, feature));
  maps.push_back(AffineMap::getMultiDimIdentityMap(7, getContext()).getMajorSubMap(4));
  return maps;
}

int64_t Conv2dOp::getFlopsPerElement() { return 2; }

//===- pools --------------------------------------------------------------------------------===//

LogicalResult MaxPool2dOp::verify() {
  if (typeOf(getInput()).getElementType().isInteger(1))
    return emitOpError() << "does not take element type i1";
  return verifyPool(*this);
}
SmallVector<AffineMap> MaxPool2dOp::getIndexingMapsArray() { return poolMaps(*this); }
int64_t MaxPool2dOp::getFlopsPerElement() { return 3; } // the larger one, and a NaN of either

LogicalResult AvgPool2dOp::verify() { return verifyPool(*this); }
SmallVector<AffineMap> AvgPool2dOp::getIndexingMapsArray() { return poolMaps(*this); }
int64_t AvgPool2dOp::getFlopsPerElement() { return 1; }
