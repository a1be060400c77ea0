//===- ThreadMapping.cpp - Which thread does which iterations ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ThreadMapping.h"
#include "Alignment.h"
#include "fuse/IR/FuseDialect.h"
#include "fuse/IR/MergedOps.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::fuse;
using utils::IteratorType;

/// What a lane loads or stores at once, and the most elements of it.
static constexpr int64_t kChunkBytes = 16, kMostChunk = 8;

int64_t ThreadMapping::count(const TakenLoops &taken) const {
  int64_t count = 1;
  for (unsigned loop : taken.loops) {
    if (ShapedType::isDynamic(bounds[loop]))
      return ShapedType::kDynamic;
    count *= bounds[loop];
  }
  return count / taken.chunk;
}

int64_t ThreadMapping::countTrips(const TakenLoops &taken) const {
  int64_t positions = count(taken);
  return ShapedType::isDynamic(positions) ? positions
                                          : llvm::divideCeil(positions, taken.takers);
}

/// The largest extent of a buffer's dimension.
static int64_t getBound(Value buffer, unsigned dim) {
  auto type = cast<MemRefType>(buffer.getType());
  if (!type.isDynamicDim(dim))
    return type.getDimSize(dim);
  FailureOr<int64_t> bound = ValueBoundsConstraintSet::computeConstantBound(
      presburger::BoundType::UB, {buffer, static_cast<int64_t>(dim)}, /*stopCondition=*/nullptr,
      {/*closedUB=*/true});
  return succeeded(bound) ? *bound : ShapedType::kDynamic;
}

static SmallVector<int64_t> getBounds(linalg::GenericOp op) {
  SmallVector<int64_t> bounds = op.getStaticLoopRanges();
  for (auto [loop, bound] : llvm::enumerate(bounds)) {
    if (!ShapedType::isDynamic(bound))
      continue;
    AffineExpr wanted = getAffineDimExpr(loop, op.getContext());
    for (OpOperand &operand : op->getOpOperands())
      for (auto [dim, expr] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults())) {
        if (expr != wanted)
          continue;
        int64_t other = getBound(operand.get(), dim);
        if (!ShapedType::isDynamic(other) && (ShapedType::isDynamic(bound) || other < bound))
          bound = other;
      }
  }
  return bounds;
}

/// Whether partial results can be combined in any order.
static bool isFoldable(linalg::GenericOp op) {
  if (op.getNumDpsInits() != 1)
    return false;
  SmallVector<Operation *> combiners;
  if (!matchReduction(op.getRegionOutputArgs(), 0, combiners) || combiners.size() != 1)
    return false;
  return arith::getNeutralElement(combiners.front()).has_value();
}

/// The loop along which memory is contiguous: of the result, or, among reductions, of an input.
static unsigned findChunkLoop(linalg::GenericOp op, ArrayRef<unsigned> loops, bool folds) {
  SmallVector<OpOperand *> operands;
  if (folds)
    operands = op.getDpsInputOperands();
  else
    for (OpOperand &init : op.getDpsInitsMutable())
      operands.push_back(&init);
  for (OpOperand *operand : operands) {
    AffineMap map = op.getMatchingIndexingMap(operand);
    if (map.getNumResults() == 0)
      continue;
    for (unsigned loop : loops)
      if (map.getResults().back().isFunctionOfDim(loop))
        return loop;
  }
  return loops.back();
}

/// Whether memory runs along `loop` with gaps, or together with another loop: a window, a slice.
/// Chunks of it would lie apart, while single elements of neighbouring threads do not.
static bool isWindow(linalg::GenericOp op, OpOperand &operand, unsigned loop) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (map.getNumResults() == 0 || op.getMatchingBlockArgument(&operand).use_empty())
    return false;
  AffineExpr last = map.getResults().back();
  if (!last.isFunctionOfDim(loop) || isa<AffineDimExpr>(last))
    return false;
  // Loops of one iteration stand still.
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  for (auto [other, range] : llvm::enumerate(ranges))
    if (range == 1)
      last = last.replace(getAffineDimExpr(other, op.getContext()),
                          getAffineConstantExpr(0, op.getContext()));
  return last != getAffineDimExpr(loop, op.getContext());
}

/// Chunks are as long as all buffers allow that run along them.
static int64_t getChunk(linalg::GenericOp op, unsigned loop, int64_t bound, bool folds) {
  if (ShapedType::isDynamic(bound))
    return 1;
  int64_t bytes = kChunkBytes, divisor = bound;
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (!type)
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!map.isFunctionOfDim(loop))
      continue;
    // What lies across a row is not copied first (see turnOperands): elements of it are read one
    // by one, by neighbours from lines as close as can be.
    bool isAcross = folds && !op.getMatchingBlockArgument(&operand).use_empty() &&
                    !isContiguousAlong(op, operand, loop);
    if (isAcross || isWindow(op, operand, loop))
      return 1;
    int64_t size = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    bytes = std::min(bytes, size);
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (expr == getAffineDimExpr(loop, op.getContext()))
        divisor = std::gcd(divisor, getExtentDivisor(operand.get(), dim));
    if (isContiguousAlong(op, operand, loop))
      divisor = std::gcd(divisor, getAlignment(op, operand, loop));
  }
  op.getBody()->walk([&](memref::LoadOp load) {
    std::optional<int64_t> first = getContiguousDivisor(op, load, loop);
    if (!first)
      return;
    bytes = std::min<int64_t>(bytes,
                              llvm::divideCeil(load.getMemRefType().getElementTypeBitWidth(), 8));
    divisor = std::gcd(divisor, *first);
  });
  int64_t chunk = std::min(kMostChunk, kChunkBytes / std::max<int64_t>(1, bytes));
  while (divisor % chunk != 0)
    chunk /= 2;
  return chunk;
}

/// The sum of products of two operands.
static bool isProduct(linalg::GenericOp op) {
  Operation *add = op.getBody()->getTerminator()->getOperand(0).getDefiningOp();
  return isa_and_nonnull<arith::AddFOp, arith::AddIOp>(add) && getMergedOps(op) == 1 &&
         llvm::count_if(op.getRegionInputArgs(),
                        [](Value argument) { return !argument.use_empty(); }) > 1;
}

/// How many groups of threads share the reductions: see ThreadMapping::slices.
static int64_t countSlices(const ThreadMapping &mapping, int64_t threads) {
  constexpr int64_t kLeastSteps = 8;
  int64_t points = mapping.count(mapping.spread), steps = 1;
  for (unsigned loop : mapping.sequential)
    steps =
        ShapedType::isDynamic(mapping.bounds[loop])
            ? std::numeric_limits<int32_t>::max()
            : std::min<int64_t>(steps * mapping.bounds[loop], std::numeric_limits<int32_t>::max());
  if (ShapedType::isDynamic(points) || !llvm::isPowerOf2_64(threads) || points == 0)
    return 1;
  int64_t slices = threads / static_cast<int64_t>(llvm::PowerOf2Ceil(points));
  while (slices > 1 && steps < slices * kLeastSteps)
    slices /= 2;
  return std::max<int64_t>(1, slices);
}

BlockThreads BlockThreads::get(ScheduleAttr schedule) {
  BlockThreads block;
  if (!schedule || schedule.getThreads() == 0)
    return block;
  block.threads = schedule.getThreads();
  block.lanes = schedule.getLanes();
  for (LevelAttr level : schedule.getLevels())
    if (level.getMapping() == LevelMapping::Subgroup)
      llvm::append_range(block.rowDims, level.getDims());
  return block;
}

ThreadMapping mlir::fuse::mapToThreads(linalg::GenericOp op, ArrayRef<int64_t> loopDims,
                                       const BlockThreads &block) {
  ThreadMapping mapping;
  mapping.bounds = getBounds(op);
  bool hasRows = block.lanes > 0;
  SmallVector<unsigned> columns, reductions;
  for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
    if (iterator == IteratorType::reduction)
      reductions.push_back(loop);
    else if (hasRows && loop < loopDims.size() &&
             llvm::is_contained(block.rowDims, loopDims[loop]))
      mapping.rows.loops.push_back(loop);
    else
      columns.push_back(loop);
  }
  mapping.spread.takers = mapping.rows.empty() ? block.threads : block.lanes;
  mapping.rows.takers = block.threads / mapping.spread.takers;
  bool isFree = block.reassociates || !isProduct(op);
  mapping.folds = columns.empty() && !reductions.empty() && isFree && isFoldable(op);
  SmallVector<unsigned> &spread = mapping.spread.loops;
  spread = mapping.folds ? reductions : columns;
  mapping.sequential = mapping.folds ? SmallVector<unsigned>() : reductions;
  if (spread.empty())
    return mapping;
  unsigned last = findChunkLoop(op, spread, mapping.folds);
  spread.erase(llvm::find(spread, last));
  spread.push_back(last);
  mapping.spread.chunk = getChunk(op, last, mapping.bounds[last], mapping.folds);
  if (!mapping.folds && mapping.rows.empty() && block.reassociates && !reductions.empty() &&
      isFoldable(op))
    mapping.slices = countSlices(mapping, block.threads);
  mapping.spread.takers /= mapping.slices;
  return mapping;
}

std::optional<AccessPattern> mlir::fuse::getPattern(linalg::GenericOp op, OpOperand &operand,
                                                    const ThreadMapping &mapping) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (mapping.isProduct || mapping.slices > 1 || !map.isProjectedPermutation())
    return std::nullopt;
  AccessPattern pattern;
  auto add = [&](ArrayRef<unsigned> loops) {
    for (unsigned loop : loops) {
      std::optional<unsigned> dim =
          map.getResultPosition(getAffineDimExpr(loop, op.getContext()));
      if (!dim)
        return false;
      pattern.dims.push_back(*dim);
      pattern.bounds.push_back(mapping.bounds[loop]);
    }
    return true;
  };
  if (!add(mapping.rows.loops))
    return std::nullopt;
  pattern.dims.push_back(-1);
  pattern.groups = mapping.rows.takers;
  pattern.lanes = mapping.spread.takers;
  if (pattern.dims.size() == map.getNumResults() + 1) {
    // Of a row: every lane computes it, or reads it.
    pattern.isReplicated = true;
    return pattern;
  }
  if (!add(mapping.spread.loops) || pattern.dims.size() != map.getNumResults() + 1)
    return std::nullopt;
  pattern.chunk = mapping.spread.chunk;
  return pattern;
}

DenseMap<Operation *, SmallVector<int64_t>>
mlir::fuse::findLoopDims(ArrayRef<linalg::GenericOp> ops) {
  DenseMap<Operation *, SmallVector<int64_t>> known;
  DenseMap<Value, SmallVector<int64_t>> ofBuffers; // for each dimension
  auto note = [&](linalg::GenericOp op, SmallVector<int64_t> dims) {
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<MemRefType>(operand.get().getType()) || ofBuffers.count(operand.get()))
        continue;
      SmallVector<int64_t> &ofBuffer = ofBuffers[operand.get()];
      for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults()) {
        auto loop = dyn_cast<AffineDimExpr>(expr);
        ofBuffer.push_back(loop ? dims[loop.getPosition()] : -1);
      }
    }
    known[op] = std::move(dims);
  };
  for (linalg::GenericOp op : ops)
    if (auto dims = op->getAttrOfType<DenseI64ArrayAttr>(attr::kLoopDims);
        dims && dims.size() == op.getNumLoops())
      note(op, SmallVector<int64_t>(dims.asArrayRef()));
  for (bool changes = true; changes;) {
    changes = false;
    for (linalg::GenericOp op : ops) {
      if (known.contains(op))
        continue;
      for (OpOperand &operand : op->getOpOperands()) {
        auto ofBuffer = ofBuffers.find(operand.get());
        if (ofBuffer == ofBuffers.end())
          continue;
        SmallVector<int64_t> dims(op.getNumLoops(), -1);
        AffineMap map = op.getMatchingIndexingMap(&operand);
        for (auto [expr, dim] : llvm::zip_equal(map.getResults(), ofBuffer->second))
          if (auto loop = dyn_cast<AffineDimExpr>(expr))
            dims[loop.getPosition()] = dim;
        note(op, std::move(dims));
        changes = true;
        break;
      }
    }
  }
  return known;
}
