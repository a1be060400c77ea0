//===- TileProduct.h - Staged matrices multiplied by threads -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_GPU_TILEPRODUCT_H
#define FUSE_LIB_CODEGEN_GPU_TILEPRODUCT_H

#include "ContractionPlan.h"
#include "mlir/IR/Builders.h"

#include <memory>

namespace mlir::fuse {

/// One thread's part of a block's product.
class TileProduct {
public:
  virtual ~TileProduct() = default;

  /// Where a point lies that the thread sums up: values, and a number of columns behind it.
  struct Point {
    Value row, column;
  };
  /// The thread's points, in the order of its sums. Neighbours of `getRun()` points lie in a row,
  /// one behind the other.
  virtual SmallVector<Point> getPoints() = 0;
  virtual int64_t getRun() const = 0;

  /// The shapes that operands are staged in, and whether k is their last dimension.
  virtual MemRefType getStagedType(bool isLhs) const = 0;
  virtual bool isStepLast(bool isLhs) const = 0;
  /// The line that a step is staged in, where k is outside, the step that is staged in a line, and of how many steps each
  /// block of as many lines has all.
  virtual Value getLineOfStep(bool isLhs, Value step) { return step; }
  virtual Value getStepOfLine(bool isLhs, Value line) { return line; }
  virtual int64_t getStepsTogether(bool isLhs) const { return 1; }

  /// A matrix in shared memory, which begins with a line of a buffer that may hold several.
  struct Staged {
    Value buffer, firstLine;
  };
  /// The sums after the products of the staged steps.
  virtual SmallVector<Value> accumulate(Staged lhs, Staged rhs, ArrayRef<Value> sums) = 0;
};

std::unique_ptr<TileProduct> makeFmaProduct(OpBuilder &b, Location loc,
                                            const ContractionPlan &plan, Value thread);
/// `lhsRunsAlongSteps`, `rhsRunsAlongSteps`: whether the operand's memory runs along k.
std::unique_ptr<TileProduct> makeTensorProduct(OpBuilder &b, Location loc,
                                               const ContractionPlan &plan, Value thread,
                                               bool lhsRunsAlongSteps, bool rhsRunsAlongSteps);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_GPU_TILEPRODUCT_H
