//===- BodyAccess.h - How a member's body touches memory -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_KERNEL_BODYACCESS_H
#define FUSE_LIB_CODEGEN_KERNEL_BODYACCESS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::fuse {

/// The buffer behind views of it; what is no buffer, as it is.
Value getBase(Value value);

enum class Access { Invariant, Contiguous, Other };

/// How `operand` is touched along `loop`. Contiguous are blocks, too, as long as no access goes
/// from one to the next (see getBlock).
Access getAccess(linalg::GenericOp op, OpOperand &operand, unsigned loop);

/// How many elements along `loop` lie next to each other where an operand has them in blocks: its
/// position is (loop floordiv block, ..., loop mod block).
std::optional<int64_t> getBlock(AffineMap map, unsigned loop);

/// The same where they need not lie next to each other: groups of a reduction's steps may lie within each (see
/// lib/Codegen/Cpu/DotPlan.h).
std::optional<int64_t> getTiledBlock(AffineMap map, unsigned loop);

/// Whether a value of the body is the same in all iterations of `loop`.
bool isUniform(linalg::GenericOp op, Value value, unsigned loop);

/// How a load in the body (a gather) goes through memory along `loop`.
Access getAccess(linalg::GenericOp op, memref::LoadOp load, unsigned loop);

/// Whether an op neither reads nor writes memory that is there already.
bool isPassive(Operation *op);

/// The fill that all sums of `fold` start from, with nothing between the two that touches
/// them; null if there is none.
linalg::FillOp findStart(linalg::GenericOp fold);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_KERNEL_BODYACCESS_H
