//===- Quantized.h - Numbers as integers, scales and zero points -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What operators on quantized tensors have in common: an integer q stands for (q − zero point) · scale, a number x
// becomes round(x / scale) + zero point, rounded to nearest even and saturated.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_ONNX_OPS_QUANTIZED_H
#define FUSE_IMPORT_ONNX_OPS_QUANTIZED_H

#include "../../Common/IntegerProducts.h"
#include "../OpTable.h"

namespace mlir::fuse::onnx {

/// Whether an operand is one number: of rank 0, or of one element.
bool isOneNumber(Node &n, size_t i);
/// Fails where operand `i` is there and of none of `shapes`, those that ONNX asks of it. It calls the operand `name`. Extents
/// that are not known fit.
LogicalResult checkShape(Node &n, size_t i, StringRef name, ArrayRef<SmallVector<int64_t>> shapes);
/// The same of a scale or zero point, which may be one number.
LogicalResult checkParameter(Node &n, size_t i, StringRef name, ArrayRef<SmallVector<int64_t>> shapes);
/// The same of one for each row of matrices [..., M, K], or for each column of [..., K, N]: a list, or of as many dimensions as
/// the matrices.
LogicalResult checkOfRows(Node &n, size_t i, StringRef name, ArrayRef<int64_t> matrices);
LogicalResult checkOfColumns(Node &n, size_t i, StringRef name, ArrayRef<int64_t> matrices);

/// An operand of one element as a tensor of rank 0. Fails, with `name`, for any other.
Value getOne(Node &n, size_t i, StringRef name);
/// The same of a zero point that may be left out: null then, and where it is known to be 0.
Value getZero(Node &n, size_t i, StringRef name);
/// Whether an operand is there and not known to be all zeros.
bool mayDiffer(Node &n, size_t i);

/// A list as an operand that broadcasts along `axis` of a tensor of `rank`; one element as one of rank 0.
Value spreadAlong(FuseBuilder &b, Value list, int64_t axis, int64_t rank);

/// A tensor of bytes and its zero point, which is operand `zero` if that is there. Fails for other types.
FailureOr<QuantizedOperand> getQuantized(Node &n, size_t value, size_t zero, StringRef name);

/// Fails where operand `zero` is there and not of the type of operand `value`, whose zero point it is.
LogicalResult checkZeroType(Node &n, size_t zero, size_t value, StringRef name);

/// What has one element for each block along `axis`, repeated for each of the `extent` elements.
Value repeatBlocks(Node &n, Value blocks, int64_t axis, int64_t blockSize, int64_t extent);

} // namespace mlir::fuse::onnx

#endif // FUSE_IMPORT_ONNX_OPS_QUANTIZED_H
