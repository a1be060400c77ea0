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

#include <array>
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

  /// Where an element lies in a stage that has its dimensions in this order, and how many elements further one lies that is
  /// so many further along them. The latter holds for each multiple of `getPeriod()` of the first dimension, and of 128 bytes
  /// of the second one. Stages begin at multiples of so many bytes of shared memory, where that is not 1.
  virtual std::array<Value, 2> placeInStage(bool isLhs, Value slow, Value fast) { return {slow, fast}; }
  virtual int64_t getDistance(bool isLhs, int64_t slow, int64_t fast) const {
    return slow * getStagedType(isLhs).getDimSize(1) + fast;
  }
  virtual int64_t getPeriod() const { return 1; }
  virtual int64_t getAlignment() const { return 1; }

  /// A matrix in shared memory, which begins with a line of a buffer that may hold several.
  struct Staged {
    Value buffer, firstLine;
  };
  /// The sums after the products of the staged steps.
  virtual SmallVector<Value> accumulate(Staged lhs, Staged rhs, ArrayRef<Value> sums) = 0;

  /// What threads do with what they have staged, before the barrier that others have it behind.
  virtual void publish() {}
  /// Whether products go on while the threads do something else. Then nothing may be done with the sums, and what is staged
  /// must stay, until `await` has left no part, which gives the sums. Those that the first products add to are what `begin`
  /// gives.
  virtual bool isAwaited() const { return false; }
  virtual SmallVector<Value> begin(ArrayRef<Value> sums) { return llvm::to_vector(sums); }
  /// Waits for all parts but the newest `left`.
  virtual SmallVector<Value> await(ArrayRef<Value> sums, int64_t left) { return llvm::to_vector(sums); }
};

std::unique_ptr<TileProduct> makeFmaProduct(OpBuilder &b, Location loc,
                                            const ContractionPlan &plan, Value thread);
/// `lhsRunsAlongSteps`, `rhsRunsAlongSteps`: whether the operand's memory runs along k.
std::unique_ptr<TileProduct> makeTensorProduct(OpBuilder &b, Location loc,
                                               const ContractionPlan &plan, Value thread,
                                               bool lhsRunsAlongSteps, bool rhsRunsAlongSteps);
/// `plan.usesWarpgroups`: both operands are copied as they lie in memory, in pieces of 16 bytes.
std::unique_ptr<TileProduct> makeWarpgroupProduct(OpBuilder &b, Location loc, const ContractionPlan &plan, Value thread,
                                                  bool lhsRunsAlongSteps, bool rhsRunsAlongSteps);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_GPU_TILEPRODUCT_H
