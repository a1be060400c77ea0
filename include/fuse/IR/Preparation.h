//===- Preparation.h - What a function computes of its parameters once ------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IR_PREPARATION_H
#define FUSE_IR_PREPARATION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::fuse {

/// The function that `fuse.prepare` of `function` names; null if it has none. It takes the
/// parameters that are given (`fuse.param` without `fuse.prepared`) and returns those that are
/// prepared, each in order. Emits an error where there is no such function, or another one.
FailureOr<func::FuncOp> getPreparation(func::FuncOp function);

/// Makes `function`, which has none, a preparation that returns nothing yet: `@f_prepare` of its parameters.
func::FuncOp createPreparation(func::FuncOp function, SymbolTable &symbols);

/// Whether `argument` of a function is a parameter that is given, not prepared.
bool isGivenParameter(func::FuncOp function, unsigned argument);

/// Whether what depends on the parameters of `function` alone may run once, apart from it: callers from
/// outside enter it, no function of its module calls it or prepares by it (it may be a variant of one), and its
/// body is one block.
bool canPrepare(func::FuncOp function);

} // namespace mlir::fuse

#endif // FUSE_IR_PREPARATION_H
