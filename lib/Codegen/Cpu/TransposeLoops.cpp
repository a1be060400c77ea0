//===- TransposeLoops.cpp - Members that transpose an operand, in tiles of registers --------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A transposed operand is contiguous along another loop than the result. Element by element, each
// load touches a line of its own; rows of a power of two fall onto each other in the cache besides.
// So a square tile is loaded along the operand's loop, a vector per row, turned in registers, and
// its columns are what the body takes. Beside whole tiles stand partial ones: they are loaded and
// stored under masks, and go through a buffer, so that one loop over their columns has one body.
//
//===----------------------------------------------------------------------------------------===//

#include "../Kernel/BodyAccess.h"
#include "LoopFacts.h"
#include "TransposeTile.h"
#include "VectorBody.h"
#include "fuse/Analysis/VectorAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::fuse;

/// The loop along which inputs are contiguous that are not along `vectors`: one for all of them.
/// None where there are none, or other operands that no vector serves.
static std::optional<unsigned> getCrossedLoop(linalg::GenericOp op, unsigned vectors) {
  std::optional<unsigned> crossed;
  for (OpOperand &operand : op->getOpOperands()) {
    Access access = getAccess(op, operand, vectors);
    if (op.isDpsInit(&operand) && access != Access::Contiguous)
      return std::nullopt;
    if (access != Access::Other)
      continue;
    std::optional<unsigned> along;
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      if (getAccess(op, operand, loop) == Access::Contiguous)
        along = loop;
    if (!along || (crossed && *crossed != *along))
      return std::nullopt;
    crossed = along;
  }
  return crossed;
}

/// Whether all inputs that are not contiguous along `vectors` stand in scratch, and all results in memory. What is read from
/// memory is read in long runs, since its lines take longer to come than those of the result to leave: 2048x2048 f32, 1.8 ms,
/// and 3 to 5 along the result.
static bool turnsScratch(linalg::GenericOp op, unsigned vectors) {
  auto isScratch = [](Value buffer) { return getBase(buffer).getDefiningOp<memref::AllocOp>() != nullptr; };
  return llvm::none_of(op.getDpsInits(), isScratch) && llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *operand) {
           return getAccess(op, *operand, vectors) != Access::Other || isScratch(operand->get());
         });
}

std::unique_ptr<VectorPlan> mlir::fuse::planTranspose(linalg::GenericOp op, int64_t width) {
  constexpr int64_t kMostLanes = 16;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  for (unsigned loop = op.getNumLoops(); loop-- > 0;)
    if (std::optional<unsigned> crossed = getCrossedLoop(op, loop)) {
      auto plan = std::make_unique<TransposePlan>();
      plan->loop = loop;
      plan->crossedLoop = *crossed;
      plan->followsResult = turnsScratch(op, loop);
      plan->lanes = llvm::bit_floor<uint64_t>(std::min(width, kMostLanes));
      bool isShort = false;
      for (int64_t extent : {ranges[loop], ranges[*crossed]}) {
        if (ShapedType::isDynamic(extent))
          continue;
        isShort |= extent < kLeastTurned;
        plan->lanes = std::min<int64_t>(plan->lanes, llvm::bit_ceil<uint64_t>(extent));
      }
      if (!isShort && plan->lanes >= kLeastTurned)
        return plan;
    }
  return nullptr;
}

namespace {

class TransposeLoops : VectorBody {
public:
  TransposeLoops(RewriterBase &b, linalg::GenericOp op, const TransposePlan &plan)
      : VectorBody(b, op, plan.loop, plan.hasFma), crossed(plan.crossedLoop), lanes(plan.lanes),
        followsResult(plan.followsResult) {
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      if (loop != vectorLoop && loop != crossed)
        outer.push_back(loop);
  }

  void emit() {
    for (OpOperand *operand : op.getDpsInputOperands())
      if (isCrossed(*operand) && !op.getMatchingBlockArgument(operand).use_empty())
        crossing.push_back(operand);
    bool hasRows = hasRemainder(crossed, lanes), hasColumns = hasRemainder(vectorLoop, lanes);
    if (hasRows || hasColumns)
      for (OpOperand *operand : crossing)
        buffers[operand->getOperandNumber()] = memref::AllocOp::create(
            b, loc, MemRefType::get({lanes, lanes}, getElementTypeOrSelf(operand->get())));
    for (unsigned loop : outer)
      ivs[loop] = makeFor(index(0), extents[loop], 1).getInductionVar();
    Value columns = wholeSteps(vectorLoop, lanes), rows = wholeSteps(crossed, lanes);
    {
      OpBuilder::InsertionGuard guard(b);
      makeLoops({index(0), columns, lanes}, {index(0), rows, lanes});
      emitTile();
    }
    if (hasRows)
      emitPartial({index(0), columns, lanes}, {rows, extents[crossed], getRemainder(crossed)});
    if (hasColumns)
      emitPartial({columns, extents[vectorLoop], getRemainder(vectorLoop)},
                  {index(0), extents[crossed], hasRows ? ShapedType::kDynamic : lanes});
  }

private:
  bool isCrossed(OpOperand &operand) { return getAccess(op, operand, vectorLoop) == Access::Other; }

  void emitTile() {
    Value column = ivs[vectorLoop], row = ivs[crossed];
    for (OpOperand *operand : crossing)
      turned[operand->getOperandNumber()] = loadTurned(*operand, column);
    ivs[vectorLoop] = column;
    for (position = 0; position < lanes; ++position) {
      ivs[crossed] = arith::AddIOp::create(b, loc, row, index(position));
      emitPoint(lanes, Value());
    }
    turned.clear();
  }

  SmallVector<Value> loadTurned(OpOperand &operand, Value column) {
    SmallVector<Value> vectors;
    auto type = VectorType::get({lanes}, getElementTypeOrSelf(operand.get()));
    for (int64_t lane = 0; lane < lanes; ++lane) {
      ivs[vectorLoop] = arith::AddIOp::create(b, loc, column, index(lane));
      vectors.push_back(vector::LoadOp::create(b, loc, type, operand.get(), indices(operand)));
    }
    transposeTile(b, loc, vectors);
    return vectors;
  }

  /// Iterations of a loop that partial tiles cover, and how many of them each tile has; dynamic where
  /// that is not known, or differs.
  struct Strip {
    Value from, to;
    int64_t count;
  };

  /// The loops over tiles, with what is inside of them to be built next.
  void makeLoops(const Strip &columns, const Strip &rows) {
    std::pair<unsigned, Strip> around = {vectorLoop, columns}, inside = {crossed, rows};
    if (followsResult)
      std::swap(around, inside);
    for (const auto &[loop, strip] : {around, inside})
      ivs[loop] = makeFor(strip.from, strip.to, lanes).getInductionVar();
  }

  /// How many iterations of a loop whole tiles leave.
  int64_t getRemainder(unsigned loop) {
    return ShapedType::isDynamic(ranges[loop]) ? ShapedType::kDynamic : ranges[loop] % lanes;
  }

  void emitPartial(const Strip &columns, const Strip &rows) {
    OpBuilder::InsertionGuard guard(b);
    makeLoops(columns, rows);
    Value column = ivs[vectorLoop], row = ivs[crossed];
    auto countLeft = [&](Value at, const Strip &strip) -> Value {
      if (!ShapedType::isDynamic(strip.count))
        return index(strip.count);
      Value left = arith::SubIOp::create(b, loc, strip.to, at);
      return arith::MinUIOp::create(b, loc, left, index(lanes));
    };
    auto makeMask = [&](Value left, const Strip &strip) -> Value {
      if (strip.count == lanes)
        return {};
      return vector::CreateMaskOp::create(b, loc, maskType(lanes), left);
    };
    Value columnsLeft = countLeft(column, columns), rowsLeft = countLeft(row, rows);
    Value columnMask = makeMask(columnsLeft, columns), rowMask = makeMask(rowsLeft, rows);
    for (OpOperand *operand : crossing)
      bufferTurned(*operand, column, columns, rowMask, rows);
    ivs[vectorLoop] = column;
    // Several at once, where there is a whole number of them: each waits for functions of its own.
    int64_t together = 4;
    while (ShapedType::isDynamic(rows.count) ? together > 1 : rows.count % together != 0)
      together /= 2;
    Value first = makeFor(index(0), rowsLeft, together).getInductionVar();
    for (int64_t i = 0; i < together; ++i) {
      bufferedRow = arith::AddIOp::create(b, loc, first, index(i));
      ivs[crossed] = arith::AddIOp::create(b, loc, row, bufferedRow);
      emitPoint(lanes, columnMask);
    }
    bufferedRow = Value();
  }

  /// A partial tile in the operand's buffer, turned. Lanes that there are none of are not read.
  void bufferTurned(OpOperand &operand, Value column, const Strip &columns, Value rowMask,
                    const Strip &rows) {
    SmallVector<Value> vectors;
    auto type = VectorType::get({lanes}, getElementTypeOrSelf(operand.get()));
    Value zeros = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
    Value last = arith::SubIOp::create(b, loc, columns.to, index(1));
    bool isKnown = !ShapedType::isDynamic(columns.count);
    for (int64_t lane = 0; lane < lanes; ++lane) {
      if (isKnown && lane >= columns.count) {
        vectors.push_back(zeros);
        continue;
      }
      Value at = arith::AddIOp::create(b, loc, column, index(lane));
      ivs[vectorLoop] = isKnown ? at : arith::MinUIOp::create(b, loc, at, last);
      if (rowMask)
        vectors.push_back(vector::MaskedLoadOp::create(b, loc, type, operand.get(),
                                                       indices(operand), rowMask, zeros));
      else
        vectors.push_back(vector::LoadOp::create(b, loc, type, operand.get(), indices(operand)));
    }
    transposeTile(b, loc, vectors);
    int64_t count = ShapedType::isDynamic(rows.count) ? lanes : rows.count;
    for (int64_t row = 0; row < count; ++row)
      vector::StoreOp::create(b, loc, vectors[row], buffers[operand.getOperandNumber()],
                              ValueRange{index(row), index(0)});
  }

  void emitPoint(int64_t width, Value mask) {
    SmallVector<Value> before;
    for (OpOperand &init : op.getDpsInitsMutable())
      before.push_back(op.getMatchingBlockArgument(&init).use_empty() ? Value()
                                                                      : load(init, width, mask));
    SmallVector<Value> results = body(before, width, mask);
    for (auto [value, init] : llvm::zip_equal(results, op.getDpsInitsMutable()))
      store(value, init, mask);
  }

  Value read(OpOperand &operand, int64_t width, Value mask) override {
    unsigned number = operand.getOperandNumber();
    if (auto found = turned.find(number); found != turned.end())
      return found->second[position];
    auto buffer = buffers.find(number);
    if (!bufferedRow || buffer == buffers.end())
      return load(operand, width, mask);
    auto type = VectorType::get({width}, getElementTypeOrSelf(operand.get()));
    return vector::LoadOp::create(b, loc, type, buffer->second, ValueRange{bufferedRow, index(0)});
  }

  unsigned crossed;
  int64_t lanes;
  bool followsResult;
  SmallVector<unsigned> outer;
  /// The columns of the tile at hand, by the operand's number; and which of them the body is at.
  llvm::MapVector<unsigned, SmallVector<Value>> turned;
  int64_t position = 0;
  /// The operands that are turned; where their partial tiles lie, by number, and the row of those
  /// that the body is at.
  SmallVector<OpOperand *> crossing;
  llvm::MapVector<unsigned, Value> buffers;
  Value bufferedRow;
};

} // namespace

void TransposePlan::emit(RewriterBase &rewriter, linalg::GenericOp op) const {
  OpBuilder::InsertionGuard guard(rewriter);
  TransposeLoops(rewriter, op, *this).emit();
}
