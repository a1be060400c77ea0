//===- MergedOps.h - How many ops a member stands for ---------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Element-wise members of a kernel merge into one loop nest. What a point of it costs is what the
// ops cost together: the schedule must not take a chain of 250 for one op, or it cuts tiles that
// compute the chain again and again.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IR_MERGEDOPS_H
#define FUSE_IR_MERGEDOPS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace mlir::fuse {

namespace attr {
constexpr llvm::StringLiteral kMergedOps = "fuse.merged_ops";
} // namespace attr

/// The number of planned ops that a member of an outlined kernel computes; 1 unless members merged.
inline int64_t getMergedOps(Operation *member) {
  auto number = member->getAttrOfType<IntegerAttr>(attr::kMergedOps);
  return number ? number.getInt() : 1;
}

inline void setMergedOps(Operation *member, int64_t number) {
  member->setDiscardableAttr(attr::kMergedOps,
                             Builder(member->getContext()).getI64IntegerAttr(number));
}

} // namespace mlir::fuse

#endif // FUSE_IR_MERGEDOPS_H
