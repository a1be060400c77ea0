//===- MergeMembers.cpp - Element-wise generics into their only reader -----===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "MergeMembers.h"
#include "fuse/Conversion/FuseToLinalg/FuseToLinalg.h"
#include "fuse/Conversion/Passes.h"
#include "fuse/IR/FuseOps.h"
#include "fuse/IR/MergedOps.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallBitVector.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_MERGEMEMBERS
#include "fuse/Conversion/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

bool fuse::isContraction(linalg::GenericOp op) {
  return op.getNumReductionLoops() > 0 && llvm::count_if(op.getDpsInputs(), [](Value input) {
           return !input.getDefiningOp<tensor::EmptyOp>();
         }) > 1;
}

bool fuse::isReadOnce(OpOperand &operand) {
  auto reader = cast<linalg::GenericOp>(operand.getOwner());
  return reader.isDpsInput(&operand) && reader.getMatchingIndexingMap(&operand).isPermutation() &&
         linalg::areElementwiseOpsFusable(&operand);
}

/// Drops the results of `op` that nobody reads, unless they alone tell the extent of a loop.
/// `linalg::fuseElementwiseOps` keeps the producer's result where it does not see that the consumer's
/// operands span all loops: it concatenates maps over two iteration spaces, so that a producer that is
/// read through a transpose looks as if its result were needed. Behind a reduction such a result would
/// be stored in each iteration. Upstream's own pattern (populateEraseUnusedOperandsAndResultsPatterns)
/// drops an operand that only gives an extent first (see keepExtents), and then must keep the result.
static linalg::GenericOp dropUnreadResults(RewriterBase &rewriter, linalg::GenericOp op) {
  unsigned numInputs = op.getNumDpsInputs();
  BitVector dropped(op->getNumOperands());
  for (OpResult result : op->getResults()) {
    OpOperand *init = op.getDpsInitOperand(result.getResultNumber());
    if (!result.use_empty() || op.payloadUsesValueFromOperand(init))
      continue;
    dropped.set(init->getOperandNumber());
    SmallVector<AffineMap> others;
    for (OpOperand &operand : op->getOpOperands())
      if (!dropped.test(operand.getOperandNumber()))
        others.push_back(op.getMatchingIndexingMap(&operand));
    if (others.empty() || !inversePermutation(concatAffineMaps(others, op.getContext())))
      dropped.reset(init->getOperandNumber());
  }
  if (dropped.none())
    return op;

  SmallVector<Value> inits, yielded, kept;
  SmallVector<AffineMap> maps;
  Operation *yield = op.getBody()->getTerminator();
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned number = operand.getOperandNumber();
    if (dropped.test(number))
      continue;
    maps.push_back(op.getMatchingIndexingMap(&operand));
    if (number < numInputs)
      continue;
    inits.push_back(operand.get());
    yielded.push_back(yield->getOperand(number - numInputs));
    kept.push_back(op->getResult(number - numInputs));
  }
  rewriter.setInsertionPoint(op);
  auto fresh =
      linalg::GenericOp::create(rewriter, op.getLoc(), ValueRange(inits).getTypes(),
                                op.getDpsInputs(), inits, maps, op.getIteratorTypesArray());
  rewriter.inlineRegionBefore(op.getRegion(), fresh.getRegion(), fresh.getRegion().begin());
  fresh.getBody()->eraseArguments(dropped);
  rewriter.modifyOpInPlace(yield, [&] { yield->setOperands(yielded); });
  fresh->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  for (auto [before, after] : llvm::zip_equal(kept, fresh->getResults()))
    rewriter.replaceAllUsesWith(before, after);
  rewriter.eraseOp(op);
  return fresh;
}

linalg::GenericOp fuse::mergeProducer(RewriterBase &rewriter, OpOperand &operand) {
  auto consumer = cast<linalg::GenericOp>(operand.getOwner());
  auto producer = operand.get().getDefiningOp<linalg::GenericOp>();
  rewriter.setInsertionPoint(consumer);
  FailureOr<linalg::ElementwiseOpFusionResult> fused =
      linalg::fuseElementwiseOps(rewriter, &operand);
  if (failed(fused))
    return {};
  for (Value result : consumer->getResults())
    rewriter.replaceAllUsesWith(result, fused->replacements.lookup(result));
  fused->fusedOp->setDiscardableAttrs(consumer->getDiscardableAttrDictionary());
  setMergedOps(fused->fusedOp, getMergedOps(consumer) + getMergedOps(producer));
  rewriter.eraseOp(consumer);
  rewriter.eraseOp(producer);
  return dropUnreadResults(rewriter, cast<linalg::GenericOp>(fused->fusedOp));
}

/// The loops of `reader` that inputs of `op` of several dimensions lie along, whose result is read
/// through `read`.
static void collectLastLoops(linalg::GenericOp op, AffineMap read,
                             llvm::SmallSetVector<unsigned, 2> &loops) {
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input).compose(read);
    if (map.getNumResults() < 2)
      continue;
    if (auto last = dyn_cast<AffineDimExpr>(map.getResults().back()))
      loops.insert(last.getPosition());
  }
}

/// Whether an element-wise producer whose inputs lie across each other would leave a reduction
/// without vectors: nothing turns operands of those. By itself it turns them in registers.
static bool isTurnedForFold(OpOperand &operand) {
  auto reader = cast<linalg::GenericOp>(operand.getOwner());
  auto producer = operand.get().getDefiningOp<linalg::GenericOp>();
  AffineMap written = producer.getIndexingMapMatchingResult(producer->getOpResult(0));
  if (reader.getNumReductionLoops() == 0 || !written.isPermutation())
    return false;
  llvm::SmallSetVector<unsigned, 2> loops;
  collectLastLoops(producer,
                   inversePermutation(written).compose(reader.getMatchingIndexingMap(&operand)),
                   loops);
  return loops.size() > 1;
}

static bool canMerge(OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  return producer && !producer->hasAttr(attr::kRecompute) && producer->getNumResults() == 1 &&
         producer->getResult(0).hasOneUse() && isReadOnce(*operand) && !isTurnedForFold(*operand);
}

/// A reduction of what is made up (an identity matrix) would have no operand left that its loops run
/// along once that is merged into it. Gives it an empty tensor that says how long they are; null where
/// it needs none.
static linalg::GenericOp keepExtents(IRRewriter &rewriter, OpOperand &operand) {
  auto reader = cast<linalg::GenericOp>(operand.getOwner());
  auto producer = operand.get().getDefiningOp<linalg::GenericOp>();
  if (!producer || reader.getNumReductionLoops() == 0 || producer.getNumReductionLoops() > 0 ||
      producer->hasAttr(attr::kRecompute) || producer->getNumResults() != 1 ||
      !producer->hasOneUse() || !reader.isDpsInput(&operand) ||
      !reader.getMatchingIndexingMap(&operand).isPermutation())
    return {};
  AffineMap read = reader.getMatchingIndexingMap(&operand);
  AffineMap written = producer.getIndexingMapMatchingResult(producer->getOpResult(0));
  ArrayRef<int64_t> extents = cast<RankedTensorType>(operand.get().getType()).getShape();
  if (!written.isPermutation() || ShapedType::isDynamicShape(extents))
    return {};
  llvm::SmallBitVector bare(reader.getNumLoops(), true);
  auto cover = [&](AffineMap map) {
    for (AffineExpr expr : map.getResults())
      if (auto loop = dyn_cast<AffineDimExpr>(expr))
        bare.reset(loop.getPosition());
  };
  for (OpOperand &other : reader->getOpOperands())
    if (&other != &operand)
      cover(reader.getMatchingIndexingMap(&other));
  for (OpOperand *input : producer.getDpsInputOperands())
    cover(producer.getMatchingIndexingMap(input).compose(inversePermutation(written)).compose(read));
  if (bare.none())
    return {};
  SmallVector<AffineExpr> exprs;
  SmallVector<int64_t> shape;
  for (unsigned loop : bare.set_bits()) {
    exprs.push_back(rewriter.getAffineDimExpr(loop));
    shape.push_back(extents[*read.getResultPosition(exprs.back())]);
  }
  rewriter.setInsertionPoint(reader);
  Location loc = reader.getLoc();
  Type byte = rewriter.getI8Type();
  unsigned count = reader.getNumDpsInputs();
  SmallVector<Value> inputs(reader.getDpsInputs());
  inputs.push_back(tensor::EmptyOp::create(rewriter, loc, shape, byte));
  SmallVector<AffineMap> maps = reader.getIndexingMapsArray();
  maps.insert(maps.begin() + count,
              AffineMap::get(reader.getNumLoops(), 0, exprs, rewriter.getContext()));
  auto fresh = linalg::GenericOp::create(rewriter, loc, reader.getResultTypes(), inputs,
                                         reader.getDpsInits(), maps,
                                         reader.getIteratorTypesArray());
  rewriter.inlineRegionBefore(reader.getRegion(), fresh.getRegion(), fresh.getRegion().begin());
  fresh.getBody()->insertArgument(count, byte, loc);
  fresh->setDiscardableAttrs(reader->getDiscardableAttrDictionary());
  rewriter.replaceOp(reader, fresh);
  return fresh;
}

static void mergeElementwise(func::FuncOp func) {
  IRRewriter rewriter(func.getContext());
  // Readers before what they read: a chain collapses into its last op in one sweep.
  SmallVector<linalg::GenericOp> generics;
  func.walk([&](linalg::GenericOp op) { generics.push_back(op); });
  while (!generics.empty()) {
    linalg::GenericOp consumer = generics.pop_back_val();
    // Asked before anything is merged into it: a sum of products is merged from a reduction. What is computed
    // again for each tile takes producers in by rules of its own.
    if (isContraction(consumer) || consumer->hasAttr(attr::kRecompute))
      continue;
    for (bool changed = true; changed;) {
      changed = false;
      for (OpOperand &operand : consumer->getOpOperands()) {
        if (linalg::GenericOp fresh = keepExtents(rewriter, operand)) {
          consumer = fresh;
          changed = true;
          break;
        }
        if (!canMerge(&operand))
          continue;
        auto producer = operand.get().getDefiningOp<linalg::GenericOp>();
        linalg::GenericOp merged = mergeProducer(rewriter, operand);
        if (!merged)
          continue;
        llvm::erase(generics, producer);
        consumer = merged;
        changed = true;
        break;
      }
    }
  }
}

/// Whether evaluating an element takes a function or a division: what is padded is computed again where
/// tiles overlap.
static bool isCostly(linalg::GenericOp op) {
  return llvm::any_of(op.getBody()->without_terminator(), [](Operation &inner) {
    return isa<arith::DivFOp, GateOp>(inner) ||
           (isa_and_nonnull<math::MathDialect>(inner.getDialect()) &&
            !isa<math::AbsFOp, math::FmaOp>(inner));
  });
}

/// Whether elements are computed from those of a reduction: these are there whole, so that elements
/// computed from them can be, too.
static bool followsReduction(linalg::GenericOp op) {
  // Each op once: values that several ops read would multiply the paths.
  llvm::SetVector<Operation *> seen;
  seen.insert(op);
  for (size_t i = 0; i < seen.size(); ++i)
    for (Value input : cast<linalg::GenericOp>(seen[i]).getDpsInputs())
      if (auto producer = input.getDefiningOp<linalg::GenericOp>()) {
        if (producer.getNumReductionLoops() > 0)
          return true;
        seen.insert(producer);
      }
  return false;
}

/// Whether elements are computed from sums that nobody else reads, one from each: they can take the sums' place.
static bool followsOwnSums(linalg::GenericOp op) {
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    auto producer = input->get().getDefiningOp<linalg::GenericOp>();
    return producer && producer.getNumReductionLoops() > 0 && input->get().hasOneUse() &&
           op.getMatchingIndexingMap(input).isPermutation();
  });
}

/// Marks what windows read of other members to be computed again for each tile, so that it need not be there
/// whole: what is padded for them, and what they read without a padding.
static void recomputeForWindows(func::FuncOp func, bool perElement) {
  IRRewriter rewriter(func.getContext());
  SmallVector<Operation *> ops;
  func.walk([&](Operation *op) {
    if (isa<linalg::GenericOp, tensor::PadOp>(op))
      ops.push_back(op);
  });
  auto canRecompute = [&](linalg::GenericOp op) {
    return isElementwise(op) && op->hasOneUse() && !(isCostly(op) && followsReduction(op)) &&
           (perElement || !followsOwnSums(op));
  };
  auto mark = [&](linalg::GenericOp op) {
    op->setDiscardableAttr(attr::kRecompute, rewriter.getUnitAttr());
  };
  while (!ops.empty()) {
    Operation *last = ops.pop_back_val();
    auto op = dyn_cast<linalg::GenericOp>(last);
    if (!op) {
      auto source = cast<tensor::PadOp>(last).getSource().getDefiningOp<linalg::GenericOp>();
      if (canRecompute(source))
        mark(source);
      continue;
    }
    if (op->hasAttr(attr::kRecompute)) {
      SmallVector<tensor::ExtractOp> reads;
      op.walk([&](tensor::ExtractOp read) { reads.push_back(read); });
      for (tensor::ExtractOp read : reads) {
        auto producer = read.getTensor().getDefiningOp<linalg::GenericOp>();
        if (!canRecompute(producer))
          continue;
        rewriter.setInsertionPoint(read);
        rewriter.replaceOp(read, evaluateAt(rewriter, producer, read.getIndices()));
      }
      for (OpOperand *operand : op.getDpsInputOperands()) {
        auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
        if (!canRecompute(producer) || !isReadOnce(*operand))
          continue;
        if (linalg::GenericOp merged = mergeProducer(rewriter, *operand)) {
          llvm::erase(ops, producer);
          ops.push_back(merged);
          break;
        }
      }
      continue;
    }
    if (op->use_empty()) { // computed by its readers now
      rewriter.eraseOp(op);
      continue;
    }
    if (!isElementwise(op))
      continue;
    bool areWindows = llvm::all_of(op->getUses(), [](OpOperand &use) {
      auto reader = dyn_cast<linalg::GenericOp>(use.getOwner());
      return reader && reader.isDpsInput(&use) &&
             !reader.getMatchingIndexingMap(&use).isProjectedPermutation();
    });
    if (areWindows)
      mark(op);
  }
}

void fuse::fuseElementwiseMembers(func::FuncOp func, bool perElement) {
  mergeElementwise(func);
  recomputeForWindows(func, perElement);
  if (perElement)
    evaluatePads(func);
}

namespace {
struct MergeMembersPass : fuse::impl::MergeMembersBase<MergeMembersPass> {
  using MergeMembersBase::MergeMembersBase;

  void runOnOperation() override { fuseElementwiseMembers(getOperation(), perElement); }
};
} // namespace
