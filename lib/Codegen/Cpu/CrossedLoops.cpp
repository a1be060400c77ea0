//===- CrossedLoops.cpp - Members that turn an operand, in tiles of registers ----------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A transposed operand is contiguous along another loop than the result. Element by element, each
// load touches a line of its own; rows of a power of two fall onto each other in the cache besides.
// So a square tile is loaded along the operand's loop, a vector per row, turned in registers, and
// its columns are what the body takes. What is left beside whole tiles is computed element by
// element.
//
//===----------------------------------------------------------------------------------------===//

#include "VectorBody.h"
#include "VectorLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::fuse;

/// Turns a square tile of as many vectors as they have lanes, a power of two: blocks off the
/// diagonal change places, halves first (J. O. Eklundh, A fast computer method for matrix
/// transposing, 1972).
static void turn(OpBuilder &b, Location loc, SmallVectorImpl<Value> &rows) {
  int64_t lanes = rows.size();
  for (int64_t size = lanes / 2; size > 0; size /= 2) {
    SmallVector<int64_t> upper, lower;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      bool isFirst = (lane & size) == 0;
      upper.push_back(isFirst ? lane : lanes + lane - size);
      lower.push_back(isFirst ? lane + size : lanes + lane);
    }
    for (int64_t row = 0; row < lanes; ++row) {
      if (row & size)
        continue;
      Value above = rows[row], below = rows[row + size];
      rows[row] = vector::ShuffleOp::create(b, loc, above, below, upper);
      rows[row + size] = vector::ShuffleOp::create(b, loc, above, below, lower);
    }
  }
}

namespace {

class CrossedLoops : VectorBody {
public:
  CrossedLoops(RewriterBase &b, linalg::GenericOp op, const VectorPlan &plan)
      : VectorBody(b, op, plan.loop, plan.hasFma), crossed(*plan.crossedLoop), lanes(plan.lanes) {
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      if (loop != vectorLoop && loop != crossed)
        outer.push_back(loop);
  }

  void emit() {
    for (unsigned loop : outer)
      ivs[loop] = makeFor(index(0), extents[loop], 1).getInductionVar();
    Value columns = wholeSteps(vectorLoop, lanes), rows = wholeSteps(crossed, lanes);
    {
      OpBuilder::InsertionGuard guard(b);
      ivs[vectorLoop] = makeFor(index(0), columns, lanes).getInductionVar();
      ivs[crossed] = makeFor(index(0), rows, lanes).getInductionVar();
      emitTile();
    }
    if (hasRemainder(crossed, lanes))
      emitElements(index(0), columns, rows, extents[crossed]);
    if (hasRemainder(vectorLoop, lanes))
      emitElements(columns, extents[vectorLoop], index(0), extents[crossed]);
  }

private:
  bool isCrossed(OpOperand &operand) { return getAccess(op, operand, vectorLoop) == Access::Other; }

  void emitTile() {
    Value column = ivs[vectorLoop], row = ivs[crossed];
    for (OpOperand *operand : op.getDpsInputOperands())
      if (isCrossed(*operand) && !op.getMatchingBlockArgument(operand).use_empty())
        turned[operand->getOperandNumber()] = loadTurned(*operand, column);
    ivs[vectorLoop] = column;
    for (position = 0; position < lanes; ++position) {
      ivs[crossed] = arith::AddIOp::create(b, loc, row, index(position));
      emitPoint(lanes);
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
    turn(b, loc, vectors);
    return vectors;
  }

  void emitElements(Value fromColumn, Value toColumn, Value fromRow, Value toRow) {
    OpBuilder::InsertionGuard guard(b);
    ivs[crossed] = makeFor(fromRow, toRow, 1).getInductionVar();
    ivs[vectorLoop] = makeFor(fromColumn, toColumn, 1).getInductionVar();
    emitPoint(1);
  }

  void emitPoint(int64_t width) {
    SmallVector<Value> before;
    for (OpOperand &init : op.getDpsInitsMutable())
      before.push_back(op.getMatchingBlockArgument(&init).use_empty() ? Value()
                                                                      : load(init, width, Value()));
    SmallVector<Value> results = body(before, width, Value());
    for (auto [value, init] : llvm::zip_equal(results, op.getDpsInitsMutable()))
      store(value, init, Value());
  }

  Value read(OpOperand &operand, int64_t width, Value mask) override {
    if (auto found = turned.find(operand.getOperandNumber()); found != turned.end())
      return found->second[position];
    if (width == 1 && isCrossed(operand))
      return spread(memref::LoadOp::create(b, loc, operand.get(), indices(operand)), width);
    return load(operand, width, mask);
  }

  unsigned crossed;
  int64_t lanes;
  SmallVector<unsigned> outer;
  /// The columns of the tile at hand, by the operand's number; and which of them the body is at.
  llvm::MapVector<unsigned, SmallVector<Value>> turned;
  int64_t position = 0;
};

} // namespace

void mlir::fuse::emitCrossedLoops(RewriterBase &rewriter, linalg::GenericOp op,
                                  const VectorPlan &plan) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  CrossedLoops(rewriter, op, plan).emit();
}
