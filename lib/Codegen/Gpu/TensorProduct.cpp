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
// ldmatrix gives lanes just that of matrices of 8 x 8 in shared memory, transposed where asked. With
// TF32 (m16n8k8) the same lanes have one step where the others have two, so that the bytes are the
// same; only, such matrices cannot be transposed.
//
//===----------------------------------------------------------------------------------------===//

#include "TileProduct.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

constexpr int64_t kRows = 16, kColumns = 8, kSubgroup = 32;
/// Of a line of a matrix. A staged line has so many more: lanes that read one behind the other then
/// hit all banks.
constexpr int64_t kLineBytes = 16;

class TensorProduct : public TileProduct {
public:
  TensorProduct(OpBuilder &b, Location loc, const ContractionPlan &plan, Value thread,
                bool lhsRunsAlongSteps, bool rhsRunsAlongSteps)
      : b(b), loc(loc), plan(plan), isTransposed{!rhsRunsAlongSteps, !lhsRunsAlongSteps},
        elementBytes(plan.stagedLhs.getIntOrFloatBitWidth() / 8),
        line(kLineBytes / elementBytes) {
    lane = arith::RemUIOp::create(b, loc, thread, index(kSubgroup));
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
    int64_t lines = isLhs ? plan.paddedRows() : plan.paddedColumns();
    return isStepLast(isLhs)
               ? MemRefType::get({lines, plan.steps + line}, plan.stagedLhs)
               : MemRefType::get({plan.steps, lines + line}, plan.stagedLhs);
  }

  bool isStepLast(bool isLhs) const override { return plan.roundsToTf32 || !isTransposed[isLhs]; }

  SmallVector<Value> accumulate(Value lhs, Value rhs, ArrayRef<Value> sums) override {
    SmallVector<Value> next(sums);
    for (int64_t step = 0; step < plan.steps; step += 2 * line) {
      SmallVector<SmallVector<Value>> left, right;
      for (int64_t i = 0; i < plan.tileM; i += kRows)
        left.push_back(loadMatrices(lhs, true, add(firstRow, i), step, 4));
      for (int64_t j = 0; j < plan.tileN; j += kColumns)
        right.push_back(loadMatrices(rhs, false, add(firstColumn, j), step, 2));
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

  /// What the lane has of `count` matrices: those of 8 lines from `firstLine` on, for four of them
  /// the next 8 too, at the first half of the steps, and the same at the other half.
  SmallVector<Value> loadMatrices(Value staged, bool isLhs, Value firstLine, int64_t step,
                                  int64_t count) {
    // Lane i gives the address of row i % 8 of matrix i / 8; those behind the last do not matter.
    Value row = arith::RemUIOp::create(b, loc, lane, index(8));
    Value matrix = arith::DivUIOp::create(b, loc, lane, index(8));
    Value moreLines = index(0), moreSteps = matrix;
    if (count == 4) {
      moreLines = multiply(arith::RemUIOp::create(b, loc, matrix, index(2)), 8);
      moreSteps = arith::DivUIOp::create(b, loc, matrix, index(2));
    }
    moreSteps = multiply(arith::RemUIOp::create(b, loc, moreSteps, index(2)), line);
    Value atLine = add(firstLine, moreLines), atStep = add(moreSteps, step);
    bool isStepLast = this->isStepLast(isLhs);
    Value slow = add(isStepLast ? atLine : atStep, row), fast = isStepLast ? atStep : atLine;
    auto pitch = cast<MemRefType>(staged.getType()).getDimSize(1);
    Value place = multiply(add(multiply(slow, pitch), fast), elementBytes);

    auto i32 = b.getI32Type();
    Type type = LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(count, i32));
    auto layout = isStepLast ? NVVM::MMALayout::row : NVVM::MMALayout::col; // col: transposed
    Value loaded = NVVM::LdMatrixOp::create(
        b, loc, type, getSharedPointer(staged, place), b.getI32IntegerAttr(count),
        NVVM::MMALayoutAttr::get(b.getContext(), layout),
        NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8),
        NVVM::LdStMatrixEltTypeAttr::get(b.getContext(), NVVM::LdStMatrixEltType::B16));
    SmallVector<Value> values;
    for (int64_t i = 0; i < count; ++i) {
      Value bits = LLVM::ExtractValueOp::create(b, loc, loaded, ArrayRef<int64_t>{i});
      // Other types than f16 stay the integers that the instruction takes.
      values.push_back(plan.stagedLhs.isF16()
                           ? Value(LLVM::BitcastOp::create(
                                 b, loc, VectorType::get({2}, plan.stagedLhs), bits))
                           : bits);
    }
    return values;
  }

  /// The address in shared memory `bytes` behind where a buffer begins.
  Value getSharedPointer(Value buffer, Value bytes) {
    Value address = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, buffer);
    address = arith::IndexCastOp::create(b, loc, b.getI64Type(), add(address, bytes));
    Value generic =
        LLVM::IntToPtrOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()), address);
    auto shared = LLVM::LLVMPointerType::get(
        b.getContext(), static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared));
    return LLVM::AddrSpaceCastOp::create(b, loc, shared, generic);
  }

  void multiplyFragment(ArrayRef<Value> left, ArrayRef<Value> right, MutableArrayRef<Value> sums) {
    auto type = LLVM::LLVMStructType::getLiteral(b.getContext(),
                                                 SmallVector<Type>(4, b.getF32Type()));
    auto element = plan.stagedLhs.isF16()    ? NVVM::MMATypes::f16
                   : plan.stagedLhs.isBF16() ? NVVM::MMATypes::bf16
                                             : NVVM::MMATypes::tf32;
    Value product = NVVM::MmaOp::create(
        b, loc, type, left, right, ValueRange(ArrayRef<Value>(sums)),
        ArrayRef<int64_t>{kRows, kColumns, 2 * line}, std::nullopt, std::nullopt,
        std::array<NVVM::MMATypes, 2>{element, element},
        std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row, NVVM::MMALayout::col});
    for (auto [i, sum] : llvm::enumerate(sums))
      sum = LLVM::ExtractValueOp::create(b, loc, product, ArrayRef<int64_t>{static_cast<int64_t>(i)});
  }

  OpBuilder &b;
  Location loc;
  const ContractionPlan &plan;
  bool isTransposed[2]; // the right operand in memory, and the left one
  int64_t elementBytes, line;
  Value lane, firstRow, firstColumn, quad, pair;
};

} // namespace

std::unique_ptr<TileProduct> mlir::fuse::makeTensorProduct(OpBuilder &b, Location loc,
                                                           const ContractionPlan &plan,
                                                           Value thread, bool lhsRunsAlongSteps,
                                                           bool rhsRunsAlongSteps) {
  return std::make_unique<TensorProduct>(b, loc, plan, thread, lhsRunsAlongSteps,
                                         rhsRunsAlongSteps);
}
