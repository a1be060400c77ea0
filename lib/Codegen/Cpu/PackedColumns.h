//===- PackedColumns.h - Columns of a contraction, copied as they are read -*- C++ -*------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_CPU_PACKEDCOLUMNS_H
#define FUSE_LIB_CODEGEN_CPU_PACKEDCOLUMNS_H

#include "VectorBody.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::fuse {

/// The inputs in `plan.packed`: for each vector of columns a copy, in which the steps of the reductions lie one behind the
/// other. A product of x with the transpose of w, [64, 72], on registers of 16 lanes:
///
///   for 16 columns:                 pack[72, 16] = w[columns, :], transposed
///     for 10 rows:
///       for k in 72:                10 sums += x[row, k] * pack[k]
class PackedColumns : VectorBody {
public:
  /// `inner`: the reduction loops, outermost first. Allocates the copies.
  PackedColumns(RewriterBase &b, linalg::GenericOp op, const ContractionPlan &plan, ArrayRef<unsigned> inner);

  /// Says which of the vectors of a run (see ContractionPlan::columnRun) the columns at hand are.
  void setPanel(Value number) { panel = number; }
  /// Copies the columns at hand, for the reductions from `begin` to `end`; the loops stand at `positions`.
  void pack(ArrayRef<Value> positions, ArrayRef<Value> begin, ArrayRef<Value> end, int64_t lanes, Value mask);
  /// A vector of the copy of operand `number`, with the loops at `positions`; null if that operand is not packed.
  Value load(unsigned number, ArrayRef<Value> positions, ArrayRef<Value> begin, int64_t lanes);

private:
  Value read(OpOperand &, int64_t, Value) override { llvm_unreachable("copies"); }
  void forSteps(unsigned depth, llvm::function_ref<void()> emit, unsigned left = 0);
  void packScattered(OpOperand &operand, Value copy, int64_t lanes, Value mask);
  void packTransposed(OpOperand &operand, Value copy, int64_t tile, Value step, Value column);
  void packElements(OpOperand &operand, Value copy, int64_t lanes, Value mask);
  void copyElement(OpOperand &operand, Value copy, Value lane);
  Value widen(Value value, Value copy);
  SmallVector<Value> getPlace(ArrayRef<Value> positions, ArrayRef<Value> begin);

  const ContractionPlan &plan;
  SmallVector<unsigned> inner;
  Value panel;                 ///< the number of the vector within its run, where copies have several
  SmallVector<Value> from, to; ///< of the steps that are copied at the moment
  llvm::MapVector<unsigned, Value> copies;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_CPU_PACKEDCOLUMNS_H
