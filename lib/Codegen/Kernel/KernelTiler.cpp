//===- KernelTiler.cpp - Many members, one loop over blocks ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "KernelTiler.h"
#include "BodyAccess.h"
#include "TileScratch.h"
#include "fuse/Analysis/MemberReads.h"
#include "fuse/Conversion/FuseToLinalg/FuseToLinalg.h"
#include "fuse/IR/FuseDialect.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

bool isGenerated(Operation *op) {
  return isa<linalg::FillOp>(op) || op->hasAttr(attr::kRecompute);
}

/// Canonicalization replaces a tile of such a member by its input, which is no memory to return.
bool isPlainCopy(Operation *op) {
  if (isa<linalg::CopyOp, linalg::TransposeOp, linalg::BroadcastOp>(op))
    return true;
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || generic.getBody()->getOperations().size() != 1 ||
      !llvm::all_equal(generic.getIndexingMapsArray()))
    return false;
  return llvm::all_of(generic.getBody()->getTerminator()->getOperands(),
                      [](Value value) { return isa<BlockArgument>(value); });
}

/// What a plain copy copies, and how it turns it; null where it has several operands.
std::pair<Value, AffineMap> getCopied(OpResult result) {
  auto op = cast<linalg::LinalgOp>(result.getOwner());
  if (op.getNumDpsInputs() != 1)
    return {};
  OpOperand *input = op.getDpsInputOperand(0);
  AffineMap written = op.getIndexingMapMatchingResult(result);
  return {input->get(),
          op.getMatchingIndexingMap(input).compose(inversePermutation(written))};
}

/// Sizes of one dim are one SSA value in all members, so identity says most of it.
bool isSame(OpFoldResult a, OpFoldResult b) { return isEqualConstantIntOrValue(a, b); }

} // namespace

Value fuse::undoView(OpBuilder &builder, Location loc, Operation *view, Value value) {
  auto type = cast<RankedTensorType>(view->getOperand(0).getType());
  if (isa<tensor::CastOp>(view))
    return value.getType() == type ? value : tensor::CastOp::create(builder, loc, type, value);
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(view))
    return tensor::CollapseShapeOp::create(builder, loc, type, value,
                                           expand.getReassociationIndices());
  auto collapse = cast<tensor::CollapseShapeOp>(view);
  return tensor::ExpandShapeOp::create(builder, loc, type, value,
                                       collapse.getReassociationIndices());
}

Value fuse::redoView(OpBuilder &builder, Location loc, Operation *view, Value value) {
  IRMapping mapping;
  mapping.map(view->getOperand(0), value);
  return builder.clone(*view, mapping)->getResult(0);
}

KernelTiler::KernelTiler(func::FuncOp function, const KernelMembers &members,
                         ArrayRef<int64_t> tileSizes, ArrayRef<int64_t> blockOrder,
                         const StreamedDim *stream, int64_t streamTile)
    : function(function), members(members), rewriter(function.getContext()), loc(function.getLoc()),
      tileSizes(tileSizes), blockOrder(blockOrder), stream(stream), streamTile(streamTile) {}

FailureOr<Value> KernelTiler::resolve(Value full, ArrayRef<OpFoldResult> wantedOffsets,
                                      ArrayRef<OpFoldResult> wantedSizes,
                                      std::optional<unsigned> result) {
  auto type = cast<RankedTensorType>(full.getType());
  SmallVector<OpFoldResult> ones(wantedSizes.size(), rewriter.getIndexAttr(1));
  if (hasZero(wantedSizes))
    return makeScratch(rewriter, loc, type.getElementType(), wantedSizes);
  if (auto it = tiles.find(full); it != tiles.end()) {
    const Tile &tile = it->second;
    bool isSameTile = true, isCovered = true;
    OpFoldResults relative;
    AffineExpr d0, d1;
    bindDims(rewriter.getContext(), d0, d1);
    for (unsigned i = 0; i < wantedOffsets.size(); ++i) {
      if (isSame(wantedOffsets[i], tile.offsets[i]) && isSame(wantedSizes[i], tile.sizes[i])) {
        relative.push_back(rewriter.getIndexAttr(0));
        continue;
      }
      isSameTile = false;
      // Another part lies inside the tile for certain only where the tile holds the dim whole. A dim of
      // unknown extent that is cut begins at an offset that is known at run time only.
      isCovered &= isConstantIntValue(tile.offsets[i], 0) &&
                   (type.isDynamicDim(i) || isConstantIntValue(tile.sizes[i], type.getDimSize(i)));
      relative.push_back(affine::makeComposedFoldedAffineApply(
          rewriter, loc, d0 - d1, {wantedOffsets[i], tile.offsets[i]}));
    }
    if (isSameTile)
      return tile.value;
    if (!isCovered)
      return failure();
    return Value(tensor::ExtractSliceOp::create(rewriter, loc, tile.value, relative, wantedSizes,
                                                ones));
  }
  Operation *def = full.getDefiningOp();
  if (def && isa<tensor::EmptyOp>(def)) {
    if (result)
      return Value(tensor::ExtractSliceOp::create(rewriter, loc, destinations[*result],
                                                  wantedOffsets, wantedSizes, ones));
    return makeScratch(rewriter, loc, type.getElementType(), wantedSizes);
  }
  if (def && isGenerated(def)) {
    auto member = cast<linalg::LinalgOp>(def);
    unsigned number = cast<OpResult>(full).getResultNumber();
    auto tiled = cast<TilingInterface>(def).generateResultTileValue(rewriter, number,
                                                                    wantedOffsets, wantedSizes);
    // Its loops are the dimensions of what it writes.
    OpFoldResults loops(member.getNumLoops(), rewriter.getIndexAttr(0));
    AffineMap written = member.getIndexingMapMatchingResult(member->getResult(number));
    for (auto [position, expr] : llvm::enumerate(written.getResults()))
      loops[cast<AffineDimExpr>(expr).getPosition()] = wantedOffsets[position];
    OpFoldResults loopSizes(member.getNumLoops(), rewriter.getIndexAttr(1));
    for (auto [position, expr] : llvm::enumerate(written.getResults()))
      loopSizes[cast<AffineDimExpr>(expr).getPosition()] = wantedSizes[position];
    if (failed(tiled) ||
        failed(redirect(def, *tiled, loops, loopSizes, [&](unsigned) { return result; })))
      return failure();
    return tiled->tiledValues.front();
  }
  if (auto pad = dyn_cast_or_null<tensor::PadOp>(def))
    return resolvePad(pad, wantedOffsets, wantedSizes);
  if (def && members.isMember(def))
    return failure();
  if (isTensorView(def) && isFromMember(full))
    return resolveView(def, wantedOffsets, wantedSizes);
  return Value(
      tensor::ExtractSliceOp::create(rewriter, loc, full, wantedOffsets, wantedSizes, ones));
}

/// Positions in blocks, of which tiles have whole ones (see getTiledBlock), are taken whole: what a loop's last iteration is in
/// its block is no bound. Of five steps in groups of four, [k / 4, k mod 4], the last one is the first of its group. Returns
/// whether the slice has grown.
static bool takeWholeBlocks(tensor::ExtractSliceOp extract, SmallVectorImpl<OpFoldResult> &offsets,
                            SmallVectorImpl<OpFoldResult> &sizes) {
  bool hasGrown = false;
  ArrayRef<int64_t> shape = extract.getSourceType().getShape();
  for (OpOperand &use : extract->getUses()) {
    auto owner = dyn_cast<linalg::LinalgOp>(use.getOwner());
    AffineMap map = owner ? owner.getMatchingIndexingMap(&use) : AffineMap();
    if (!map || map.getNumResults() != sizes.size())
      continue;
    for (unsigned loop = 0; loop < map.getNumDims(); ++loop) {
      std::optional<int64_t> block = getTiledBlock(map, loop);
      AffineExpr inside = block ? getAffineDimExpr(loop, map.getContext()) % *block : AffineExpr();
      const auto *found = llvm::find(map.getResults(), inside);
      if (!block || found == map.getResults().end())
        continue;
      unsigned position = found - map.getResults().begin();
      if (shape[position] != *block || getConstantIntValue(sizes[position]) == *block)
        continue;
      Builder attributes(extract.getContext());
      offsets[position] = attributes.getIndexAttr(0);
      sizes[position] = attributes.getIndexAttr(*block);
      hasGrown = true;
    }
  }
  return hasGrown;
}

LogicalResult KernelTiler::redirect(Operation *original, TilingResult &tiled,
                                    ArrayRef<OpFoldResult> loopOffsets,
                                    ArrayRef<OpFoldResult> loopSizes, ResultOfInit resultOfInit) {
  auto resultFor = [&](OpOperand &use) -> std::optional<unsigned> {
    auto owner = dyn_cast<DestinationStyleOpInterface>(use.getOwner());
    if (!owner || !owner.isDpsInit(&use))
      return std::nullopt;
    return resultOfInit(use.getOperandNumber() - owner.getNumDpsInputs());
  };
  for (Operation *slice : tiled.generatedSlices) {
    auto extract = dyn_cast<tensor::ExtractSliceOp>(slice);
    // An operand that needs no slice may be one itself: a view before the loop.
    if (!extract || extract->getBlock() == &function.getBody().front())
      continue;
    rewriter.setInsertionPoint(extract);
    std::optional<unsigned> result;
    for (OpOperand &use : extract->getUses())
      if (std::optional<unsigned> number = resultFor(use))
        result = number;
    SmallVector<OpFoldResult> offsets = extract.getMixedOffsets(), sizes = extract.getMixedSizes();
    bool hasGrown = takeWholeBlocks(extract, offsets, sizes);
    FailureOr<Value> value = resolve(extract.getSource(), offsets, sizes, result);
    if (failed(value))
      return original->emitError("an operand's slice is not covered by its producer's tile");
    Value replacement = *value;
    if (hasGrown) {
      rewriter.replaceAllUsesWith(extract.getResult(), replacement);
      rewriter.eraseOp(extract);
      continue;
    }
    if (replacement.getType() != extract.getType())
      replacement = tensor::CastOp::create(rewriter, loc, extract.getType(), replacement);
    rewriter.replaceOp(extract, replacement);
  }
  // Operands that are taken whole have no slice.
  Block *body = &function.getBody().front();
  for (Operation *op : tiled.tiledOps) {
    for (OpOperand &operand : op->getOpOperands()) {
      Operation *def = operand.get().getDefiningOp();
      auto type = dyn_cast<RankedTensorType>(operand.get().getType());
      bool isUntiled = type && def && def->getBlock() == body && isFromMember(operand.get());
      if (!isUntiled)
        continue;
      rewriter.setInsertionPoint(op);
      OpFoldResults zeros(type.getRank(), rewriter.getIndexAttr(0)), whole;
      for (int64_t extent : type.getShape())
        whole.push_back(rewriter.getIndexAttr(extent));
      if (!type.hasStaticShape())
        whole = tensor::getMixedSizes(rewriter, loc, operand.get());
      FailureOr<Value> value = resolve(operand.get(), zeros, whole, resultFor(operand));
      if (failed(value))
        return original->emitError("an operand is not available whole in the tile");
      operand.set(*value);
    }
    if (failed(redirectBodyReads(original, op, loopOffsets, loopSizes)))
      return failure();
    rewriter.setInsertionPointAfter(op);
  }
  return success();
}

void KernelTiler::markLoopDims(unsigned number, TilingResult &tiled) {
  SmallVector<int64_t> dims;
  for (int dim : members.domain().loops[number])
    dims.push_back(dim == SharedDomain::kPrivate ? -1 : dim);
  for (Operation *op : tiled.tiledOps)
    if (isa<linalg::LinalgOp>(op))
      op->setDiscardableAttr(attr::kLoopDims, rewriter.getDenseI64ArrayAttr(dims));
}

LogicalResult KernelTiler::emit(unsigned number) {
  linalg::LinalgOp member = members.ops()[number];
  auto tiling = cast<TilingInterface>(member.getOperation());
  OpFoldResults memberOffsets, memberSizes;
  tileDomain(number, memberOffsets, memberSizes);
  // A size of 0 says "not tiled" upstream. A member of no iterations leaves its inits as they are.
  if (hasZero(memberSizes)) {
    for (OpOperand &init : member.getDpsInitsMutable()) {
      OpResult result = member.getTiedOpResult(&init);
      Tile tile;
      if (failed(tiling.getResultTilePosition(rewriter, result.getResultNumber(), memberOffsets,
                                              memberSizes, tile.offsets, tile.sizes)))
        return member.emitError("has a result without a position");
      FailureOr<Value> value =
          resolve(init.get(), tile.offsets, tile.sizes, members.resultNumber(result));
      if (failed(value))
        return member.emitError("has an init that is not available in the tile");
      tile.value = *value;
      tiles[result] = tile;
    }
    return success();
  }
  FailureOr<TilingResult> tiled =
      tiling.getTiledImplementation(rewriter, memberOffsets, memberSizes);
  if (failed(tiled))
    return member.emitError("cannot be tiled");
  markLoopDims(number, *tiled);
  auto resultOfInit = [&](unsigned init) {
    return usesScratch ? std::nullopt : members.resultNumber(member->getResult(init));
  };
  if (failed(redirect(member, *tiled, memberOffsets, memberSizes, resultOfInit)))
    return failure();
  for (auto [i, value] : llvm::enumerate(tiled->tiledValues)) {
    Tile tile;
    tile.value = value;
    if (failed(tiling.getResultTilePosition(rewriter, i, memberOffsets, memberSizes, tile.offsets,
                                            tile.sizes)))
      return member.emitError("has a result without a position");
    tiles[member->getResult(i)] = tile;
  }
  return success();
}

scf::ForOp KernelTiler::beginBlocks(Value begin, Value end, ValueRange initial) {
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  auto loop = scf::ForOp::create(rewriter, loc, begin, end, one, initial);
  blockLoop = loop;
  destinations.assign(loop.getRegionIterArgs().begin(), loop.getRegionIterArgs().end());
  if (!loop.getBody()->empty())
    rewriter.eraseOp(loop.getBody()->getTerminator());
  rewriter.setInsertionPointToEnd(loop.getBody());
  positionBlock(loop.getInductionVar());
  return loop;
}

LogicalResult KernelTiler::returnResults(func::ReturnOp ret, ValueRange results) {
  Block &body = function.getBody().front();
  ret->setOperands(results);
  readExtentsOffInits(function); // those that tiling asked for
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isOpTriviallyDead(&op))
      rewriter.eraseOp(&op);
  // Whole values are computed by no block.
  for (Operation &op : body)
    if (isa<linalg::LinalgOp, tensor::PadOp>(op))
      return op.emitError("is read in a way that tiles do not cover");
  return success();
}

std::pair<Value, Value> KernelTiler::addRange() {
  unsigned numArguments = function.getNumArguments();
  for (int i = 0; i < 2; ++i)
    if (failed(function.insertArgument(numArguments + i, rewriter.getIndexType(), {}, loc)))
      return {};
  return {function.getArgument(numArguments), function.getArgument(numArguments + 1)};
}

LogicalResult KernelTiler::run() {
  Block &body = function.getBody().front();
  auto ret = cast<func::ReturnOp>(body.getTerminator());
  unsigned firstOut = function.getNumArguments() - members.numResults();
  auto [begin, end] = addRange();
  if (!begin)
    return failure();

  readExtentsOffInits(function);
  rewriter.setInsertionPoint(ret);
  for (unsigned dim = 0; dim < tileSizes.size(); ++dim)
    extents.push_back(members.sharedExtent(rewriter, dim));
  SmallVector<Value> initial;
  for (unsigned i = 0; i < members.numResults(); ++i) {
    Value out = function.getArgument(firstOut + i);
    for (Operation *view : llvm::reverse(members.resultViews(i)))
      out = undoView(rewriter, loc, view, out);
    initial.push_back(out);
  }
  // Without elements there are no blocks, and nothing that could be cut.
  if (llvm::any_of(extents, [](OpFoldResult extent) { return isConstantIntValue(extent, 0); })) {
    SmallVector<Value> untouched(function.getArguments().slice(firstOut, members.numResults()));
    ret->setOperands(untouched);
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
      if (isOpTriviallyDead(&op))
        rewriter.eraseOp(&op);
    return success();
  }
  auto loop = beginBlocks(begin, end, initial);
  if (failed(emitMembers(loop.getBody())))
    return failure();
  rewriter.setInsertionPointToEnd(loop.getBody());
  // Tiles are copied before one is inserted: what lies in a destination may be read until then
  // alone.
  SmallVector<Value> values;
  DenseMap<std::pair<Value, AffineMap>, Value> copies;
  for (unsigned i = 0; i < members.numResults(); ++i) {
    const Tile &tile = tiles[members.result(i)];
    Value &value = values.emplace_back(tile.value);
    if (hasZero(tile.sizes) || !isPlainCopy(members.result(i).getOwner()))
      continue;
    SmallVector<OpFoldResult> ones(tile.offsets.size(), rewriter.getIndexAttr(1));
    Value slice = tensor::ExtractSliceOp::create(rewriter, loc, destinations[i], tile.offsets,
                                                 tile.sizes, ones);
    if (slice.getType() != value.getType())
      value = tensor::CastOp::create(rewriter, loc, slice.getType(), value);
    // Two copies of one value: the second reads the first, which may have been computed in place.
    auto key = getCopied(members.result(i));
    Value copied = key.first ? copies.lookup(key) : Value();
    if (copied && copied.getType() == slice.getType())
      value = copied;
    value = bufferization::MaterializeInDestinationOp::create(rewriter, loc, slice.getType(), value,
                                                              slice)
                .getResult();
    if (key.first)
      copies[key] = value;
  }
  SmallVector<Value> yields;
  for (unsigned i = 0; i < members.numResults(); ++i) {
    const Tile &tile = tiles[members.result(i)];
    if (hasZero(tile.sizes)) {
      yields.push_back(destinations[i]);
      continue;
    }
    SmallVector<OpFoldResult> ones(tile.offsets.size(), rewriter.getIndexAttr(1));
    yields.push_back(tensor::InsertSliceOp::create(rewriter, loc, values[i], destinations[i],
                                                   tile.offsets, tile.sizes, ones));
  }
  scf::YieldOp::create(rewriter, loc, yields);

  rewriter.setInsertionPoint(ret);
  SmallVector<Value> results;
  for (unsigned i = 0; i < members.numResults(); ++i) {
    Value value = loop.getResult(i);
    for (Operation *view : members.resultViews(i))
      value = redoView(rewriter, loc, view, value);
    results.push_back(value);
  }
  return returnResults(ret, results);
}
