//===- WarpgroupProduct.cpp - Products that warpgroups read from shared memory ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// wgmma of sm_90a: the 128 threads of a warpgroup ask for products of 64 rows and up to 256 columns, which read both operands
// from shared memory themselves and are waited for later. The upstream op of NVGPU, nvgpu.warpgroup.mma, takes descriptors
// of what bulk copies (TMA) have laid out; the threads lay out their own copies here, so that these are NVVM's ops.
//
// An operand lies in shared memory as it does in memory of the device, in lines of 128 bytes. Of f16, whose memory runs along
// the steps, 128 rows and 128 steps are
//
//   lines 0 … 127     rows 0 … 127 at steps 0 … 63
//   lines 128 … 255   the same rows at steps 64 … 127
//
// and where memory runs along the rows, lines are steps, of rows 0 … 63 first. The eight pieces of 16 bytes of a line are
// permuted by its number ("128-byte swizzle"): piece p of line l is stored as number p ^ (l % 8), so that pieces of the same
// number in eight lines lie in banks of their own. The pattern is one of the address: a stage begins at a multiple of 1024.
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

/// Of a line of shared memory, of one of its pieces, and of what a product reads of a row: its steps.
constexpr int64_t kLineBytes = 128, kPieceBytes = 16, kStepBytes = 32;
/// Lines that the pattern begins again after, and all of their bytes.
constexpr int64_t kPatternLines = 8, kPatternBytes = kPatternLines * kLineBytes;

class WarpgroupProduct : public TileProduct {
public:
  WarpgroupProduct(OpBuilder &b, Location loc, const ContractionPlan &plan, Value thread, bool lhsRunsAlongSteps,
                   bool rhsRunsAlongSteps)
      : b(b), loc(loc), plan(plan), runsAlongSteps{rhsRunsAlongSteps, lhsRunsAlongSteps},
        elementBytes(plan.stagedLhs.getIntOrFloatBitWidth() / 8), line(kLineBytes / elementBytes) {
    Value group = index(0), inGroup = thread;
    if (plan.takersM * plan.takersN > 1) {
      group = broadcast(arith::DivUIOp::create(b, loc, thread, index(kWarpgroupThreads)));
      inGroup = arith::RemUIOp::create(b, loc, thread, index(kWarpgroupThreads));
    }
    firstRow = multiply(arith::DivUIOp::create(b, loc, group, index(plan.takersN)), plan.tileM);
    firstColumn = multiply(arith::RemUIOp::create(b, loc, group, index(plan.takersN)), plan.tileN);
    subgroup = arith::DivUIOp::create(b, loc, inGroup, index(kSubgroupThreads));
    lane = arith::RemUIOp::create(b, loc, inGroup, index(kSubgroupThreads));
  }

  SmallVector<Point> getPoints() override {
    // A subgroup has 16 of the 64 rows, a lane two of these, and of eight columns two.
    Value row = add(multiply(subgroup, kFragmentRows), arith::DivUIOp::create(b, loc, lane, index(4)));
    row = add(firstRow, row);
    Value column = multiply(arith::RemUIOp::create(b, loc, lane, index(4)), 2);
    column = add(firstColumn, column);
    SmallVector<Point> points;
    for (int64_t i = 0; i < plan.tileM; i += kWarpgroupRows)
      for (int64_t j = 0; j < plan.tileN; j += kFragmentColumns)
        for (int64_t half = 0; half < 2; ++half)
          for (int64_t e = 0; e < 2; ++e)
            points.push_back({add(row, index(i + half * 8)), add(column, index(j + e))});
    return points;
  }

  int64_t getRun() const override { return 2; }

  MemRefType getStagedType(bool isLhs) const override {
    int64_t fast = isStepLast(isLhs) ? plan.steps : countLines(isLhs);
    return MemRefType::get({static_cast<int64_t>(llvm::divideCeil(fast, line)) * countSlow(isLhs), line}, plan.stagedLhs);
  }

  bool isStepLast(bool isLhs) const override { return runsAlongSteps[isLhs]; }

  std::array<Value, 2> placeInStage(bool isLhs, Value slow, Value fast) override {
    int64_t pieceElements = kPieceBytes / elementBytes;
    Value block = arith::DivUIOp::create(b, loc, fast, index(line));
    Value inLine = arith::RemUIOp::create(b, loc, fast, index(line));
    Value piece = arith::DivUIOp::create(b, loc, inLine, index(pieceElements));
    Value inPiece = arith::RemUIOp::create(b, loc, inLine, index(pieceElements));
    piece = arith::XOrIOp::create(b, loc, piece, arith::RemUIOp::create(b, loc, slow, index(kPatternLines)));
    return {add(multiply(block, countSlow(isLhs)), slow), add(multiply(piece, pieceElements), inPiece)};
  }
  int64_t getDistance(bool isLhs, int64_t slow, int64_t fast) const override {
    return (fast / line * countSlow(isLhs) + slow) * line + fast % line;
  }
  int64_t getPeriod() const override { return kPatternLines; }
  int64_t getAlignment() const override { return kPatternBytes; }

  void publish() override {
    NVVM::FenceProxyOp::create(b, loc, NVVM::ProxyKind::async_shared,
                               NVVM::SharedSpaceAttr::get(b.getContext(), NVVM::SharedSpace::shared_cta));
  }
  bool isAwaited() const override { return true; }

  SmallVector<Value> accumulate(Staged lhs, Staged rhs, ArrayRef<Value> sums) override {
    Value left = createDescriptor(lhs, true), right = createDescriptor(rhs, false);
    SmallVector<Value> next(sums);
    NVVM::WgmmaFenceAlignedOp::create(b, loc);
    int64_t each = plan.tileN / 2, tiles = plan.tileM / kWarpgroupRows;
    auto type = LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(each, sums.front().getType()));
    SmallVector<Value> all;
    for (int64_t i = 0; i < tiles; ++i) {
      Value packed = LLVM::PoisonOp::create(b, loc, type);
      for (int64_t e = 0; e < each; ++e)
        packed = LLVM::InsertValueOp::create(b, loc, packed, next[i * each + e], ArrayRef<int64_t>{e});
      all.push_back(packed);
    }
    for (int64_t step = 0; step < plan.steps; step += kStepBytes / elementBytes)
      for (int64_t i = 0; i < tiles; ++i)
        all[i] = multiply(all[i], move(left, true, i * kWarpgroupRows, step), move(right, false, 0, step));
    NVVM::WgmmaGroupSyncAlignedOp::create(b, loc);
    for (int64_t i = 0; i < tiles; ++i)
      for (int64_t e = 0; e < each; ++e)
        next[i * each + e] = LLVM::ExtractValueOp::create(b, loc, all[i], ArrayRef<int64_t>{e});
    return next;
  }

  SmallVector<Value> begin(ArrayRef<Value> sums) override { return keepInRegisters(sums); }
  SmallVector<Value> await(ArrayRef<Value> sums, int64_t left) override {
    NVVM::WgmmaWaitGroupSyncOp::create(b, loc, left);
    return left == 0 ? keepInRegisters(sums) : llvm::to_vector(sums);
  }

private:
  /// What all threads of a subgroup have alike, so that ptxas sees it: descriptors are in registers that they share.
  Value broadcast(Value number) {
    auto i32 = b.getI32Type();
    auto constant = [&](int32_t value) -> Value { return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value)); };
    number = arith::IndexCastUIOp::create(b, loc, i32, number);
    number = NVVM::ShflOp::create(b, loc, i32, constant(-1), number, constant(0), constant(kSubgroupThreads - 1),
                                  NVVM::ShflKind::idx, UnitAttr());
    return arith::IndexCastUIOp::create(b, loc, b.getIndexType(), number);
  }

  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  Value multiply(Value value, int64_t by) { return arith::MulIOp::create(b, loc, value, index(by)); }
  Value add(Value left, Value right) { return arith::AddIOp::create(b, loc, left, right); }

  int64_t countLines(bool isLhs) const { return isLhs ? plan.paddedRows() : plan.paddedColumns(); }
  /// Lines of a block of 128 bytes along memory.
  int64_t countSlow(bool isLhs) const { return isStepLast(isLhs) ? countLines(isLhs) : plan.steps; }

  /// How many bytes a matrix begins behind another one that has so many lines and steps more in front. Both begin where the
  /// pattern of pieces does, or within its first line.
  int64_t countBytes(bool isLhs, int64_t line, int64_t step) const {
    return (isStepLast(isLhs) ? getDistance(isLhs, line, step) : getDistance(isLhs, step, line)) * elementBytes;
  }

  /// What tells products where a stage's matrix lies, from the warpgroup's first line on (PTX, "Matrix descriptor"), in
  /// units of 16 bytes: where it begins (from bit 0), how far blocks of 128 bytes along memory lie apart (16), how far those
  /// of 8 lines (32), and how pieces are permuted (62; 1 for 128 bytes). Where memory runs along the steps, a product stays
  /// within one block.
  Value createDescriptor(Staged staged, bool isLhs) {
    auto i64 = b.getI64Type();
    auto constant = [&](int64_t value) -> Value { return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value)); };
    Value address = LLVM::PtrToIntOp::create(b, loc, i64, createSharedPointer(b, loc, staged.buffer, index(0)));
    constexpr int64_t kAddressMask = 0x3ffff;
    address = arith::AndIOp::create(b, loc, address, constant(kAddressMask));
    address = arith::ShRUIOp::create(b, loc, address, constant(4));
    int64_t apart = isStepLast(isLhs) ? kPieceBytes : plan.steps * kLineBytes;
    int64_t layout = apart / kPieceBytes << 16 | kPatternBytes / kPieceBytes << 32 | int64_t(1) << 62;
    Value descriptor = arith::OrIOp::create(b, loc, address, constant(layout));
    Value ahead = multiply(staged.firstLine, kLineBytes / kPieceBytes);
    bool isShared = isLhs ? plan.takersM > 1 : plan.takersN > 1;
    if (isShared) {
      Value first = isLhs ? firstRow : firstColumn;
      // Whole lines, or, where memory runs along them, whole blocks.
      int64_t lineBytes = isStepLast(isLhs) ? kLineBytes : plan.steps * elementBytes;
      ahead = add(ahead, multiply(first, lineBytes / kPieceBytes));
    }
    return arith::AddIOp::create(b, loc, descriptor, arith::IndexCastOp::create(b, loc, i64, ahead));
  }

  /// That of the matrix so many lines and steps further.
  Value move(Value descriptor, bool isLhs, int64_t line, int64_t step) {
    int64_t ahead = countBytes(isLhs, line, step) / kPieceBytes;
    return arith::AddIOp::create(b, loc, descriptor, arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(ahead)));
  }

  Value multiply(Value sums, Value left, Value right) {
    auto element = plan.stagedLhs.isF16() ? NVVM::WGMMATypes::f16 : NVVM::WGMMATypes::bf16;
    auto shape = NVVM::MMAShapeAttr::get(b.getContext(), kWarpgroupRows, plan.tileN, kStepBytes / elementBytes);
    auto getLayout = [&](bool isLhs) {
      return isStepLast(isLhs) == isLhs ? NVVM::MMALayout::row : NVVM::MMALayout::col;
    };
    return NVVM::WgmmaMmaAsyncOp::create(b, loc, sums.getType(), sums, left, right, shape, element, element,
                                         NVVM::WGMMATypes::f32, NVVM::WGMMAScaleOut::one, NVVM::WGMMAScaleIn::one,
                                         NVVM::WGMMAScaleIn::one, getLayout(true), getLayout(false),
                                         NVVM::MMAIntOverflowAttr());
  }

  /// Products and waits say nothing to LLVM of the registers that they write and wait for. Assembly of no instructions that
  /// takes and gives all of them keeps what uses them on its side.
  SmallVector<Value> keepInRegisters(ArrayRef<Value> values) {
    SmallVector<std::string> constraints(values.size(), "=f");
    for (size_t i = 0; i < values.size(); ++i)
      constraints.push_back(std::to_string(i));
    auto type = LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(values.size(), values.front().getType()));
    Value kept = LLVM::InlineAsmOp::create(
                     b, loc, type, values, "", llvm::join(constraints, ","), /*has_side_effects=*/true,
                     /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
                     LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT), ArrayAttr())
                     .getResult(0);
    SmallVector<Value> results;
    for (size_t i = 0; i < values.size(); ++i)
      results.push_back(LLVM::ExtractValueOp::create(b, loc, kept, ArrayRef<int64_t>{static_cast<int64_t>(i)}));
    return results;
  }

  OpBuilder &b;
  Location loc;
  const ContractionPlan &plan;
  bool runsAlongSteps[2]; // whether the right operand's memory does, and the left one's
  int64_t elementBytes, line;
  Value firstRow, firstColumn, subgroup, lane;
};

} // namespace

std::unique_ptr<TileProduct> mlir::fuse::makeWarpgroupProduct(OpBuilder &b, Location loc, const ContractionPlan &plan,
                                                              Value thread, bool lhsRunsAlongSteps,
                                                              bool rhsRunsAlongSteps) {
  return std::make_unique<WarpgroupProduct>(b, loc, plan, thread, lhsRunsAlongSteps, rhsRunsAlongSteps);
}
