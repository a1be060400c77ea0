//===- Movement.cpp - Views and data movement -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Evaluator.h"
#include "Strided.h"
#include "fuse/IR/Shapes.h"
#include "fuse/Support/ScalarFunctions.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cstring>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::interpreter;

/// A new array of `shape` with the elements that `view` finds in `operand`.
static FailureOr<HostArray> gatherView(Operation *op, const HostArray &operand,
                                       ArrayRef<int64_t> shape, const StridedView &view) {
  FailureOr<HostArray> result = createResult(op, shape);
  if (succeeded(result))
    copyElements(shape, operand, view, *result, {0, result->getStrides()});
  return result;
}

/// `shape` with its dynamic extents, which are `sizes` in order.
static SmallVector<int64_t> fillShape(ArrayRef<int64_t> shape, ArrayRef<HostArray> sizes) {
  SmallVector<int64_t> filled(shape);
  for (int64_t &extent : filled)
    if (ShapedType::isDynamic(extent)) {
      extent = sizes.front().getInt(0);
      sizes = sizes.drop_front();
    }
  return filled;
}

/// The same of an op with sizes: an error where one is negative.
static FailureOr<SmallVector<int64_t>> fillShape(Operation *op, ArrayRef<int64_t> shape, ArrayRef<HostArray> sizes) {
  SmallVector<int64_t> filled = fillShape(shape, sizes);
  for (int64_t extent : filled)
    if (extent < 0)
      return op->emitOpError() << "expected no negative size, found " << extent;
  return filled;
}

static FailureOr<HostArray> evaluateReshape(ReshapeOp op, const HostArray &operand, ArrayRef<HostArray> sizes) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  if (!sizes.empty()) {
    FailureOr<SmallVector<int64_t>> shape = fillShape(op, type.getShape(), sizes);
    if (failed(shape))
      return failure();
    if (HostArray::computeByteSize(operand.getElementType(), *shape) != operand.getByteSize())
      return op.emitOpError() << "expected " << operand.getNumElements() << " elements, found sizes of "
                              << formatShape(*shape);
    return operand.reshaped(*shape);
  }
  if (fits(operand, type))
    return operand;
  SmallVector<int64_t> shape(type.getShape());
  int64_t known = 1, *open = nullptr;
  for (int64_t &extent : shape) {
    if (ShapedType::isDynamic(extent))
      open = &extent;
    else
      known *= extent;
  }
  auto pairs = pairDynamicDims(cast<RankedTensorType>(op.getOperand().getType()).getShape(), shape);
  for (auto [from, to] : pairs)
    shape[to] = operand.getShape()[from];
  if (open && pairs.empty())
    *open = known == 0 ? 0 : operand.getNumElements() / known;
  std::optional<int64_t> size = HostArray::computeByteSize(operand.getElementType(), shape);
  if (!size || *size != operand.getByteSize())
    return op.emitOpError() << "expected " << formatShape(type.getShape()) << ", found "
                            << operand.describe() << " of " << operand.getNumElements()
                            << " elements";
  return operand.reshaped(shape);
}

static FailureOr<HostArray> evaluateTranspose(TransposeOp op, const HostArray &operand) {
  SmallVector<int64_t> shape, strides = operand.getStrides();
  StridedView view;
  for (int64_t dim : op.getPermutation()) {
    shape.push_back(operand.getShape()[dim]);
    view.strides.push_back(strides[dim]);
  }
  return gatherView(op, operand, shape, view);
}

static FailureOr<HostArray> evaluateSlice(SliceOp op, ArrayRef<HostArray> operands) {
  const HostArray &operand = operands.front();
  size_t numOffsets = op.getDynamicOffsets().size();
  SmallVector<int64_t> offsets = fillShape(op.getOffsets(), operands.slice(1, numOffsets)),
                       shape = fillShape(op.getSizes(), operands.drop_front(1 + numOffsets)),
                       strides = operand.getStrides();
  StridedView view;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    int64_t extent = operand.getShape()[dim], stride = op.getStrides()[dim];
    if (op.getSizes()[dim] == -1)
      size = extent - offsets[dim];
    if (offsets[dim] < 0 || size < 0 || offsets[dim] > extent ||
        (size > 0 && (offsets[dim] >= extent || size - 1 > (extent - 1 - offsets[dim]) / stride)))
      return op.emitOpError() << "offset " << offsets[dim] << ", size " << size << ", stride " << stride
                              << " leave dimension " << dim << " of extent " << extent;
    view.offset += offsets[dim] * strides[dim];
    view.strides.push_back(stride * strides[dim]);
  }
  return gatherView(op, operand, shape, view);
}

static FailureOr<HostArray> evaluateBroadcast(BroadcastOp op, const HostArray &operand,
                                              ArrayRef<HostArray> sizes) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  SmallVector<int64_t> extents;
  for (int64_t dim : op.getDimensions())
    extents.push_back(type.getDimSize(dim));
  FailureOr<SmallVector<int64_t>> filled = fillShape(op, extents, sizes);
  if (failed(filled))
    return failure();
  ArrayRef<int64_t> rest = *filled;
  SmallVector<int64_t> shape, strides = operand.getStrides();
  StridedView view;
  unsigned next = 0;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    bool added = llvm::is_contained(op.getDimensions(), dim);
    shape.push_back(added ? rest.front() : operand.getShape()[next]);
    rest = added ? rest.drop_front() : rest;
    view.strides.push_back(added ? 0 : strides[next++]);
  }
  return gatherView(op, operand, shape, view);
}

static FailureOr<HostArray> evaluateConcat(ConcatOp op, ArrayRef<HostArray> operands) {
  int64_t dimension = op.getDimension();
  SmallVector<int64_t> shape(operands[0].getShape());
  for (const HostArray &operand : operands.drop_front()) {
    for (auto [dim, extent] : llvm::enumerate(operand.getShape()))
      if (static_cast<int64_t>(dim) != dimension && extent != shape[dim])
        return op.emitOpError() << "operand shapes differ beside dimension " << dimension << ": "
                                << operands[0].describe() << " and " << operand.describe();
    shape[dimension] += operand.getShape()[dimension];
  }
  FailureOr<HostArray> result = createResult(op, shape);
  if (failed(result))
    return failure();
  SmallVector<int64_t> strides = result->getStrides();
  int64_t offset = 0;
  for (const HostArray &operand : operands) {
    copyElements(operand.getShape(), operand, {0, operand.getStrides()}, *result,
                 {offset, strides});
    offset += operand.getShape()[dimension] * strides[dimension];
  }
  return result;
}

static Scalar getPadValue(PadOp op, ElementType type) {
  if (auto value = dyn_cast<FloatAttr>(op.getValue()))
    return Scalar::fromFloat(type, value.getValueAsDouble());
  APInt value = cast<IntegerAttr>(op.getValue()).getValue();
  return Scalar::fromInt(type, isSignedElement(type) ? value.getSExtValue()
                                                     : static_cast<int64_t>(value.getZExtValue()));
}

static FailureOr<HostArray> evaluatePad(PadOp op, const HostArray &operand) {
  SmallVector<int64_t> shape, kept;
  SmallVector<int64_t> fromStrides = operand.getStrides();
  for (auto [dim, extent] : llvm::enumerate(operand.getShape())) {
    int64_t low = op.getLow()[dim], high = op.getHigh()[dim];
    shape.push_back(extent + low + high);
    if (shape.back() < 0 || low < -extent || high < -extent)
      return op.emitOpError() << "padding " << low << " and " << high << " crops more than dimension " << dim
                              << " of extent " << extent << " has";
  }
  FailureOr<HostArray> result = createResult(op, shape);
  if (failed(result))
    return failure();
  Scalar value = getPadValue(op, operand.getElementType());
  for (int64_t i = 0; i < result->getNumElements(); ++i)
    result->set(i, value);
  // What is neither cropped below nor above.
  StridedView from{0, fromStrides}, to{0, result->getStrides()};
  for (auto [dim, extent] : llvm::enumerate(operand.getShape())) {
    int64_t low = op.getLow()[dim], high = op.getHigh()[dim];
    kept.push_back(std::max<int64_t>(0, extent + std::min<int64_t>(low, 0) +
                                            std::min<int64_t>(high, 0)));
    from.offset += std::max<int64_t>(-low, 0) * from.strides[dim];
    to.offset += std::max<int64_t>(low, 0) * to.strides[dim];
  }
  copyElements(kept, operand, from, *result, to);
  return result;
}

/// As [outer, dimension, inner] and [indices]: result [outer, indices, inner].
/// The indices of a gather or a scatter along `dimension` of `operand`, each in [0, its extent).
static FailureOr<SmallVector<int64_t>> resolveIndices(Operation *op, const HostArray &indices,
                                                      const HostArray &operand, int64_t dimension) {
  int64_t extent = operand.getShape()[dimension];
  SmallVector<int64_t> positions;
  for (int64_t i = 0; i < indices.getNumElements(); ++i) {
    int64_t index = indices.getInt(i);
    if (index < -extent || index >= extent)
      return op->emitOpError() << "index " << index << " (element " << i << " of indices "
                               << indices.describe() << ") is outside [" << -extent << ", "
                               << extent << ") of dimension " << dimension << " of "
                               << operand.describe();
    positions.push_back(index < 0 ? index + extent : index);
  }
  return positions;
}

static FailureOr<HostArray> evaluateGather(GatherOp op, const HostArray &operand,
                                           const HostArray &indices) {
  int64_t dimension = op.getDimension(), extent = operand.getShape()[dimension];
  SmallVector<int64_t> shape(operand.getShape().take_front(dimension));
  llvm::append_range(shape, indices.getShape());
  llvm::append_range(shape, operand.getShape().drop_front(dimension + 1));
  FailureOr<HostArray> result = createResult(op, shape);
  if (failed(result))
    return failure();
  FailureOr<SmallVector<int64_t>> positions = resolveIndices(op, indices, operand, dimension);
  if (failed(positions))
    return failure();
  int64_t inner = getElementBytes(operand.getElementType()), outer = 1;
  for (int64_t size : operand.getShape().drop_front(dimension + 1))
    inner *= size;
  for (int64_t size : operand.getShape().take_front(dimension))
    outer *= size;
  char *to = result->getBytes();
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t position : *positions) {
      std::memcpy(to, operand.getBytes() + (o * extent + position) * inner, inner);
      to += inner;
    }
  return result;
}

static FailureOr<HostArray> evaluateScatter(ScatterOp op, const HostArray &operand,
                                            const HostArray &indices, const HostArray &updates) {
  int64_t dimension = op.getDimension(), extent = operand.getShape()[dimension];
  SmallVector<int64_t> wanted(operand.getShape().take_front(dimension));
  llvm::append_range(wanted, indices.getShape());
  llvm::append_range(wanted, operand.getShape().drop_front(dimension + 1));
  if (updates.getShape() != ArrayRef(wanted))
    return op.emitOpError() << "expected updates of shape " << formatShape(wanted) << ", found "
                            << updates.describe();
  FailureOr<SmallVector<int64_t>> positions = resolveIndices(op, indices, operand, dimension);
  if (failed(positions))
    return failure();
  HostArray result = operand.clone();
  int64_t inner = 1, outer = 1, next = 0;
  for (int64_t size : operand.getShape().drop_front(dimension + 1))
    inner *= size;
  for (int64_t size : operand.getShape().take_front(dimension))
    outer *= size;
  std::optional<BinaryKind> combiner = getCombiner(op.getKind());
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t position : *positions)
      for (int64_t i = 0; i < inner; ++i, ++next) {
        int64_t at = (o * extent + position) * inner + i;
        Scalar update = updates.get(next);
        result.set(at, combiner ? evaluateBinary(*combiner, result.get(at), update) : update);
      }
  return result;
}

static FailureOr<HostArray> evaluateIota(IotaOp op, ArrayRef<HostArray> sizes) {
  FailureOr<SmallVector<int64_t>> shape =
      fillShape(op, cast<RankedTensorType>(op.getResult().getType()).getShape(), sizes);
  if (failed(shape))
    return failure();
  FailureOr<HostArray> result = createResult(op, *shape);
  if (failed(result))
    return failure();
  int64_t stride = result->getStrides()[op.getDimension()], extent = (*shape)[op.getDimension()];
  for (int64_t i = 0; i < result->getNumElements(); ++i)
    result->setInt(i, i / stride % extent);
  return result;
}

static FailureOr<HostArray> evaluateFromIndex(FromIndexOp op, const HostArray &number) {
  FailureOr<HostArray> result = createResult(op, {});
  if (succeeded(result))
    result->setInt(0, number.getInt(0));
  return result;
}

/// Dimension by dimension, each resampled on its own.
static FailureOr<HostArray> evaluateResize(ResizeNearestOp op, const HostArray &operand, ArrayRef<HostArray> sizes) {
  SmallVector<int64_t> shape(cast<RankedTensorType>(op.getResult().getType()).getShape());
  if (!sizes.empty()) {
    FailureOr<SmallVector<int64_t>> filled = fillShape(op, shape, sizes);
    if (failed(filled))
      return failure();
    shape = *filled;
  }
  for (auto [dim, extent] : llvm::enumerate(shape)) {
    if (ShapedType::isDynamic(extent))
      extent = operand.getShape()[dim];
    if (extent != 0 && operand.getShape()[dim] == 0)
      return op.emitOpError() << "dimension " << dim << " is empty: nothing to resample";
  }
  FailureOr<HostArray> result = createResult(op, shape);
  if (failed(result))
    return failure();
  SmallVector<int64_t> strides = result->getStrides(), from = operand.getStrides();
  for (int64_t i = 0; i < result->getNumElements(); ++i) {
    int64_t offset = 0;
    for (auto [dim, extent] : llvm::enumerate(shape)) {
      int64_t index = i / strides[dim] % extent;
      offset += index * operand.getShape()[dim] / extent * from[dim];
    }
    result->set(i, operand.get(offset));
  }
  return result;
}

FailureOr<HostArray> interpreter::evaluateMovement(Operation *op, ArrayRef<HostArray> operands) {
  return llvm::TypeSwitch<Operation *, FailureOr<HostArray>>(op)
      .Case([&](ReshapeOp op) { return evaluateReshape(op, operands[0], operands.drop_front()); })
      .Case([&](TransposeOp op) { return evaluateTranspose(op, operands[0]); })
      .Case([&](SliceOp op) { return evaluateSlice(op, operands); })
      .Case([&](BroadcastOp op) { return evaluateBroadcast(op, operands[0], operands.drop_front()); })
      .Case([&](CopyOp) { return operands[0].clone(); })
      .Case([&](ConcatOp op) { return evaluateConcat(op, operands); })
      .Case([&](PadOp op) { return evaluatePad(op, operands[0]); })
      .Case([&](GatherOp op) { return evaluateGather(op, operands[0], operands[1]); })
      .Case([&](ScatterOp op) {
        return evaluateScatter(op, operands[0], operands[1], operands[2]);
      })
      .Case([&](FromIndexOp op) { return evaluateFromIndex(op, operands[0]); })
      .Case([&](IotaOp op) { return evaluateIota(op, operands); })
      .Case([&](ResizeNearestOp op) { return evaluateResize(op, operands[0], operands.drop_front()); });
}
