//===- WidenTemporaries.h - Short floats that stay f32 between members -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_KERNEL_WIDENTEMPORARIES_H
#define FUSE_LIB_CODEGEN_KERNEL_WIDENTEMPORARIES_H

namespace mlir {
class Operation;
}

namespace mlir::fuse {

/// Makes temporaries of f16 and bf16 below `root` f32 where that saves conversions. What was rounded between two
/// members is not rounded then.
void widenTemporaries(Operation *root);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_KERNEL_WIDENTEMPORARIES_H
