//===- ComputedColumns.cpp - Contractions that compute their columns -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ComputedColumns.h"
#include "LoopFacts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::fuse;

/// Whether columns of floats are computed from several inputs, or from shorter numbers.
static bool computesColumns(linalg::GenericOp op, ArrayRef<unsigned> reused) {
  if (!isa<FloatType>(getElementTypeOrSelf(op.getDpsInits().front())))
    return false;
  return reused.size() > 1 || llvm::any_of(reused, [&](unsigned number) {
           Value column = op.getMatchingBlockArgument(&op->getOpOperand(number));
           return getElementTypeOrSelf(column).getIntOrFloatBitWidth() <= 8 ||
                  !llvm::all_of(column.getUsers(),
                                llvm::IsaPred<arith::MulFOp, arith::MulIOp, arith::ExtFOp,
                                              arith::ExtSIOp, arith::ExtUIOp>);
         });
}

int64_t mlir::fuse::getColumnVectors(linalg::GenericOp op, unsigned loop, int64_t rows, const VectorFacts &facts) {
  // Few rows have no more sums than a vector of columns each: fewer than hide the latency of an
  // addition. One row, 4096 by 4096 weights of 4 bits, on a core of Zen 5: 0.43 ms in twos of
  // vectors, 0.30 in fours and in eights.
  constexpr int64_t kFewRows = 4, kAllRegisters = 32;
  bool isFew = !ShapedType::isDynamic(rows) && rows <= kFewRows;
  // Vectors that several instructions make leave too few registers.
  return isFew && readsInOrder(op, loop) && facts.registers >= kAllRegisters ? 4 : 2;
}

void mlir::fuse::planFetchingInOrder(linalg::GenericOp op, ContractionPlan &plan,
                                     ArrayRef<unsigned> reused, int64_t rows) {
  // What the second cache holds is near enough. 8192 by 32768 weights of 4 bits, on a core of Zen
  // 5: 28 GB/s where only the hardware asks ahead, 36 with it. It keeps up with scales, which are
  // few.
  constexpr int64_t kFarBytes = 1024 * 1024;
  if (ShapedType::isDynamic(rows) || rows > plan.unroll || !computesColumns(op, reused))
    return;
  int64_t most = kFarBytes - 1;
  for (unsigned number : reused) {
    auto all = dyn_cast<MemRefType>(getBase(op->getOperand(number)).getType());
    if (!all || !all.hasStaticShape() ||
        getAccess(op, op->getOpOperand(number), plan.loop) != Access::Contiguous)
      continue;
    int64_t bytes = all.getNumElements() * all.getElementTypeBitWidth() / 8;
    if (bytes <= most)
      continue;
    most = bytes;
    plan.fetchedInOrder = number;
    plan.fetchedAhead.reset();
    plan.prefetch.reset();
  }
}
