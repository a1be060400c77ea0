//===- DotPlan.cpp - Contractions whose steps one instruction sums in groups ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "DotPlan.h"
#include "../Kernel/BodyAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::fuse;
using utils::IteratorType;

namespace {

/// A number of the body as the accumulator's type, and what it is computed from.
struct Factor {
  Value number;                   ///< in front of the cast
  BlockArgument argument;         ///< the only one that the number depends on
  bool isSigned = true;
  std::optional<unsigned> loop;   ///< whose position it depends on, too
  SmallPtrSet<Operation *, 8> ops; ///< of the body, that compute it
};

} // namespace

/// Notes in `factor` what `value` is computed from: one argument, the position of one loop, and what is known
/// outside of the body. Fails where that is more.
static LogicalResult collect(linalg::GenericOp op, Value value, Factor &factor) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != op.getBody())
      return success();
    if (factor.argument && factor.argument != argument)
      return failure();
    factor.argument = argument;
    return success();
  }
  Operation *def = value.getDefiningOp();
  if (def->getBlock() != op.getBody() || !factor.ops.insert(def).second)
    return success();
  if (auto position = dyn_cast<linalg::IndexOp>(def)) {
    if (factor.loop.value_or(position.getDim()) != position.getDim())
      return failure();
    factor.loop = position.getDim();
    return success();
  }
  if (!isa<arith::ConstantOp>(def) && !OpTrait::hasElementwiseMappableTraits(def))
    return failure();
  return success(llvm::all_of(def->getOperands(), [&](Value operand) { return succeeded(collect(op, operand, factor)); }));
}

static std::optional<Factor> matchFactor(linalg::GenericOp op, Value value) {
  Operation *cast = value.getDefiningOp();
  if (!isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp, arith::ExtFOp>(cast))
    return std::nullopt;
  Factor factor{cast->getOperand(0), {}, !isa<arith::ExtUIOp>(cast)};
  if (failed(collect(op, factor.number, factor)) || !factor.argument ||
      (factor.number != factor.argument && factor.number.getType() != factor.argument.getType()))
    return std::nullopt;
  factor.ops.insert(cast);
  return factor;
}

/// l and r of a body that is nothing but accumulator + l · r.
static std::optional<std::pair<Factor, Factor>> matchProduct(linalg::GenericOp op) {
  Operation *sum = op.getBody()->getTerminator()->getOperand(0).getDefiningOp();
  if (!isa_and_nonnull<arith::AddIOp, arith::AddFOp>(sum))
    return std::nullopt;
  Value accumulator = op.getRegionOutputArgs().front();
  unsigned at = sum->getOperand(0) == accumulator ? 1 : 0;
  Operation *product = sum->getOperand(at).getDefiningOp();
  if (sum->getOperand(1 - at) != accumulator ||
      !isa_and_nonnull<arith::MulIOp, arith::MulFOp>(product))
    return std::nullopt;
  std::optional<Factor> l = matchFactor(op, product->getOperand(0));
  std::optional<Factor> r = matchFactor(op, product->getOperand(1));
  if (!l || !r)
    return std::nullopt;
  for (Operation &inner : op.getBody()->without_terminator())
    if (&inner != sum && &inner != product && !l->ops.contains(&inner) && !r->ops.contains(&inner))
      return std::nullopt;
  // A product and its sum become one rounding only where they may.
  if (auto add = dyn_cast<arith::AddFOp>(sum))
    if (!bitEnumContainsAll(add.getFastmath(), arith::FastMathFlags::contract))
      return std::nullopt;
  return std::pair(*l, *r);
}

/// The innermost loop of the reductions.
static std::optional<unsigned> getStepLoop(linalg::GenericOp op) {
  std::optional<unsigned> steps;
  for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray()))
    if (iterator == IteratorType::reduction)
      steps = loop;
  return steps;
}

std::optional<GroupedColumns> mlir::fuse::getGroupedColumns(linalg::GenericOp op, OpOperand &operand) {
  std::optional<unsigned> steps = getStepLoop(op);
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  AffineMap map = op.getMatchingIndexingMap(&operand);
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!steps || !type || type.getRank() < 2 ||
      !(type.getElementType().isInteger(8) || type.getElementType().isBF16()))
    return std::nullopt;
  int64_t group = 32 / type.getElementTypeBitWidth(); // of a word
  if (failed(type.getStridesAndOffset(strides, offset)) || strides.back() != 1 ||
      strides[type.getRank() - 2] != group)
    return std::nullopt;
  AffineExpr k = getAffineDimExpr(*steps, op.getContext());
  ArrayRef<AffineExpr> outside = map.getResults().drop_back(2);
  int64_t extent = op.getStaticLoopRanges()[*steps];
  bool isOnlyGroup = map.getResults().back() == k && !ShapedType::isDynamic(extent) && extent <= group;
  if (!isOnlyGroup && map.getResults().back() != k % group)
    return std::nullopt;
  for (AffineExpr expr : outside)
    if (expr.isFunctionOfDim(*steps) && expr != k.floorDiv(group))
      return std::nullopt;
  AffineExpr column = map.getResult(map.getNumResults() - 2), whole = column;
  std::optional<int64_t> block;
  if (column.getKind() == AffineExprKind::Mod) {
    auto inside = cast<AffineBinaryOpExpr>(column);
    auto size = dyn_cast<AffineConstantExpr>(inside.getRHS());
    if (!size)
      return std::nullopt;
    whole = inside.getLHS();
    block = size.getValue();
  }
  auto n = dyn_cast<AffineDimExpr>(whole);
  if (!n || op.getIteratorTypesArray()[n.getPosition()] != IteratorType::parallel)
    return std::nullopt;
  for (AffineExpr expr : outside)
    if (expr.isFunctionOfDim(n.getPosition()) && (!block || expr != n.floorDiv(*block)))
      return std::nullopt;
  return GroupedColumns{n.getPosition(), block};
}

std::optional<DotPlan> mlir::fuse::planDot(linalg::GenericOp op, unsigned columns,
                                           unsigned vectorLoop, int64_t lanes,
                                           const DotInstructions &instructions) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1)
    return std::nullopt;
  auto factors = matchProduct(op);
  if (!factors || factors->first.argument == factors->second.argument)
    return std::nullopt;
  DotPlan plan;
  plan.columns = columns;
  plan.rows = 1 - columns;
  plan.lanes = lanes;
  bool isLeft = factors->first.argument.getArgNumber() == plan.rows;
  const Factor &rowFactor = isLeft ? factors->first : factors->second;
  const Factor &columnFactor = isLeft ? factors->second : factors->first;
  plan.areRowsSigned = rowFactor.isSigned;
  plan.areColumnsSigned = columnFactor.isSigned;
  if (rowFactor.number != rowFactor.argument || rowFactor.argument.getArgNumber() >= 2 ||
      columnFactor.argument.getArgNumber() >= 2)
    return std::nullopt;

  Type element = getElementTypeOrSelf(op->getOperand(0).getType());
  if (element != getElementTypeOrSelf(op->getOperand(1).getType()))
    return std::nullopt;
  Type sums = getElementTypeOrSelf(op.getDpsInits().front().getType());
  std::optional<GroupedColumns> grouped = getGroupedColumns(op, op->getOpOperand(columns));
  plan.areGrouped = grouped && grouped->loop == vectorLoop;
  plan.hasInt16 = instructions.int16;
  if (element.isInteger(8) && sums.isInteger(32) && instructions.int8 &&
      (plan.areRowsSigned || plan.areColumnsSigned)) {
    plan.kind = DotPlan::Kind::Int8;
  } else if (element.isInteger(8) && sums.isInteger(32) && (plan.areGrouped || instructions.int16)) {
    plan.kind = DotPlan::Kind::Pairs;
  } else if (element.isBF16() && sums.isF32()) {
    plan.kind = instructions.bf16 ? DotPlan::Kind::Bf16 : DotPlan::Kind::Widened;
    plan.group = 2;
  } else if (element.isF16() && sums.isF32()) {
    if (op.getNumReductionLoops() != 1)
      return std::nullopt;
    plan.kind = DotPlan::Kind::Copied;
    plan.group = 1;
  } else {
    return std::nullopt;
  }
  // The innermost loop of the reductions, along which a row has its elements next to each other.
  plan.loop = *getStepLoop(op);
  // Three of four steps are as good as four, one of two is not.
  if (!plan.areGrouped && op.getStaticLoopRanges()[plan.loop] <
      std::min<int64_t>(plan.group, std::max<int64_t>(2, plan.group - 1)))
    return std::nullopt;
  if (columnFactor.number != columnFactor.argument) {
    // Each number of an element is code of its own.
    constexpr int64_t kMostNumbers = 8;
    std::optional<unsigned> loop = columnFactor.loop;
    if (!plan.isInteger() || !plan.areGrouped || !loop || *loop == plan.loop ||
        op.getIteratorTypesArray()[*loop] != IteratorType::reduction ||
        op.getMatchingIndexingMap(&op->getOpOperand(columns)).isFunctionOfDim(*loop) ||
        ShapedType::isDynamic(op.getStaticLoopRanges()[*loop]) || op.getStaticLoopRanges()[*loop] > kMostNumbers)
      return std::nullopt;
    plan.unpacked = columnFactor.number;
    plan.unpackedLoop = loop;
  }
  OpOperand &rows = op->getOpOperand(plan.rows);
  if (!isa<MemRefType>(rows.get().getType()) ||
      getAccess(op, rows, plan.loop) != Access::Contiguous ||
      getBlock(op.getMatchingIndexingMap(&rows), plan.loop) ||
      getAccess(op, rows, vectorLoop) != Access::Invariant)
    return std::nullopt;
  return plan;
}
