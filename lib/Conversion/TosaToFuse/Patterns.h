//===- Patterns.h - The groups of patterns ----------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_TOSATOFUSE_PATTERNS_H
#define FUSE_LIB_CONVERSION_TOSATOFUSE_PATTERNS_H

#include "../Support/TensorTypes.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"

namespace mlir::fuse {

void populateTosaElementwisePatterns(RewritePatternSet &patterns);
void populateTosaContractionPatterns(RewritePatternSet &patterns);
void populateTosaMovementPatterns(RewritePatternSet &patterns);
void populateTosaRescalePatterns(RewritePatternSet &patterns);

/// Whether a zero point is known to be 0.
bool isZeroPoint(Value zeroPoint);

/// The integers of a constant tensor, or failure.
FailureOr<SmallVector<int64_t>> getConstantIntegers(Value value);

/// TOSA's [top, bottom, left, right] as [top, left, bottom, right].
SmallVector<int64_t> reorderPadding(ArrayRef<int64_t> pad);

/// Whether windows over the spatial dimensions of `input`, [N, H, W, C], give the result's extents, which are static.
bool fitsWindow(Value input, RankedTensorType result, ArrayRef<int64_t> kernel, ArrayRef<int64_t> strides,
                ArrayRef<int64_t> dilations, ArrayRef<int64_t> padding);

/// Whether NaN needs no special care: the elements are no floats, or NaN propagates.
template <typename Op>
bool propagatesNaN(Op op, Value operand) {
  return op.getNanMode() == tosa::NanPropagationMode::PROPAGATE ||
         !isa<FloatType>(getElementTypeOrSelf(operand));
}

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_TOSATOFUSE_PATTERNS_H
