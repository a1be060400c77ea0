//===- TileScratch.h - Memory for a temporary of a block -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_KERNEL_TILESCRATCH_H
#define FUSE_LIB_CODEGEN_KERNEL_TILESCRATCH_H

#include "mlir/IR/Builders.h"

namespace mlir::fuse {

/// Whether a size is known to be 0.
bool hasZero(ArrayRef<OpFoldResult> sizes);

/// The most that a size can be, if that is known.
std::optional<int64_t> getMost(OpFoldResult size);

/// A tensor for a temporary of `sizes`, none of which is larger than that of `largest`: an empty
/// tensor of the most that the largest sizes can be, cut to the actual ones. So temporaries of a
/// kernel have fixed offsets in the block's scratch. For tiles of min(4, 10 - offset) rows:
///   %empty = tensor.empty() : tensor<4x16xf32>
///   %scratch = tensor.extract_slice %empty[0, 0] [%rows, 16] [1, 1]
Value makeScratch(OpBuilder &builder, Location loc, Type elementType, ArrayRef<OpFoldResult> sizes,
                  ArrayRef<OpFoldResult> largest);
Value makeScratch(OpBuilder &builder, Location loc, Type elementType, ArrayRef<OpFoldResult> sizes);

/// The sizes of a tensor: those of the memory that an op writes it to.
SmallVector<OpFoldResult> getSizes(OpBuilder &builder, Value tensor);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_KERNEL_TILESCRATCH_H
