//===- ContractionPlan.cpp - Products of a block through shared memory ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ContractionPlan.h"
#include "Alignment.h"
#include "fuse/Analysis/ProductSide.h"
#include "fuse/Analysis/TensorTiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;
using utils::IteratorType;

/// Sums that a thread keeps in registers, and columns of its tile.
static constexpr int64_t kMostSums = 64, kTileColumns = 4;
/// Parts may become so many times as long, if a loop over them still runs a few times.
static constexpr int64_t kMostLonger = 4, kLeastParts = 8;
/// While memory is waited for, tensor cores of sm_80 do so many products.
static constexpr int64_t kProductsOfWait = int64_t(1) << 20;
static constexpr int64_t kFmaSteps = 16, kTensorSteps = 32, kByteSteps = 64;

/// Through casts to an input of the body; null where there is something else.
static BlockArgument findInput(linalg::GenericOp op, Value value) {
  while (Operation *def = value.getDefiningOp()) {
    if (!isa<CastOpInterface>(def) || def->getNumOperands() != 1 ||
        def->getBlock() != op.getBody())
      return {};
    value = def->getOperand(0);
  }
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && argument.getOwner() == op.getBody() ? argument : BlockArgument();
}

/// out + l * r, in any order of operands, and nothing else.
static bool matchBody(linalg::GenericOp op, ContractionPlan &plan) {
  if (op.getNumDpsInits() != 1)
    return false;
  Operation *add = op.getBody()->getTerminator()->getOperand(0).getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp, arith::AddIOp>(add))
    return false;
  BlockArgument out = op.getRegionOutputArgs().front();
  for (unsigned i = 0; i < 2; ++i) {
    Operation *multiply = add->getOperand(1 - i).getDefiningOp();
    if (add->getOperand(i) != out || !isa_and_nonnull<arith::MulFOp, arith::MulIOp>(multiply))
      continue;
    BlockArgument left = findInput(op, multiply->getOperand(0));
    BlockArgument right = findInput(op, multiply->getOperand(1));
    if (!left || !right || left == right || left == out || right == out)
      return false;
    plan.multiply = multiply;
    plan.add = add;
    plan.lhs = left.getArgNumber();
    plan.rhs = right.getArgNumber();
    plan.stagedLhs = multiply->getOperand(0).getType();
    plan.stagedRhs = multiply->getOperand(1).getType();
    return isa<MemRefType>(op->getOperand(plan.lhs).getType()) &&
           isa<MemRefType>(op->getOperand(plan.rhs).getType());
  }
  return false;
}

static bool sortLoops(linalg::GenericOp op, ContractionPlan &plan) {
  AffineMap left = op.getMatchingIndexingMap(&op->getOpOperand(plan.lhs));
  AffineMap right = op.getMatchingIndexingMap(&op->getOpOperand(plan.rhs));
  for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
    bool isLeft = left.isFunctionOfDim(loop), isRight = right.isFunctionOfDim(loop);
    if (iterator == IteratorType::reduction)
      plan.k.push_back(loop);
    else if (isLeft && isRight)
      plan.batch.push_back(loop);
    else if (isLeft || isRight)
      (isLeft ? plan.m : plan.n).push_back(loop);
    else
      return false;
  }
  return !plan.k.empty() && !plan.m.empty() && !plan.n.empty();
}

/// The columns' operand is the one that the result is contiguous along.
static void orient(linalg::GenericOp op, ContractionPlan &plan) {
  AffineMap written = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (unsigned loop : plan.m)
    if (written.getResults().back().isFunctionOfDim(loop)) {
      std::swap(plan.m, plan.n);
      std::swap(plan.lhs, plan.rhs);
      std::swap(plan.stagedLhs, plan.stagedRhs);
      return;
    }
}

/// Threads that load next to each other find what they load there, too.
static void runAlongMemory(linalg::GenericOp op, ArrayRef<int64_t> bounds, ContractionPlan &plan) {
  auto countContiguous = [&](unsigned loop) -> int64_t {
    if (!isContiguousAlong(op, op->getOpOperand(plan.lhs), loop) &&
        !isContiguousAlong(op, op->getOpOperand(plan.rhs), loop))
      return 0;
    return ShapedType::isDynamic(bounds[loop]) ? std::numeric_limits<int64_t>::max() : bounds[loop];
  };
  unsigned *longest = &plan.k.back();
  for (unsigned &loop : plan.k)
    if (countContiguous(loop) > countContiguous(*longest))
      longest = &loop;
  std::rotate(longest, longest + 1, plan.k.end());
}

int64_t mlir::fuse::countPoints(ArrayRef<unsigned> loops, ArrayRef<int64_t> bounds) {
  int64_t count = 1;
  for (unsigned loop : loops) {
    if (ShapedType::isDynamic(bounds[loop]))
      return ShapedType::kDynamic;
    count *= bounds[loop];
  }
  return count;
}

/// Whether tensor cores take the product: f16, bf16 or, rounded, f32, summed as f32.
static bool fitsTensorCores(linalg::GenericOp op, const ContractionPlan &plan,
                            ProductFreedom freedom) {
  Type left = getElementTypeOrSelf(op->getOperand(plan.lhs));
  Type right = getElementTypeOrSelf(op->getOperand(plan.rhs));
  bool isShort = freedom.tensorCores && (left.isF16() || left.isBF16());
  bool isRounded = freedom.tf32 && left.isF32();
  return left == right && (isShort || isRounded) && plan.stagedLhs.isF32() &&
         plan.stagedRhs.isF32() && getElementTypeOrSelf(op.getDpsInits()[0]).isF32() &&
         isa<arith::AddFOp>(plan.add);
}

/// The cast that widens an operand's element, if it is nothing but that of 8 bits to i32.
static Operation *findByteCast(linalg::GenericOp op, unsigned number) {
  BlockArgument argument = op.getBody()->getArgument(number);
  if (!argument.getType().isInteger(8) || !argument.hasOneUse())
    return nullptr;
  Operation *cast = *argument.user_begin();
  bool isWidened = isa<arith::ExtSIOp, arith::ExtUIOp>(cast) && cast->getResult(0).getType().isInteger(32);
  return isWidened ? cast : nullptr;
}

/// Whether tensor cores take the product as one of integers of 8 bits (m16n8k32). Those that wrap around add up in any order.
static bool fitsBytes(linalg::GenericOp op, ContractionPlan &plan, ProductFreedom freedom) {
  if (!freedom.bytes || !isa<arith::AddIOp>(plan.add))
    return false;
  Operation *left = findByteCast(op, plan.lhs), *right = findByteCast(op, plan.rhs);
  if (!left || !right || left->getResult(0) == right->getResult(0) ||
      !getElementTypeOrSelf(op.getDpsInits()[0]).isInteger(32))
    return false;
  plan.isLhsSigned = isa<arith::ExtSIOp>(left);
  plan.isRhsSigned = isa<arith::ExtSIOp>(right);
  return true;
}

/// Bytes that lie with k outside are loaded for two fragments at once.
static int64_t getFragmentWidth(const ContractionPlan &plan) { return plan.takesBytes ? 2 * kFragmentColumns : kFragmentColumns; }

static void shareTensorTile(ContractionPlan &plan, int64_t threads) {
  FragmentShare share = shareFragments(plan.rows, plan.columns, threads / kSubgroupThreads, getFragmentWidth(plan));
  plan.takersM = share.takersM;
  plan.takersN = share.takersN;
  plan.tileM = share.tileM;
  plan.tileN = share.tileN;
}

static bool sharePoints(ContractionPlan &plan, int64_t threads) {
  plan.tileN = std::min<int64_t>(kTileColumns, plan.columns);
  plan.takersN = std::min<int64_t>(llvm::PowerOf2Ceil(llvm::divideCeil(plan.columns, plan.tileN)),
                                   threads);
  plan.tileN = llvm::alignTo(llvm::divideCeil(plan.columns, plan.takersN), plan.tileN);
  plan.takersM = threads / plan.takersN;
  plan.tileM = llvm::divideCeil(plan.rows, plan.takersM);
  return plan.tileM * plan.tileN <= kMostSums;
}

std::optional<ContractionPlan> mlir::fuse::planContraction(linalg::GenericOp op,
                                                           ArrayRef<int64_t> bounds,
                                                           int64_t threads,
                                                           ProductFreedom freedom) {
  ContractionPlan plan;
  if (!matchBody(op, plan) || !sortLoops(op, plan))
    return std::nullopt;
  orient(op, plan);
  bool hasThreads = threads >= kSubgroupThreads;
  plan.takesBytes = hasThreads && fitsBytes(op, plan, freedom);
  if (freedom.reassociates || plan.takesBytes)
    runAlongMemory(op, bounds, plan);
  plan.rows = countPoints(plan.m, bounds);
  plan.allColumns = countPoints(plan.n, bounds);
  bool isLarge = !ShapedType::isDynamic(plan.rows) && !ShapedType::isDynamic(plan.allColumns) &&
                 plan.rows >= kLeastProductSide && plan.allColumns >= kLeastProductSide;
  if (!isLarge || !llvm::isPowerOf2_64(threads))
    return std::nullopt;
  plan.usesTensorCores = hasThreads && (plan.takesBytes || fitsTensorCores(op, plan, freedom));
  plan.steps = plan.takesBytes ? kByteSteps : plan.usesTensorCores ? kTensorSteps : kFmaSteps;
  if (plan.usesTensorCores)
    plan.stagedLhs = plan.stagedRhs = getElementTypeOrSelf(op->getOperand(plan.lhs));
  plan.roundsToTf32 = plan.usesTensorCores && plan.stagedLhs.isF32();
  plan.mayUseWarpgroups = freedom.warpgroups && plan.usesTensorCores && !plan.takesBytes && !plan.roundsToTf32;
  // Panels of columns, where all together are too many sums.
  if (plan.usesTensorCores) {
    plan.columns = getPanelColumns(plan.rows, plan.allColumns, threads, getFragmentWidth(plan));
    shareTensorTile(plan, threads);
    return plan.columns > 0 ? std::optional(plan) : std::nullopt;
  }
  for (plan.columns = plan.allColumns; !sharePoints(plan, threads);
       plan.columns = llvm::PowerOf2Ceil(plan.columns) / 2)
    if (plan.columns <= kLeastProductSide)
      return std::nullopt;
  return plan;
}

std::optional<ContractionPlan> mlir::fuse::planWarpgroups(const ContractionPlan &plan, int64_t threads,
                                                          bool rhsRunsAlongSteps) {
  int64_t width = getWarpgroupWidth(threads, rhsRunsAlongSteps);
  if (!plan.mayUseWarpgroups || !fitsWarpgroups(plan.rows, plan.columns, threads, width))
    return std::nullopt;
  FragmentShare share = shareWarpgroups(plan.rows, plan.columns, threads / kWarpgroupThreads, width);
  ContractionPlan chosen = plan;
  chosen.usesWarpgroups = true;
  chosen.steps = kWarpgroupStepBytes / kWarpgroupElementBytes;
  chosen.takersM = share.takersM;
  chosen.takersN = share.takersN;
  chosen.tileM = share.tileM;
  chosen.tileN = share.tileN;
  return chosen;
}

int64_t ContractionPlan::boundStageBytes() const {
  // A line has at most so many elements more.
  constexpr int64_t kMostPadding = 16;
  auto bytes = [&](int64_t lines, Type type) {
    return (lines + kMostPadding) * (steps + kMostPadding) *
           static_cast<int64_t>(llvm::divideCeil(type.getIntOrFloatBitWidth(), 8));
  };
  return bytes(paddedRows(), stagedLhs) + bytes(paddedColumns(), stagedRhs);
}

int64_t mlir::fuse::countStages(int64_t stageBytes, int64_t parts, const StagingRoom &room) {
  int64_t stages = ShapedType::isDynamic(parts) ? room.mostStages : std::min(parts, room.mostStages);
  // With one stage there may be a second block, which hides waits as well.
  bool hasSecondBlock = stageBytes <= room.freeBytes;
  if (stages < 2 || 2 * stageBytes > (hasSecondBlock ? room.freeBytes : room.bytes))
    return 1;
  while (stages > 2 && stages * stageBytes > room.freeBytes)
    --stages;
  return stages;
}

void ContractionPlan::chooseStages(llvm::function_ref<int64_t()> countBytes, int64_t allSteps, bool mayBeLonger,
                                   const StagingRoom &room) {
  int64_t least = steps, most = mayBeLonger && usesTensorCores ? kMostLonger * least : least;
  int64_t chosen = least, underWay = 0;
  bool isKnown = !ShapedType::isDynamic(allSteps);
  for (steps = least; steps <= most; steps *= 2) {
    int64_t parts = isKnown ? static_cast<int64_t>(llvm::divideCeil(allSteps, steps)) : allSteps;
    // The last part is computed whole.
    bool isWasteful = isKnown && parts * steps > static_cast<int64_t>(llvm::alignTo(allSteps, least)) + allSteps / 16;
    int64_t number = countStages(countBytes(), parts, room);
    if (steps > least && (number == 1 || isWasteful || (isKnown && parts < kLeastParts)))
      break;
    int64_t products = std::min((number - 1) * steps * rows * columns, kProductsOfWait);
    if (products < underWay)
      continue;
    chosen = steps;
    stages = number;
    underWay = products;
  }
  steps = chosen;
}
