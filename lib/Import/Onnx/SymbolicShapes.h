//===- SymbolicShapes.h - Extents of values as expressions of open dimensions -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Types say `?` for every extent that is not known while importing. An expression says which one it is: of an input
// tensor<?x?x768xf32> with the open dimensions "batch" and "length" the extents are s0, s1 and 768, and those of its
// concatenation with itself along dimension 1 are s0, 2 * s1 and 768. Two extents are equal for every size if their
// expressions are.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_ONNX_SYMBOLICSHAPES_H
#define FUSE_IMPORT_ONNX_SYMBOLICSHAPES_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <optional>

namespace mlir::fuse::onnx {

class SymbolicShapes {
public:
  explicit SymbolicShapes(MLIRContext *context) : context(context) {}

  /// Makes dimension `dim` of an argument the open dimension `symbol`: one extent for each that is called so, or an
  /// extent of its own where `symbol` is empty.
  void addOpenDim(Value argument, unsigned dim, StringRef symbol);

  /// An extent of a ranked tensor as an expression of symbols: what the op that computes it makes of its operands' extents,
  /// a symbol of its own where that is not known.
  AffineExpr getExtent(Value value, unsigned dim);

private:
  AffineExpr makeSymbol() { return getAffineSymbolExpr(numSymbols++, context); }
  /// None where the op's kind does not say.
  std::optional<AffineExpr> findExtent(OpResult result, unsigned dim);

  MLIRContext *context;
  unsigned numSymbols = 0;
  llvm::StringMap<AffineExpr> named;
  llvm::DenseMap<std::pair<Value, unsigned>, AffineExpr> extents;
};

/// The quotient of two products that is known to have no rest; none where factors of the divisor that are no numbers are not
/// among those of the dividend.
std::optional<AffineExpr> divideExactly(ArrayRef<AffineExpr> dividend, ArrayRef<AffineExpr> divisor,
                                        MLIRContext *context);

} // namespace mlir::fuse::onnx

#endif // FUSE_IMPORT_ONNX_SYMBOLICSHAPES_H
