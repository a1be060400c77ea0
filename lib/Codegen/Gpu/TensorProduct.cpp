//===- TensorProduct.cpp - Products by tensor cores ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// mma.sync.m16n8k16 (PTX ISA, "Matrix multiply-accumulate operation using mma instruction"): of a
// fragment, lane 4g + t has of the left operand rows g and g + 8 at steps 2t, 2t + 1 and 8 more; of
// the right one column g at the same steps; of the sums rows g and g + 8 at columns 2t and 2t + 1.
//
//===----------------------------------------------------------------------------------------===//

#include "TileProduct.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

constexpr int64_t kRows = 16, kColumns = 8, kSteps = 16, kSubgroup = 32;
/// A staged line has 16 bytes more: lanes that read one behind the other then hit all banks.
constexpr int64_t kLinePadding = 8;

class TensorProduct : public TileProduct {
public:
  TensorProduct(OpBuilder &b, Location loc, const ContractionPlan &plan, Value thread)
      : b(b), loc(loc), plan(plan) {
    Value lane = arith::RemUIOp::create(b, loc, thread, index(kSubgroup));
    Value subgroup = arith::DivUIOp::create(b, loc, thread, index(kSubgroup));
    Value takers = index(plan.takersN);
    firstRow = multiply(arith::DivUIOp::create(b, loc, subgroup, takers), plan.tileM);
    firstColumn = multiply(arith::RemUIOp::create(b, loc, subgroup, takers), plan.tileN);
    quad = arith::DivUIOp::create(b, loc, lane, index(4));
    pair = multiply(arith::RemUIOp::create(b, loc, lane, index(4)), 2);
  }

  SmallVector<Point> getPoints() override {
    SmallVector<Point> points;
    Value rowOfLane = add(firstRow, quad), columnOfLane = add(firstColumn, pair);
    forFragments([&](int64_t i, int64_t j) {
      for (int64_t half = 0; half < 2; ++half) {
        Value row = add(rowOfLane, i * kRows + half * 8);
        for (int64_t e = 0; e < 2; ++e)
          points.push_back({row, add(columnOfLane, j * kColumns + e)});
      }
    });
    return points;
  }

  int64_t getRun() const override { return 2; }

  MemRefType getStagedType(bool isLhs) const override {
    return MemRefType::get(
        {isLhs ? plan.paddedRows() : plan.paddedColumns(), plan.steps + kLinePadding},
        plan.stagedLhs);
  }

  bool isStepLast() const override { return true; }

  SmallVector<Value> accumulate(Value lhs, Value rhs, ArrayRef<Value> sums) override {
    SmallVector<Value> next(sums);
    for (int64_t step = 0; step < plan.steps; step += kSteps) {
      SmallVector<SmallVector<Value>> left, right;
      for (int64_t i = 0; i < plan.tileM; i += kRows) {
        Value row = add(add(firstRow, quad), i);
        left.push_back({});
        for (int64_t k : {0, 8})
          for (int64_t half : {0, 8})
            left.back().push_back(loadPair(lhs, add(row, half), add(pair, step + k)));
      }
      for (int64_t j = 0; j < plan.tileN; j += kColumns) {
        Value column = add(add(firstColumn, quad), j);
        right.push_back({loadPair(rhs, column, add(pair, step)),
                         loadPair(rhs, column, add(pair, step + 8))});
      }
      unsigned first = 0;
      forFragments([&](int64_t i, int64_t j) {
        multiplyFragment(left[i], right[j], MutableArrayRef<Value>(next).slice(first, 4));
        first += 4;
      });
    }
    return next;
  }

private:
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  Value multiply(Value value, int64_t by) {
    return arith::MulIOp::create(b, loc, value, index(by));
  }
  Value add(Value left, Value right) { return arith::AddIOp::create(b, loc, left, right); }
  Value add(Value left, int64_t right) { return add(left, index(right)); }

  void forFragments(llvm::function_ref<void(int64_t, int64_t)> emit) {
    for (int64_t i = 0; i < plan.tileM / kRows; ++i)
      for (int64_t j = 0; j < plan.tileN / kColumns; ++j)
        emit(i, j);
  }

  /// Two steps of a line; bf16 as the integer that the instruction takes.
  Value loadPair(Value staged, Value line, Value step) {
    auto type = VectorType::get({2}, plan.stagedLhs);
    auto load = vector::LoadOp::create(b, loc, type, staged, ValueRange{line, step});
    load->setAttr("alignment", b.getI64IntegerAttr(4));
    if (plan.stagedLhs.isF16())
      return load.getResult();
    auto bits = VectorType::get({1}, b.getI32Type());
    return vector::ExtractOp::create(
        b, loc, vector::BitCastOp::create(b, loc, bits, load.getResult()).getResult(),
        ArrayRef<int64_t>{0});
  }

  void multiplyFragment(ArrayRef<Value> left, ArrayRef<Value> right, MutableArrayRef<Value> sums) {
    auto type = LLVM::LLVMStructType::getLiteral(b.getContext(),
                                                 SmallVector<Type>(4, b.getF32Type()));
    auto element = plan.stagedLhs.isF16() ? NVVM::MMATypes::f16 : NVVM::MMATypes::bf16;
    Value product = NVVM::MmaOp::create(
        b, loc, type, left, right, ValueRange(ArrayRef<Value>(sums)),
        ArrayRef<int64_t>{kRows, kColumns, kSteps}, std::nullopt, std::nullopt,
        std::array<NVVM::MMATypes, 2>{element, element},
        std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row, NVVM::MMALayout::col});
    for (auto [i, sum] : llvm::enumerate(sums))
      sum = LLVM::ExtractValueOp::create(b, loc, product, ArrayRef<int64_t>{static_cast<int64_t>(i)});
  }

  OpBuilder &b;
  Location loc;
  const ContractionPlan &plan;
  Value firstRow, firstColumn, quad, pair;
};

} // namespace

std::unique_ptr<TileProduct> mlir::fuse::makeTensorProduct(OpBuilder &b, Location loc,
                                                           const ContractionPlan &plan,
                                                           Value thread) {
  return std::make_unique<TensorProduct>(b, loc, plan, thread);
}
