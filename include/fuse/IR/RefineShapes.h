//===- RefineShapes.h - Known extents of arguments, carried through a function ------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IR_REFINESHAPES_H
#define FUSE_IR_REFINESHAPES_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::fuse {

/// Gives the arguments of `function` the types `arguments`, which have more static extents, and each value in it the
/// extents that follow, by SymbolicShapes. Sizes that ops take as operands for these extents are dropped, and what is
/// computed of extents alone becomes numbers:
///
///   func @f(%x: tensor<?x8xf32>, %row: tensor<8xf32>)     %x is tensor<3x8xf32>
///     %n = tensor.dim %x, %c0                             %n is 3
///     %0 = fuse.broadcast %row dimensions = [0] sizes = [%n] : tensor<8xf32> -> tensor<?x8xf32>
///                                                         -> tensor<3x8xf32>, without sizes
///
/// What loops carry keeps its type: values are cast to it. Emits an error where an extent would be below 0; the function
/// may be invalid then, or where ops do not take the extents that others make.
LogicalResult refineShapes(FunctionOpInterface function, TypeRange arguments);

} // namespace mlir::fuse

#endif // FUSE_IR_REFINESHAPES_H
