//===- Floats.h - Float buffers as rows of doubles ------------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Host ops compute in double. Values are widened exactly when read and rounded once, to nearest
// even, when written: from double straight to 16 bits, never by way of f32, which would round
// twice.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_RUNTIME_FLOATS_H
#define FUSE_LIB_RUNTIME_FLOATS_H

#include "fuse/Runtime/Runtime.h"

namespace mlir::fuse::runtime {

bool isFloat(int32_t dtype);

/// Exact.
double widenF16(uint16_t bits);
double widenBF16(uint16_t bits);

/// Rounds to nearest even; overflow gives infinity, a NaN stays a quiet NaN.
uint16_t roundToF16(double value);
uint16_t roundToBF16(double value);

/// The element offset of row `row` of a buffer: its last dimension holds a row, the others count
/// the rows in row-major order.
int64_t rowOffset(const fuse_buffer &buffer, int64_t row);

/// How many rows a buffer of rank at least 1 has.
int64_t numRows(const fuse_buffer &buffer);

/// Reads the row of a float buffer into buffer.sizes[rank - 1] doubles, or writes it from there.
void readRow(const fuse_buffer &buffer, int64_t row, double *values);
void writeRow(const fuse_buffer &buffer, int64_t row, const double *values);

} // namespace mlir::fuse::runtime

#endif // FUSE_LIB_RUNTIME_FLOATS_H
