//===- Parameters.h - What is known before a program sees its first input -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_TRANSFORMS_PARAMETERS_H
#define FUSE_LIB_TRANSFORMS_PARAMETERS_H

#include "mlir/IR/Value.h"

namespace mlir::fuse {

/// Whether a value is a constant, a parameter (an argument marked `fuse.param`), or made of such by views and element-wise
/// ops, at most eight of these one behind the other.
bool isParameter(Value value);

} // namespace mlir::fuse

#endif // FUSE_LIB_TRANSFORMS_PARAMETERS_H
