//===- WidenedOperand.h - Operands that products compute as they read them -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A product of one row and 4096 x 4096 weights of four bits takes as long as memory takes to give 8 MB. The weights as
// f32 would be 64 MB: the product had better make each f32 in a register, where it multiplies it. An element-wise
// operand of a product is computed so, and is nowhere in memory, where
//   1. what it is computed from has at most half as many bytes, and
//   2. few iterations of the product read each element, since each group of rows computes it again.
// Planning decides that by these figures (`staysInRegisters` of GroupLegality.h), and code by the same
// (MergeMembers.cpp).
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IR_WIDENEDOPERAND_H
#define FUSE_IR_WIDENEDOPERAND_H

#include "mlir/Support/LLVM.h"
#include <cstdint>

namespace mlir::fuse {

namespace attr {
/// Of a `fuse.matmul`: its left operand may be rounded to 8 bits, with a scale for each group of steps.
constexpr llvm::StringLiteral kShortLhs = "fuse.short_lhs";
} // namespace attr

/// How many iterations of a product may read an element that it computes: rows, which are one group or two.
constexpr int64_t kMostTimesWidened = 16;

/// By how much a computed operand has more bytes than what it is computed from, at least.
constexpr int64_t kLeastWidening = 2;

} // namespace mlir::fuse

#endif // FUSE_IR_WIDENEDOPERAND_H
