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

} // namespace mlir::fuse

#endif // FUSE_IR_COLLECTIVESHAPES_H
