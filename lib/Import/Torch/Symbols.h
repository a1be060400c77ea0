//===- Symbols.h - Expressions of open extents as the program writes them -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_TORCH_SYMBOLS_H
#define FUSE_IMPORT_TORCH_SYMBOLS_H

#include "mlir/IR/AffineExpr.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

#include <optional>

namespace mlir::fuse::torch {

/// The symbol that an expression is, as SymPy writes it: `s77` of "Symbol('s77', positive=True, integer=True)" and of
/// "s77"; empty for anything else.
llvm::StringRef getSymbolName(llvm::StringRef text);

/// Parts of expressions that are computed as numbers of the program, since no affine expression says them. Expressions with such
/// parts are not read where the function is null.
struct ComputedParts {
  /// ⌊x / y⌋ of a divisor that is no number.
  llvm::function_ref<AffineExpr(AffineExpr x, AffineExpr y)> divide = nullptr;
  /// The least or the greatest of some.
  llvm::function_ref<AffineExpr(llvm::ArrayRef<AffineExpr> list)> min = nullptr, max = nullptr;
};

/// An expression as SymPy writes it: "Add(Mul(Integer(2), Symbol('s77', integer=True)), Integer(-1))". Null for what no
/// expression of symbols says, and where a symbol has no value (`find` gives null).
AffineExpr parseExpression(llvm::StringRef text, MLIRContext *context,
                           llvm::function_ref<AffineExpr(llvm::StringRef symbol)> find,
                           const ComputedParts &computed = {});

/// A size as the schema has it: a number, or an expression of symbols. Null for what neither says.
AffineExpr readSize(const llvm::json::Value &size, MLIRContext *context, const llvm::StringMap<AffineExpr> &symbols,
                    const ComputedParts &computed = {});

} // namespace mlir::fuse::torch

#endif // FUSE_IMPORT_TORCH_SYMBOLS_H
