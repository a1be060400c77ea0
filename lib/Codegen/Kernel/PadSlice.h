//===- PadSlice.h - Part of a padded tensor -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_KERNEL_PADSLICE_H
#define FUSE_LIB_CODEGEN_KERNEL_PADSLICE_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::fuse {

/// What lies in a rectangular part of a padded tensor: a rectangle of the source, which is empty
/// where the part lies in the border, and along each dimension so many elements of the border in
/// front of it and behind it.
///
/// Example: a row of 8 elements with one more at each end. The part [0, 4) of the padded row is one
/// element of the border, then the part [0, 3) of the source: offsets = [0], sizes = [3], low =
/// [1], high = [0].
struct PadSlice {
  SmallVector<OpFoldResult> offsets, sizes; ///< of the source
  SmallVector<OpFoldResult> low, high;
};

/// Describes the part [offsets, offsets + sizes) of `pad`; arithmetic is made at `builder`.
PadSlice slicePad(OpBuilder &builder, tensor::PadOp pad, ArrayRef<OpFoldResult> offsets,
                  ArrayRef<OpFoldResult> sizes);

/// The part itself, of `sizes`; `inside`: the rectangle of the source.
tensor::PadOp padSlice(OpBuilder &builder, tensor::PadOp pad, Value inside, const PadSlice &slice,
                       ArrayRef<OpFoldResult> sizes);

/// The padding of `pad` in front of its source and behind it, and the sizes of its result.
SmallVector<OpFoldResult> getLowPad(OpBuilder &builder, tensor::PadOp pad);
SmallVector<OpFoldResult> getHighPad(OpBuilder &builder, tensor::PadOp pad);
SmallVector<OpFoldResult> getPaddedSizes(OpBuilder &builder, tensor::PadOp pad);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_KERNEL_PADSLICE_H
