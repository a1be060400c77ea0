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
// Of integers of 8 bits (m16n8k32) lanes have four steps where they have two of f16. Those that lie with the steps outside
// ldmatrix transposes in pairs of neighbouring lines: see loadPairs.
//
//===----------------------------------------------------------------------------------------===//

#include "AsyncCopies.h"
#include "TileProduct.h"
#include "fuse/Analysis/TensorTiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

constexpr int64_t kRows = kFragmentRows, kColumns = kFragmentColumns;
/// Of a line of a matrix. A staged line has so many more: lanes that read one behind the other then
/// hit all banks.
constexpr int64_t kFragmentLineBytes = 16;
/// Elements of f32 between the ends of lines of k outside, which lanes read one by one.
constexpr int64_t kPad = 8;

class TensorProduct : public TileProduct {
public:
  TensorProduct(OpBuilder &b, Location loc, const ContractionPlan &plan, Value thread,
                bool lhsRunsAlongSteps, bool rhsRunsAlongSteps)
      : b(b), loc(loc), plan(plan), isTransposed{!rhsRunsAlongSteps, !lhsRunsAlongSteps},
        elementBytes(plan.stagedLhs.getIntOrFloatBitWidth() / 8),
        line(kFragmentLineBytes / elementBytes) {
    lane = arith::RemUIOp::create(b, loc, thread, index(kSubgroupThreads));
    Value subgroup = arith::DivUIOp::create(b, loc, thread, index(kSubgroupThreads));
    Value takers = index(plan.takersN);
    firstRow = multiply(arith::DivUIOp::create(b, loc, subgroup, takers), plan.tileM);
    firstColumn = multiply(arith::RemUIOp::create(b, loc, subgroup, takers), plan.tileN);
    quad = arith::DivUIOp::create(b, loc, lane, index(4));
    pair = multiply(arith::RemUIOp::create(b, loc, lane, index(4)), 2);
  }

  SmallVector<Point> getPoints() override {
    // Where lines come in pairs, of the fragments' rows g and g + 8 or of two fragments' columns c, they are lines 2 g and
    // 2 g + 1, or 2 c and 2 c + 1.
    bool hasRowPairs = comesInPairs(true), hasColumnPairs = comesInPairs(false);
    Value rowOfLane = add(firstRow, hasRowPairs ? multiply(quad, 2) : quad);
    Value columnOfLane = add(firstColumn, hasColumnPairs ? multiply(pair, 2) : pair);
    SmallVector<Point> points(plan.tileM * plan.tileN / kSubgroupThreads);
    forFragments([&](int64_t i, int64_t j) {
      for (int64_t half = 0; half < 2; ++half) {
        Value row = add(rowOfLane, i * kRows + half * (hasRowPairs ? 1 : 8));
        for (int64_t e = 0; e < 2; ++e)
          points[getSum(i, j, half, e)] = {
              row, add(columnOfLane, hasColumnPairs ? j / 2 * 2 * kColumns + 2 * e + j % 2 : j * kColumns + e)};
      }
    });
    return points;
  }

  /// So many elements begin in banks of their own if they are an odd number of times 16 bytes.
  int64_t padLine(int64_t elements) const {
    return elementBytes == 4 ? elements + kPad : (static_cast<int64_t>(llvm::divideCeil(elements, line)) | 1) * line;
  }

  int64_t getRun() const override { return comesInPairs(false) ? 4 : 2; }

  MemRefType getStagedType(bool isLhs) const override {
    int64_t lines = isLhs ? plan.paddedRows() : plan.paddedColumns();
    return isStepLast(isLhs)
               ? MemRefType::get({lines, plan.steps + line}, plan.stagedLhs)
               : MemRefType::get({plan.steps, padLine(lines)}, plan.stagedLhs);
  }

  bool isStepLast(bool isLhs) const override { return !isTransposed[isLhs]; }

  /// What loadPairs loads as one matrix lies in neighbouring lines, which are in banks of their own: of 16 steps 4t and
  /// 4t + 1 in the first eight, 4t + 2 and 4t + 3 in the others.
  Value getLineOfStep(bool isLhs, Value step) override {
    if (!comesInPairs(isLhs))
      return step;
    Value line = add(multiply(getDigit(step, 4, 4), 2), getDigit(step, 1, 2));
    return add(add(line, multiply(getDigit(step, 2, 2), 8)), multiply(getDigit(step, 16), 16));
  }
  Value getStepOfLine(bool isLhs, Value line) override {
    if (!comesInPairs(isLhs))
      return line;
    Value step = add(multiply(getDigit(line, 2, 4), 4), getDigit(line, 1, 2));
    return add(add(step, multiply(getDigit(line, 8, 2), 2)), multiply(getDigit(line, 16), 16));
  }
  int64_t getStepsTogether(bool isLhs) const override { return comesInPairs(isLhs) ? 16 : 1; }

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
      forFragments([&](int64_t i, int64_t j) {
        SmallVector<Value> fragment;
        for (int64_t e = 0; e < 4; ++e)
          fragment.push_back(next[getSum(i, j, e / 2, e % 2)]);
        multiplyFragment(left[i], right[j], fragment);
        for (int64_t e = 0; e < 4; ++e)
          next[getSum(i, j, e / 2, e % 2)] = fragment[e];
      });
    }
    return next;
  }

private:
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  Value multiply(Value value, int64_t by) {
    return arith::MulIOp::create(b, loc, value, index(by));
  }
  /// value / by, modulo `modulus` if that is given.
  Value getDigit(Value value, int64_t by, int64_t modulus = 0) {
    value = arith::DivUIOp::create(b, loc, value, index(by));
    return modulus > 0 ? Value(arith::RemUIOp::create(b, loc, value, index(modulus))) : value;
  }
  Value add(Value left, Value right) { return arith::AddIOp::create(b, loc, left, right); }
  Value add(Value left, int64_t right) { return add(left, index(right)); }

  void forFragments(llvm::function_ref<void(int64_t, int64_t)> emit) {
    for (int64_t i = 0; i < plan.tileM / kRows; ++i)
      for (int64_t j = 0; j < plan.tileN / kColumns; ++j)
        emit(i, j);
  }

  /// Whether lines of the operand come in pairs: of bytes that lie with the steps outside.
  bool comesInPairs(bool isLhs) const { return plan.takesBytes && !isStepLast(isLhs); }

  /// The number of a lane's sum: of fragment i, j the rows' half and the column. Sums in one row lie one behind the other.
  int64_t getSum(int64_t i, int64_t j, int64_t half, int64_t e) const {
    int64_t fragments = plan.tileN / kColumns;
    if (comesInPairs(false))
      return (i * fragments + j / 2 * 2) * 4 + half * 4 + 2 * e + j % 2;
    return (i * fragments + j) * 4 + half * 2 + e;
  }

  /// What the lane has of `count` matrices of 8 lines, from the subgroup's line `firstLine` on. Two are those of the first
  /// half of the steps and of the other half. Four are, of the left operand, those of 16 lines at the first half, then at
  /// the other; of the right one those of 8 lines at both, then those of the next 8.
  SmallVector<Value> loadMatrices(Staged staged, bool isLhs, int64_t firstLine, int64_t step,
                                  int64_t count) {
    if (plan.roundsToTf32 && !isStepLast(isLhs))
      return loadElements(staged, isLhs, firstLine, step, count);
    if (comesInPairs(isLhs))
      return loadPairs(staged, isLhs, firstLine, step);
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
    int64_t pitch = getPitch(staged);
    Value place = multiply(add(multiply(slow, pitch), fast), elementBytes);
    int64_t ahead = elementBytes * (isStepLast ? firstLine * pitch + step : step * pitch + firstLine);
    SmallVector<Value> values = loadWords(staged, place, ahead, count, /*turns=*/!isStepLast);
    // Other types than f16 stay the integers that the instruction takes.
    if (plan.stagedLhs.isF16())
      for (Value &value : values)
        value = LLVM::BitcastOp::create(b, loc, VectorType::get({2}, plan.stagedLhs), value);
    return values;
  }

  static int64_t getPitch(Staged staged) { return cast<MemRefType>(staged.buffer.getType()).getDimSize(1); }

  /// What ldmatrix gives of `count` matrices whose lines begin at the lanes' addresses: `place`, which is the same for all
  /// steps and stages, and `ahead` bytes behind where the stage begins. All loads of a lane are so many bytes behind one
  /// address, which instructions hold as a number.
  SmallVector<Value> loadWords(Staged staged, Value place, int64_t ahead, int64_t count, bool turns) {
    Value pointer = createSharedPointer(b, loc, staged.buffer, place);
    pointer = createBehind(b, loc, pointer, multiply(staged.firstLine, getPitch(staged) * elementBytes));
    pointer = createFurther(b, loc, pointer, ahead);
    auto i32 = b.getI32Type();
    Type type = LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(count, i32));
    auto layout = turns ? NVVM::MMALayout::col : NVVM::MMALayout::row;
    Value loaded = NVVM::LdMatrixOp::create(
        b, loc, type, pointer, b.getI32IntegerAttr(count),
        NVVM::MMALayoutAttr::get(b.getContext(), layout),
        NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8),
        NVVM::LdStMatrixEltTypeAttr::get(b.getContext(), NVVM::LdStMatrixEltType::B16));
    SmallVector<Value> values;
    for (int64_t i = 0; i < count; ++i)
      values.push_back(LLVM::ExtractValueOp::create(b, loc, loaded, ArrayRef<int64_t>{i}));
    return values;
  }

  /// The same of bytes with the steps outside, of 16 lines at 32 steps. ldmatrix turns elements of two bytes, which are
  /// here two lines at one step: of a matrix whose rows are 8 steps lane 4g + t gets lines 2g and 2g + 1 at the steps of
  /// rows 2t and 2t + 1. Rows are steps 4t and 4t + 1 of one matrix and 4t + 2 and 4t + 3 of the next (see getLineOfStep), so
  /// that both words together have four steps of two lines each, which two permutations of their bytes tell apart:
  ///
  ///   word 0:  line 2g      line 2g + 1  line 2g      line 2g + 1      even bytes: line 2g     at 4t … 4t + 3
  ///            at 4t        at 4t        at 4t + 1    at 4t + 1
  ///   word 1:  the same at 4t + 2 and 4t + 3                           odd bytes:  line 2g + 1 at 4t … 4t + 3
  SmallVector<Value> loadPairs(Staged staged, bool isLhs, int64_t firstLine, int64_t step) {
    Value row = arith::RemUIOp::create(b, loc, lane, index(8));
    Value matrix = arith::DivUIOp::create(b, loc, lane, index(8));
    Value slow = add(row, multiply(matrix, 8));
    int64_t pitch = getPitch(staged);
    Value place = add(multiply(slow, pitch), isLhs ? firstRow : firstColumn);
    SmallVector<Value> words = loadWords(staged, place, step * pitch + firstLine, 4, /*turns=*/true);
    auto four = VectorType::get({4}, b.getI8Type());
    auto take = [&](int64_t half, int32_t odd) -> Value {
      Value first = LLVM::BitcastOp::create(b, loc, four, words[2 * half]);
      Value second = LLVM::BitcastOp::create(b, loc, four, words[2 * half + 1]);
      Value bytes = LLVM::ShuffleVectorOp::create(b, loc, first, second,
                                                  ArrayRef<int32_t>{odd, odd + 2, odd + 4, odd + 6});
      return LLVM::BitcastOp::create(b, loc, b.getI32Type(), bytes);
    };
    if (isLhs)
      return {take(0, 0), take(0, 1), take(1, 0), take(1, 1)};
    return {take(0, 0), take(1, 0), take(0, 1), take(1, 1)};
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

  void multiplyFragment(ArrayRef<Value> left, ArrayRef<Value> right, SmallVectorImpl<Value> &sums) {
    auto type = LLVM::LLVMStructType::getLiteral(b.getContext(),
                                                 SmallVector<Type>(4, sums.front().getType()));
    auto getByteType = [](bool isSigned) { return isSigned ? NVVM::MMATypes::s8 : NVVM::MMATypes::u8; };
    auto element = plan.stagedLhs.isF16()    ? NVVM::MMATypes::f16
                   : plan.stagedLhs.isBF16() ? NVVM::MMATypes::bf16
                                             : NVVM::MMATypes::tf32;
    std::array<NVVM::MMATypes, 2> elements = {element, element};
    std::optional<NVVM::MMAIntOverflow> overflow;
    if (plan.takesBytes) {
      elements = {getByteType(plan.isLhsSigned), getByteType(plan.isRhsSigned)};
      overflow = NVVM::MMAIntOverflow::wrapped;
    }
    Value product = NVVM::MmaOp::create(
        b, loc, type, left, right, ValueRange(ArrayRef<Value>(sums)),
        ArrayRef<int64_t>{kRows, kColumns, 2 * line}, std::nullopt, overflow, elements,
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
