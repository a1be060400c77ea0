//===- HostOps.cpp - Ops that run on the host: verifiers and effects -----===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/FuseOps.h"
#include "fuse/IR/Shapes.h"
#include "fuse/IR/TypeOf.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

LogicalResult verifyElementTypes(Operation *op) {
  Type wanted = getElementTypeOrSelf(op->getResult(0));
  for (Value operand : op->getOperands())
    if (getElementTypeOrSelf(operand) != wanted)
      return op->emitOpError() << "expected element type " << wanted << " throughout, found "
                               << getElementTypeOrSelf(operand);
  return success();
}

/// spectrum[…, 2·n_fft] and filters[n_mels, n_fft/2 + 1] fit; gives the shape of log_mel's result.
FailureOr<SmallVector<int64_t>> verifySpectrum(Operation *op, RankedTensorType spectrum,
                                               RankedTensorType filters) {
  if (spectrum.getRank() < 1 || filters.getRank() != 2 || !filters.hasStaticShape())
    return op->emitOpError() << "expected a spectrum of rank 1 at least and static filters of "
                                "rank 2, found "
                             << spectrum << " and " << filters;
  int64_t width = spectrum.getShape().back(), bins = filters.getDimSize(1);
  if (ShapedType::isDynamic(width) || width % 2 != 0 || width / 2 / 2 + 1 != bins)
    return op->emitOpError() << "a spectrum of " << formatShape(spectrum.getShape())
                             << " has 2·n_fft columns and filters have n_fft/2 + 1, found "
                             << formatShape(filters.getShape());
  SmallVector<int64_t> shape(spectrum.getShape());
  shape.back() = filters.getDimSize(0);
  return shape;
}

LogicalResult verifyShapeOf(Operation *op, StringRef what, ArrayRef<int64_t> wanted, Value value) {
  if (typeOf(value).getShape() == wanted)
    return success();
  return op->emitOpError() << "expected " << what << " of shape " << formatShape(wanted)
                           << ", found " << formatShape(typeOf(value).getShape());
}

} // namespace

LogicalResult LogMelOp::verify() {
  if (failed(verifyElementTypes(*this)))
    return failure();
  auto shape = verifySpectrum(*this, typeOf(getSpectrum()), typeOf(getFilters()));
  if (failed(shape))
    return failure();
  return verifyShapeOf(*this, "a result", *shape, getResult());
}

LogicalResult LogMelBackwardOp::verify() {
  if (failed(verifyElementTypes(*this)))
    return failure();
  auto shape = verifySpectrum(*this, typeOf(getSpectrum()), typeOf(getFilters()));
  if (failed(shape) || failed(verifyShapeOf(*this, "a gradient", *shape, getGradient())))
    return failure();
  return verifyShapeOf(*this, "a result", typeOf(getSpectrum()).getShape(), getResult());
}

LogicalResult WelchPeaksOp::verify() {
  RankedTensorType spectrum = typeOf(getSpectrum());
  if (failed(verifyElementTypes(*this)))
    return failure();
  if (spectrum.getRank() != 2 || spectrum.isDynamicDim(1) || spectrum.getDimSize(1) % 2 != 0)
    return emitOpError() << "expected a spectrum of shape batch·n_segments x 2·n_fft, found "
                         << formatShape(spectrum.getShape());
  int64_t k = getK(), segments = getNSegments(), bins = spectrum.getDimSize(1) / 2 / 2 + 1;
  if (k < 1 || k > bins)
    return emitOpError() << "expected k from 1 to " << bins << " bins, found " << k;
  int64_t rows = spectrum.getDimSize(0);
  if (segments < 1 || (!ShapedType::isDynamic(rows) && rows % segments != 0))
    return emitOpError() << "expected n_segments to divide "
                         << formatShape(spectrum.getShape().take_front()) << " rows, found "
                         << segments;
  int64_t batch = ShapedType::isDynamic(rows) ? ShapedType::kDynamic : rows / segments;
  return verifyShapeOf(*this, "a result", {batch, 2 * k}, getResult());
}

LogicalResult HostCallOp::verify() {
  for (Type type : getResultTypes())
    if (!cast<RankedTensorType>(type).hasStaticShape())
      return emitOpError() << "expected results of static shape, found " << type;
  return success();
}

void HostCallOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  if (getPure())
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}
