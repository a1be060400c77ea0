//===- StagedElement.h - What a product takes of an operand's element -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_GPU_STAGEDELEMENT_H
#define FUSE_LIB_CODEGEN_GPU_STAGEDELEMENT_H

#include "ContractionPlan.h"
#include "mlir/IR/Builders.h"

namespace mlir::fuse {

/// `value`, an element of an operand of the contraction `op`, as it is staged: through the casts in front of the product
/// where that takes another type, rounded where the plan says so.
Value createStagedElement(OpBuilder &b, Location loc, linalg::GenericOp op,
                          const ContractionPlan &plan, OpOperand &operand, Value value);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_GPU_STAGEDELEMENT_H
