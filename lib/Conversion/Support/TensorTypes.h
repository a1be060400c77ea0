//===- TensorTypes.h - Which tensors have a form in the dialect -------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Private to the conversions into the dialect.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_SUPPORT_TENSORTYPES_H
#define FUSE_LIB_CONVERSION_SUPPORT_TENSORTYPES_H

#include "fuse/IR/FuseBuilder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::fuse {

/// The ranked tensor type of a value if its element type is one of the dialect's, else null.
RankedTensorType getTensorType(Value value);
/// The same, and all extents are static.
RankedTensorType getStaticTensorType(Value value);

/// Whether an element-wise op of `operands` may give `result`.
bool isBroadcastOf(ValueRange operands, RankedTensorType result);

/// Whether arith.constant holds values of the type: static shapes of floats and signless integers.
bool canBeConstant(Type type);

/// Erases what the conversion left without users: ops of other dialects without effects.
void eraseDeadOps(func::FuncOp function);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_SUPPORT_TENSORTYPES_H
