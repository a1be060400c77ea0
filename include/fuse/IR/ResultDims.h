//===- ResultDims.h - The dims that planning gave the results of a kernel -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Which loops are one dim follows from what members read of each other, but for results that nothing
// connects: three products of one input may share their rows, their columns, or both. Planning chooses;
// the attribute hands its choice to the function of linalg members that code is made from.
//
//   func.func private @k(...) attributes {fuse.result_dims = [array<i64: 0, 1>, array<i64: 0, 1, -1>]}
//
// The first result lies along dims 0 and 1. The second has a factor more, which a tile has whole.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IR_RESULTDIMS_H
#define FUSE_IR_RESULTDIMS_H

#include "mlir/IR/BuiltinAttributes.h"

namespace mlir::fuse::attr {
/// On the function of a kernel, from fuse-members-to-linalg to fuse-tile-kernels: for each result an
/// `array<i64>` with the shared dim, or -1, of each factor of its dimensions, in order.
constexpr llvm::StringLiteral kResultDims = "fuse.result_dims";
} // namespace mlir::fuse::attr

#endif // FUSE_IR_RESULTDIMS_H
