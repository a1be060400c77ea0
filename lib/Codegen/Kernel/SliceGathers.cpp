//===- SliceGathers.cpp - Gathers of one slice are read in place ----------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Codegen/Kernel/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/TilingInterface.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSESLICEGATHERS
#include "fuse/Codegen/Kernel/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;

/// The loop that an index runs along: the loop itself, or with what is the same for the whole
/// member added to it.
static std::optional<unsigned> findLoop(Value index, Block *body) {
  if (auto loop = index.getDefiningOp<linalg::IndexOp>())
    return loop.getDim();
  auto apply = index.getDefiningOp<affine::AffineApplyOp>();
  if (!apply)
    return std::nullopt;
  std::optional<unsigned> found;
  AffineMap map = apply.getAffineMap();
  AffineExpr rest = map.getResult(0);
  for (auto [place, operand] : llvm::enumerate(apply.getMapOperands())) {
    if (operand.getParentBlock() != body)
      continue;
    auto loop = operand.getDefiningOp<linalg::IndexOp>();
    if (!loop || found)
      return std::nullopt;
    found = loop.getDim();
    bool isDim = place < map.getNumDims();
    unsigned position = isDim ? place : place - map.getNumDims();
    AffineExpr own = isDim ? getAffineDimExpr(position, map.getContext())
                           : getAffineSymbolExpr(position, map.getContext());
    rest = simplifyAffineExpr(rest - own, map.getNumDims(), map.getNumSymbols());
    if (isDim ? rest.isFunctionOfDim(position) : rest.isFunctionOfSymbol(position))
      return std::nullopt;
  }
  return found;
}

/// Whether a value is the same in each iteration: it depends on loops of one iteration alone.
/// `ranges`: how often each runs.
static bool isFixed(Value value, linalg::GenericOp op, ArrayRef<int64_t> ranges) {
  SmallVector<Value> values = {value};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!values.empty()) {
    Value next = values.pop_back_val();
    if (next.getParentBlock() != op.getBody())
      continue;
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      OpOperand *input = op.getMatchingOpOperand(argument);
      AffineMap map = op.getMatchingIndexingMap(input);
      if (!op.isDpsInput(input) || !map.isProjectedPermutation(/*allowZeroInResults=*/true))
        return false;
      for (auto [loop, range] : llvm::enumerate(ranges))
        if (range != 1 && map.isFunctionOfDim(loop))
          return false;
      continue;
    }
    Operation *def = next.getDefiningOp();
    if (auto loop = dyn_cast<linalg::IndexOp>(def); loop && ranges[loop.getDim()] != 1)
      return false;
    if (!isPure(def) || def->getNumRegions() > 0)
      return false;
    if (seen.insert(def).second)
      llvm::append_range(values, def->getOperands());
  }
  return true;
}

/// What the member reads, if that is a slice: along each dimension from an offset on, or at one
/// place. `ranges`: how often each of its loops runs.
static tensor::ExtractOp findSlice(linalg::GenericOp op, ArrayRef<int64_t> ranges) {
  if (!op.hasPureTensorSemantics() || op->getNumResults() != 1 || op.getNumReductionLoops() > 0 ||
      !op.getIndexingMapMatchingResult(op->getOpResult(0)).isIdentity())
    return {};
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  auto read = op.getBody()->getTerminator()->getOperand(0).getDefiningOp<tensor::ExtractOp>();
  if (!read || read->getBlock() != op.getBody() ||
      read.getTensor().getParentBlock() == op.getBody() ||
      read.getTensor().getType().getRank() != type.getRank() ||
      read.getTensor().getType().getElementType() != type.getElementType())
    return {};
  bool isGather = false;
  for (auto [dim, index] : llvm::enumerate(read.getIndices())) {
    std::optional<unsigned> loop = findLoop(index, op.getBody());
    // In the order of the loops; a loop of one iteration may stand elsewhere, or be none.
    if (loop && *loop == dim)
      continue;
    if (ranges[dim] != 1 || !isFixed(index, op, ranges))
      return {};
    isGather = true;
  }
  return isGather ? read : tensor::ExtractOp();
}

/// The value of an index in the first iteration, computed before the member.
static Value hoist(OpBuilder &builder, linalg::GenericOp op, Value index, IRMapping &known) {
  if (index.getParentBlock() != op.getBody())
    return index;
  if (Value made = known.lookupOrNull(index))
    return made;
  Location loc = op.getLoc();
  auto makeZero = [&] { return arith::ConstantIndexOp::create(builder, loc, 0).getResult(); };
  Value made;
  if (auto argument = dyn_cast<BlockArgument>(index)) {
    Value input = op.getMatchingOpOperand(argument)->get();
    made = input;
    if (auto tensor = dyn_cast<RankedTensorType>(input.getType()))
      made = tensor::ExtractOp::create(builder, loc, input,
                                       SmallVector<Value>(tensor.getRank(), makeZero()));
  } else if (index.getDefiningOp<linalg::IndexOp>()) {
    made = makeZero();
  } else {
    Operation *def = index.getDefiningOp();
    for (Value operand : def->getOperands())
      hoist(builder, op, operand, known);
    made = builder.clone(*def, known)->getResult(cast<OpResult>(index).getResultNumber());
  }
  known.map(index, made);
  return made;
}

static void replaceBySlice(IRRewriter &rewriter, linalg::GenericOp op, tensor::ExtractOp read) {
  rewriter.setInsertionPoint(op);
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  SmallVector<OpFoldResult> offsets, sizes, strides(type.getRank(), rewriter.getIndexAttr(1));
  IRMapping known;
  for (auto [dim, index] : llvm::enumerate(read.getIndices())) {
    offsets.push_back(getAsOpFoldResult(hoist(rewriter, op, index, known)));
    Value out = op.getDpsInitOperand(0)->get();
    sizes.push_back(tensor::getMixedSize(rewriter, op.getLoc(), out, dim));
  }
  rewriter.replaceOpWithNewOp<tensor::ExtractSliceOp>(op, type, read.getTensor(), offsets, sizes,
                                                      strides);
}

/// A contraction of which each iteration of a parallel loop reads slices of its own that indices
/// name: the weights of an expert.
namespace {
struct SlicedContraction {
  linalg::GenericOp op;
  unsigned loop;
  SmallVector<OpOperand *> reads;
};
} // namespace

/// Whether an operand is a gather that a reader cuts into slices if it runs through one of its
/// loops step by step.
static bool isSlicedAlong(OpOperand &read, unsigned loop) {
  auto reader = cast<linalg::GenericOp>(read.getOwner());
  auto gather = read.get().getDefiningOp<linalg::GenericOp>();
  AffineMap map = reader.getMatchingIndexingMap(&read);
  if (!gather || gather->getNumResults() != 1 || !gather->hasOneUse() ||
      gather->getBlock() != reader->getBlock() || !map.isProjectedPermutation())
    return false;
  auto type = cast<RankedTensorType>(read.get().getType());
  SmallVector<int64_t> ranges(type.getShape());
  for (auto [dim, expr] : llvm::enumerate(map.getResults()))
    if (expr.isFunctionOfDim(loop) && std::exchange(ranges[dim], 1) != 1)
      return findSlice(gather, ranges) != nullptr;
  return false;
}

/// Where each operand has a matrix or row for each iteration: an operand that all iterations read
/// is loaded once for several rows as long as they stay together.
static std::optional<SlicedContraction> findSliced(linalg::GenericOp op) {
  if (op.getNumReductionLoops() == 0 || op->getNumResults() != 1 || !op.hasPureTensorSemantics() ||
      op.getNumDpsInputs() < 2)
    return std::nullopt;
  AffineMap written = op.getIndexingMapMatchingResult(op->getOpResult(0));
  if (!written.isProjectedPermutation())
    return std::nullopt;
  for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
    if (iterator != utils::IteratorType::parallel || !written.isFunctionOfDim(loop) ||
        !llvm::all_of(op.getDpsInputOperands(), [&, loop = loop](OpOperand *input) {
          return op.getMatchingIndexingMap(input).isFunctionOfDim(loop);
        }))
      continue;
    SlicedContraction found{op, static_cast<unsigned>(loop), {}};
    for (OpOperand *input : op.getDpsInputOperands())
      if (isSlicedAlong(*input, loop))
        found.reads.push_back(input);
    if (!found.reads.empty())
      return found;
  }
  return std::nullopt;
}

/// Gives the op in a loop what the loop carries, in place of what it had before the loop.
static void startFrom(RewriterBase &rewriter, ArrayRef<Operation *> slices, Value before,
                      Value carried) {
  for (Operation *slice : slices)
    if (slice->getOperand(0) == before)
      rewriter.modifyOpInPlace(slice, [&] { slice->setOperand(0, carried); });
}

/// Runs such a contraction once for each slice, which it then reads where it lies:
///   for b: out[b] = contract(x[b], w[index[b]])
static void cutAlongSlices(IRRewriter &rewriter, const SlicedContraction &found) {
  linalg::GenericOp reader = found.op;
  Location loc = reader.getLoc();
  rewriter.setInsertionPoint(reader);
  auto tiling = cast<TilingInterface>(reader.getOperation());
  SmallVector<Range> domain = tiling.getIterationDomain(rewriter);
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0),
        one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  Value count = getValueOrCreateConstantIndexOp(rewriter, loc, domain[found.loop].size);
  // Sums start from a value: each iteration fills its part.
  auto fill = reader.getDpsInitOperand(0)->get().getDefiningOp<linalg::FillOp>();
  if (fill && !fill->hasOneUse())
    fill = {};
  Value start = fill ? fill.getDpsInitOperand(0)->get() : reader.getDpsInitOperand(0)->get();
  auto loop = scf::ForOp::create(rewriter, loc, zero, count, one, ValueRange(start));
  Value carried = loop.getRegionIterArg(0);
  rewriter.setInsertionPointToStart(loop.getBody());
  SmallVector<OpFoldResult> offsets, sizes;
  for (auto [dim, range] : llvm::enumerate(domain)) {
    bool isCut = dim == found.loop;
    offsets.push_back(isCut ? OpFoldResult(loop.getInductionVar()) : range.offset);
    sizes.push_back(isCut ? OpFoldResult(rewriter.getIndexAttr(1)) : range.size);
  }
  FailureOr<TilingResult> tiled = tiling.getTiledImplementation(rewriter, offsets, sizes);
  if (failed(tiled) || tiled->tiledOps.size() != 1)
    return rewriter.eraseOp(loop);
  auto part = cast<linalg::GenericOp>(tiled->tiledOps.front());
  // A slice of what `producer` made becomes what it makes of that slice.
  SmallVector<Operation *> replaced;
  auto replaceOperand = [&](OpOperand &operand, Operation *producer) {
    auto slice = operand.get().getDefiningOp<tensor::ExtractSliceOp>();
    if (!slice)
      return false;
    rewriter.setInsertionPoint(slice);
    FailureOr<TilingResult> made = cast<TilingInterface>(producer).generateResultTileValue(
        rewriter, 0, slice.getMixedOffsets(), slice.getMixedSizes());
    if (failed(made) || made->tiledOps.size() != 1)
      return false;
    startFrom(rewriter, made->generatedSlices, start, carried);
    rewriter.modifyOpInPlace(part, [&] { operand.set(made->tiledValues.front()); });
    replaced.push_back(slice);
    return true;
  };
  auto written = part.getDpsInitOperand(0)->get().getDefiningOp<tensor::ExtractSliceOp>();
  if (!written || (fill && !replaceOperand(*part.getDpsInitOperand(0), fill)))
    return rewriter.eraseOp(loop);
  if (!fill)
    rewriter.modifyOpInPlace(written, [&] { written.getSourceMutable().assign(carried); });
  SmallVector<linalg::LinalgOp> producers;
  for (OpOperand *read : found.reads)
    if (Operation *gather = read->get().getDefiningOp();
        replaceOperand(part->getOpOperand(read->getOperandNumber()), gather))
      producers.push_back(cast<linalg::LinalgOp>(gather));
  rewriter.setInsertionPointAfter(part);
  Value next = tensor::InsertSliceOp::create(rewriter, loc, part.getResult(0), carried,
                                             written.getMixedOffsets(), written.getMixedSizes(),
                                             written.getMixedStrides());
  scf::YieldOp::create(rewriter, loc, next);
  if (fill)
    producers.push_back(cast<linalg::LinalgOp>(fill.getOperation()));
  rewriter.replaceOp(reader, loop.getResults());
  for (Operation *op : replaced)
    rewriter.eraseOp(op);
  // Extents that were read off them are those of what they were to write to.
  for (linalg::LinalgOp op : producers)
    rewriter.replaceOp(op, op.getDpsInits());
}

namespace {
struct SliceGathers : fuse::impl::FuseSliceGathersBase<SliceGathers> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) { ops.push_back(op); });
    for (linalg::GenericOp op : ops)
      if (std::optional<SlicedContraction> found = findSliced(op))
        cutAlongSlices(rewriter, *found);
    ops.clear();
    getOperation().walk([&](linalg::GenericOp op) { ops.push_back(op); });
    for (linalg::GenericOp op : ops)
      if (op->getNumResults() == 1)
        if (tensor::ExtractOp read = findSlice(op, op.getStaticLoopRanges()))
          replaceBySlice(rewriter, op, read);
  }
};
} // namespace
