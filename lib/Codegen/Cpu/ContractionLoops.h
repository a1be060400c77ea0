//===- ContractionLoops.h - Reductions around vectors -----------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_CPU_CONTRACTIONLOOPS_H
#define FUSE_LIB_CODEGEN_CPU_CONTRACTIONLOOPS_H

#include "DotBody.h"
#include "Epilogue.h"
#include "MatrixTiles.h"
#include "PackedColumns.h"
#include "VectorNest.h"

namespace mlir::fuse {

/// The loops of a contraction on a CPU: vectors along one parallel loop, and for each of them groups of rows, iterations of
/// the plan's unrolled loop, whose sums are made together.
class ContractionLoops : VectorNest {
public:
  ContractionLoops(RewriterBase &b, linalg::GenericOp op, const ContractionPlan &plan);

  void emit();

private:
  //===- Vectors, then groups of rows (ContractionLoops.cpp) --------------------------------===//

  /// Whether columns are read in groups of steps.
  bool packsGroups() const { return plan.dot && plan.dot->isPacked(); }
  bool changesReused(unsigned loop);
  void enter(unsigned depth) override;
  void emitInside() override;
  void emitRuns();
  void forVectorsOfRun(llvm::function_ref<void()> emit);
  void emitVector(int64_t lanes, Value mask) override;
  void emitGroupsOfRows(int64_t lanes, Value mask);
  void emitEvenGroups(int64_t lanes, Value mask);
  void emitTiles(int64_t lanes, Value mask);
  void emitRows(Value first, int64_t count, int64_t lanes, Value mask);

  //===- The sums of one vector for each row of a group (ContractionSums.cpp) ---------------===//

  void allocatePartialSums();
  void emitPoint(int64_t lanes, Value mask);
  void emitPart(int64_t lanes, Value mask);
  void storeSums(Value sums, int64_t lanes, Value mask);
  Value getStart(OpOperand &init, int64_t lanes, Value mask);
  SmallVector<Value> emitInner(unsigned depth, SmallVector<Value> carried, int64_t lanes, Value mask);
  SmallVector<Value> emitScaled(unsigned depth, ArrayRef<Value> totals, int64_t lanes, Value mask);
  Value evaluateConverted(Value value, int64_t lanes, Value mask);
  SmallVector<Value> emitPartialSums(unsigned depth, ArrayRef<Value> totals, int64_t lanes, Value mask);
  bool isUnrolled(unsigned loop);
  SmallVector<Value> emitReduction(unsigned depth, Value begin, Value end, ArrayRef<Value> carried, int64_t lanes, Value mask);
  SmallVector<Value> emitGroups(ArrayRef<Value> carried, int64_t lanes, Value mask);
  void selectUnrolled(Value iv);
  Value read(OpOperand &operand, int64_t lanes, Value mask) override;
  bool isFirstRead(OpOperand &operand);
  bool isNewStep(OpOperand &operand);

  const ContractionPlan &plan;
  std::optional<Epilogue> epilogue;
  std::optional<DotBody> dot;
  std::optional<MatrixTiles> tiles;  ///< where tile registers make the sums
  std::optional<PackedColumns> packed;
  bool isInGroup = false;            ///< of steps whose sums are scaled
  std::optional<unsigned> packDepth; ///< the outer loop in front of which columns are packed, if not within all
  SmallVector<Value> unrolled;       ///< iterations of the unrolled loop that are computed together
  Value runBegin;                    ///< the first column of the run of vectors at hand, if there is one
  Value group, groups;               ///< which of how many groups of iterations they are
  SmallVector<Value> from, to;       ///< where the reductions of `inner` begin and end
  Value partialSums;                 ///< [rows, vectors] if the plan keeps them
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_CPU_CONTRACTIONLOOPS_H
