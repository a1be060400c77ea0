//===- RoundedRows.h - Products of rows that are rounded to bytes -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Rows that are multiplied with weights of few bits become integers, with a scale for each group of steps, and what is
// multiplied are bytes:
//
//   Σ over groups g of  s[g, n] · t[m, g] · (Σ over k in g of u[k, n] · r[m, k]  −  z[g, n] · Σ over k in g of r[m, k])
//
// with weights (u − z) · s and rows r · t. An instruction multiplies unsigned bytes by signed ones, so u is counted from 0.
//
// Where a model allows it (`fuse.short_lhs`), r has 127 steps either way. Else r has three digits of base 250, each of which is
// a row of its own, and whose products are added in the end: 0.3 is 38 steps, 25 of their 250ths and 0 of the next, if 1.0 is
// the largest element of the group, which has 127 steps. An element then is as precise as a float of the largest one's
// size. Three products of bytes take less time than floats made of numbers of 4 or 8 bits.
//
// Numbers of four bits lie two to a byte, the first four steps of eight in the low halves, so that one load has eight
// steps of each column and no lane moves.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_TRANSFORMS_ROUNDEDROWS_H
#define FUSE_LIB_TRANSFORMS_ROUNDEDROWS_H

#include "fuse/IR/FuseBuilder.h"
#include <limits>

namespace mlir::fuse {

/// Digits that tell as much as an f32 of the size of its group's largest element.
inline constexpr int64_t kFloatDigits = 3;

/// The weights of a product of rounded rows.
struct RoundedProduct {
  Value numbers;             ///< [steps, columns], integers
  int64_t least = 0;         ///< the least of them
  int64_t bits = 8;          ///< for the differences from it
  Value zero;                ///< of rank 4, [blocks, groups, 1, columns], each of them or 1, or of rank 0; null: 0
  SmallVector<Value> scales; ///< the same; their product
  int64_t group = 0, groups = 0, block = 0, blocks = 0;
  int64_t digits = 1; ///< of an element of a row: 1 or kFloatDigits

  /// Whether groups are of whole words, of which four bytes have as many steps each.
  bool hasWholeWords() const { return group % (32 / bits) == 0; }

  /// Whether sums of a group's products fit i32.
  bool fitsSums() const { return group <= std::numeric_limits<int32_t>::max() / (127 * ((int64_t(1) << bits) - 1)); }

  /// The product with the rows of `x`, [rows, groups · group]: [blocks, rows, block]. `label` tells its kernels from others.
  Value build(FuseBuilder &b, Value x, StringRef label) const;

private:
  Value layOut(FuseBuilder &b) const;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_TRANSFORMS_ROUNDEDROWS_H
