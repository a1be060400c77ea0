//===- TileKernels.cpp - The pass around the kernel tiler ----------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "BodyAccess.h"
#include "BufferPlaces.h"
#include "KernelTiler.h"
#include "fuse/Analysis/StreamedDim.h"
#include "fuse/Codegen/Kernel/Passes.h"
#include "fuse/Conversion/FuseToLinalg/FuseToLinalg.h"
#include "fuse/IR/FuseAttributes.h"
#include "fuse/IR/FuseDialect.h"
#include "fuse/IR/ResultDims.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSETILEKERNELS
#include "fuse/Codegen/Kernel/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

//===- Factors move behind the sums that they scale ------------------------------------------===//

static Value convert(OpBuilder &builder, Location loc, Value value, Type type) {
  auto from = cast<FloatType>(value.getType()), to = cast<FloatType>(type);
  if (from.getWidth() < to.getWidth())
    return arith::ExtFOp::create(builder, loc, to, value);
  if (from.getWidth() > to.getWidth())
    return arith::TruncFOp::create(builder, loc, to, value);
  return value;
}

/// The body's ops that compute `late`, in order, and the arguments that they start from.
static void collectSlice(linalg::GenericOp member, Value late, SetVector<Operation *> &slice,
                         SetVector<BlockArgument> &arguments) {
  if (auto argument = dyn_cast<BlockArgument>(late)) {
    if (argument.getOwner() == member.getBody())
      arguments.insert(argument);
    return;
  }
  Operation *op = late.getDefiningOp();
  if (op->getBlock() != member.getBody())
    return;
  for (Value operand : op->getOperands())
    collectSlice(member, operand, slice, arguments);
  slice.insert(op);
}

/// Applies the factor to what `folding` has folded.
static void applyBehind(RewriterBase &rewriter, const KernelMembers &kernel,
                        const StreamDeferral &deferral, OpResult folded, Value current) {
  linalg::LinalgOp deferring = kernel.ops()[deferral.member];
  auto member = cast<linalg::GenericOp>(deferring.getOperation());
  auto folding = cast<linalg::LinalgOp>(folded.getOwner());
  SetVector<Operation *> slice;
  SetVector<BlockArgument> arguments;
  collectSlice(member, deferral.late, slice, arguments);

  rewriter.setInsertionPointAfter(current.getDefiningOp());
  Location loc = member.getLoc();
  // Loops in the order that the folding member has them, so that shared dims keep their numbers.
  AffineMap written = folding.getIndexingMapMatchingResult(folded);
  SmallVector<std::pair<unsigned, unsigned>> order; // loop, position
  for (auto [position, expr] : llvm::enumerate(written.getResults()))
    order.push_back({cast<AffineDimExpr>(expr).getPosition(), position});
  llvm::sort(order);
  SmallVector<AffineExpr> loopOfPosition(order.size());
  for (auto [loop, entry] : llvm::enumerate(order))
    loopOfPosition[entry.second] = rewriter.getAffineDimExpr(loop);
  AffineMap access = AffineMap::get(order.size(), 0, loopOfPosition, rewriter.getContext());

  SmallVector<Value> inputs = {current};
  SmallVector<AffineMap> maps = {access};
  for (BlockArgument argument : arguments) {
    inputs.push_back(member->getOperand(argument.getArgNumber()));
    AffineMap read = member.getIndexingMapsArray()[argument.getArgNumber()];
    maps.push_back(mapByClass(kernel, deferral.member, read, folded).compose(access));
  }
  maps.push_back(access);
  Value init = folding.getTiedOpOperand(folded)->get();
  Value out = tensor::EmptyOp::create(rewriter, loc, tensor::getMixedSizes(rewriter, loc, init),
                                      getElementTypeOrSelf(init.getType()));
  SmallVector<utils::IteratorType> iterators(order.size(), utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      rewriter, loc, current.getType(), inputs, out, maps, iterators,
      [&](OpBuilder &builder, Location innerLoc, ValueRange scalars) {
        IRMapping mapping;
        for (auto [argument, scalar] :
             llvm::zip_equal(arguments, scalars.slice(1, arguments.size())))
          mapping.map(argument, scalar);
        for (Operation *op : slice)
          builder.clone(*op, mapping);
        Type type = deferral.op->getResult(0).getType();
        mapping.map(deferral.op->getOperand(deferral.operand),
                    convert(builder, innerLoc, scalars[0], type));
        Value scaled = builder.clone(*deferral.op, mapping)->getResult(0);
        linalg::YieldOp::create(builder, innerLoc,
                                convert(builder, innerLoc, scaled, scalars[0].getType()));
      });
  rewriter.replaceAllUsesExcept(current, generic->getResult(0), generic);
}

/// Drops what the body needs no more, and the member where it only hands on its one input.
static void dropUnused(RewriterBase &rewriter, linalg::GenericOp member) {
  Operation *yield = member.getBody()->getTerminator();
  if (auto narrowed = yield->getOperand(0).getDefiningOp<arith::TruncFOp>())
    if (auto widened = narrowed.getIn().getDefiningOp<arith::ExtFOp>())
      if (widened.getIn().getType() == narrowed.getType())
        yield->setOperand(0, widened.getIn());
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*member.getBody())))
    if (isOpTriviallyDead(&op))
      rewriter.eraseOp(&op);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  llvm::BitVector dropped(member.getBody()->getNumArguments());
  for (OpOperand *operand : member.getDpsInputOperands()) {
    if (member.getMatchingBlockArgument(operand).use_empty()) {
      dropped.set(operand->getOperandNumber());
      continue;
    }
    inputs.push_back(operand->get());
    maps.push_back(member.getMatchingIndexingMap(operand));
  }
  AffineMap written = member.getMatchingIndexingMap(member.getDpsInitOperand(0));
  auto argument = dyn_cast<BlockArgument>(member.getBody()->getTerminator()->getOperand(0));
  if (inputs.size() == 1 && argument && maps.front() == written &&
      inputs.front().getType() == member->getResult(0).getType() &&
      member.getMatchingOpOperand(argument)->get() == inputs.front()) {
    rewriter.replaceOp(member, inputs.front());
    return;
  }
  maps.push_back(written);
  rewriter.setInsertionPoint(member);
  auto generic =
      linalg::GenericOp::create(rewriter, member.getLoc(), member->getResultTypes(), inputs,
                                member.getOutputs(), maps, member.getIteratorTypesArray());
  generic->setDiscardableAttrs(member->getDiscardableAttrDictionary());
  member.getBody()->eraseArguments(dropped);
  rewriter.inlineRegionBefore(member.getRegion(), generic.getRegion(), generic.getRegion().end());
  rewriter.replaceOp(member, generic->getResults());
}

/// Rewrites the members so that `stream` has no deferrals: sum((p / l) * v) becomes sum(p * v) / l,
/// with a member of its own for the division. `kernel` and `stream` are stale afterwards.
static void deferFactors(const KernelMembers &kernel, const StreamedDim &stream) {
  if (stream.deferrals.empty())
    return;
  IRRewriter rewriter(kernel.ops().front()->getContext());
  for (auto [m, numbers] : llvm::enumerate(stream.deferredOf)) {
    if (numbers.empty())
      continue;
    OpResult folded = kernel.ops()[m]->getResult(0);
    Value current = folded;
    for (unsigned number : numbers) {
      applyBehind(rewriter, kernel, stream.deferrals[number], folded, current);
      current = current.getUsers().begin()->getResult(0);
    }
  }
  SetVector<unsigned> changed;
  for (const StreamDeferral &deferral : stream.deferrals) {
    rewriter.replaceAllUsesWith(deferral.op->getResult(0),
                                deferral.op->getOperand(deferral.operand));
    changed.insert(deferral.member);
  }
  for (const StreamDeferral &deferral : stream.deferrals)
    rewriter.eraseOp(deferral.op);
  for (unsigned m : changed) {
    linalg::LinalgOp member = kernel.ops()[m];
    dropUnused(rewriter, cast<linalg::GenericOp>(member.getOperation()));
  }
}

//===- Tiles --------------------------------------------------------------------------------===//

/// Scratch holds a whole tile.
static constexpr int64_t kMostDynamicTile = 1 << 20;

namespace {

/// The shared dims in the order in which blocks are numbered, the last fastest.
SmallVector<int64_t> getBlockOrder(ScheduleAttr schedule) {
  SmallVector<int64_t> order;
  for (LevelAttr level : schedule.getLevels())
    if (level.getMapping() == LevelMapping::Block)
      llvm::append_range(order, level.getDims());
  return order;
}

/// Tile sizes of the outermost level, in the order of the shared dims.
FailureOr<SmallVector<int64_t>> getTileSizes(func::FuncOp function, ScheduleAttr schedule,
                                             unsigned numDims) {
  SmallVector<int64_t> sizes(numDims, 1);
  SmallVector<bool> given(numDims, false);
  for (LevelAttr level : schedule.getLevels()) {
    if (level.getMapping() != LevelMapping::Block)
      continue;
    for (auto [dim, size] : llvm::zip(level.getDims(), level.getSizes())) {
      if (dim < 0 || dim >= static_cast<int64_t>(numDims))
        return function.emitError()
               << "the schedule tiles dim " << dim << " of a kernel with " << numDims
               << " shared dims";
      sizes[dim] = size;
      given[dim] = true;
    }
  }
  if (!llvm::all_of(given, [](bool isGiven) { return isGiven; }))
    return function.emitError() << "the schedule has no block size for some of the kernel's "
                                << numDims << " shared dims";
  return sizes;
}

/// The tile size of the streamed dim, which is numbered after the shared ones.
FailureOr<std::optional<int64_t>> getStreamTile(func::FuncOp function, ScheduleAttr schedule,
                                                unsigned numDims) {
  std::optional<int64_t> size;
  for (LevelAttr level : schedule.getLevels()) {
    if (level.getMapping() != LevelMapping::Sequential)
      continue;
    if (size || level.getDims() != ArrayRef<int64_t>{static_cast<int64_t>(numDims)})
      return function.emitError() << "the schedule streams more than dim " << numDims
                                  << ", the one after the shared dims";
    size = level.getSizes().front();
  }
  return size;
}

/// Operands in blocks of columns (see getTiledBlock) are read right in tiles of whole blocks only.
LogicalResult checkBlocks(const KernelMembers &members, ArrayRef<int64_t> sizes) {
  for (auto [number, op] : llvm::enumerate(members.ops())) {
    linalg::LinalgOp member = op;
    for (AffineMap map : member.getIndexingMapsArray())
      for (auto [loop, dim] : llvm::enumerate(members.domain().loops[number])) {
        std::optional<int64_t> block = getTiledBlock(map, loop);
        if (block && dim != SharedDomain::kPrivate && sizes[dim] % *block != 0 &&
            (ShapedType::isDynamic(members.staticExtent(dim)) ||
             sizes[dim] < members.staticExtent(dim)))
          return member.emitError() << "a tile of " << sizes[dim] << " along dim " << dim
                                    << " divides blocks of " << *block << " columns";
      }
  }
  return success();
}

/// `@k_count(ins…, outs…) -> index`: how many blocks these arguments make. `extents`: of the dims, as values of
/// the function, or null for one that is not cut.
void makeCount(func::FuncOp function, OpBuilder &builder, ArrayRef<OpFoldResult> extents,
               ArrayRef<int64_t> tileSizes) {
  Location loc = function.getLoc();
  Value total = arith::ConstantIndexOp::create(builder, loc, 1);
  AffineExpr d0;
  bindDims(builder.getContext(), d0);
  for (auto [extent, size] : llvm::zip_equal(extents, tileSizes)) {
    if (!extent)
      continue;
    OpFoldResult blocks =
        affine::makeComposedFoldedAffineApply(builder, loc, d0.ceilDiv(size), {extent});
    total = arith::MulIOp::create(builder, loc, total,
                                  getValueOrCreateConstantIndexOp(builder, loc, blocks));
  }
  readExtentsOffInits(function);
  makeQuery(function, total, function.getName() + "_count");
}

struct TileKernels : fuse::impl::FuseTileKernelsBase<TileKernels> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions)
      if (!function.isExternal() && failed(tile(function))) {
        if (auto file = getOperation()->getAttrOfType<StringAttr>(attr::kTuned))
          function.emitError() << "the schedule is that of '" << file.getValue() << "'";
        return signalPassFailure();
      }
    for (auto function : getOperation().getOps<func::FuncOp>())
      function->removeAttr(attr::kResultDims);
  }

  /// Reports want the number of blocks, where the extents tell it.
  void recordBlocks(ArrayRef<int64_t> extents, ArrayRef<int64_t> sizes) {
    OpBuilder builder(&getContext());
    int64_t blocks = 1;
    for (auto [extent, size] : llvm::zip_equal(extents, sizes)) {
      if (ShapedType::isDynamic(extent))
        return;
      blocks *= llvm::divideCeil(extent, size);
    }
    getOperation()->setAttr(attr::kBlocks, builder.getI64IntegerAttr(blocks));
  }

  /// The loops of a kernel that scatters, over tiles of the scatter's result.
  LogicalResult tileScatter(func::FuncOp function, ScatterRowsOp scatter) {
    auto schedule = function->getAttrOfType<ScheduleAttr>(attr::kSchedule);
    if (!schedule)
      return function.emitError("expected a 'fuse.schedule' (fuse-assign-schedules gives one)");
    ArrayRef<int64_t> extents = cast<RankedTensorType>(scatter.getInit().getType()).getShape();
    FailureOr<SmallVector<int64_t>> sizes = getTileSizes(function, schedule, extents.size());
    if (failed(sizes))
      return failure();
    OpBuilder builder(function.getBody().front().getTerminator());
    SmallVector<OpFoldResult> found(extents.size());
    for (auto [dim, extent] : llvm::enumerate(extents))
      if (!ShapedType::isDynamic(extent) || (*sizes)[dim] < LevelAttr::kUncut)
        found[dim] = tensor::getMixedSize(builder, function.getLoc(), scatter.getInit(), dim);
    makeCount(function, builder, found, *sizes);
    recordBlocks(extents, *sizes);
    return KernelTiler(function, KernelMembers(), *sizes, getBlockOrder(schedule))
        .runScatter(scatter);
  }

  LogicalResult tile(func::FuncOp function) {
    FailureOr<ScatterRowsOp> scatter = findScatter(function);
    if (failed(scatter))
      return failure();
    if (*scatter)
      return tileScatter(function, *scatter);
    FailureOr<KernelMembers> members = KernelMembers::get(function);
    if (failed(members))
      return failure();
    for (linalg::LinalgOp member : members->ops())
      if (!member.hasPureTensorSemantics())
        return member->emitOpError("expected operands that are tensors, as before bufferization");
    auto schedule = function->getAttrOfType<ScheduleAttr>(attr::kSchedule);
    if (!schedule)
      return function.emitError("expected a 'fuse.schedule' (fuse-assign-schedules gives one)");
    if (members->isUncut()) {
      remark::missed(function.getLoc(), remark::RemarkOpts::name("uncut").category("fuse-tile-kernels"))
          << remark::reason("the members of kernel @{0} do not lie along the dims that it is planned over: one "
                            "block computes all",
                            function.getName());
      schedule = ScheduleAttr::get(&getContext(), ArrayRef<LevelAttr>(), schedule.getReductionLanes(),
                                   schedule.getThreads(), schedule.getLanes());
      function->setAttr(attr::kSchedule, schedule);
    }
    FailureOr<SmallVector<int64_t>> sizes =
        getTileSizes(function, schedule, members->domain().numDims);
    if (failed(sizes) || failed(checkBlocks(*members, *sizes)))
      return failure();
    SmallVector<int64_t> extents;
    OpBuilder builder(function.getBody().front().getTerminator());
    SmallVector<OpFoldResult> counted(sizes->size());
    for (unsigned dim = 0; dim < members->domain().numDims; ++dim) {
      extents.push_back(members->staticExtent(dim));
      if (!isUncut(*members, *sizes, dim))
        counted[dim] = members->sharedExtent(builder, dim);
    }
    makeCount(function, builder, counted, *sizes);
    recordBlocks(extents, *sizes);
    FailureOr<std::optional<int64_t>> streamTile =
        getStreamTile(function, schedule, members->domain().numDims);
    if (failed(streamTile))
      return failure();
    if (!*streamTile)
      return KernelTiler(function, *members, *sizes, getBlockOrder(schedule)).run();
    std::string reason;
    std::optional<StreamedDim> stream = findStreamedDim(*members, reason);
    // Once factors of one dim are deferred, another dim may be the better one, with factors of its own.
    for (unsigned round = 0; stream && !stream->deferrals.empty(); ++round) {
      if (round > members->ops().size())
        return function.emitError() << "factors of the streamed dim cannot be deferred";
      deferFactors(*members, *stream);
      members = KernelMembers::get(function);
      if (failed(members))
        return failure();
      stream = findStreamedDim(*members, reason);
    }
    if (!stream)
      return function.emitError() << "no dim of the kernel can be streamed: " << reason;
    int64_t tile = **streamTile;
    if (!ShapedType::isDynamic(stream->extent))
      tile = std::min(tile, std::max<int64_t>(1, stream->extent));
    else if (tile > kMostDynamicTile)
      return function.emitError() << "expected at most " << kMostDynamicTile
                                  << " as tile of a streamed dim of unknown extent, found " << tile;
    return KernelTiler(function, *members, *sizes, getBlockOrder(schedule), &*stream, tile).run();
  }
};

} // namespace
