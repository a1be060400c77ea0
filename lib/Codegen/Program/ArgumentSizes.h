//===- ArgumentSizes.h - Sizes that follow from a function's arguments ------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_PROGRAM_ARGUMENTSIZES_H
#define FUSE_LIB_CODEGEN_PROGRAM_ARGUMENTSIZES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OperationSupport.h"

namespace mlir::fuse {

/// Computes sizes at the start of a function, before anything runs: equal ones are one value.
class ArgumentSizes {
public:
  explicit ArgumentSizes(func::FuncOp function);

  /// `size`, a value of type `index`, at the start of the function: a copy of what computes it. Null where that is not
  /// computed from the arguments' extents and numbers alone, without an effect.
  Value hoist(Value size);

  /// What a hoisted size comes to where the arguments' extents are those that they state (`fuse.dim_hints`, else
  /// `fuse.dim_bounds`, else ValueSizes::kUnknownExtent).
  int64_t getLikely(Value hoisted);

  /// Behind all that was hoisted.
  OpBuilder &getBuilder() { return builder; }

private:
  struct SameOp : DenseMapInfo<Operation *> {
    static unsigned getHashValue(const Operation *op);
    static bool isEqual(const Operation *left, const Operation *right);
  };

  std::optional<int64_t> findStated(Value extent);

  func::FuncOp function;
  OpBuilder builder;
  DenseSet<Operation *, SameOp> ops;
  DenseMap<Value, Value> hoisted;
  DenseMap<Value, int64_t> likely;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_PROGRAM_ARGUMENTSIZES_H
