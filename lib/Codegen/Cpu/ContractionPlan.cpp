//===- ContractionPlan.cpp - Reductions around vectors, planned ---------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ComputedColumns.h"
#include "LoopFacts.h"
#include "MatrixTiles.h"
#include "fuse/Analysis/VectorAccess.h"
#include "fuse/IR/Views.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

#include <numeric>

using namespace mlir;
using namespace mlir::fuse;
using utils::IteratorType;

/// A contraction's inputs are packed where so many rows read them, if the copy stays in the cache.
static constexpr int64_t kPackedRows = 32, kPackedBytes = 128 * 1024;
/// Rows that are widened in a buffer stay in the innermost caches.
static constexpr int64_t kCopiedBytes = 64 * 1024;
/// Iterations of a reduction in one go: with packed inputs, and with unpacked ones, whose rows are
/// better read along than across, unless all of them stay near the core. Measured with blocks of 16
/// rows: 512x512 f32 13 % faster in 64 than in 16, 768x768 40 % slower.
static constexpr int64_t kPackedSteps = 512, kUnpackedSteps = 16, kNearSteps = 64,
                         kNearBytes = 1024 * 1024, kNearPanelBytes = 256 * 1024;

/// Registers that a contraction has for what it multiplies, beside its sums.
static constexpr int64_t kFreeRegisters = 4;

static std::optional<PartialSums> planPartialSums(linalg::GenericOp op) {
  SmallVector<Operation *> combiners;
  if (op.getNumDpsInits() != 1 || !matchReduction(op.getRegionOutputArgs(), 0, combiners) ||
      combiners.size() != 1 || !isa<arith::AddFOp>(combiners.front()))
    return std::nullopt;
  SmallVector<unsigned> loops;
  SmallVector<int64_t> extents, ranges = op.getStaticLoopRanges();
  for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray()))
    if (iterator == IteratorType::reduction) {
      loops.push_back(loop);
      extents.push_back(ranges[loop]);
    }
  std::optional<PartialSums> sums = getPartialSums(extents);
  if (sums)
    sums->loop = loops[sums->loop];
  return sums;
}

/// Makes parts that lie in memory, and sums of their own, begin and end at the same steps.
static void alignParts(ContractionPlan &plan) {
  if (!plan.reductionBlock || !plan.partialSums)
    return;
  int64_t steps = plan.partialSums->steps;
  if (plan.reductionBlock >= steps) {
    plan.reductionBlock -= plan.reductionBlock % steps;
    return;
  }
  // What lies near is gone through in longer parts rather than with sums in memory.
  if (plan.reductionBlock == kNearSteps) {
    plan.reductionBlock = steps;
    return;
  }
  while (steps % plan.reductionBlock != 0)
    --plan.reductionBlock;
}

/// Whether memory of `operand` has the short lines of `lanes` columns that the reductions read one
/// behind the other: a parameter that was packed beforehand, or one of few columns.
static bool isPackedAlready(linalg::GenericOp op, OpOperand &operand, unsigned vectors) {
  constexpr int64_t kMostLanes = 64;
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  AffineMap map = op.getMatchingIndexingMap(&operand);
  SmallVector<int64_t> strides, ranges = op.getStaticLoopRanges();
  int64_t offset;
  std::optional<int64_t> block = getBlock(map, vectors);
  if (!type || failed(type.getStridesAndOffset(strides, offset)) ||
      getAccess(op, operand, vectors) != Access::Contiguous ||
      (!block && !map.isProjectedPermutation()))
    return false;
  int64_t lanes = block.value_or(ranges[vectors]);
  if (ShapedType::isDynamic(lanes) || lanes > kMostLanes)
    return false;
  int64_t dense = lanes;
  SmallVector<IteratorType> iterators = op.getIteratorTypesArray();
  for (unsigned loop = op.getNumLoops(); loop-- > 0;) {
    if (iterators[loop] != IteratorType::reduction || ranges[loop] == 1)
      continue;
    std::optional<unsigned> position =
        map.getResultPosition(getAffineDimExpr(loop, op.getContext()));
    if (!position || strides[*position] != dense || ShapedType::isDynamic(ranges[loop]))
      return false;
    dense *= ranges[loop];
  }
  return dense > lanes;
}

/// Whether `operand`, which is packed already, has several panels of `plan.lanes` columns next to
/// each other, and more bytes than stay in the first cache.
static bool hasFarPanels(linalg::GenericOp op, OpOperand &operand, const ContractionPlan &plan) {
  constexpr int64_t kFarBytes = 64 * 1024;
  auto all = dyn_cast<MemRefType>(getBase(operand.get()).getType());
  AffineMap map = op.getMatchingIndexingMap(&operand);
  int64_t range = op.getStaticLoopRanges()[plan.loop];
  return all && all.hasStaticShape() && getBlock(map, plan.loop).value_or(range) == plan.lanes &&
         all.getNumElements() * all.getElementTypeBitWidth() / 8 >= kFarBytes;
}

/// Decides which of `reused`, inputs that all iterations of the unrolled loop share, are packed.
static void planPacking(linalg::GenericOp op, ContractionPlan &plan, ArrayRef<unsigned> reused) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  int64_t steps = 1, panelBytes = 0;
  for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
    if (iterator != IteratorType::reduction)
      continue;
    if (ShapedType::isDynamic(ranges[loop]))
      return;
    steps *= ranges[loop];
  }
  bool hasOneReduction = op.getNumReductionLoops() == 1;
  int64_t rows = getMostIterations(op, *plan.unrolledLoop);
  bool hasManyRows = ShapedType::isDynamic(rows) || rows >= kPackedRows;
  bool arePacked = true;
  for (unsigned number : reused) {
    OpOperand &operand = op->getOpOperand(number);
    int64_t lineBytes =
        plan.lanes * getElementTypeOrSelf(operand.get()).getIntOrFloatBitWidth() / 8;
    panelBytes += steps * lineBytes;
    // Columns of f16 are widened on the way, too: their conversion takes what multiplies.
    bool isCopied = plan.dot && plan.dot->kind == DotPlan::Kind::Copied && hasManyRows;
    if (isPackedAlready(op, operand, plan.loop) && !isCopied) {
      if (hasFarPanels(op, operand, plan))
        plan.fetchedAhead = number;
      continue;
    }
    int64_t together = hasOneReduction ? std::min(steps, kPackedSteps) : steps;
    bool isScattered = getAccess(op, operand, plan.loop) == Access::Other;
    if (isScattered || (hasManyRows && together * lineBytes <= kPackedBytes))
      plan.packed.push_back(number);
    else
      arePacked = false;
  }
  bool isNear = llvm::all_of(reused, [&](unsigned number) {
    auto type = dyn_cast<MemRefType>(op->getOperand(number).getType());
    return type && type.hasStaticShape() && type.getLayout().isIdentity() &&
           type.getNumElements() * type.getElementTypeBitWidth() / 8 <= kNearBytes;
  });
  int64_t block = arePacked ? kPackedSteps : isNear ? kNearSteps : kUnpackedSteps;
  // Panels that lie as they are read are gone through whole, too, if all of one stays near the core
  // beside the rows (see KernelSchedule.h): 1024x1024x1024 f32 on a core of Granite Rapids 12.2 ms,
  // 13.8 in parts.
  if (arePacked && plan.packed.empty() && panelBytes <= kNearPanelBytes)
    return;
  // Rows that stay near are gone through whole: no sums in between.
  constexpr int64_t kNearRowBytes = 512 * 1024;
  if (arePacked && !ShapedType::isDynamic(rows) && rows * steps * 4 <= kNearRowBytes)
    return;
  if (hasOneReduction && steps > block)
    plan.reductionBlock = block;
}

int64_t mlir::fuse::fitBlocks(linalg::GenericOp op, unsigned loop, int64_t lanes) {
  for (OpOperand *operand : op.getDpsInputOperands())
    if (std::optional<int64_t> block = getBlock(op.getMatchingIndexingMap(operand), loop))
      lanes = std::gcd(lanes, *block);
  return lanes;
}

/// Decides whether the reductions run in groups of steps, with `columns` packed for them.
static void planGroups(linalg::GenericOp op, ContractionPlan &plan, unsigned columns, int64_t width,
                       const DotInstructions &dots) {
  // So many rows are worth packing. On a core of Zen 5, 4096x4096: four rows of i8 take 0.7 ms
  // instead of 0.9, four of bf16 1.6 instead of 1.0, sixteen 2.4 either way.
  constexpr int64_t kLeastInt8Rows = 4, kLeastBf16Rows = 16;
  // From so many on, f16 is widened once, in buffers.
  constexpr int64_t kLeastCopiedRows = 128;
  // What is packed at once stays near the core.
  constexpr int64_t kMostBytes = 512 * 1024;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  int64_t rows = getMostIterations(op, *plan.unrolledLoop), steps = 1;
  if (ShapedType::isDynamic(rows))
    rows = std::numeric_limits<int64_t>::max();
  for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray()))
    if (iterator == IteratorType::reduction) {
      if (ShapedType::isDynamic(ranges[loop]))
        return;
      steps *= ranges[loop];
    }
  DotInstructions worthwhile{dots.int8 && rows >= kLeastInt8Rows, dots.bf16 && rows >= kLeastBf16Rows,
                             dots.int16 && rows >= kLeastInt8Rows};
  std::optional<DotPlan> dot = planDot(op, columns, plan.loop, width, worthwhile);
  if (!dot || (dot->kind == DotPlan::Kind::Copied && rows < kLeastCopiedRows))
    return;
  if (!dot->isPacked()) {
    plan.dot = dot;
    return;
  }
  int64_t lanes = std::max(plan.lanes, width);
  if (lanes % width != 0 || fitBlocks(op, plan.loop, lanes) != lanes)
    return;
  // As many bytes in one go as of f32.
  int64_t block = kPackedSteps * dot->group, bytes = 4 / dot->group;
  if (op.getNumReductionLoops() == 1 && steps > block)
    plan.reductionBlock = block;
  else if (steps * lanes * bytes > kMostBytes)
    return;
  plan.lanes = lanes;
  plan.tailLanes = std::max(plan.tailLanes, width);
  plan.packed = {columns};
  plan.dot = dot;
}

/// How many rows of a contraction are computed together, `vectors` accumulators each, in groups that are as even as can
/// be. Enough accumulators hide the latency of an addition; beyond that they only take registers. 1x1 convolutions of 1024
/// by 256 channels, 14x14 pixels, on a core of Zen 4: 0.88 ms with 16 accumulators, 0.89 with 20, 0.96 with 24, 1.14 with 28.
static int64_t getUnroll(int64_t rows, int64_t vectors, int64_t columns, int64_t registers) {
  constexpr int64_t kAccumulators = 20, kAllRegisters = 32;
  int64_t most = std::max<int64_t>(4, kAccumulators / std::max<int64_t>(2, vectors));
  // Few registers hold the accumulators beside what is multiplied, `columns` and a factor, and a product that is no
  // accumulator yet.
  if (registers < kAllRegisters)
    most = std::clamp<int64_t>((registers - 2 - columns) / vectors, 1, 8);
  if (ShapedType::isDynamic(rows) || rows >= 8 * most)
    return most;
  return llvm::divideCeil(rows, llvm::divideCeil(rows, most));
}

/// Columns that memory has in groups of steps are multiplied as they lie, by any number of rows.
static std::unique_ptr<ContractionPlan> planGroupedColumns(linalg::GenericOp op, int64_t width, const VectorFacts &facts) {
  if (op.getNumDpsInits() != 1 || op.getNumDpsInputs() != 2)
    return nullptr;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<IteratorType> iterators = op.getIteratorTypesArray();
  for (auto [loop, iterator] : llvm::enumerate(iterators))
    if (iterator == IteratorType::reduction && ShapedType::isDynamic(ranges[loop]))
      return nullptr;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    std::optional<GroupedColumns> grouped = getGroupedColumns(op, *operand);
    if (!grouped || getAccess(op, *op.getDpsInitOperand(0), grouped->loop) != Access::Contiguous)
      continue;
    auto planned = std::make_unique<ContractionPlan>();
    ContractionPlan &plan = *planned;
    plan.loop = grouped->loop;
    plan.dot = planDot(op, operand->getOperandNumber(), plan.loop, width, facts.dots);
    if (!plan.dot)
      continue;
    // Two registers, if there are as many columns and blocks do not end between the two.
    int64_t most = getMostIterations(op, plan.loop);
    bool isWide = (ShapedType::isDynamic(most) || most > width) && grouped->block.value_or(2 * width) % (2 * width) == 0;
    if (grouped->block && *grouped->block % width != 0)
      continue;
    plan.lanes = isWide ? 2 * width : width;
    plan.tailLanes = width;
    plan.unrolledLoop = getReuseLoop(op, operand, plan.loop);
    // What a row or two broadcast had better serve more columns, where there are registers.
    constexpr int64_t kFewRows = 2, kAllRegisters = 32;
    int64_t rows = plan.unrolledLoop ? getMostIterations(op, *plan.unrolledLoop) : 1;
    if (plan.dot->isInteger() && !ShapedType::isDynamic(rows) && rows <= kFewRows && facts.registers >= kAllRegisters &&
        (grouped->block ? *grouped->block : most) % (4 * width) == 0)
      plan.lanes = 4 * width;
    if (plan.unrolledLoop) {
      int64_t vectors = plan.lanes / width;
      bool isPair = plan.dot->kind == DotPlan::Kind::Pairs || plan.dot->kind == DotPlan::Kind::Widened;
      plan.unroll = getUnroll(getMostIterations(op, *plan.unrolledLoop), vectors, isPair ? 2 * vectors + 1 : vectors,
                              facts.registers);
    }
    return planned;
  }
  return nullptr;
}

/// Whether windows of neighboring iterations of the unrolled loop have vectors in common along the innermost reduction,
/// which is short.
static bool overlapWindows(linalg::GenericOp op, const ContractionPlan &plan) {
  constexpr int64_t kMostTaps = 5;
  std::optional<unsigned> taps;
  for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray()))
    if (iterator == IteratorType::reduction)
      taps = loop;
  int64_t extent = taps ? op.getStaticLoopRanges()[*taps] : 0;
  if (plan.dot || plan.reductionBlock || !plan.unrolledLoop ||
      ShapedType::isDynamic(extent) || extent < 2 || extent > kMostTaps)
    return false;
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    if (getAccess(op, *input, plan.loop) != Access::Contiguous)
      return false;
    return llvm::any_of(op.getMatchingIndexingMap(input).getResults(), [&](AffineExpr expr) {
      if (!expr.isFunctionOfDim(*taps) || !expr.isFunctionOfDim(*plan.unrolledLoop))
        return false;
      std::optional<int64_t> step = getStep(expr, *plan.unrolledLoop, op.getNumLoops());
      std::optional<int64_t> tap = getStep(expr, *taps, op.getNumLoops());
      return step && tap && *tap > 0 && *step % *tap == 0 && *step / *tap < extent;
    });
  });
}

bool ContractionPlan::serves(linalg::GenericOp epilogue, const VectorFacts &facts) const {
  if (reductionBlock || !getBodyBytes(epilogue))
    return false;
  // What it adds up itself it adds in the order of the loops around the vectors.
  if (epilogue.getNumReductionLoops() > 0) {
    SmallVector<IteratorType> iterators = epilogue.getIteratorTypesArray();
    auto isOuter = [&](unsigned loop) { return iterators[loop] == IteratorType::parallel; };
    if (!isOuter(loop) || (unrolledLoop && !isOuter(*unrolledLoop)) ||
        (planPartialSums(epilogue) && !facts.scalesSums))
      return false;
  }
  for (OpOperand &operand : epilogue->getOpOperands()) {
    Access access = getAccess(epilogue, operand, loop);
    if (access == Access::Other || (epilogue.isDpsInit(&operand) && access != Access::Contiguous))
      return false;
  }
  return llvm::all_of(epilogue.getBody()->getOps<memref::LoadOp>(), [&](memref::LoadOp load) {
    return getAccess(epilogue, load, loop) != Access::Other;
  });
}

/// Decides whether sums of groups are scaled. They have registers of their own, and take the place of partial sums.
static void planScaledSums(linalg::GenericOp op, ContractionPlan &plan, int64_t width, const VectorFacts &facts) {
  if (!facts.scalesSums || plan.dot || plan.reductionBlock || 2 * plan.countSums(width) > facts.registers / 2)
    return;
  SmallVector<unsigned> inner;
  for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray()))
    if (iterator == IteratorType::reduction)
      inner.push_back(loop);
  plan.scaled = findScaledSums(op, plan.loop, inner);
  if (plan.scaled && plan.partialSums && llvm::find(inner, plan.partialSums->loop) - inner.begin() < plan.scaled->depth)
    plan.partialSums.reset();
}

/// Columns that whole vectors leave over are computed together, with a mask: of 31, in vectors of 16, two vectors of which the
/// last lacks one. One vector after the other would load each factor of the rows twice, and have half as many sums.
static void planTail(linalg::GenericOp op, ContractionPlan &plan) {
  int64_t extent = op.getStaticLoopRanges()[plan.loop];
  // A vector of elements that lie some steps apart is loaded one by one where it has a mask.
  if (plan.dot || !plan.packed.empty() || !readsInOrder(op, plan.loop) || ShapedType::isDynamic(extent))
    return;
  int64_t tail = plan.tailLanes;
  while (2 * tail <= plan.lanes && tail < extent % plan.lanes)
    tail *= 2;
  if (fitBlocks(op, plan.loop, tail) == tail)
    plan.tailLanes = tail;
}

/// What of a contraction whose vectors run along `plan.loop` is used again, packed, summed in groups and fetched ahead.
static void planReuse(linalg::GenericOp op, ContractionPlan &plan, int64_t width, const VectorFacts &facts) {
  SmallVector<IteratorType> iterators = op.getIteratorTypesArray();
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  auto loads = op.getBody()->getOps<memref::LoadOp>();
  bool isContraction = op.getNumDpsInputs() > 1;
  for (auto [loop, iterator] : llvm::enumerate(iterators))
    if (iterator == IteratorType::reduction && ShapedType::isDynamic(ranges[loop]))
      isContraction = false;
  int64_t extent = ranges[plan.loop];
  plan.tailLanes = fitLanes(op, plan.loop, width);
  // A vector that is loaded is used for several iterations of a parallel loop that it does not
  // depend on, with an accumulator each.
  SmallVector<unsigned> reused;
  SmallVector<OpOperand *> scattered = getScattered(op, plan.loop);
  if (!scattered.empty())
    plan.unrolledLoop = getReuseLoop(op, scattered, plan.loop);
  for (OpOperand *operand : op.getDpsInputOperands()) {
    // What the body loads at positions that it computes, it loads once for as many vectors as there are.
    if (!loads.empty() || getAccess(op, *operand, plan.loop) == Access::Invariant)
      continue;
    if (!plan.unrolledLoop)
      plan.unrolledLoop = getReuseLoop(op, operand, plan.loop);
    if (plan.unrolledLoop && getAccess(op, *operand, *plan.unrolledLoop) == Access::Invariant)
      reused.push_back(operand->getOperandNumber());
  }
  if (plan.unrolledLoop) {
    int64_t rows = getMostIterations(op, *plan.unrolledLoop);
    plan.lanes = fitBlocks(op, plan.loop, fitLanes(op, plan.loop, getColumnVectors(op, plan.loop, rows, facts) * width));
    if (reused.size() == 1)
      planGroups(op, plan, reused.front(), width, facts.dots);
    int64_t vectors = llvm::divideCeil(plan.lanes, width);
    // Steps of a pair have columns each.
    bool isPair = plan.dot && (plan.dot->kind == DotPlan::Kind::Widened || plan.dot->kind == DotPlan::Kind::Pairs);
    plan.unroll = getUnroll(rows, vectors, isPair ? 2 * vectors : vectors,
                            facts.registers);
    if (plan.dot && plan.dot->isPacked())
      return;
    planPacking(op, plan, reused);
    planTail(op, plan);
    planFetchingInOrder(op, plan, reused, rows);
    if (plan.dot && plan.dot->kind == DotPlan::Kind::Copied &&
        plan.unroll * 4 * (plan.reductionBlock ? plan.reductionBlock : ranges[plan.dot->loop]) >
            kCopiedBytes)
      plan.dot.reset();
    // What few rows read of far memory comes in short runs: those of the next part are fetched
    // while this one is multiplied. 16x4096x4096 f32 on a core of Zen 5: 5.6 ms without, 3.4 with
    // it.
    if (plan.packed.empty() && plan.reductionBlock == kUnpackedSteps) {
      unsigned first = *llvm::find_if(llvm::seq<unsigned>(0, op.getNumLoops()),
                                      [&](unsigned loop) { return iterators[loop] == IteratorType::reduction; });
      plan.prefetch = Prefetch{first, kUnpackedSteps};
    }
  } else {
    plan.lanes = fitBlocks(op, plan.loop, fitLanes(op, plan.loop, facts.registers / 2 * width));
    // Columns that are left over are read in as long runs, since each run goes through all rows.
    plan.tailLanes = ShapedType::isDynamic(extent) ? std::min(8 * width, plan.lanes) : plan.lanes;
    while (!ShapedType::isDynamic(extent) &&
           plan.tailLanes / 2 >= std::max(width, extent % plan.lanes))
      plan.tailLanes /= 2;
    constexpr int64_t kStepsAhead = 8;
    for (unsigned loop = op.getNumLoops(); loop-- > 0 && !plan.prefetch && loads.empty();)
      if (iterators[loop] == IteratorType::reduction)
        plan.prefetch = Prefetch{loop, kStepsAhead};
    SmallVector<unsigned> columns;
    for (OpOperand *operand : op.getDpsInputOperands())
      if (loads.empty() && getAccess(op, *operand, plan.loop) == Access::Contiguous)
        columns.push_back(operand->getOperandNumber());
    if (isContraction)
      planFetchingInOrder(op, plan, columns, /*rows=*/1);
  }
}

/// Whether the rows of what is computed lie pages apart, so that a vector of each row is far from the next in memory.
static bool hasFarRows(linalg::GenericOp op, const ContractionPlan &plan) {
  constexpr int64_t kPageBytes = 4096;
  OpOperand &init = *op.getDpsInitOperand(0);
  auto type = dyn_cast<MemRefType>(init.get().getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  std::optional<unsigned> position =
      op.getMatchingIndexingMap(&init).getResultPosition(getAffineDimExpr(*plan.unrolledLoop, op.getContext()));
  if (!type || !position || failed(type.getStridesAndOffset(strides, offset)) || ShapedType::isDynamic(strides[*position]))
    return false;
  return strides[*position] * type.getElementTypeBitWidth() / 8 >= kPageBytes;
}

/// Decides how many vectors of columns a group of rows goes through at once. A 1x1 convolution of 8 by 56 channels, 238x238
/// pixels, with a residual added, on a core of Zen 4: 4.1 ms in runs of 32 pixels, each of 112 far lines.
static void planColumnRuns(linalg::GenericOp op, ContractionPlan &plan) {
  constexpr int64_t kRunBytes = 2048;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  if (!plan.unrolledLoop || plan.dot || plan.reductionBlock || plan.fetchedAhead || plan.fetchedInOrder || plan.prefetch ||
      op.getNumDpsInits() != 1 || ShapedType::isDynamic(ranges[plan.loop]) || !hasFarRows(op, plan))
    return;
  int64_t rows = getMostIterations(op, *plan.unrolledLoop), steps = 1;
  if (!ShapedType::isDynamic(rows) && rows <= plan.unroll)
    return;
  for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
    if (iterator != IteratorType::reduction)
      continue;
    if (ShapedType::isDynamic(ranges[loop]) || ranges[loop] == 0)
      return;
    steps *= ranges[loop];
  }
  int64_t vectorBytes = plan.lanes * getElementTypeOrSelf(op.getDpsInits().front()).getIntOrFloatBitWidth() / 8;
  plan.columnRun = std::min({kRunBytes / vectorBytes, kNearPanelBytes / (steps * vectorBytes), ranges[plan.loop] / plan.lanes});
  plan.columnRun = std::max<int64_t>(1, plan.columnRun);
}

/// The plan with the instructions that `facts` tells of.
static std::unique_ptr<ContractionPlan> planWith(linalg::GenericOp op, int64_t width, const VectorFacts &facts) {
  std::unique_ptr<ContractionPlan> planned = planGroupedColumns(op, width, facts);
  if (!planned) {
    std::optional<unsigned> loop = findVectorLoop(op, IteratorType::parallel);
    if (!loop)
      return nullptr;
    planned = std::make_unique<ContractionPlan>();
    planned->loop = *loop;
    planReuse(op, *planned, width, facts);
  }
  ContractionPlan &plan = *planned;
  plan.partialSums = planPartialSums(op);
  planScaledSums(op, plan, width, facts);
  planMatrixTiles(op, plan, width, facts);
  alignParts(plan);
  plan.unrollsTaps = overlapWindows(op, plan);
  planColumnRuns(op, plan);
  if (plan.partialSums && !plan.addsParts() && op.getNumReductionLoops() > 1)
    plan.totalsInMemory = 2 * plan.countSums(width) > facts.registers - kFreeRegisters;
  return planned;
}

std::unique_ptr<VectorPlan> mlir::fuse::planContraction(linalg::GenericOp op, int64_t width, const VectorFacts &facts) {
  // Tiles of bf16 may be allowed where the instruction of vectors is not.
  if (!facts.dots.bf16Tiles || facts.dots.bf16)
    return planWith(op, width, facts);
  VectorFacts both = facts;
  both.dots.bf16 = true;
  std::unique_ptr<ContractionPlan> planned = planWith(op, width, both);
  bool usesVectors = planned && planned->dot && planned->dot->kind == DotPlan::Kind::Bf16 && !planned->dot->tileSteps;
  return usesVectors ? planWith(op, width, facts) : std::move(planned);
}
