//===- LoopFacts.h - What planners of vectors ask of loops -------*- C++ -*----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_CPU_LOOPFACTS_H
#define FUSE_LIB_CODEGEN_CPU_LOOPFACTS_H

#include "VectorPlan.h"

namespace mlir::fuse {

/// Whether the body can be computed on vectors, and the bytes of its widest value.
std::optional<int64_t> getBodyBytes(linalg::GenericOp op);

/// How many iterations a loop has at most. The last tile of a dim may be smaller than the others, so that their code has
/// no constant extent, but none has more than the size of a tile: vectors far longer than that would compute lanes that
/// there are none of, and no group of ten rows fits into a tile of four.
int64_t getMostIterations(linalg::GenericOp op, unsigned loop);

/// Whether vectors along `loop` are loads of neighbouring elements, or one element in all lanes. Elements that lie some steps
/// apart make a vector in several instructions.
bool readsInOrder(linalg::GenericOp op, unsigned loop);

/// `lanes`, halved while half of them are enough for all iterations of `loop`.
int64_t fitLanes(linalg::GenericOp op, unsigned loop, int64_t lanes);

/// `lanes`, or fewer where an operand lies in blocks that no vector along `loop` may leave.
int64_t fitBlocks(linalg::GenericOp op, unsigned loop, int64_t lanes);

/// The parallel loop beside `vectors` along which none of `operands` changes, if there are several the
/// one that `chooseReuseLoop` takes.
std::optional<unsigned> getReuseLoop(linalg::GenericOp op, ArrayRef<OpOperand *> operands, unsigned vectors);

/// The operands that no vector along `loop` serves.
SmallVector<OpOperand *> getScattered(linalg::GenericOp op, unsigned loop);

/// The innermost loop of kind `wanted` along which every operand is a vector in memory or does not change: the results are
/// vectors along a parallel loop, and do not change along a reduction. Scattered columns of a contraction serve too, if rows
/// use them again.
std::optional<unsigned> findVectorLoop(linalg::GenericOp op, utils::IteratorType wanted);

/// The planners of the four modes; null where the mode does not serve. `width`: lanes of a register, for the widest value.
std::unique_ptr<VectorPlan> planMap(linalg::GenericOp op, int64_t width, const VectorFacts &facts);
std::unique_ptr<VectorPlan> planTranspose(linalg::GenericOp op, int64_t width);
/// Vectors along which results are contiguous and no input need be: what steps over elements is
/// loaded lane by lane, and computed with all others.
std::unique_ptr<VectorPlan> planLanes(linalg::GenericOp op, int64_t width);
std::unique_ptr<VectorPlan> planContraction(linalg::GenericOp op, int64_t width, const VectorFacts &facts);
std::unique_ptr<VectorPlan> planRowReduction(linalg::GenericOp op, const VectorFacts &facts);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_CPU_LOOPFACTS_H
