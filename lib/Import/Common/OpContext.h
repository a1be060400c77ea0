//===- OpContext.h - What one op of a model is imported with -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The part of an importer of one op that does not depend on the format: where ops are built, extents as expressions,
// what must hold of them, how much a model may ask for, and the error at the op. Functions of this folder build what
// the formats have in common (windows, convolutions, poolings, resampling, recurrences, indexing) with it.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_COMMON_OPCONTEXT_H
#define FUSE_IMPORT_COMMON_OPCONTEXT_H

#include "Checks.h"
#include "ExtentValues.h"
#include "Limits.h"
#include "fuse/IR/FuseBuilder.h"

#include "mlir/IR/Diagnostics.h"

namespace mlir::fuse::importer {

class OpContext {
public:
  OpContext(ImplicitLocOpBuilder &builder, ExtentValues &extents, Budget &budget)
      : b(builder, findShapeProblem), extents(extents), budget(budget) {}
  virtual ~OpContext() = default;

  FuseBuilder b;

  /// How messages name the op: `node 'conv1' (Conv)`.
  virtual std::string getDescription() const = 0;

  //===- Extents ----------------------------------------------------------------------------===//

  /// The extents of a value of the program.
  SmallVector<AffineExpr> getExtents(Value value);
  /// A value of type `index` as an extent.
  AffineExpr getExtent(Value number) { return extents.shapes.getNumber(number); }
  /// Extents as numbers and values of the program.
  OpFoldResult getSize(AffineExpr extent) { return extents.get(b.getBuilder(), b.getBuilder().getLoc(), extent); }
  SmallVector<OpFoldResult> getSizes(ArrayRef<AffineExpr> list) {
    return llvm::map_to_vector(list, [&](AffineExpr extent) { return getSize(extent); });
  }
  /// The product of extents: as many elements has a tensor with these.
  AffineExpr getProduct(ArrayRef<AffineExpr> list);
  /// A reshape to extents. Where the shapes alone say which extents are equal, readers run along these.
  Value reshape(Value x, ArrayRef<AffineExpr> to);
  /// Values beside each other along an axis. Beside it their extents are equal: one that is known of some of them is assumed of the
  /// others.
  Value concat(ArrayRef<Value> parts, int64_t axis);
  /// An extent as a tensor of rank 0.
  Value getNumber(AffineExpr extent, Type element) { return b.fromIndex(getSize(extent), element); }
  ExtentValues &getExtentValues() { return extents; }
  AffineExpr getConstant(int64_t value) { return getAffineConstantExpr(value, b.getContext()); }
  /// Takes an extent to be a number. A call in which it is another one is an error.
  void assume(AffineExpr extent, int64_t number) { assumeEqual(extent, getConstant(number)); }
  /// The same of another extent.
  void assumeEqual(AffineExpr extent, AffineExpr other);
  /// Takes an extent to be no less than another one.
  void assumeAtLeast(AffineExpr extent, AffineExpr least);
  /// The least and the greatest value of an expression, by what is known of its symbols: extents are at least 0, other numbers
  /// may be negative. None where no bound is easily seen.
  std::optional<int64_t> getLeast(AffineExpr expr);
  std::optional<int64_t> getMost(AffineExpr expr);
  /// A place along an extent, counted from the end where it is negative. Where the expression leaves open whether it is, the place
  /// is computed.
  AffineExpr getPlace(AffineExpr at, AffineExpr extent);
  /// A negative axis counts from the end; one outside [−rank, rank) is a failure (and counts as 0).
  int64_t normalizeAxis(int64_t axis, int64_t rank);

  //===- Errors -----------------------------------------------------------------------------===//

  /// Reports an error at the op: `text` after its description. What follows from the first error is not reported.
  LogicalResult fail(const Twine &text);
  bool hasFailed() const { return isFailed || b.hasFailed(); }
  /// Before `count` elements of a list are made up, or a part of the op's program is built `count`
  /// times: fails where that goes beyond what one model may ask for.
  LogicalResult takeListed(int64_t count);
  LogicalResult takeUnrolled(int64_t count);

protected:
  /// What may help against any error of this op: "; give the extents with --dim batch=N". Empty where nothing does.
  virtual std::string describeRemedy() const { return {}; }

  ExtentValues &extents;
  Budget &budget;
  bool isFailed = false;
};

} // namespace mlir::fuse::importer

#endif // FUSE_IMPORT_COMMON_OPCONTEXT_H
