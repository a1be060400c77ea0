//===- ChannelsLast.h - Ops on images whose channels come last -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// An image is a tensor of four dimensions, [N, C, H, W] as written. Here is what each op does to
// and wants of the order of its images; a new op that handles images is added here.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_TRANSFORMS_CHANNELSLAST_H
#define FUSE_LIB_TRANSFORMS_CHANNELSLAST_H

#include "fuse/IR/FuseOps.h"

namespace mlir::fuse {

/// The permutation of a transpose from [N, C, H, W] to [N, H, W, C]; of a value whose channels are several
/// dimensions from [N, C1, C2, H, W] to [N, H, W, C1, C2]. `rank` is at least 4.
SmallVector<int64_t> getToChannelsLast(int64_t rank);
/// The permutation back: from [N, H, W, C] to [N, C, H, W].
SmallVector<int64_t> getToChannelsFirst(int64_t rank);

enum class ChannelRole {
  None,    ///< knows nothing of channels
  Follows, ///< works in either order, the same for all its images
  Gains,   ///< the same, and faster with its channels last
  Wants,   ///< is faster with its channels last, where that costs no turning, or others gain
  Needs,   ///< is so much faster that it turns its images itself
};

bool isImage(Value value);
ChannelRole getChannelRole(Operation *op);
/// Operands and result of an op with a role that are images of its own order: not filters. Those of views
/// may have more than four dimensions.
SmallVector<Value> getImages(Operation *op);

RankedTensorType toChannelsLast(RankedTensorType image);
/// A view of an image, or of what broadcasts against one, with its channels last.
Value turnToChannelsLast(OpBuilder &builder, Value value);
/// `op`, which has a role, on images with their channels last; `getLast` gives its operands so.
/// Does not erase it.
Value buildChannelsLast(OpBuilder &builder, Operation *op,
                        llvm::function_ref<Value(Value)> getLast);

} // namespace mlir::fuse

#endif // FUSE_LIB_TRANSFORMS_CHANNELSLAST_H
