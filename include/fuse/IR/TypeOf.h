//===- TypeOf.h - The type of a value that is a tensor -----------*- C++ -*--===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IR_TYPEOF_H
#define FUSE_IR_TYPEOF_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

namespace mlir::fuse {

/// Of a value that is known to be a ranked tensor, as operands and results of most of the dialect's ops are.
inline RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

} // namespace mlir::fuse

#endif // FUSE_IR_TYPEOF_H
