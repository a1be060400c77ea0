//===- FuseInterfaces.h - What passes need to know of an op -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IR_FUSEINTERFACES_H
#define FUSE_IR_FUSEINTERFACES_H

#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OpDefinition.h"

namespace mlir::fuse {
class FusableOpInterface;

namespace detail {
/// Loops of an op that touches its result by this map: a loop without a position there is a reduction.
SmallVector<utils::IteratorType> getIteratorTypes(AffineMap result);
/// Loop extents read off the shapes of operands and results through their maps.
SmallVector<int64_t> getStaticLoopRanges(FusableOpInterface op);
/// See CostOpInterface::getTrafficBytes.
int64_t getTrafficBytes(Operation *op);
} // namespace detail

/// Bytes of a tensor or buffer, in memory (i1 is a byte); saturates. A dynamic size counts 0.
int64_t getByteSize(Type type);
} // namespace mlir::fuse

#include "fuse/IR/FuseInterfaces.h.inc"

#endif // FUSE_IR_FUSEINTERFACES_H
