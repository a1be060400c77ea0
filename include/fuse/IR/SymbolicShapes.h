//===- SymbolicShapes.h - Extents of values as expressions of open dimensions -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Each open dimension is a symbol, and the extents of what a program computes are expressions of symbols:
//
//   %x : tensor<?x?x768xf32>, of a batch s0 and a length s1
//   concat of %x with itself along dimension 1: the extents are s0, 2 * s1 and 768
//
// Two extents are equal for every size if their expressions are.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IR_SYMBOLICSHAPES_H
#define FUSE_IR_SYMBOLICSHAPES_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Value.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <functional>
#include <optional>

namespace mlir::fuse {

struct DimExpression;

/// What a symbol stands for: the extent of dimension `dim` of a tensor or buffer, or a value of type `index` itself; or
/// (extent - plus) / times, which has no rest: of a dimension whose name is `4*h`, `h` is a fourth.
struct ExtentSymbol {
  static constexpr int64_t kNumber = -1;

  Value value;
  int64_t dim;
  int64_t times = 1, plus = 0;

  bool isWhole() const { return times == 1 && plus == 0; }
  /// What it is as an expression of the whole extent.
  AffineExpr getOf(AffineExpr extent) const { return (extent - plus).floorDiv(times); }
};

/// An open dimension of an argument. Those of one `key` have one extent; where that is empty, those of one name.
struct OpenDim {
  Value argument;
  unsigned dim;
  StringRef name;
  std::string key = {};
};

class SymbolicShapes {
public:
  /// `isSource`: values whose extents are symbols of their own, besides those that no op's kind says. Arguments of
  /// functions always are.
  explicit SymbolicShapes(MLIRContext *context, std::function<bool(Value)> isSource = {})
      : context(context), isSource(std::move(isSource)) {}

  /// Makes symbols of open dimensions, each once. A name that is an expression of others (see parseDimExpression) makes no
  /// symbol but where no dimension is called like one of its names: of `4*h` alone, `h` is a fourth.
  void addOpenDims(ArrayRef<OpenDim> dims);
  /// Of these, the ones whose extents are expressions: what must be so in each call.
  ArrayRef<std::pair<Value, int64_t>> getComputedDims() const { return computed; }
  /// The extent of an argument's dimension as a symbol of its own, whatever its name says.
  AffineExpr getGiven(Value argument, unsigned dim) { return makeSymbol({argument, dim}); }

  /// An extent of a ranked tensor or buffer as an expression of symbols: what the op that computes it makes of its
  /// operands' extents, a symbol of its own where that is not known.
  AffineExpr getExtent(Value value, unsigned dim);
  /// The same of a value of type `index`.
  AffineExpr getNumber(Value number);

  /// What a symbol stands for.
  ExtentSymbol getSource(AffineSymbolExpr symbol) const { return symbols[symbol.getPosition()]; }
  /// Whether `expr` is one symbol that stands for a whole extent, or a number; for which.
  std::optional<ExtentSymbol> getSingle(AffineExpr expr) const;
  /// Whether each symbol of `expr` stands for a value, or an extent of one, for which `holds`.
  bool isOf(AffineExpr expr, llvm::function_ref<bool(Value)> holds) const;
  /// The same for the arguments of a function, or of a kernel.
  bool isOfArguments(AffineExpr expr, Block *entry) const;

  /// Whether it is computed from extents alone, which are at least 0, and from no number that the program is given.
  bool isOfExtents(AffineExpr expr) const;

  /// Computes `expr`: a number, a `tensor.dim`, or an `affine.apply` of such. `map` gives what stands in the place of a
  /// symbol's value; none: the value itself.
  OpFoldResult materialize(OpBuilder &builder, Location loc, AffineExpr expr,
                           llvm::function_ref<Value(Value)> map = {}) const;

private:
  using Key = std::pair<Value, int64_t>;

  AffineExpr get(Key key);
  AffineExpr makeSymbol(Key key, int64_t times = 1, int64_t plus = 0);
  /// The extent that the name of an open dimension says as an expression; null where names are unknown, and `solves` does
  /// not allow that one of them becomes known by this.
  AffineExpr computeNamed(const OpenDim &dim, const DimExpression &said, bool solves);
  void addNamedArguments(FunctionOpInterface function);
  /// The expression of what is known so far. Lists in `missing` what must be known first; none where the op's kind does
  /// not say.
  std::optional<AffineExpr> compute(Key key, SmallVectorImpl<Key> &missing);
  std::optional<AffineExpr> computeArgument(BlockArgument argument, int64_t dim, SmallVectorImpl<Key> &missing);
  std::optional<AffineExpr> computeNumber(Value number, SmallVectorImpl<Key> &missing);
  std::optional<AffineExpr> computeExtent(OpResult result, unsigned dim, SmallVectorImpl<Key> &missing);
  /// An extent; null, and listed in `missing`, where it is not known yet.
  AffineExpr find(Value value, int64_t dim, SmallVectorImpl<Key> &missing) const;

  MLIRContext *context;
  std::function<bool(Value)> isSource;
  SmallVector<ExtentSymbol> symbols;
  llvm::StringMap<AffineExpr> named;
  SmallVector<Key> computed;
  llvm::DenseMap<Key, AffineExpr> extents;
};

/// The quotient of two products that is known to have no rest; none where factors of the divisor that are no numbers are not
/// among those of the dividend.
std::optional<AffineExpr> divideExactly(ArrayRef<AffineExpr> dividend, ArrayRef<AffineExpr> divisor,
                                        MLIRContext *context);

/// The expression in one form: of s0 + 1 + s0 and 2 * s0 + 1, the same.
AffineExpr simplifyExtent(AffineExpr expr);

/// A number as such, and ShapedType::kDynamic for all else, null too: extents as a type has them.
int64_t getStaticExtent(AffineExpr expr);
SmallVector<int64_t> getStaticExtents(ArrayRef<AffineExpr> list);

/// The least and the greatest value of an expression whose symbols are extents, at least 0; none where it has no such
/// bound that is easily seen.
std::optional<int64_t> getLeast(AffineExpr expr);
std::optional<int64_t> getMost(AffineExpr expr);

} // namespace mlir::fuse

#endif // FUSE_IR_SYMBOLICSHAPES_H
