//===- ReshapeLowering.h - Reshapes between kernels ---------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_CODEGEN_PROGRAM_RESHAPELOWERING_H
#define FUSE_CODEGEN_PROGRAM_RESHAPELOWERING_H

#include "fuse/IR/FuseOps.h"
#include "fuse/IR/ShapeConditions.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

namespace mlir::fuse {

/// Lowers the `fuse.reshape` ops between the kernels of a function to ops of the tensor dialect, which
/// move no element. 2x3x8 to 6x8, of static shape, becomes a `tensor.collapse_shape`; a reshape with
/// open dimensions becomes a `tensor.reshape`, whose extents are computed.
class ReshapeLowering {
public:
  /// `checks` receives what must hold of the extents given at run time: that a reshape to a shape with
  /// one open dimension has as many elements as its operand.
  ReshapeLowering(func::FuncOp function, SmallVectorImpl<ShapeCheck> &checks)
      : function(function), checks(checks), builder(function.getContext()), loc(function.getLoc()) {}

  /// Lowers all reshapes. In a branch, which may not run, a check is a `cf.assert` instead.
  void run();

  /// A view of `buffer`, which holds the result of `reshape`, in the shape of the operand of `reshape`.
  /// Null if `reshape` is null, or an op that has no such view.
  Value undoOnBuffer(OpBuilder &builder, Operation *reshape, Value buffer) const;

  /// The lowered reshape that gives a tensor; null where another op does.
  static Operation *getReshape(Value tensor);

  /// A view of `buffer`, whose elements are as many, in the shape of a tensor that is made at `builder`.
  static Value viewAs(OpBuilder &builder, Value buffer, tensor::EmptyOp tensor);

private:
  Value reshape(Value value, RankedTensorType to, ValueRange given);
  void checkElements(RankedTensorType from, RankedTensorType to, Value given, Value expected);
  /// `sizes`: all extents of the result.
  Value reshapeTo(Value value, RankedTensorType to, ArrayRef<Value> sizes);

  func::FuncOp function;
  SmallVectorImpl<ShapeCheck> &checks;
  OpBuilder builder;
  Location loc;
  /// Reshapes that split dimensions to several open ones, and the dimensions that each one becomes.
  llvm::DenseMap<Operation *, SmallVector<ReassociationIndices>> expansions;
};

} // namespace mlir::fuse

#endif // FUSE_CODEGEN_PROGRAM_RESHAPELOWERING_H
