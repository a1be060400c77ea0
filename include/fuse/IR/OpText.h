//===- OpText.h - How reports name an op -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IR_OPTEXT_H
#define FUSE_IR_OPTEXT_H

#include "mlir/IR/Operation.h"

namespace mlir::fuse {

/// The name of `op` in reports and remarks: its kind where it has one (`relu`, `reduce sum`),
/// structured ops with their parameters (`conv2d(64 channels, 3x3)`, `matmul(128x768x3072)` as
/// rows x depth x columns with batch extents before, `attention(12 heads, 64)`), else the op's
/// name. A primitive of a composite has the composite's name (see `#fuse.origin`).
std::string describeOp(Operation *op);

/// What edges and values have in pictures: "4x8xf32" for tensors and buffers, else the type as it
/// is written.
std::string describeType(Type type);

} // namespace mlir::fuse

#endif // FUSE_IR_OPTEXT_H
