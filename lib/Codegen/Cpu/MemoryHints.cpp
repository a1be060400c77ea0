//===- MemoryHints.cpp - What a kernel knows of the memory behind its members --------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "MemoryHints.h"
#include "../Kernel/BodyAccess.h"
#include "PastCaches.h"
#include "fuse/IR/FuseDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::fuse;

/// What a member's body takes, in operations of arithmetic.
static int64_t getWork(linalg::LinalgOp member) {
  constexpr int64_t kFunction = 20;
  int64_t work = 0;
  for (Operation &op : *member.getBlock())
    work += isa_and_nonnull<math::MathDialect, FuseDialect>(op.getDialect()) ? kFunction : 1;
  return work;
}

/// By how much an offset of a block's tile grows from one block to the next, where that is a
/// product with the number of the block, or the number itself; 0 where it is not. (The last tile
/// may be smaller.)
static int64_t getStep(Value offset) {
  auto product = offset.getDefiningOp<arith::MulIOp>();
  if (!product)
    return isa<BlockArgument>(offset) ? 1 : 0;
  APInt step;
  return matchPattern(product.getRhs(), m_ConstantInt(&step)) ? step.getSExtValue() : 0;
}

/// The loop of `member` that runs through the rows of a tile, if `operand` is a tile of an operand
/// of the kernel that is one of several in a row; `rows`: how many it has.
static std::optional<unsigned> getRowLoop(linalg::LinalgOp member, OpOperand &operand,
                                          int64_t &rows) {
  auto tile = operand.get().getDefiningOp<memref::SubViewOp>();
  if (!tile || tile.getType().getRank() != tile.getSourceType().getRank())
    return std::nullopt;
  AffineMap map = member.getMatchingIndexingMap(&operand);
  for (auto [dim, offset] : llvm::enumerate(tile.getMixedOffsets())) {
    if (isa<Attribute>(offset))
      continue;
    auto loop = dyn_cast<AffineDimExpr>(map.getResult(dim));
    rows = getStep(cast<Value>(offset));
    // The last dim of a tile is not one of rows.
    if (!loop || rows == 0 || dim + 1 == map.getNumResults())
      return std::nullopt;
    return loop.getPosition();
  }
  return std::nullopt;
}

DenseMap<Operation *, MemoryHints> mlir::fuse::findMemoryHints(func::FuncOp kernel,
                                                               int64_t nonTemporalBytes) {
  DenseMap<Operation *, MemoryHints> hints;
  llvm::MapVector<Value, SmallVector<OpOperand *>> readers, writers;
  kernel.walk([&](linalg::LinalgOp member) {
    for (OpOperand &operand : member->getOpOperands()) {
      Value base = getBase(operand.get());
      if (!isa<BlockArgument>(base) || !isa<MemRefType>(base.getType()))
        continue;
      bool isRead = !member.isDpsInit(&operand) || member.payloadUsesValueFromOperand(&operand);
      (isRead ? readers : writers)[base].push_back(&operand);
    }
  });
  for (auto &[base, operands] : readers) {
    if (operands.size() < 2)
      continue;
    OpOperand *longest = nullptr;
    int64_t most = 0;
    for (OpOperand *operand : operands) {
      auto member = cast<linalg::LinalgOp>(operand->getOwner());
      if (int64_t work = getWork(member); work >= most) {
        most = work;
        longest = operand;
      }
    }
    auto member = cast<linalg::LinalgOp>(longest->getOwner());
    int64_t rows = 0;
    std::optional<unsigned> loop = getRowLoop(member, *longest, rows);
    if (!loop)
      continue;
    MemoryHints &hint = hints[member];
    if (hint.rowLoop && (hint.rowLoop != loop || hint.rows != rows))
      continue;
    hint.rowLoop = loop;
    hint.rows = rows;
    hint.fetched.push_back(longest->getOperandNumber());
  }
  std::optional<int64_t> footprint = getFootprint(kernel);
  if (nonTemporalBytes <= 0 || (footprint && *footprint < nonTemporalBytes))
    return hints;
  for (auto &[base, operands] : writers)
    if (operands.size() == 1 && !readers.contains(base))
      hints[operands.front()->getOwner()].storesPast = true;
  return hints;
}
