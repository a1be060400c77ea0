//===- MemberReads.h - What a member reads, and along which loops -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A member reads through operands, along their index maps, and in its body (`tensor.extract`: pads,
// gathers, concatenations). In both cases the maps here say of each dimension either the one loop
// that it is read along, or nothing: a result that is no dim expression, for which the whole extent
// is needed.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_MEMBERREADS_H
#define FUSE_ANALYSIS_MEMBERREADS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::fuse {

/// An element read in a member's body at a position that the body computes. `map` goes from the
/// member's loops to the tensor's dimensions; the constant 0 stands for a computed position.
struct BodyRead {
  tensor::ExtractOp op;
  AffineMap map;
};

/// The reads in the body of `op` of tensors from outside it, in the order of the body.
SmallVector<BodyRead> getBodyReads(linalg::LinalgOp op);

/// Whether `op` is a view that tiles can be taken through: a reshape, a slice, a cast.
bool isTensorView(Operation *op);

/// For each dimension of the source of a view, or of a `tensor.pad`, the dimension of the result that is the
/// same, or -1 where the op cuts, joins, splits or pads it.
SmallVector<int64_t> getSameDims(Operation *view);

/// The map of an access to the source of a view or of a `tensor.pad`, from that of an access to its result.
AffineMap mapThroughView(Operation *view, AffineMap map);

/// The tensor that `value` is a view of; `value` itself if it is none.
Value getViewedTensor(Value value);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_MEMBERREADS_H
