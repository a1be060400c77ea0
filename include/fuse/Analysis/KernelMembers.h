//===- KernelMembers.h - The members of an outlined kernel, and their loops -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_KERNELMEMBERS_H
#define FUSE_ANALYSIS_KERNELMEMBERS_H

#include "fuse/Analysis/SharedDomain.h"
#include "fuse/IR/FuseOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::fuse {

/// An outlined kernel on tensors, `(ins…, outs…) -> results`, as members with a shared domain.
class KernelMembers {
public:
  /// Fails, with an error at the op, where the function is no kernel of linalg members.
  static FailureOr<KernelMembers> get(func::FuncOp function);

  ArrayRef<linalg::LinalgOp> ops() const { return members; }
  const SharedDomain &domain() const { return shared; }
  /// Whether the members cannot be cut along the dims that planning gave their results: there are no shared
  /// dims then, and one block computes all. It is a defect of the conversion, which fuse-check-plan reports.
  bool isUncut() const { return uncut; }
  unsigned numResults() const { return results.size(); }
  /// The member's value behind result `i` of the function, without views at the return.
  OpResult result(unsigned i) const { return results[i]; }
  /// The views between that value and the function's result, from the value on.
  ArrayRef<Operation *> resultViews(unsigned i) const { return views[i]; }
  /// The number of the function's result that `value` becomes.
  std::optional<unsigned> resultNumber(Value value) const;
  bool isMember(Operation *op) const { return numbers.contains(op); }
  /// The number of a member.
  unsigned number(Operation *op) const { return numbers.lookup(op); }

  /// Where the extent of a member's loop can be read: an argument, else the member's init, and its
  /// dimension. Loops that ops relate to each other have one source.
  std::pair<Value, int64_t> loopSource(unsigned member, unsigned loop) const;
  /// The extent of a member's loop: an attribute, or a dim of an argument, made at `builder`.
  OpFoldResult loopExtent(OpBuilder &builder, unsigned member, unsigned loop) const;
  /// The extent of a shared dim; ShapedType::kDynamic where no member's type tells it.
  int64_t staticExtent(unsigned dim) const;
  /// The same as an attribute, or a dim of an argument, made at `builder`.
  OpFoldResult sharedExtent(OpBuilder &builder, unsigned dim) const;

private:
  /// The dims of the function's results as a list for each member's result, in the members' order.
  SmallVector<SmallVector<int64_t>> orderResultDims(ArrayAttr dims) const;

  SmallVector<linalg::LinalgOp> members;
  DenseMap<Operation *, unsigned> numbers;
  SmallVector<OpResult> results;
  SmallVector<SmallVector<Operation *>> views;
  DenseMap<std::pair<Operation *, unsigned>, std::pair<Value, int64_t>> loopSources;
  SharedDomain shared;
  bool uncut = false;
};

/// The states of an outlined kernel that is a step of a loop over time, each with the value that it has in the
/// next step; none of any other kernel.
SmallVector<std::pair<Value, Value>> getStates(func::FuncOp function);

/// The scatter of an outlined kernel; null where it has none. Such a kernel is no kernel of members
/// that share dims: others are computed where the scatter reads them. Fails, with an error, where
/// there are several.
FailureOr<ScatterRowsOp> findScatter(func::FuncOp function);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_KERNELMEMBERS_H
