//===- TileKernels.cpp - The pass around the kernel tiler ----------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "BodyAccess.h"
#include "BufferPlaces.h"
#include "DeferFactors.h"
#include "KernelTiler.h"
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
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSETILEKERNELS
#include "fuse/Codegen/Kernel/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

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
               << "the schedule cuts dim " << dim << " of a kernel with " << numDims
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

/// Operands in blocks of columns (see getBlock) are read right in tiles of whole blocks only.
LogicalResult checkBlocks(const KernelMembers &members, ArrayRef<int64_t> sizes) {
  for (auto [number, op] : llvm::enumerate(members.ops())) {
    linalg::LinalgOp member = op;
    for (AffineMap map : member.getIndexingMapsArray())
      for (auto [loop, dim] : llvm::enumerate(members.domain().loops[number])) {
        std::optional<int64_t> block = getBlock(map, loop);
        if (block && dim != SharedDomain::kPrivate && sizes[dim] % *block != 0 &&
            (ShapedType::isDynamic(members.staticExtent(dim)) ||
             sizes[dim] < members.staticExtent(dim)))
          return member.emitError() << "a tile of " << sizes[dim] << " along dim " << dim
                                    << " cuts blocks of " << *block << " columns";
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
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet patterns(context);
    for (RegisteredOperationName op : context->getRegisteredOperations())
      if (isa<arith::ArithDialect>(op.getDialect()))
        op.getCanonicalizationPatterns(patterns, context);
    bodyPatterns = std::move(patterns);
    return success();
  }

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

  /// Members whose bodies come down to a copy are put into their destinations by themselves (see
  /// KernelTiler::run), because canonicalization replaces their tiles by what they copy: so that all such are
  /// known, bodies are simplified first.
  void simplifyBodies(func::FuncOp function) {
    SmallVector<Operation *> ops;
    function.walk([&](linalg::GenericOp member) {
      for (Operation &op : member.getBody()->without_terminator())
        ops.push_back(&op);
    });
    (void)applyOpPatternsGreedily(ops, bodyPatterns);
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
    simplifyBodies(function);
    FailureOr<KernelMembers> members = KernelMembers::get(function);
    if (failed(members))
      return failure();
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

  FrozenRewritePatternSet bodyPatterns;
};

} // namespace
