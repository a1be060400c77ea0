//===- DistributeMembers.cpp - Members over the threads of a block ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../Kernel/BodyAccess.h"
#include "../Kernel/BufferPlaces.h"
#include "Barriers.h"
#include "MemberLoops.h"
#include "fuse/Codegen/Gpu/Passes.h"
#include "fuse/IR/FuseAttributes.h"
#include "fuse/IR/FuseDialect.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEDISTRIBUTEMEMBERS
#include "fuse/Codegen/Gpu/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

/// With shorter lines, the caches do as well; larger tiles leave no room for several blocks.
static constexpr int64_t kLeastLine = 8, kMostElements = 8192;

static bool isArgument(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  return isa<BlockArgument>(buffer);
}

/// The largest shape of the operand's tile, if it is to be turned.
static std::optional<SmallVector<int64_t>> getTurnedShape(linalg::GenericOp op,
                                                          OpOperand &operand,
                                                          const ThreadMapping &mapping) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  if (!type || !map.isProjectedPermutation() || map.getNumResults() < 2 ||
      !type.isLastDimUnitStride() || !isArgument(operand.get()))
    return std::nullopt;
  auto position = [&](AffineExpr expr) { return cast<AffineDimExpr>(expr).getPosition(); };
  unsigned line = position(map.getResults().back());
  bool isAcross = line != mapping.chunkLoop() && map.isFunctionOfDim(mapping.chunkLoop()) &&
                  llvm::is_contained(mapping.spread.loops, line);
  if (!isAcross)
    return std::nullopt;
  SmallVector<int64_t> shape;
  int64_t elements = 1;
  for (AffineExpr expr : map.getResults()) {
    shape.push_back(mapping.bounds[position(expr)]);
    if (ShapedType::isDynamic(shape.back()))
      return std::nullopt;
    elements *= shape.back();
  }
  if (shape.back() < kLeastLine || elements > kMostElements ||
      mapping.bounds[mapping.chunkLoop()] < kLeastLine)
    return std::nullopt;
  return shape;
}

/// Threads that are next to each other along `op`'s result would read each a line of their own of an
/// input whose memory runs along another of the loops that are spread. Such inputs are first copied,
/// along their memory, to a buffer of the block, whose lines are an element longer so that its
/// columns do not lie in one bank. Returns the copies, which stand before `op`.
static SmallVector<linalg::GenericOp> turnOperands(RewriterBase &rewriter, linalg::GenericOp op,
                                                   const ThreadMapping &mapping,
                                                   ArrayRef<int64_t> loopDims) {
  SmallVector<linalg::GenericOp> copies;
  if (mapping.spread.empty() || mapping.folds)
    return copies;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  for (OpOperand *operand : op.getDpsInputOperands()) {
    std::optional<SmallVector<int64_t>> shape = getTurnedShape(op, *operand, mapping);
    if (!shape)
      continue;
    Value from = operand->get();
    auto type = cast<MemRefType>(from.getType());
    SmallVector<OpFoldResult> zeros, ones, sizes;
    for (unsigned dim = 0; dim < shape->size(); ++dim) {
      zeros.push_back(rewriter.getIndexAttr(0));
      ones.push_back(rewriter.getIndexAttr(1));
      sizes.push_back(memref::getMixedSize(rewriter, loc, from, dim));
    }
    ++shape->back();
    Value memory =
        memref::AllocOp::create(rewriter, loc, MemRefType::get(*shape, type.getElementType()));
    Value tile = memref::SubViewOp::create(rewriter, loc, memory, zeros, sizes, ones);
    AffineMap identity = rewriter.getMultiDimIdentityMap(shape->size());
    auto copy = linalg::GenericOp::create(
        rewriter, loc, from, tile, ArrayRef<AffineMap>{identity, identity},
        SmallVector<utils::IteratorType>(shape->size(), utils::IteratorType::parallel),
        [](OpBuilder &b, Location at, ValueRange values) {
          linalg::YieldOp::create(b, at, values.front());
        });
    SmallVector<int64_t> dims;
    for (AffineExpr expr : op.getMatchingIndexingMap(operand).getResults()) {
      unsigned loop = cast<AffineDimExpr>(expr).getPosition();
      dims.push_back(loop < loopDims.size() ? loopDims[loop] : -1);
    }
    copy->setAttr(attr::kLoopDims, rewriter.getDenseI64ArrayAttr(dims));
    rewriter.modifyOpInPlace(op, [&, operand = operand] { operand->set(tile); });
    copies.push_back(copy);
  }
  return copies;
}

namespace {

struct DistributeMembers : fuse::impl::FuseDistributeMembersBase<DistributeMembers> {
  using FuseDistributeMembersBase::FuseDistributeMembersBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isDeclaration() && function.getNumResults() == 0 &&
          failed(distribute(function)))
        return signalPassFailure();
  }

  LogicalResult distribute(func::FuncOp function) {
    auto block = BlockThreads::get(function->getAttrOfType<ScheduleAttr>(attr::kSchedule));
    block.reassociates = reassociates;
    getOperation()->setAttr(attr::kThreads,
                            IntegerAttr::get(IntegerType::get(&getContext(), 64), block.threads));
    IRRewriter rewriter(&getContext());
    DenseMap<Operation *, Value> initials = takeInitials(rewriter, function);
    FailureOr<SmallVector<linalg::GenericOp>> members = generalize(rewriter, function);
    if (failed(members))
      return failure();
    DenseMap<Operation *, SmallVector<int64_t>> loopDims = findLoopDims(*members);
    MappedMembers mapped;
    DenseMap<Operation *, ContractionPlan> products;
    for (linalg::GenericOp member : *members) {
      ThreadMapping mapping = mapToThreads(member, loopDims.lookup(member), block);
      if (auto plan = planContraction(member, mapping.bounds, block.threads,
                                      {reassociates, tensorCores, tf32, warpgroups, byteCores})) {
        mapping.isProduct = true;
        products.insert({member, *plan});
      } else {
        ArrayRef<int64_t> dims = loopDims[member];
        for (linalg::GenericOp copy : turnOperands(rewriter, member, mapping, dims)) {
          auto own = copy->getAttrOfType<DenseI64ArrayAttr>(attr::kLoopDims);
          mapped.insert({copy, mapToThreads(copy, own.asArrayRef(), block)});
        }
      }
      mapped.insert({member, std::move(mapping)});
    }
    for (auto &[member, plan] : products)
      if (plan.usesTensorCores)
        padSums(rewriter, cast<linalg::GenericOp>(member));
    unifyChunks(mapped);
    DenseMap<Value, PrivateTile> privates = placeInRegisters(function, mapped);
    insertBarriers(function, mapped, privates);
    rewriter.setInsertionPointToStart(&function.getBody().front());
    Value thread = gpu::ThreadIdOp::create(rewriter, function.getLoc(), gpu::Dimension::x);
    storeOnce(rewriter, function, thread);
    for (auto &[member, mapping] : mapped)
      if (!mapping.isProduct) {
        auto generic = cast<linalg::GenericOp>(member);
        emitMemberLoops(rewriter, generic, mapping, thread, privates, initials.lookup(member));
        rewriter.eraseOp(generic);
      }
    // What the others need of shared memory is known now.
    int64_t reserved = 0;
    for (auto &[member, plan] : products)
      reserved += plan.boundStageBytes();
    for (auto &[member, mapping] : mapped)
      if (mapping.isProduct) {
        auto generic = cast<linalg::GenericOp>(member);
        const ContractionPlan &plan = products.find(member)->second;
        reserved -= plan.boundStageBytes();
        ArrayRef<int64_t> bounds = mapping.bounds;
        bool isNested = plan.columns != plan.allColumns ||
                        llvm::any_of(plan.batch, [&](unsigned loop) { return bounds[loop] != 1; });
        Value initial = initials.lookup(member);
        emitContractionLoops(rewriter, generic, plan, bounds, thread, block.threads, initial,
                             countRoom(generic, isNested, initial != nullptr, privates, reserved));
        rewriter.eraseOp(generic);
      }
    return success();
  }

  /// Sums that pass shared memory get lines that begin in banks of their own: a subgroup writes to eight lines at once, 32
  /// bytes to each.
  static void padSums(RewriterBase &rewriter, linalg::GenericOp product) {
    constexpr int64_t kRunBytes = 32;
    auto alloc = product.getDpsInits()[0].getDefiningOp<memref::AllocOp>();
    if (!alloc || alloc.getType().getRank() < 2 || !alloc.getType().hasStaticShape() ||
        !alloc.getType().getLayout().isIdentity() || !llvm::all_of(alloc->getUsers(), llvm::IsaPred<linalg::GenericOp>))
      return;
    SmallVector<int64_t> shape(alloc.getType().getShape());
    int64_t bytes = alloc.getType().getElementTypeBitWidth() / 8;
    // Lines an odd number of times 32 bytes apart are.
    if (shape.back() * bytes % (2 * kRunBytes) != 0)
      return;
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointAfter(alloc);
    SmallVector<OpFoldResult> zeros(shape.size(), rewriter.getIndexAttr(0)), ones(shape.size(), rewriter.getIndexAttr(1));
    SmallVector<OpFoldResult> sizes = memref::getMixedSizes(rewriter, alloc.getLoc(), alloc);
    shape.back() += kRunBytes / bytes;
    Value padded = memref::AllocOp::create(rewriter, alloc.getLoc(), MemRefType::get(shape, alloc.getType().getElementType()));
    rewriter.replaceOp(alloc, memref::SubViewOp::create(rewriter, alloc.getLoc(), padded, zeros, sizes, ones));
  }

  /// What is left of shared memory beside the temporaries that are needed while `product` runs, and `reserved` bytes.
  /// `isNested`: it is computed part by part, each with a loop over steps; `hasInitial`: its result is not touched before it
  /// is written.
  StagingRoom countRoom(linalg::GenericOp product, bool isNested, bool hasInitial,
                        const DenseMap<Value, PrivateTile> &privates, int64_t reserved) {
    product->getParentOfType<func::FuncOp>().walk([&](memref::AllocOp alloc) {
      bool isPrivate = privates.contains(alloc) || llvm::any_of(alloc->getUsers(), [&](Operation *user) {
                         return isa<memref::SubViewOp>(user) && privates.contains(user->getResult(0));
                       });
      if (!isPrivate && alloc.getType().hasStaticShape() && mayBeNeeded(alloc, product, isNested, hasInitial))
        reserved += getAlignedBytes(alloc.getType());
    });
    return {asyncStages, sharedBytes - reserved, sharedBytes / 2 - reserved};
  }

  /// Whether a temporary is needed while `product` runs, as fuse-place-scratch will see it: not if it is touched only
  /// behind the barrier that its loop over steps ends with, or if all are done with it, and have met since.
  static bool mayBeNeeded(memref::AllocOp alloc, linalg::GenericOp product, bool isNested,
                          bool hasInitial) {
    Block *block = alloc->getBlock();
    if (block != product->getBlock())
      return true;
    Operation *last = nullptr;
    bool isNeeded = false, isBehind = true;
    SmallVector<Value> names = {alloc.getResult()};
    while (!names.empty()) {
      Value name = names.pop_back_val();
      for (OpOperand &use : name.getUses()) {
        Operation *here = block->findAncestorOpInBlock(*use.getOwner());
        if (!here)
          return true;
        if (isa<ViewLikeOpInterface>(use.getOwner())) {
          llvm::append_range(names, use.getOwner()->getResults());
          continue;
        }
        bool isResult = here == product && hasInitial && product.isDpsInit(&use);
        isNeeded |= here == product && !isResult;
        isBehind &= isResult || product->isBeforeInBlock(here);
        if (!last || last->isBeforeInBlock(here))
          last = here;
      }
    }
    if (isNeeded || !last)
      return isNeeded;
    if (isBehind)
      return isNested;
    while (last != product && !isa<gpu::BarrierOp>(last) && last->isBeforeInBlock(product))
      last = last->getNextNode();
    return !(isa<gpu::BarrierOp>(last) && last->isBeforeInBlock(product));
  }

  /// Members that touch a temporary in chunks of several lengths, and else alike, all take the
  /// shortest, so that its elements stay in their threads.
  static void unifyChunks(MappedMembers &mapped) {
    DenseMap<Value, SmallVector<OpOperand *>> uses;
    for (auto &entry : mapped)
      for (OpOperand &operand : entry.first->getOpOperands())
        if (isTemporary(operand.get()))
          uses[operand.get()].push_back(&operand);
    for (bool changes = true; changes;) {
      changes = false;
      for (auto &[buffer, touching] : uses)
        changes |= unifyChunks(touching, mapped);
    }
  }

  static bool isTemporary(Value buffer) {
    if (auto view = buffer.getDefiningOp<memref::SubViewOp>())
      buffer = view.getSource();
    return buffer.getDefiningOp<memref::AllocOp>() != nullptr;
  }

  static bool unifyChunks(ArrayRef<OpOperand *> uses, MappedMembers &mapped) {
    SmallVector<AccessPattern> patterns;
    int64_t least = std::numeric_limits<int64_t>::max();
    for (OpOperand *use : uses) {
      auto op = cast<linalg::GenericOp>(use->getOwner());
      std::optional<AccessPattern> pattern = getPattern(op, *use, mapped.find(op)->second);
      if (!pattern || pattern->isReplicated)
        return false;
      least = std::min(least, pattern->chunk);
      patterns.push_back(*pattern);
    }
    bool differs = llvm::any_of(patterns, [&](const AccessPattern &p) { return p.chunk != least; });
    for (AccessPattern &pattern : patterns)
      pattern.chunk = least;
    if (!differs || !llvm::all_equal(patterns))
      return false;
    for (OpOperand *use : uses)
      mapped.find(use->getOwner())->second.spread.chunk = least;
    return true;
  }

  FailureOr<SmallVector<linalg::GenericOp>> generalize(RewriterBase &rewriter,
                                                       func::FuncOp function) {
    SmallVector<memref::CopyOp> copies;
    function.walk([&](memref::CopyOp copy) { copies.push_back(copy); });
    for (memref::CopyOp copy : copies) {
      rewriter.setInsertionPoint(copy);
      rewriter.replaceOpWithNewOp<linalg::CopyOp>(copy, copy.getSource(), copy.getTarget());
    }
    SmallVector<linalg::LinalgOp> ops;
    function.walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    SmallVector<linalg::GenericOp> members;
    for (linalg::LinalgOp op : ops) {
      auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
      if (!generic) {
        rewriter.setInsertionPoint(op);
        FailureOr<linalg::GenericOp> general = linalg::generalizeNamedOp(rewriter, op);
        if (failed(general))
          return op.emitError("cannot be spread over threads");
        generic = *general;
      }
      members.push_back(generic);
    }
    return members;
  }

  /// Folds that begin with a constant need not be stored first: the constants, whose fills go.
  static DenseMap<Operation *, Value> takeInitials(RewriterBase &rewriter, func::FuncOp function) {
    DenseMap<Operation *, Value> initials;
    function.walk([&](linalg::GenericOp member) {
      if (linalg::FillOp fill = findStart(member)) {
        initials[member] = fill.value();
        rewriter.eraseOp(fill);
      }
    });
    return initials;
  }

  /// What a block stores outside of its members, one thread stores.
  void storeOnce(RewriterBase &rewriter, func::FuncOp function, Value thread) {
    SmallVector<memref::StoreOp> stores;
    function.walk([&](memref::StoreOp store) {
      if (!store->getParentOfType<linalg::GenericOp>())
        stores.push_back(store);
    });
    OpBuilder::InsertionGuard guard(rewriter);
    for (memref::StoreOp store : stores) {
      Location loc = store.getLoc();
      rewriter.setInsertionPoint(store);
      Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
      Value isFirst =
          arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq, thread, zero);
      auto branch = scf::IfOp::create(rewriter, loc, isFirst, /*withElseRegion=*/false);
      rewriter.moveOpBefore(store, branch.thenBlock()->getTerminator());
    }
  }
};

} // namespace
