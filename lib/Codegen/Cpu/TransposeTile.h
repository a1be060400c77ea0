//===- TransposeTile.h - Square tiles, transposed in registers ------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_CPU_TRANSPOSETILE_H
#define FUSE_LIB_CODEGEN_CPU_TRANSPOSETILE_H

#include "mlir/IR/Builders.h"

namespace mlir::fuse {

/// Transposes a square tile of as many vectors as they have lanes, a power of two: afterwards the i-th vector is what was the
/// i-th lane of each. Blocks off the diagonal change places, halves first (J. O. Eklundh, A fast computer method for matrix
/// transposing, 1972). Floats of 16 bits are moved as integers, which every target has vectors of.
void transposeTile(OpBuilder &b, Location loc, SmallVectorImpl<Value> &rows);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_CPU_TRANSPOSETILE_H
