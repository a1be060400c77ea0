//===- BodyAccess.cpp - How a member's body touches memory --------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "BodyAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::fuse;

Value mlir::fuse::getBase(Value value) {
  auto buffer = dyn_cast<MemrefValue>(value);
  return buffer ? Value(memref::skipViewLikeOps(buffer)) : value;
}

/// The coefficient of `dim` in an expression linear in it; none where it is not.
static std::optional<int64_t> coefficient(AffineExpr expr, unsigned dim) {
  if (!expr.isFunctionOfDim(dim))
    return 0;
  if (isa<AffineDimExpr>(expr))
    return 1;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return std::nullopt;
  std::optional<int64_t> lhs = coefficient(binary.getLHS(), dim);
  std::optional<int64_t> rhs = coefficient(binary.getRHS(), dim);
  if (!lhs || !rhs)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Add)
    return *lhs + *rhs;
  if (auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
      factor && expr.getKind() == AffineExprKind::Mul)
    return *lhs * factor.getValue();
  return std::nullopt;
}

/// The same of the result `position` of a map.
static std::optional<int64_t> getBlockAt(AffineMap map, unsigned loop, unsigned position) {
  auto inside = dyn_cast<AffineBinaryOpExpr>(map.getResult(position));
  auto block = inside ? dyn_cast<AffineConstantExpr>(inside.getRHS()) : AffineConstantExpr();
  AffineExpr dim = getAffineDimExpr(loop, map.getContext());
  if (!block || inside.getKind() != AffineExprKind::Mod || inside.getLHS() != dim)
    return std::nullopt;
  for (auto [other, expr] : llvm::enumerate(map.getResults()))
    if (other != position && expr.isFunctionOfDim(loop) && expr != dim.floorDiv(block.getValue()))
      return std::nullopt;
  return block.getValue();
}

std::optional<int64_t> mlir::fuse::getBlock(AffineMap map, unsigned loop) {
  return map.getNumResults() < 2 ? std::nullopt : getBlockAt(map, loop, map.getNumResults() - 1);
}

std::optional<int64_t> mlir::fuse::getTiledBlock(AffineMap map, unsigned loop) {
  for (unsigned position = 0; position < map.getNumResults(); ++position)
    if (std::optional<int64_t> block = getBlockAt(map, loop, position)) {
      // A single block is cut anywhere.
      AffineExpr outside = getAffineDimExpr(loop, map.getContext()).floorDiv(*block);
      return llvm::is_contained(map.getResults(), outside) ? block : std::nullopt;
    }
  return std::nullopt;
}

Access mlir::fuse::getAccess(linalg::GenericOp op, OpOperand &operand, unsigned loop) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (!map.isFunctionOfDim(loop))
    return Access::Invariant;
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  if (!type || !type.isLastDimUnitStride())
    return Access::Other;
  // The steps of a reduction in blocks are groups, which lie within what is contiguous.
  if (getBlock(map, loop))
    return op.getIteratorTypesArray()[loop] == utils::IteratorType::parallel ? Access::Contiguous : Access::Other;
  for (AffineExpr expr : map.getResults().drop_back())
    if (expr.isFunctionOfDim(loop))
      return Access::Other;
  return coefficient(map.getResults().back(), loop) == 1 ? Access::Contiguous : Access::Other;
}

bool mlir::fuse::isUniform(linalg::GenericOp op, Value value, unsigned loop) {
  llvm::SetVector<Value> values;
  values.insert(value);
  for (unsigned i = 0; i < values.size(); ++i) {
    if (auto argument = dyn_cast<BlockArgument>(values[i]);
        argument && argument.getOwner() == op.getBody()) {
      OpOperand *operand = op.getMatchingOpOperand(argument);
      if (op.isDpsInit(operand) || getAccess(op, *operand, loop) != Access::Invariant)
        return false;
      continue;
    }
    Operation *def = values[i].getDefiningOp();
    if (!def || def->getBlock() != op.getBody())
      continue;
    if (auto index = dyn_cast<linalg::IndexOp>(def)) {
      if (index.getDim() == loop)
        return false;
      continue;
    }
    if (!OpTrait::hasElementwiseMappableTraits(def) && !isa<arith::ConstantOp>(def))
      return false;
    values.insert(def->operand_begin(), def->operand_end());
  }
  return true;
}

Access mlir::fuse::getAccess(linalg::GenericOp op, memref::LoadOp load, unsigned loop) {
  auto isFixed = [&](Value index) { return isUniform(op, index, loop); };
  if (llvm::all_of(load.getIndices(), isFixed))
    return Access::Invariant;
  auto last = load.getIndices().back().getDefiningOp<linalg::IndexOp>();
  return last && last.getDim() == loop && load.getMemRefType().isLastDimUnitStride() &&
                 llvm::all_of(load.getIndices().drop_back(), isFixed)
             ? Access::Contiguous
             : Access::Other;
}

bool mlir::fuse::isPassive(Operation *op) {
  return isMemoryEffectFree(op) || isa<memref::AllocOp>(op);
}

/// Whether `op` is a member that leaves the memory behind `root` alone.
static bool isElsewhere(Operation *op, Value root) {
  return isa<linalg::LinalgOp>(op) && llvm::none_of(op->getOperands(), [&](Value operand) {
           return isa<MemRefType>(operand.getType()) && getBase(operand) == root;
         });
}

linalg::FillOp mlir::fuse::findStart(linalg::GenericOp fold) {
  if (fold.getNumReductionLoops() == 0 || fold.getNumDpsInits() != 1)
    return {};
  Value sums = fold.getDpsInits().front(), root = getBase(sums);
  for (Operation *op = fold->getPrevNode(); op; op = op->getPrevNode()) {
    if (auto fill = dyn_cast<linalg::FillOp>(op); fill && fill.output() == sums)
      return fill;
    if (!isPassive(op) && !isElsewhere(op, root))
      return {};
  }
  return {};
}
