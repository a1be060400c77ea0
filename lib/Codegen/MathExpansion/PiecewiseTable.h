//===- PiecewiseTable.h - Functions by polynomials of pieces ----------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Private to the expansions. Tables of 16 numbers are registers where one instruction permutes those
// (vpermps of AVX-512; two and a blend with AVX2): sixteen polynomials cost one permutation for each coefficient.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_MATHEXPANSION_PIECEWISETABLE_H
#define FUSE_LIB_CODEGEN_MATHEXPANSION_PIECEWISETABLE_H

#include "Expansions.h"
#include "GateTables.h"

namespace mlir::fuse {

/// A FunctionTable of any degree. For 0 <= a < limit the function's piece is a (quadratic a + linear), rounded to an integer,
/// and in that piece it is a polynomial in a - center.
struct PiecewiseTable {
  template <unsigned kDegree>
  explicit PiecewiseTable(const FunctionTable<kDegree> &table)
      : quadratic(table.quadratic), linear(table.linear), limit(table.limit), centers(table.centers),
        coefficients(table.coefficients) {}

  double quadratic, linear, limit;
  llvm::ArrayRef<float> centers;
  /// A row of 16 for each power, the lowest first.
  llvm::ArrayRef<float[16]> coefficients;
};

/// Whether values of `type` can be read off tables here (`permutedLanes`; no scalable vectors).
bool canReadTables(const ExpansionBuilder &e, Type type);

/// The function at a, right where a is in [0, limit). The type of a is that of padToRegisters.
Value readPiecewise(ExpansionBuilder &e, const PiecewiseTable &table, Value a);

/// x in one dimension and, where there is an instruction that permutes, in whole registers.
Value padToRegisters(ExpansionBuilder &e, Value x);

/// What was padded, in its own type again.
Value cutTo(ExpansionBuilder &e, Type type, Value padded);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_MATHEXPANSION_PIECEWISETABLE_H
