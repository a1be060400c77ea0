//===- DotPlan.h - Contractions whose steps one instruction sums in groups -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A product of short numbers reads two or four steps of a row at once, and has them in all lanes of
// a register. Where the machine has an instruction that sums as many products in each lane, the
// columns are laid out for it in the kernel, once for all rows:
//
//   columns[k, n]  becomes  packed[k / group, n, k % group]
//
// Else each step is widened to f32 in registers, and its columns are read as they lie.
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
};

struct DotPlan {
  enum class Kind {
    Int8,    ///< vpdpbusd
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

  /// Whether one instruction sums a group, and the columns are packed for it.
  bool isPacked() const { return kind == Kind::Int8 || kind == Kind::Bf16; }
  /// Rows of signed bytes are made unsigned by 128, and what that adds is taken off the sums.
  bool isShifted() const { return kind == Kind::Int8 && areRowsSigned && areColumnsSigned; }
};

/// The plan for `op` with `columns` read as vectors along `vectorLoop`, shared by many rows; none
/// where nothing is gained. `lanes`: 32-bit numbers of a register.
std::optional<DotPlan> planDot(linalg::GenericOp op, unsigned columns, unsigned vectorLoop,
                               int64_t lanes, const DotInstructions &instructions);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_CPU_DOTPLAN_H
