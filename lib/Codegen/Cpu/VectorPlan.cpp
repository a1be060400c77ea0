//===- VectorPlan.cpp - Which loop of a member becomes vectors ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "VectorPlan.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/IR/AffineExprVisitor.h"

using namespace mlir;
using namespace mlir::fuse;
using utils::IteratorType;

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

Access mlir::fuse::getAccess(linalg::GenericOp op, OpOperand &operand, unsigned loop) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (!map.isFunctionOfDim(loop))
    return Access::Invariant;
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  if (!type || !type.isLastDimUnitStride())
    return Access::Other;
  for (AffineExpr expr : map.getResults().drop_back())
    if (expr.isFunctionOfDim(loop))
      return Access::Other;
  return coefficient(map.getResults().back(), loop) == 1 ? Access::Contiguous : Access::Other;
}

/// Whether the body can be computed on vectors, and the bytes of its widest value.
static std::optional<int64_t> getBodyBytes(linalg::GenericOp op) {
  int64_t bits = 8;
  auto note = [&](Type type) {
    bits = std::max<int64_t>(bits, type.isIndex() ? 64 : type.getIntOrFloatBitWidth());
  };
  for (BlockArgument argument : op.getBody()->getArguments())
    note(argument.getType());
  for (Operation &inner : op.getBody()->without_terminator()) {
    if (!OpTrait::hasElementwiseMappableTraits(&inner) &&
        !isa<linalg::IndexOp, arith::ConstantOp>(inner))
      return std::nullopt;
    for (Value result : inner.getResults())
      note(result.getType());
  }
  return bits / 8;
}

/// A contraction's inputs are packed where so many rows read them, if the copy stays in the cache.
static constexpr int64_t kPackedRows = 32, kPackedBytes = 128 * 1024;
/// Iterations of a reduction in one go: with packed inputs, and with unpacked ones, whose rows are
/// better read along than across.
static constexpr int64_t kPackedSteps = 512, kUnpackedSteps = 16;

/// The innermost parallel loop beside `vectors` along which `operand` does not change.
static std::optional<unsigned> getReuseLoop(linalg::GenericOp op, OpOperand &operand,
                                            unsigned vectors) {
  SmallVector<IteratorType> iterators = op.getIteratorTypesArray();
  for (unsigned loop = op.getNumLoops(); loop-- > 0;)
    if (iterators[loop] == IteratorType::parallel && loop != vectors &&
        getAccess(op, operand, loop) == Access::Invariant)
      return loop;
  return std::nullopt;
}

/// Decides which of `reused`, inputs that all iterations of the unrolled loop share, are packed.
static void planPacking(linalg::GenericOp op, VectorPlan &plan, ArrayRef<unsigned> reused) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  int64_t steps = 1;
  for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
    if (iterator != IteratorType::reduction)
      continue;
    if (ShapedType::isDynamic(ranges[loop]))
      return;
    steps *= ranges[loop];
  }
  bool hasOneReduction = op.getNumReductionLoops() == 1;
  int64_t rows = ranges[*plan.unrolledLoop];
  bool hasManyRows = ShapedType::isDynamic(rows) || rows >= kPackedRows;
  for (unsigned number : reused) {
    OpOperand &operand = op->getOpOperand(number);
    int64_t lineBytes = plan.lanes * getElementTypeOrSelf(operand.get()).getIntOrFloatBitWidth() / 8;
    int64_t together = hasOneReduction ? std::min(steps, kPackedSteps) : steps;
    bool isScattered = getAccess(op, operand, plan.loop) == Access::Other;
    if (isScattered || (hasManyRows && together * lineBytes <= kPackedBytes))
      plan.packed.push_back(number);
  }
  int64_t block = plan.packed.empty() ? kUnpackedSteps : kPackedSteps;
  if (hasOneReduction && steps > block)
    plan.reductionBlock = block;
}

std::optional<VectorPlan> mlir::fuse::planVectors(linalg::GenericOp op, int64_t vectorBytes,
                                                  int64_t reductionLanes) {
  std::optional<int64_t> bytes = getBodyBytes(op);
  if (!bytes || op.getNumLoops() == 0)
    return std::nullopt;
  SmallVector<IteratorType> iterators = op.getIteratorTypesArray();
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  bool hasReductions = op.getNumReductionLoops() > 0;
  bool isContraction = hasReductions && op.getNumDpsInputs() > 1;
  for (auto [loop, iterator] : llvm::enumerate(iterators))
    if (iterator == IteratorType::reduction && ShapedType::isDynamic(ranges[loop]))
      isContraction = false;
  auto serves = [&](unsigned loop) {
    bool isParallel = iterators[loop] == IteratorType::parallel;
    for (OpOperand &operand : op->getOpOperands()) {
      Access access = getAccess(op, operand, loop);
      bool isInit = op.isDpsInit(&operand);
      // Scattered columns of a contraction are packed.
      if (access == Access::Other &&
          (isInit || !isParallel || !isContraction || !getReuseLoop(op, operand, loop)))
        return false;
      if (isInit && (access == Access::Contiguous) != isParallel)
        return false;
    }
    return ranges[loop] != 1;
  };
  if (hasReductions && op.getNumDpsInits() != 1)
    return std::nullopt;
  VectorPlan plan;
  bool found = false;
  for (IteratorType wanted : {IteratorType::parallel, IteratorType::reduction})
    for (unsigned loop = op.getNumLoops(); loop-- > 0 && !found;)
      if (iterators[loop] == wanted && serves(loop)) {
        plan.loop = loop;
        plan.isReduction = wanted == IteratorType::reduction;
        found = true;
      }
  if (!found)
    return std::nullopt;

  int64_t width = std::max<int64_t>(1, vectorBytes / *bytes);
  int64_t extent = ranges[plan.loop];
  auto fit = [&](int64_t lanes) { // no wider than the extent needs
    while (!ShapedType::isDynamic(extent) && lanes > 1 && lanes / 2 >= extent)
      lanes /= 2;
    return lanes;
  };
  if (plan.isReduction) {
    SmallVector<Operation *> combiners;
    if (!matchReduction(op.getRegionOutputArgs(), 0, combiners) || combiners.size() != 1 ||
        !arith::getNeutralElement(combiners.front()))
      return std::nullopt;
    plan.lanes = plan.tailLanes = fit(reductionLanes > 0 ? reductionLanes : 64);
    return plan;
  }
  plan.tailLanes = fit(width);
  if (!hasReductions) {
    plan.lanes = fit(4 * width);
    return plan;
  }
  // A vector that is loaded is used for several iterations of a parallel loop that it does not
  // depend on, with an accumulator each: 16 registers of the 32.
  SmallVector<unsigned> reused;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    if (getAccess(op, *operand, plan.loop) == Access::Invariant)
      continue;
    std::optional<unsigned> loop = getReuseLoop(op, *operand, plan.loop);
    if (!loop || (plan.unrolledLoop && *plan.unrolledLoop != *loop))
      continue;
    plan.unrolledLoop = loop;
    reused.push_back(operand->getOperandNumber());
  }
  if (plan.unrolledLoop) {
    plan.lanes = fit(2 * width);
    plan.unroll = 8;
    planPacking(op, plan, reused);
  } else {
    plan.lanes = fit(16 * width);
    for (unsigned loop = op.getNumLoops(); loop-- > 0 && !plan.prefetchLoop;)
      if (iterators[loop] == IteratorType::reduction)
        plan.prefetchLoop = loop;
    plan.prefetchDistance = 8;
  }
  return plan;
}
