//===- ExtentValues.h - Numbers of the program that extents are computed as -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_COMMON_EXTENTVALUES_H
#define FUSE_IMPORT_COMMON_EXTENTVALUES_H

#include "fuse/IR/ShapeConditions.h"

#include <string>
#include <vector>

namespace mlir::fuse::importer {

/// The expressions of extents, and their values. What is computed of the arguments' extents alone stands in front of
/// all else, once for each expression.
class ExtentValues {
public:
  explicit ExtentValues(MLIRContext *context) : shapes(context) {}

  SymbolicShapes shapes;

  /// What must be equal in each call, or, with `isLeast`, of which the first must be no less: `text` says so of both.
  struct Assumption {
    AffineExpr extent, number;
    bool isLeast;
    std::string text;
  };
  std::vector<Assumption> assumptions;
  /// What symbols are at least: of extents where more than 0 is known, and of other numbers where anything is.
  llvm::DenseMap<AffineExpr, int64_t> leasts;
  /// Numbers that were computed of extents, each once, so that equal ones are seen to be equal.
  struct Computed {
    StringRef op;
    SmallVector<AffineExpr, 2> operands;
    AffineExpr result;
  };
  std::vector<Computed> computed;
  /// How many branches around hold what is imported: what they assume matters where they run alone.
  unsigned branchDepth = 0;

  /// What is computed of the arguments' extents alone is seen to before the first launch, all else where `builder`
  /// stands.
  void assume(OpBuilder &builder, Location loc, AffineExpr extent, AffineExpr number, bool isLeast,
              const std::string &text) {
    if (branchDepth == 0 && shapes.isOfArguments(extent, function) && shapes.isOfArguments(number, function))
      assumptions.push_back(
          {extent, number, isLeast, text + ": an extent of {}, expected " + (isLeast ? "at least {}" : "{}")});
    else
      assertShape(builder, loc, shapes, extent, number, isLeast, text + ": an extent is not as expected");
  }

  /// A number, or a value that is of use where `builder` stands.
  OpFoldResult get(OpBuilder &builder, Location loc, AffineExpr extent) {
    if (isa<AffineConstantExpr>(extent) || !shapes.isOfArguments(extent, function))
      return shapes.materialize(builder, loc, extent);
    OpFoldResult &known = values[extent];
    if (known)
      return known;
    OpBuilder::InsertionGuard guard(builder);
    if (last)
      builder.setInsertionPointAfter(last);
    else
      builder.setInsertionPointToStart(function);
    known = shapes.materialize(builder, loc, extent);
    last = cast<Value>(known).getDefiningOp();
    return known;
  }

  /// Before the first call of get(): the block whose arguments are those of the program.
  void setFunction(Block *block) { function = block; }

private:
  Block *function = nullptr;
  Operation *last = nullptr;
  llvm::DenseMap<AffineExpr, OpFoldResult> values;
};

} // namespace mlir::fuse::importer

#endif // FUSE_IMPORT_COMMON_EXTENTVALUES_H
