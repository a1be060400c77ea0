//===- ShapeConditions.h - What must hold of the extents of a function's arguments -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IR_SHAPECONDITIONS_H
#define FUSE_IR_SHAPECONDITIONS_H

#include "fuse/IR/SymbolicShapes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"

#include <optional>
#include <string>

namespace mlir::fuse {

/// On a function, an array of dictionaries of what must hold of its arguments' extents beside equalities: with the symbols
/// s0, s1 … for `dims`, pairs of an argument and a dimension, the two results of `map` are equal, or, with `least`, the
/// first is no less than the second. Both stand for the braces of `text` where that does not hold.
///
///   {dims = array<i64: 0, 1, 1, 0>, map = affine_map<()[s0, s1] -> (s0 + 1, s1)>, text = "add: extents {} and {} differ"}
constexpr llvm::StringLiteral kShapeConditions = "shape_conditions";

class ShapeConditions {
public:
  /// What the function has already stays.
  ShapeConditions(FunctionOpInterface function, const SymbolicShapes &shapes);

  /// Adds a condition. Fails where an expression holds something else than extents of the arguments: see assertShape.
  LogicalResult add(AffineExpr one, AffineExpr other, bool isLeast, const Twine &text);
  void setAttribute();

private:
  FunctionOpInterface function;
  const SymbolicShapes &shapes;
  llvm::SetVector<Attribute> all;
};

/// Two numbers that must be equal; `text` says what they are, with braces for each.
struct ShapeCheck {
  std::string text;
  Value got, want;
};

/// Computes both sides of the conditions that `function` has, where `builder` stands.
SmallVector<ShapeCheck> computeShapeConditions(FunctionOpInterface function, OpBuilder &builder);

/// An extent of an argument, by the argument's number and the dimension; none where it is not known.
using FindExtent = llvm::function_ref<std::optional<int64_t>(int64_t argument, int64_t dim)>;

/// Whether a call may have the extents that `find` knows: false where one of `conditions` (see kShapeConditions, null for none)
/// does not hold, whatever the other extents are.
bool mayHold(ArrayAttr conditions, FindExtent find);

/// The dimensions of arguments, each once, that conditions say as expressions of others: the second of
/// `affine_map<()[s0, s1] -> (s1, s0 floordiv 2 + 1)>`. `act` is also given the extent, where that of the others is known.
void forEachComputedDim(ArrayAttr conditions, FindExtent find,
                        llvm::function_ref<void(int64_t argument, int64_t dim, std::optional<int64_t> extent)> act);

/// A condition for ops of a region that may not run, such as a branch: the condition is computed, and a `cf.assert` with
/// `text` stands where `builder` does.
void assertShape(OpBuilder &builder, Location loc, const SymbolicShapes &shapes, AffineExpr one, AffineExpr other,
                 bool isLeast, const Twine &text);

} // namespace mlir::fuse

#endif // FUSE_IR_SHAPECONDITIONS_H
