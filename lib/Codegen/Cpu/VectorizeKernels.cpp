//===- VectorizeKernels.cpp - Members on buffers into loops ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../Kernel/BodyAccess.h"
#include "ByteMultiplyAdd.h"
#include "PastCaches.h"
#include "RoundToBytes.h"
#include "VectorBody.h"
#include "fuse/Codegen/Cpu/Passes.h"
#include "fuse/IR/FuseAttributes.h"
#include "fuse/IR/FuseDialect.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEVECTORIZEKERNELS
#include "fuse/Codegen/Cpu/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

/// Whether loops `loop` and `loop + 1` can run as one: every operand has them one behind the other
/// and holds their elements without gaps, or has neither.
static bool canJoin(linalg::GenericOp op, unsigned loop) {
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  if (iterators[loop] != iterators[loop + 1])
    return false;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!map.isFunctionOfDim(loop) && !map.isFunctionOfDim(loop + 1))
      continue;
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    std::optional<unsigned> position = map.getResultPosition(getAffineDimExpr(loop, op.getContext()));
    if (!type || !map.isProjectedPermutation() || !position ||
        *position + 1 >= map.getNumResults() ||
        map.getResult(*position + 1) != getAffineDimExpr(loop + 1, op.getContext()))
      return false;
    SmallVector<int64_t> strides;
    int64_t offset;
    int64_t inner = type.getDimSize(*position + 1);
    if (failed(type.getStridesAndOffset(strides, offset)) || ShapedType::isDynamic(inner) ||
        ShapedType::isDynamic(strides[*position + 1]) ||
        strides[*position] != inner * strides[*position + 1])
      return false;
  }
  return true;
}

/// The groups of loops that can run as one in all of `members`, which have the first loops in
/// common.
static SmallVector<ReassociationIndices> getGroups(MutableArrayRef<linalg::GenericOp> members) {
  SmallVector<ReassociationIndices> groups;
  for (unsigned loop = 0, end = members.front().getNumLoops(); loop < end; ++loop) {
    bool joins = loop > 0 && llvm::all_of(members, [&](linalg::GenericOp member) {
                   return loop >= member.getNumLoops() || canJoin(member, loop - 1);
                 });
    if (joins)
      groups.back().push_back(loop);
    else
      groups.push_back({loop});
  }
  return groups;
}

/// Upstream's collapse knows operands that loops count through one by one only, no strides of a window.
static bool mayJoin(linalg::GenericOp op) {
  return !op.hasIndexSemantics() && op.hasPureBufferSemantics() &&
         llvm::all_of(op.getIndexingMapsArray(),
                      [](AffineMap map) { return map.isProjectedPermutation(); });
}

static linalg::GenericOp collapse(RewriterBase &rewriter, linalg::GenericOp op,
                                  ArrayRef<ReassociationIndices> groups) {
  if (groups.size() == op.getNumLoops())
    return op;
  rewriter.setInsertionPoint(op);
  FailureOr<linalg::CollapseResult> joined = linalg::collapseOpIterationDims(op, groups, rewriter);
  if (failed(joined))
    return op;
  rewriter.eraseOp(op);
  return cast<linalg::GenericOp>(joined->collapsedOp.getOperation());
}

/// Loops that members have for the sake of others (see ExpandMembers.cpp) become one again, so that
/// vectors are long and sums are made in the order that they have alone.
static linalg::GenericOp joinLoops(RewriterBase &rewriter, linalg::GenericOp op) {
  return mayJoin(op) ? collapse(rewriter, op, getGroups(op)) : op;
}

/// The same for a contraction and what its sums go through, whose loops stay the same. Both then
/// read and write the sums through one view.
static void joinLoops(RewriterBase &rewriter, linalg::GenericOp &op, linalg::GenericOp &epilogue) {
  if (!mayJoin(op) || !mayJoin(epilogue))
    return;
  linalg::GenericOp members[] = {op, epilogue};
  SmallVector<ReassociationIndices> groups = getGroups(members);
  if (groups.size() == op.getNumLoops())
    return;
  unsigned rank = epilogue.getNumLoops();
  SmallVector<ReassociationIndices> first;
  for (const ReassociationIndices &group : groups)
    if (group.front() < rank)
      first.push_back(group);
  Value sums = op.getDpsInits().front();
  op = collapse(rewriter, op, groups);
  epilogue = collapse(rewriter, epilogue, first);
  if (op.getDpsInits().front() == sums)
    return;
  for (OpOperand &operand : epilogue->getOpOperands())
    if (auto view = operand.get().getDefiningOp<memref::CollapseShapeOp>();
        view && view.getSrc() == sums && view.getType() == op.getDpsInits().front().getType())
      operand.set(op.getDpsInits().front());
}

/// Whether `op` had better be without its epilogue: its columns and rows lie in memory as one line, but not as the
/// epilogue writes them (into the middle of a padded image, say).
static bool gainsApart(linalg::GenericOp op, linalg::GenericOp epilogue) {
  if (!mayJoin(op) || epilogue.getNumReductionLoops() > 0)
    return false;
  unsigned column = epilogue.getNumLoops() - 1;
  return column > 0 && canJoin(op, column - 1) && !canJoin(epilogue, column - 1);
}

//===- What a kernel knows of the memory behind its members ---------------------------------===//

/// What a member's body takes, in operations of arithmetic.
static int64_t getWork(linalg::LinalgOp member) {
  constexpr int64_t kFunction = 20;
  int64_t work = 0;
  for (Operation &op : *member.getBlock())
    work += isa_and_nonnull<math::MathDialect, FuseDialect>(op.getDialect()) ? kFunction : 1;
  return work;
}

/// By how much an offset of a block's tile grows from one block to the next, where that is a
/// product with the number of the block, or the number itself; 0 where it is not. (The last tile
/// may be smaller.)
static int64_t getStep(Value offset) {
  auto product = offset.getDefiningOp<arith::MulIOp>();
  if (!product)
    return isa<BlockArgument>(offset) ? 1 : 0;
  APInt step;
  return matchPattern(product.getRhs(), m_ConstantInt(&step)) ? step.getSExtValue() : 0;
}

/// The loop of `member` that runs through the rows of a tile, if `operand` is a tile of an operand
/// of the kernel that is one of several in a row; `rows`: how many it has.
static std::optional<unsigned> getRowLoop(linalg::LinalgOp member, OpOperand &operand,
                                          int64_t &rows) {
  auto tile = operand.get().getDefiningOp<memref::SubViewOp>();
  if (!tile || tile.getType().getRank() != tile.getSourceType().getRank())
    return std::nullopt;
  AffineMap map = member.getMatchingIndexingMap(&operand);
  for (auto [dim, offset] : llvm::enumerate(tile.getMixedOffsets())) {
    if (isa<Attribute>(offset))
      continue;
    auto loop = dyn_cast<AffineDimExpr>(map.getResult(dim));
    rows = getStep(cast<Value>(offset));
    // The last dim of a tile is not one of rows.
    if (!loop || rows == 0 || dim + 1 == map.getNumResults())
      return std::nullopt;
    return loop.getPosition();
  }
  return std::nullopt;
}

namespace {
struct MemoryHints {
  /// A loop of the member over the rows of a block's tile, and how many rows that is: the rows of
  /// the next block lie so many iterations further. What several members of a kernel read from its
  /// operands, the one that computes longest fetches for the next block; the hardware does not see
  /// past the end of a page.
  std::optional<unsigned> rowLoop;
  int64_t rows = 0;
  /// The inputs (operand numbers) to fetch.
  SmallVector<unsigned> fetched;
  /// The result is not read again in the kernel, and the kernel's operands and results are so large
  /// that it had better be stored past the caches, or nobody knows yet.
  bool storesPast = false;
};
} // namespace

/// The hints for each member of a kernel on buffers; members without any are left out.
/// `nonTemporalBytes`: as in #fuse.target.
static DenseMap<Operation *, MemoryHints> findMemoryHints(func::FuncOp kernel,
                                                          int64_t nonTemporalBytes) {
  DenseMap<Operation *, MemoryHints> hints;
  llvm::MapVector<Value, SmallVector<OpOperand *>> readers, writers;
  kernel.walk([&](linalg::LinalgOp member) {
    for (OpOperand &operand : member->getOpOperands()) {
      Value base = getBase(operand.get());
      if (!isa<BlockArgument>(base) || !isa<MemRefType>(base.getType()))
        continue;
      bool isRead = !member.isDpsInit(&operand) || member.payloadUsesValueFromOperand(&operand);
      (isRead ? readers : writers)[base].push_back(&operand);
    }
  });
  for (auto &[base, operands] : readers) {
    if (operands.size() < 2)
      continue;
    OpOperand *longest = nullptr;
    int64_t most = 0;
    for (OpOperand *operand : operands) {
      auto member = cast<linalg::LinalgOp>(operand->getOwner());
      if (int64_t work = getWork(member); work >= most) {
        most = work;
        longest = operand;
      }
    }
    auto member = cast<linalg::LinalgOp>(longest->getOwner());
    int64_t rows = 0;
    std::optional<unsigned> loop = getRowLoop(member, *longest, rows);
    if (!loop)
      continue;
    MemoryHints &hint = hints[member];
    if (hint.rowLoop && (hint.rowLoop != loop || hint.rows != rows))
      continue;
    hint.rowLoop = loop;
    hint.rows = rows;
    hint.fetched.push_back(longest->getOperandNumber());
  }
  std::optional<int64_t> footprint = getFootprint(kernel);
  if (nonTemporalBytes <= 0 || (footprint && *footprint < nonTemporalBytes))
    return hints;
  for (auto &[base, operands] : writers)
    if (operands.size() == 1 && !readers.contains(base))
      hints[operands.front()->getOwner()].storesPast = true;
  return hints;
}

//===- What stands behind a contraction -----------------------------------------------------===//

/// Whether nobody but `writers` uses the memory behind `buffer`.
static bool isUsedOnlyBy(Value buffer, ArrayRef<Operation *> writers) {
  return llvm::all_of(buffer.getUsers(), [&](Operation *user) {
    if (auto view = dyn_cast<ViewLikeOpInterface>(user))
      return isUsedOnlyBy(view.getViewDest(), writers);
    return llvm::is_contained(writers, user);
  });
}

/// The element-wise member behind `contraction` (bias, relu), with nothing between the two, that is the only
/// reader of its sums, or that writes where they lie; null if there is none. Its loops are the contraction's
/// parallel loops, which come first. Accumulators that start from the fill's value (see findStart) and go
/// through that member before they are stored save two passes over the tile. Some of its loops may be reductions:
/// sums of groups of steps that are scaled and added up are then nowhere in memory. What these start from is filled in
/// between the two.
static linalg::GenericOp findEpilogue(linalg::GenericOp contraction) {
  if (contraction.getNumReductionLoops() == 0 || contraction.getNumDpsInits() != 1)
    return {};
  Operation *next = contraction->getNextNode();
  linalg::FillOp before;
  while (next && (isPassive(next) || (!before && isa<linalg::FillOp>(next)))) {
    if (auto found = dyn_cast<linalg::FillOp>(next))
      before = found;
    next = next->getNextNode();
  }
  auto epilogue = dyn_cast_or_null<linalg::GenericOp>(next);
  if (!epilogue || epilogue->getBlock() != contraction->getBlock())
    return {};
  bool adds = epilogue.getNumReductionLoops() > 0;
  if (adds ? epilogue.getNumDpsInits() != 1 : before != nullptr)
    return {};
  if (before && before.getDpsInits().front() != epilogue.getDpsInits().front())
    return {};
  unsigned rank = epilogue.getNumLoops();
  MLIRContext *context = epilogue.getContext();
  auto first =
      AffineMap::getMultiDimIdentityMap(contraction.getNumLoops(), context).getMajorSubMap(rank);
  OpOperand &init = *contraction.getDpsInitOperand(0);
  if (contraction.getNumParallelLoops() != rank ||
      contraction.getMatchingIndexingMap(&init) != first)
    return {};
  Value sums = init.get();
  bool reads = false, writes = false;
  for (OpOperand &operand : epilogue->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    bool isSums = operand.get() == sums;
    if (!isSums && getBase(operand.get()) == getBase(sums))
      return {};
    if (isSums && !epilogue.getMatchingIndexingMap(&operand).isIdentity())
      return {};
    (epilogue.isDpsInit(&operand) ? writes : reads) |= isSums;
  }
  bool readsResults = llvm::any_of(epilogue.getRegionOutputArgs(),
                                   [](Value argument) { return !argument.use_empty(); });
  if (!reads || (adds ? writes : readsResults))
    return {};
  // What the epilogue writes over before all sums are made, no later one may need.
  for (Value input : contraction.getDpsInputs())
    if (isa<MemRefType>(input.getType()) && llvm::any_of(epilogue.getDpsInits(), [&](Value init) {
          return getBase(init) == getBase(input);
        }))
      return {};
  Value root = getBase(sums);
  linalg::FillOp fill = findStart(contraction);
  if (!writes && (!root.getDefiningOp<memref::AllocOp>() ||
                  !isUsedOnlyBy(root, {fill.getOperation(), contraction, epilogue})))
    return {};
  return epilogue;
}

namespace {

struct VectorizeKernels : fuse::impl::FuseVectorizeKernelsBase<VectorizeKernels> {
  using FuseVectorizeKernelsBase::FuseVectorizeKernelsBase;

  void runOnOperation() override {
    WalkResult onBuffers = getOperation().walk([](linalg::LinalgOp op) {
      if (op.hasPureBufferSemantics())
        return WalkResult::advance();
      op.emitError() << "'" << op->getName() << "' expected on buffers, found tensors";
      return WalkResult::interrupt();
    });
    if (onBuffers.wasInterrupted())
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    // A copy is a member like any other, not a call of the runtime.
    SmallVector<memref::CopyOp> copies;
    getOperation().walk([&](memref::CopyOp copy) { copies.push_back(copy); });
    for (memref::CopyOp copy : copies) {
      rewriter.setInsertionPoint(copy);
      rewriter.replaceOpWithNewOp<linalg::CopyOp>(copy, copy.getSource(), copy.getTarget());
    }
    auto nonTemporalBytes =
        static_cast<int64_t>(TargetAttr::lookup(getOperation()).getFigure("nontemporal_bytes"));
    for (auto kernel : getOperation().getOps<func::FuncOp>()) {
      DenseMap<Operation *, MemoryHints> hints = findMemoryHints(kernel, nonTemporalBytes);
      // Contractions first: they may do what stands around them on the way.
      SmallVector<linalg::GenericOp> contractions;
      kernel.walk([&](linalg::GenericOp member) {
        if (member.getNumReductionLoops() > 0 && (member.getNumDpsInputs() > 1 || loads(member)))
          contractions.push_back(member);
      });
      for (size_t i = 0; i < contractions.size(); ++i) {
        linalg::GenericOp contraction = contractions[i];
        if (!contraction)
          continue;
        linalg::GenericOp epilogue = findEpilogue(contraction);
        for (Operation *op : {contraction.getOperation(), findStart(contraction).getOperation(), epilogue.getOperation()})
          hints.erase(op); // it may be replaced
        // What adds up scaled sums has its turn by itself only if it is no part of the contraction's loops.
        auto *own = epilogue ? llvm::find(contractions, epilogue) : contractions.end();
        epilogue = lowerContraction(rewriter, contraction);
        if (own != contractions.end())
          *own = epilogue;
      }
      SmallVector<linalg::LinalgOp> members;
      kernel.walk([&](linalg::LinalgOp member) { members.push_back(member); });
      Value isLarge = emitIsLargeIfAsked(rewriter, kernel, hints, nonTemporalBytes);
      bool storesPast = false;
      for (linalg::LinalgOp member : members)
        if (failed(lower(rewriter, member, hints.lookup(member), isLarge, storesPast))) {
          member.emitError("cannot be lowered to loops");
          return signalPassFailure();
        }
      if (storesPast)
        emitFence(rewriter, kernel);
      roundToBytes(rewriter, kernel);
      if (hasFma)
        multiplyAddBytes(rewriter, kernel);
    }
  }

  /// What plans of a member depend on beside the member: the target, and the schedule of its kernel.
  VectorFacts getFacts(Operation *member) const {
    auto kernel = member->getParentOfType<func::FuncOp>();
    auto schedule = kernel->getAttrOfType<ScheduleAttr>(attr::kSchedule);
    int64_t lanes = schedule ? schedule.getReductionLanes() : 0;
    return {vectorBytes, registers, hasFma, lanes > 0 ? lanes : ScheduleAttr::kReductionLanes,
            {hasInt8Dot, hasBf16Dot, hasInt16Dot, hasInt8Tiles, hasBf16Tiles}, scalesSums};
  }

  /// Whether the body reads more than the member's inputs.
  static bool loads(linalg::GenericOp member) {
    return !member.getBody()->getOps<memref::LoadOp>().empty();
  }

  /// Lowers a contraction, with its fill and with what its sums go through, where its plan
  /// has room for one of them; else leaves all as they are. Returns what the sums go through if that is left.
  linalg::GenericOp lowerContraction(RewriterBase &rewriter, linalg::GenericOp op) {
    linalg::FillOp fill = findStart(op);
    linalg::GenericOp epilogue = findEpilogue(op);
    bool isApart = epilogue && gainsApart(op, epilogue);
    if (epilogue && !isApart)
      joinLoops(rewriter, op, epilogue);
    else
      op = joinLoops(rewriter, op);
    std::unique_ptr<VectorPlan> planned = planVectors(op, getFacts(op));
    auto *plan = dyn_cast_or_null<ContractionPlan>(planned.get());
    if (!plan)
      return epilogue;
    if (fill) {
      plan->start = fill.value();
      rewriter.eraseOp(fill);
    }
    if (epilogue && !isApart && plan->serves(epilogue, getFacts(op)))
      plan->epilogue = epilogue;
    // Between the two stand only views that the epilogue reads through.
    rewriter.setInsertionPoint(plan->epilogue ? plan->epilogue : op);
    plan->emit(rewriter, op);
    if (plan->epilogue) {
      rewriter.eraseOp(plan->epilogue);
      epilogue = {};
    }
    rewriter.eraseOp(op);
    return epilogue;
  }

  static Value emitIsLargeIfAsked(RewriterBase &rewriter, func::FuncOp kernel,
                                  const DenseMap<Operation *, MemoryHints> &hints, int64_t bytes) {
    bool isAsked = llvm::any_of(hints, [](const auto &entry) { return entry.second.storesPast; });
    return isAsked ? emitIsLarge(rewriter, kernel, bytes) : Value();
  }

  /// What was stored past the caches is there for whoever sees that the kernel has returned.
  static void emitFence(RewriterBase &rewriter, func::FuncOp kernel) {
    kernel.walk([&](func::ReturnOp end) {
      rewriter.setInsertionPoint(end);
      LLVM::FenceOp::create(rewriter, end.getLoc(), LLVM::AtomicOrdering::seq_cst);
    });
  }

  /// `hasLoops`: the member still has the loops that the hints number. `isLarge`: see MapPlan.
  static void apply(const MemoryHints &hints, bool hasLoops, Value isLarge, VectorPlan &plan) {
    if (!plan.readsInPlace())
      return;
    if (hasLoops && !plan.prefetch && hints.rowLoop && hints.rowLoop != plan.loop)
      plan.prefetch = Prefetch{*hints.rowLoop, hints.rows, /*locality=*/3, hints.fetched};
    if (auto *map = dyn_cast<MapPlan>(&plan)) {
      map->storesPast = hints.storesPast;
      map->isLarge = isLarge;
    }
  }

  LogicalResult lower(RewriterBase &rewriter, linalg::LinalgOp member, const MemoryHints &hints,
                      Value isLarge, bool &storesPast) {
    rewriter.setInsertionPoint(member);
    auto generic = dyn_cast<linalg::GenericOp>(member.getOperation());
    if (!generic) {
      FailureOr<linalg::GenericOp> general = linalg::generalizeNamedOp(rewriter, member);
      if (failed(general))
        return failure();
      generic = *general;
    }
    unsigned loops = generic.getNumLoops();
    generic = joinLoops(rewriter, generic);
    if (std::unique_ptr<VectorPlan> plan = planVectors(generic, getFacts(generic))) {
      apply(hints, generic.getNumLoops() == loops, isLarge, *plan);
      if (auto *map = dyn_cast<MapPlan>(plan.get()))
        storesPast |= map->storesPast;
      rewriter.setInsertionPoint(generic);
      plan->emit(rewriter, generic);
    } else {
      rewriter.setInsertionPoint(generic);
      if (failed(linalg::linalgOpToLoops(rewriter, generic)))
        return failure();
    }
    rewriter.eraseOp(generic);
    return success();
  }
};

} // namespace
