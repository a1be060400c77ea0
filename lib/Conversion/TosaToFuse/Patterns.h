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

/// Whether NaN needs no special care: the elements are no floats, or NaN propagates.
template <typename Op>
bool propagatesNaN(Op op, Value operand) {
  return op.getNanMode() == tosa::NanPropagationMode::PROPAGATE ||
         !isa<FloatType>(getElementTypeOrSelf(operand));
}

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_TOSATOFUSE_PATTERNS_H
