//===- DotPlan.h - Contractions whose steps one instruction sums in groups -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A product of short numbers reads two or four steps of a row at once, and has them in all lanes of
// a register. Where the machine has an instruction that sums as many products in each lane, the
// columns are read in groups of steps:
//
//   columns[k, n]  as  packed[k / group, n, k % group]
//
// Weights lie so in memory (see fuse-pack-parameters); other columns are laid out in the kernel, once for all
// rows. Else each step is widened to f32 in registers, and its columns are read as they lie.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_CPU_DOTPLAN_H
#define FUSE_LIB_CODEGEN_CPU_DOTPLAN_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::fuse {

/// What the machine that code is for has, and the program's numerics allow.
struct DotInstructions {
  bool int8 = false; ///< vpdpbusd: four products of 8 bits, the sum of 32; exact
  bool bf16 = false; ///< vdpbf16ps: two products of bf16, which flushes denormals
  bool int16 = false; ///< pmaddwd: two products of 16 bits, their sum of 32; exact
  bool int8Tiles = false; ///< AMX's tiles of bytes; exact
  bool bf16Tiles = false; ///< AMX's tiles of bf16, which flush denormals
};

struct DotPlan {
  enum class Kind {
    Int8,    ///< vpdpbusd
    Pairs,   ///< bytes become 16 bits in registers, and pmaddwd sums steps 0 and 2, then 1 and 3
    Bf16,    ///< vdpbf16ps
    Widened, ///< bf16 become f32 in registers, multiplied and added one after the other
    Copied   ///< rows of f16 become f32 in a buffer, since their conversion takes what multiplies
  };
  Kind kind = Kind::Widened;
  /// Operand numbers: what a row has in all lanes, and what lanes differ in.
  unsigned rows = 0, columns = 1;
  bool areRowsSigned = true, areColumnsSigned = true;
  /// The reduction loop that is gone through in groups: the innermost one.
  unsigned loop = 0;
  /// Steps of one group, and sums of 32 bits in a register.
  int64_t group = 4, lanes = 16;

  /// Whether the columns lie in groups in memory.
  bool areGrouped = false;
  /// Whether the machine has pmaddwd; else other instructions do its work.
  bool hasInt16 = false;

  /// Where an element of the columns holds several numbers, two of four bits, say: the value of the body that is the
  /// number at hand, `(element >> 4 p) & 15`, and the reduction loop that counts them, p. Null where an element is a
  /// number.
  Value unpacked;
  std::optional<unsigned> unpackedLoop;

  /// Steps that one multiplication of tile registers takes (see MatrixTiles.h), a divisor of all steps of `loop`; none
  /// where registers of vectors are multiplied.
  std::optional<int64_t> tileSteps;

  /// Whether columns are read in groups.
  bool isPacked() const { return kind == Kind::Int8 || kind == Kind::Pairs || kind == Kind::Bf16; }
  /// Whether the kernel lays them out so.
  bool packsColumns() const { return isPacked() && !areGrouped; }
  /// Whether sums of steps may be made in any order.
  bool isInteger() const { return kind == Kind::Int8 || kind == Kind::Pairs; }
  /// Rows of signed bytes are made unsigned by 128, and what that adds is taken off the sums.
  bool isShifted() const { return kind == Kind::Int8 && areRowsSigned && areColumnsSigned && !tileSteps; }
};

/// The parallel loop along which memory of input `operand` has groups of steps behind each other, with the
/// element (..., k floordiv group, ..., n, k mod group), and how many of these groups lie so.
struct GroupedColumns {
  unsigned loop;
  std::optional<int64_t> block;
};
std::optional<GroupedColumns> getGroupedColumns(linalg::GenericOp op, OpOperand &operand);

/// Whether memory of columns that lie in groups has all of a register of `lanes` wherever it begins: blocks are filled up
/// with zeros, and tiles begin with a register.
bool hasWholeRegisters(OpOperand &operand, int64_t group, int64_t lanes);

/// The indices of the group of steps at hand in columns that lie in groups, of `column` columns behind the one at hand.
/// `ivs`: the positions of the loops; `vectorLoop`: that of the columns.
SmallVector<Value> createGroupIndices(OpBuilder &b, linalg::GenericOp op, const DotPlan &dot, unsigned vectorLoop,
                                      ArrayRef<Value> ivs, int64_t column);

/// The plan for `op` with `columns` read as vectors along `vectorLoop`, shared by many rows; none
/// where nothing is gained. `lanes`: 32-bit numbers of a register.
std::optional<DotPlan> planDot(linalg::GenericOp op, unsigned columns, unsigned vectorLoop,
                               int64_t lanes, const DotInstructions &instructions);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_CPU_DOTPLAN_H
