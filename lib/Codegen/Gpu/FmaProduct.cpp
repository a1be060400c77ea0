//===- FmaProduct.cpp - Products by multiply and add ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../Kernel/LoopCode.h"
#include "Alignment.h"
#include "TileProduct.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// A staged line has a few elements more, so that lines do not begin in one bank of shared memory.
constexpr int64_t kLinePadding = 4;
/// Bytes of the widest load.
constexpr int64_t kLoadBytes = 16;

class FmaProduct : public TileProduct {
public:
  FmaProduct(OpBuilder &b, Location loc, const ContractionPlan &plan, Value thread)
      : b(b), loc(loc), plan(plan) {
    Value takers = index(plan.takersN);
    firstRow = multiply(arith::DivUIOp::create(b, loc, thread, takers), plan.tileM);
    firstColumn = multiply(arith::RemUIOp::create(b, loc, thread, takers), plan.tileN);
  }

  SmallVector<Point> getPoints() override {
    SmallVector<Point> points;
    for (int64_t i = 0; i < plan.tileM; ++i) {
      Value row = arith::AddIOp::create(b, loc, firstRow, index(i));
      for (int64_t j = 0; j < plan.tileN; ++j)
        points.push_back({row, arith::AddIOp::create(b, loc, firstColumn, index(j))});
    }
    return points;
  }

  int64_t getRun() const override { return plan.tileN; }

  MemRefType getStagedType(bool isLhs) const override {
    int64_t line = isLhs ? plan.paddedRows() : plan.paddedColumns();
    return MemRefType::get({plan.steps, static_cast<int64_t>(llvm::alignTo(line, kLinePadding)) +
                                            kLinePadding},
                           isLhs ? plan.stagedLhs : plan.stagedRhs);
  }

  bool isStepLast(bool) const override { return false; }

  SmallVector<Value> accumulate(Staged lhs, Staged rhs, ArrayRef<Value> sums) override {
    auto loop = scf::ForOp::create(b, loc, index(0), index(plan.steps), index(1), sums);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(loop.getBody());
    Value step = loop.getInductionVar();
    SmallVector<Value> left = loadLine(lhs, step, firstRow, plan.tileM);
    SmallVector<Value> right = loadLine(rhs, step, firstColumn, plan.tileN);
    SmallVector<Value> next;
    for (int64_t i = 0; i < plan.tileM; ++i)
      for (int64_t j = 0; j < plan.tileN; ++j)
        next.push_back(
            multiplyAdd(left[i], right[j], loop.getRegionIterArg(i * plan.tileN + j)));
    scf::YieldOp::create(b, loc, next);
    return llvm::to_vector_of<Value>(loop.getResults());
  }

private:
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  Value multiply(Value value, int64_t by) {
    return arith::MulIOp::create(b, loc, value, index(by));
  }

  SmallVector<Value> loadLine(Staged matrix, Value step, Value first, int64_t count) {
    Value staged = matrix.buffer;
    step = arith::AddIOp::create(b, loc, matrix.firstLine, step);
    auto type = cast<MemRefType>(staged.getType());
    int64_t bytes = type.getElementTypeBitWidth() / 8;
    int64_t width = std::gcd(count, std::max<int64_t>(1, kLoadBytes / std::max<int64_t>(1, bytes)));
    // Lines are multiples of kLinePadding long.
    width = std::gcd(width, kLinePadding);
    SmallVector<Value> values;
    for (int64_t i = 0; i < count; i += width) {
      Value at = arith::AddIOp::create(b, loc, first, index(i));
      if (width == 1) {
        values.push_back(memref::LoadOp::create(b, loc, staged, ValueRange{step, at}));
        continue;
      }
      llvm::append_range(
          values, createElements(b, loc, createChunkLoad(b, loc, staged, {step, at}, width)));
    }
    return values;
  }

  /// In one rounding where the product and the sum may be contracted.
  Value multiplyAdd(Value left, Value right, Value sum) {
    IRMapping known;
    known.map(plan.multiply->getOperand(0), left);
    known.map(plan.multiply->getOperand(1), right);
    for (Value operand : plan.add->getOperands())
      if (operand != plan.multiply->getResult(0))
        known.map(operand, sum);
    if (Value contracted = createMultiplyAdd(b, *plan.add, known))
      return contracted;
    b.clone(*plan.multiply, known);
    return b.clone(*plan.add, known)->getResult(0);
  }

  OpBuilder &b;
  Location loc;
  const ContractionPlan &plan;
  Value firstRow, firstColumn;
};

} // namespace

std::unique_ptr<TileProduct> mlir::fuse::makeFmaProduct(OpBuilder &b, Location loc,
                                                        const ContractionPlan &plan,
                                                        Value thread) {
  return std::make_unique<FmaProduct>(b, loc, plan, thread);
}
