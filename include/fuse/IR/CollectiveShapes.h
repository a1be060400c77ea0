//===- CollectiveShapes.h - What collectives make of extents -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IR_COLLECTIVESHAPES_H
#define FUSE_IR_COLLECTIVESHAPES_H

#include "fuse/IR/FuseAttributes.h"
#include "mlir/IR/Operation.h"

#include <optional>

namespace mlir::fuse {

/// The group of a collective op; null for other ops.
ProcessGroupAttr getProcessGroup(Operation *op);

/// An extent of a result is that of the operand, `times` as large and divided by `over`.
struct ExtentChange {
  int64_t times = 1, over = 1;
};

/// Of a dimension of a collective's result; nothing for other ops.
std::optional<ExtentChange> getCollectiveExtentChange(Operation *op, int64_t dim);

/// On a collective that is started, and waited for where its result is needed: how long, in ns, kernels are expected to run
/// beside it (i64). See the pass fuse-overlap-collectives.
inline constexpr llvm::StringLiteral kOverlapNs = "fuse.overlap_ns";

/// What the callee of a host call begins with that starts a collective, and the callee that waits for it.
inline constexpr llvm::StringLiteral kStartPrefix = "start_", kWaitForCollectives = "wait_for_collectives";

/// Whether the callee of a host call is a collective, or starts one: what it touches are its operands and results.
bool isCollectiveCallee(llvm::StringRef callee);

} // namespace mlir::fuse

#endif // FUSE_IR_COLLECTIVESHAPES_H
