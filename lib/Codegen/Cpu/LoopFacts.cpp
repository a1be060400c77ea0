//===- LoopFacts.cpp - What planners of vectors ask of loops ------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "LoopFacts.h"
#include "fuse/Analysis/VectorAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace mlir;
using namespace mlir::fuse;
using utils::IteratorType;

std::optional<int64_t> mlir::fuse::getBodyBytes(linalg::GenericOp op) {
  int64_t bits = 8;
  SmallPtrSet<Operation *, 4> counts; // the number of a step of a reduction, as an integer: the same for all lanes
  auto note = [&](Type type) {
    bits = std::max<int64_t>(bits, type.isIndex() ? 64 : type.getIntOrFloatBitWidth());
  };
  for (BlockArgument argument : op.getBody()->getArguments())
    note(argument.getType());
  for (Operation &inner : op.getBody()->without_terminator()) {
    if (auto position = dyn_cast<linalg::IndexOp>(inner);
        position && op.getIteratorTypesArray()[position.getDim()] == IteratorType::reduction &&
        llvm::all_of(position->getUsers(), llvm::IsaPred<arith::IndexCastOp, arith::IndexCastUIOp>)) {
      counts.insert(position);
      continue;
    }
    if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(inner) && counts.contains(inner.getOperand(0).getDefiningOp()) &&
        llvm::all_of(inner.getUsers(), llvm::IsaPred<arith::TruncIOp>))
      continue;
    if (!OpTrait::hasElementwiseMappableTraits(&inner) &&
        !isa<linalg::IndexOp, arith::ConstantOp, memref::LoadOp>(inner))
      return std::nullopt;
    for (Value result : inner.getResults())
      note(result.getType());
  }
  return bits / 8;
}

int64_t mlir::fuse::getMostIterations(linalg::GenericOp op, unsigned loop) {
  int64_t range = op.getStaticLoopRanges()[loop];
  if (!ShapedType::isDynamic(range))
    return range;
  for (OpOperand &operand : op->getOpOperands()) {
    auto view = operand.get().getDefiningOp<memref::SubViewOp>();
    std::optional<unsigned> position = op.getMatchingIndexingMap(&operand).getResultPosition(
        getAffineDimExpr(loop, op.getContext()));
    if (!view || !position)
      continue;
    llvm::SmallBitVector dropped = view.getDroppedDims();
    unsigned kept = 0;
    for (auto [dim, size] : llvm::enumerate(view.getMixedSizes())) {
      if (dropped.test(dim) || kept++ != *position)
        continue;
      FailureOr<int64_t> bound = ValueBoundsConstraintSet::computeConstantBound(
          presburger::BoundType::UB, size, /*stopCondition=*/nullptr, {/*closedUB=*/true});
      if (succeeded(bound) && *bound > 0)
        return *bound;
    }
  }
  return ShapedType::kDynamic;
}

bool mlir::fuse::readsInOrder(linalg::GenericOp op, unsigned loop) {
  return llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *operand) {
    Access access = getAccess(op, *operand, loop);
    return access == Access::Contiguous || access == Access::Invariant;
  });
}

int64_t mlir::fuse::fitLanes(linalg::GenericOp op, unsigned loop, int64_t lanes) {
  int64_t most = getMostIterations(op, loop);
  while (!ShapedType::isDynamic(most) && lanes > 1 && lanes / 2 >= most)
    lanes /= 2;
  return lanes;
}

std::optional<unsigned> mlir::fuse::getReuseLoop(linalg::GenericOp op, ArrayRef<OpOperand *> operands,
                                                 unsigned vectors) {
  SmallVector<IteratorType> iterators = op.getIteratorTypesArray();
  SmallVector<ReuseLoop> loops;
  for (unsigned loop = op.getNumLoops(); loop-- > 0;) {
    if (iterators[loop] != IteratorType::parallel || loop == vectors ||
        !llvm::all_of(operands, [&](OpOperand *operand) {
          return getAccess(op, *operand, loop) == Access::Invariant;
        }))
      continue;
    bool isContiguous = llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *operand) {
      return getAccess(op, *operand, loop) == Access::Contiguous;
    });
    loops.push_back({loop, getMostIterations(op, loop), isContiguous});
  }
  return chooseReuseLoop(loops);
}

SmallVector<OpOperand *> mlir::fuse::getScattered(linalg::GenericOp op, unsigned loop) {
  SmallVector<OpOperand *> scattered;
  for (OpOperand &operand : op->getOpOperands())
    if (getAccess(op, operand, loop) == Access::Other)
      scattered.push_back(&operand);
  return scattered;
}

std::optional<unsigned> mlir::fuse::findVectorLoop(linalg::GenericOp op, IteratorType wanted) {
  SmallVector<IteratorType> iterators = op.getIteratorTypesArray();
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  bool isContraction = op.getNumReductionLoops() > 0 && op.getNumDpsInputs() > 1;
  for (auto [loop, iterator] : llvm::enumerate(iterators))
    if (iterator == IteratorType::reduction && ShapedType::isDynamic(ranges[loop]))
      isContraction = false;
  auto loads = op.getBody()->getOps<memref::LoadOp>();
  auto serves = [&](unsigned loop) {
    bool isParallel = iterators[loop] == IteratorType::parallel;
    if (llvm::any_of(
            loads, [&](memref::LoadOp load) { return getAccess(op, load, loop) == Access::Other; }))
      return false;
    for (OpOperand &init : op.getDpsInitsMutable())
      if (getAccess(op, init, loop) != (isParallel ? Access::Contiguous : Access::Invariant))
        return false;
    // Scattered columns of a contraction are packed, for rows that all of them are used for.
    SmallVector<OpOperand *> scattered = getScattered(op, loop);
    if (!scattered.empty() &&
        (!isParallel || !isContraction || !loads.empty() || !getReuseLoop(op, scattered, loop)))
      return false;
    return ranges[loop] != 1;
  };
  for (unsigned loop = op.getNumLoops(); loop-- > 0;)
    if (iterators[loop] == wanted && serves(loop))
      return loop;
  return std::nullopt;
}
