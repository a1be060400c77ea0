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
#include "fuse/IR/WidenedOperand.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
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
  auto producer = operand.get().getDefiningOp<linalg::GenericOp>();
  return producer && producer.getNumReductionLoops() == 0 && producer.hasPureTensorSemantics() &&
         reader.hasPureTensorSemantics() && reader.isDpsInput(&operand) &&
         reader.getMatchingIndexingMap(&operand).isPermutation() &&
         producer.getIndexingMapMatchingResult(cast<OpResult>(operand.get())).isPermutation();
}

/// Gives a reader an empty tensor along the loops that none of `maps` runs along, which says how long they
/// are: a reduction of what is made up (an identity matrix) has no operand left that does. Fails where an
/// extent is not known.
static LogicalResult keepExtents(RewriterBase &rewriter, OpOperand &operand,
                                 SmallVectorImpl<Value> &inputs, SmallVectorImpl<AffineMap> &maps) {
  auto reader = cast<linalg::GenericOp>(operand.getOwner());
  llvm::SmallBitVector bare(reader.getNumLoops(), true);
  for (AffineMap map : maps)
    for (AffineExpr expr : map.getResults())
      if (auto loop = dyn_cast<AffineDimExpr>(expr))
        bare.reset(loop.getPosition());
  if (bare.none())
    return success();
  SmallVector<int64_t> ranges = reader.getStaticLoopRanges(), shape;
  SmallVector<AffineExpr> exprs;
  for (unsigned loop : bare.set_bits()) {
    exprs.push_back(rewriter.getAffineDimExpr(loop));
    shape.push_back(ranges[loop]);
  }
  if (ShapedType::isDynamicShape(shape))
    return failure();
  maps.insert(maps.begin() + inputs.size(),
              AffineMap::get(reader.getNumLoops(), 0, exprs, rewriter.getContext()));
  inputs.push_back(tensor::EmptyOp::create(rewriter, reader.getLoc(), shape, rewriter.getI8Type()));
  return success();
}

/// Upstream's `linalg::fuseElementwiseOps` keeps the producer's result where it does not see that operands
/// span all loops, as those of a producer that is read through a transpose: behind a reduction it would be
/// stored in each iteration.
linalg::GenericOp fuse::mergeProducer(RewriterBase &rewriter, OpOperand &operand) {
  auto reader = cast<linalg::GenericOp>(operand.getOwner());
  auto producer = operand.get().getDefiningOp<linalg::GenericOp>();
  // Its inputs take the operand's place, along the loops that the reader has for its own.
  unsigned number = operand.getOperandNumber(), count = producer.getNumDpsInputs();
  AffineMap written = producer.getIndexingMapMatchingResult(cast<OpResult>(operand.get()));
  AffineMap loops = inversePermutation(written).compose(reader.getMatchingIndexingMap(&operand));
  SmallVector<Value> inputs(reader.getDpsInputs());
  SmallVector<AffineMap> maps = reader.getIndexingMapsArray();
  inputs.erase(inputs.begin() + number);
  maps.erase(maps.begin() + number);
  for (auto [i, input] : llvm::enumerate(producer.getDpsInputOperands())) {
    inputs.insert(inputs.begin() + number + i, input->get());
    maps.insert(maps.begin() + number + i,
                producer.getMatchingIndexingMap(input).compose(loops));
  }
  rewriter.setInsertionPoint(reader);
  unsigned numInputs = inputs.size();
  if (failed(keepExtents(rewriter, operand, inputs, maps)))
    return {};
  auto build = [&](OpBuilder &b, Location loc, ValueRange elements) {
    IRMapping mapping;
    Value element = evaluateBody(
        b, producer, elements.slice(number, count), [&](unsigned loop) -> Value {
          return linalg::IndexOp::create(b, loc, loops.getDimPosition(loop));
        });
    SmallVector<Value> arguments(elements.take_front(number));
    arguments.push_back(element);
    llvm::append_range(arguments, elements.slice(number + count, numInputs - number - count));
    llvm::append_range(arguments, elements.drop_front(inputs.size()));
    mapping.map(reader.getBody()->getArguments(), arguments);
    for (Operation &op : *reader.getBody())
      b.clone(op, mapping);
  };
  auto merged =
      linalg::GenericOp::create(rewriter, reader.getLoc(), reader.getResultTypes(), inputs,
                                reader.getDpsInits(), maps, reader.getIteratorTypesArray(), build);
  merged->setDiscardableAttrs(reader->getDiscardableAttrDictionary());
  setMergedOps(merged, getMergedOps(reader) + getMergedOps(producer));
  rewriter.replaceOp(reader, merged);
  rewriter.eraseOp(producer);
  return merged;
}

/// Whether an element-wise producer whose inputs lie across each other would leave a reduction
/// without vectors: nothing turns operands of those. By itself it turns them in registers.
/// a[i, j] and b[j, i] lie across each other. a[i, j, k] and b[i, j] do not if their sums are those along i or j: vectors run
/// along k then, where b has one element.
static bool isTurnedForFold(OpOperand &operand) {
  auto reader = cast<linalg::GenericOp>(operand.getOwner());
  auto producer = operand.get().getDefiningOp<linalg::GenericOp>();
  AffineMap written = producer.getIndexingMapMatchingResult(producer->getOpResult(0));
  if (reader.getNumReductionLoops() == 0 || !written.isPermutation())
    return false;
  AffineMap read = inversePermutation(written).compose(reader.getMatchingIndexingMap(&operand));
  // The reader's loops along which inputs of several dimensions lie, and those along which an input's elements are apart.
  llvm::SmallSetVector<unsigned, 2> last;
  llvm::SmallSetVector<unsigned, 4> apart;
  for (OpOperand *input : producer.getDpsInputOperands()) {
    AffineMap map = producer.getMatchingIndexingMap(input).compose(read);
    if (map.getNumResults() < 2)
      continue;
    if (auto loop = dyn_cast<AffineDimExpr>(map.getResults().back()))
      last.insert(loop.getPosition());
    for (unsigned loop = 0; loop < map.getNumDims(); ++loop)
      if (llvm::any_of(map.getResults().drop_back(), [&](AffineExpr e) { return e.isFunctionOfDim(loop); }))
        apart.insert(loop);
  }
  SmallVector<utils::IteratorType> iterators = reader.getIteratorTypesArray();
  return last.size() > 1 && llvm::all_of(last, [&](unsigned loop) {
           return apart.contains(loop) || iterators[loop] == utils::IteratorType::reduction;
         });
}

static bool canMerge(OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  return producer && !producer->hasAttr(attr::kRecompute) && producer->getNumResults() == 1 &&
         producer->getResult(0).hasOneUse() && isReadOnce(*operand) && !isTurnedForFold(*operand);
}

/// Bytes of a tensor; none where an extent is not known.
static std::optional<int64_t> getBytes(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return 0;
  if (!type.hasStaticShape())
    return std::nullopt;
  return llvm::divideCeil(type.getNumElements() * type.getElementTypeBitWidth(), 8);
}

/// Whether elements are read at places that the op computes, as those of a gather are.
static bool readsAnywhere(linalg::GenericOp op) {
  return llvm::any_of(*op.getBody(), llvm::IsaPred<tensor::ExtractOp>);
}

/// Whether a contraction computes the elements of an operand as it reads them (see WidenedOperand.h). A product whose
/// operand is a gather would have no vectors: what is gathered is stored first, or is a slice (`fuse-slice-gathers`).
static bool isWidened(OpOperand &operand) {
  auto reader = cast<linalg::GenericOp>(operand.getOwner());
  auto producer = operand.get().getDefiningOp<linalg::GenericOp>();
  AffineMap read = reader.getMatchingIndexingMap(&operand);
  if (!isContraction(reader) || !isElementwise(producer) || readsAnywhere(producer) ||
      producer->hasAttr(attr::kRecompute) || !producer->hasOneUse() || !producer.hasPureTensorSemantics() || !reader.hasPureTensorSemantics() ||
      !reader.isDpsInput(&operand) || !read.isProjectedPermutation() ||
      !producer.getIndexingMapMatchingResult(producer->getOpResult(0)).isPermutation() ||
      isTurnedForFold(operand))
    return false;
  int64_t times = 1;
  for (auto [loop, iterator] : llvm::enumerate(reader.getIteratorTypesArray())) {
    if (iterator == utils::IteratorType::reduction || read.isFunctionOfDim(loop))
      continue;
    int64_t range = reader.getStaticLoopRanges()[loop];
    if (ShapedType::isDynamic(range) || llvm::MulOverflow(times, range, times))
      return false;
  }
  int64_t from = 0;
  for (Value input : producer.getDpsInputs()) {
    std::optional<int64_t> bytes = getBytes(input);
    if (!bytes)
      return false;
    from += *bytes;
  }
  std::optional<int64_t> bytes = getBytes(operand.get());
  return bytes && times <= kMostTimesWidened && from <= *bytes / kLeastWidening;
}

/// Lets contractions compute their widened operands. Their element-wise producers are one generic each by now.
static void mergeWidened(func::FuncOp func) {
  IRRewriter rewriter(func.getContext());
  SmallVector<linalg::GenericOp> contractions;
  func.walk([&](linalg::GenericOp op) {
    if (isContraction(op))
      contractions.push_back(op);
  });
  for (linalg::GenericOp op : contractions)
    for (unsigned number = 0; number < op.getNumDpsInputs(); ++number)
      if (isWidened(op->getOpOperand(number)))
        if (linalg::GenericOp merged = mergeProducer(rewriter, op->getOpOperand(number)))
          op = merged;
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
  mergeWidened(func);
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
