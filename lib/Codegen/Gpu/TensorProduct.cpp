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

#include "AsyncCopies.h"
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
/// Elements between the ends of lines of k outside: a line of 16 bytes of f16, and of f32 two.
constexpr int64_t kPad = 8;

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
               : MemRefType::get({plan.steps, lines + kPad}, plan.stagedLhs);
  }

  bool isStepLast(bool isLhs) const override { return !isTransposed[isLhs]; }

  SmallVector<Value> accumulate(Staged lhs, Staged rhs, ArrayRef<Value> sums) override {
    SmallVector<Value> next(sums);
    for (int64_t step = 0; step < plan.steps; step += 2 * line) {
      SmallVector<SmallVector<Value>> left, right;
      for (int64_t i = 0; i < plan.tileM; i += kRows)
        left.push_back(loadMatrices(lhs, true, i, step, 4));
      for (int64_t j = 0; j < plan.tileN;) {
        // Two fragments of the right operand at once.
        bool isPair = j + 2 * kColumns <= plan.tileN;
        SmallVector<Value> loaded = loadMatrices(rhs, false, j, step, isPair ? 4 : 2);
        for (ArrayRef<Value> rest = loaded; !rest.empty(); rest = rest.drop_front(2), j += kColumns)
          right.push_back(llvm::to_vector(rest.take_front(2)));
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

  /// What the lane has of `count` matrices of 8 lines, from the subgroup's line `firstLine` on. Two are those of the first
  /// half of the steps and of the other half. Four are, of the left operand, those of 16 lines at the first half, then at
  /// the other; of the right one those of 8 lines at both, then those of the next 8.
  SmallVector<Value> loadMatrices(Staged staged, bool isLhs, int64_t firstLine, int64_t step,
                                  int64_t count) {
    if (plan.roundsToTf32 && !isStepLast(isLhs))
      return loadElements(staged, isLhs, firstLine, step, count);
    // Lane i gives the address of row i % 8 of matrix i / 8; those behind the last do not matter.
    Value row = arith::RemUIOp::create(b, loc, lane, index(8));
    Value matrix = arith::DivUIOp::create(b, loc, lane, index(8));
    Value moreLines = isLhs ? firstRow : firstColumn, moreSteps = matrix;
    if (count == 4) {
      Value fast = arith::RemUIOp::create(b, loc, matrix, index(2));
      Value slow = arith::DivUIOp::create(b, loc, matrix, index(2));
      moreLines = add(moreLines, multiply(isLhs ? fast : slow, 8));
      moreSteps = isLhs ? slow : fast;
    }
    moreSteps = multiply(arith::RemUIOp::create(b, loc, moreSteps, index(2)), line);
    bool isStepLast = this->isStepLast(isLhs);
    Value slow = add(isStepLast ? moreLines : moreSteps, row), fast = isStepLast ? moreSteps : moreLines;
    slow = add(staged.firstLine, slow);
    auto pitch = cast<MemRefType>(staged.buffer.getType()).getDimSize(1);
    Value place = multiply(add(multiply(slow, pitch), fast), elementBytes);
    // All loads of a lane are so many bytes behind one address, which instructions hold as a number.
    int64_t ahead = elementBytes * (isStepLast ? firstLine * pitch + step : step * pitch + firstLine);
    Value pointer = createSharedPointer(b, loc, staged.buffer, place);
    pointer = LLVM::GEPOp::create(b, loc, pointer.getType(), b.getI8Type(), pointer,
                                  ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(ahead)});

    auto i32 = b.getI32Type();
    Type type = LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(count, i32));
    auto layout = isStepLast ? NVVM::MMALayout::row : NVVM::MMALayout::col; // col: transposed
    Value loaded = NVVM::LdMatrixOp::create(
        b, loc, type, pointer, b.getI32IntegerAttr(count),
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

  /// The same where elements of 4 bytes lie with the steps outside, which `ldmatrix` does not turn: of a matrix of 8 lines
  /// and 4 steps lane i has line i / 4 at step i % 4. With 8 elements between the ends of lines all lanes read from banks of
  /// their own.
  SmallVector<Value> loadElements(Staged staged, bool isLhs, int64_t firstLine, int64_t step, int64_t count) {
    Value lineOfLane = add(isLhs ? firstRow : firstColumn, quad);
    Value stepOfLane = add(staged.firstLine, arith::RemUIOp::create(b, loc, lane, index(4)));
    SmallVector<Value> values;
    for (int64_t i = 0; i < count; ++i) {
      bool isMoreLines = count == 4 && (isLhs ? i % 2 : i / 2), isOtherHalf = isLhs ? i / 2 : i % 2;
      Value element = memref::LoadOp::create(
          b, loc, staged.buffer,
          ValueRange{add(stepOfLane, step + (isOtherHalf ? line : 0)), add(lineOfLane, firstLine + (isMoreLines ? 8 : 0))});
      values.push_back(arith::BitcastOp::create(b, loc, b.getI32Type(), element));
    }
    return values;
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
