//===- Precision.h - The types that products are computed in -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_SUPPORT_PRECISION_H
#define FUSE_SUPPORT_PRECISION_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace mlir::fuse {

/// What a program written in f32 asks of its products with weights (matrix products and convolutions one operand of which is
/// computed from parameters alone).
enum class Precision {
  AsWritten,
  BF16, ///< both operands are rounded to bf16; sums are of f32
  Int8, ///< both operands are quantized: weights to i8, one scale for each column, the other operand to ui8; sums are of i32
};
/// `as-written`, `bf16`, `int8`.
llvm::ArrayRef<llvm::StringRef> getPrecisionNames();
llvm::StringRef getPrecisionName(Precision precision);
/// The precision of a name; nothing for another text.
std::optional<Precision> parsePrecision(llvm::StringRef name);

} // namespace mlir::fuse

#endif // FUSE_SUPPORT_PRECISION_H
