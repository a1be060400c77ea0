//===- ComputedColumns.h - Contractions that compute their columns -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A contraction may compute the columns that its rows share from shorter numbers, as it reads them
// (see WidenedOperand.h). It waits for memory less, and longer for each vector of columns.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_CPU_COMPUTEDCOLUMNS_H
#define FUSE_LIB_CODEGEN_CPU_COMPUTEDCOLUMNS_H

#include "VectorPlan.h"

namespace mlir::fuse {

/// How many vectors of columns, along `loop`, a contraction has at a time. `rows`: how many iterations of the unrolled loop
/// there are at most, kDynamic where unknown.
int64_t getColumnVectors(linalg::GenericOp op, unsigned loop, int64_t rows, const VectorFacts &facts);

/// Notes in `plan` which of `reused` comes from far memory in the order in which it lies there, if
/// the columns are computed and each is used by one group of rows.
void planFetchingInOrder(linalg::GenericOp op, ContractionPlan &plan, ArrayRef<unsigned> reused,
                         int64_t rows);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_CPU_COMPUTEDCOLUMNS_H
