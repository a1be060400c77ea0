//===- LabelOps.h - The ops of a kernel while a pattern accounts for them -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_ANALYSIS_LABELS_LABELOPS_H
#define FUSE_LIB_ANALYSIS_LABELS_LABELOPS_H

#include "fuse/Analysis/FusionGraph.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::fuse {

/// The device ops of a kernel, or of what would be one. A pattern claims the ops that it accounts
/// for; it fits if it claims all. Values are seen at the source of their views. Casts from float to
/// float change precision, not what is computed: they are claimed from the start.
class LabelOps {
public:
  explicit LabelOps(ArrayRef<Operation *> ops);

  ArrayRef<Operation *> getOps() const { return ops.getArrayRef(); }
  bool contains(Operation *op) const { return op && ops.contains(op); }
  /// The source of `value`, seen through views and float casts of the kernel.
  Value getSource(Value value) const;
  /// The member at the source of `value`; null where it comes from outside.
  Operation *getMember(Value value) const;
  /// The members that read `value` through views and float casts; distinct.
  SmallVector<Operation *> getReaders(Value value) const;
  /// The members that need a result of `op`, itself not included.
  llvm::SetVector<Operation *> getDependents(Operation *op) const;
  /// The only member of this type; null if there is none or several.
  template <typename OpT>
  OpT getOnly() const {
    OpT found;
    for (Operation *op : ops)
      if (auto candidate = dyn_cast<OpT>(op)) {
        if (found)
          return {};
        found = candidate;
      }
    return found;
  }

  void claim(Operation *op) { claimed.insert(op); }
  bool isClaimed(Operation *op) const { return claimed.contains(op); }
  bool areAllClaimed() const { return claimed.size() == ops.size(); }
  /// Claims max(value, 0) in any spelling; null where `value` meets no such thing.
  Value claimRelu(Value value);

private:
  bool isTransparent(Operation *op) const;

  llvm::SetVector<Operation *> ops;
  llvm::DenseSet<Operation *> claimed;
};

/// The one number that all elements of a constant are; seen through views.
std::optional<double> getSplatConstant(Value value);

/// Of the dimensions of `value`, those along which its elements may differ, as views and broadcasts
/// above it tell.
llvm::SmallBitVector getVaryingDims(Value value);

/// Follows a dimension through one view; nothing where it is split, merged or made by the view.
std::optional<int64_t> getViewSourceDim(Operation *view, int64_t dim);
std::optional<int64_t> getViewResultDim(Operation *view, int64_t dim);

// The patterns. Each claims what it accounts for, and fits if that is all.
bool isConvBnRelu(LabelOps ops);
bool isMatmulAddActivation(LabelOps ops);
bool isAttention(LabelOps ops);
bool isLayernormLinear(LabelOps ops);
bool isConvBnReluPool(LabelOps ops);
bool isBottleneck(LabelOps ops);
bool isAttentionProjection(LabelOps ops);

} // namespace mlir::fuse

#endif // FUSE_LIB_ANALYSIS_LABELS_LABELOPS_H
