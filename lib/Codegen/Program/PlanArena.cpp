//===- PlanArena.cpp - All buffers between kernels in one arena ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../Kernel/BufferPlaces.h"
#include "ArgumentSizes.h"
#include "fuse/Codegen/Program/Passes.h"
#include "fuse/IR/FuseOps.h"
#include "fuse/IR/Variants.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEPLANARENA
#include "fuse/Codegen/Program/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// A buffer, its bytes where they are known, and the ops between which it is live, by number.
struct Interval : PlacedBuffer {
  int64_t first, last;

  bool overlaps(const Interval &other) const { return first <= other.last && other.first <= last; }
};

/// A place for buffers of dynamic size that are not live at once; it has the bytes of the largest.
struct Slot {
  int64_t last, likelyBytes;  ///< where the last of the buffers ends; the likely bytes of the largest
  SmallVector<Value, 2> bytes; ///< of the buffers, equal ones once
  SmallVector<memref::AllocOp, 4> buffers;
};

class ArenaPlan {
public:
  explicit ArenaPlan(func::FuncOp function)
      : function(function), builder(function.getContext()), loc(function.getLoc()) {}

  LogicalResult run() {
    resolveExtents();
    keepShapes();
    Block &body = function.getBody().front();
    for (auto [number, op] : llvm::enumerate(body))
      numbers[&op] = number;
    SmallVector<memref::AllocOp> dynamic;
    // What branches and loops allocate does not leave them: it lives as long as they run. Its size
    // may not be known before, then it is freed where the branch ends.
    function.walk([&](memref::AllocOp alloc) {
      if (alloc.getType().hasStaticShape()) {
        intervals.push_back(makeInterval(alloc));
      } else if (alloc->getBlock() == &body) {
        dynamic.push_back(alloc);
      } else {
        OpBuilder atEnd(alloc->getBlock()->getTerminator());
        memref::DeallocOp::create(atEnd, loc, alloc);
      }
    });
    int64_t fixed = placeBuffers(intervals);

    (void)function.insertArgument(function.getNumArguments(),
                                  MemRefType::get({ShapedType::kDynamic}, builder.getI8Type()), {},
                                  loc);
    Value arena = function.getArguments().back();
    for (Interval &interval : intervals) {
      builder.setInsertionPoint(interval.alloc);
      replaceByView(builder, interval.alloc, arena,
                    arith::ConstantIndexOp::create(builder, loc, interval.offset));
    }
    return makeArenaQuery(placeDynamic(dynamic, fixed));
  }

private:
  /// Places buffers of dynamic size behind `fixed` bytes, and returns the bytes of all. Those whose sizes follow from the
  /// arguments share slots.
  Value placeDynamic(ArrayRef<memref::AllocOp> dynamic, int64_t fixed) {
    ArgumentSizes sizes(function);
    SmallVector<Slot> slots;
    SmallVector<memref::AllocOp> others;
    for (memref::AllocOp alloc : dynamic) { // in the order in which their lives begin
      OpBuilder atAlloc(alloc);
      Value bytes = sizes.hoist(computeAlignedBytes(atAlloc, alloc));
      if (bytes)
        chooseSlot(slots, makeInterval(alloc), bytes, sizes.getLikely(bytes));
      else
        others.push_back(alloc);
    }
    OpBuilder &atStart = sizes.getBuilder();
    Value total = arith::ConstantIndexOp::create(atStart, loc, fixed);
    SmallVector<Value> offsets;
    for (Slot &slot : slots) {
      offsets.push_back(total);
      Value most = slot.bytes.front();
      for (Value bytes : ArrayRef(slot.bytes).drop_front())
        most = arith::MaxSIOp::create(atStart, loc, most, bytes);
      total = arith::AddIOp::create(atStart, loc, total, most);
    }
    // Allocations go last: sizes are computed in front of what was the function's first op, which may be one of them.
    for (auto [slot, offset] : llvm::zip_equal(slots, offsets))
      for (memref::AllocOp alloc : slot.buffers) {
        builder.setInsertionPoint(alloc);
        replaceByView(builder, alloc, function.getArguments().back(), offset);
      }
    for (memref::AllocOp alloc : others) {
      builder.setInsertionPoint(alloc);
      Value end = arith::AddIOp::create(builder, loc, total, computeAlignedBytes(builder, alloc));
      replaceByView(builder, alloc, function.getArguments().back(), total);
      total = end;
    }
    return total;
  }

  /// Gives a buffer one of the slots that are free when its life begins: one of buffers of its size, else the smallest that
  /// is likely large enough, else the largest, else a new one.
  static void chooseSlot(SmallVectorImpl<Slot> &slots, const Interval &buffer, Value bytes, int64_t likelyBytes) {
    Slot *best = nullptr;
    auto isBetter = [&](const Slot &slot, const Slot &than) {
      auto rank = [&](const Slot &each) {
        bool isOfSize = llvm::is_contained(each.bytes, bytes), isEnough = each.likelyBytes >= likelyBytes;
        return std::tuple(!isOfSize, !isEnough, isEnough ? each.likelyBytes : -each.likelyBytes);
      };
      return rank(slot) < rank(than);
    };
    for (Slot &slot : slots)
      if (slot.last < buffer.first && (!best || isBetter(slot, *best)))
        best = &slot;
    if (!best)
      best = &slots.emplace_back();
    best->last = buffer.last;
    best->likelyBytes = std::max(best->buffers.empty() ? 0 : best->likelyBytes, likelyBytes);
    best->buffers.push_back(buffer.alloc);
    if (!llvm::is_contained(best->bytes, bytes))
      best->bytes.push_back(bytes);
  }

  /// An extent of a buffer as the sizes tell it that the buffer, or what it is a view of, was made
  /// with; null where they do not. The arena's own size must not be read off a part of the arena.
  Value extentOf(Value buffer, int64_t dim) {
    if (auto alloc = buffer.getDefiningOp<memref::AllocOp>()) {
      OpFoldResult size = alloc.getMixedSizes()[dim];
      return getValueOrCreateConstantIndexOp(builder, loc, size);
    }
    if (auto expand = buffer.getDefiningOp<memref::ExpandShapeOp>())
      return getValueOrCreateConstantIndexOp(builder, loc, expand.getMixedOutputShape()[dim]);
    if (auto cast = buffer.getDefiningOp<memref::CastOp>())
      return extentOf(cast.getSource(), dim);
    auto collapse = buffer.getDefiningOp<memref::CollapseShapeOp>();
    if (!collapse)
      return {};
    Value product;
    for (int64_t part : collapse.getReassociationIndices()[dim]) {
      Value extent = extentOf(collapse.getSrc(), part);
      if (!extent)
        return {};
      product = product ? arith::MulIOp::create(builder, loc, product, extent).getResult() : extent;
    }
    return product;
  }

  /// What the one store into a place of a shape wrote there; null where that is not plain to see.
  static Value getStored(memref::LoadOp load) {
    Operation *alloc = load.getMemRef().getDefiningOp();
    if (!isa_and_nonnull<memref::AllocOp, memref::AllocaOp>(alloc) ||
        !load.getMemRefType().getElementType().isIndex() || load.getIndices().size() != 1)
      return {};
    std::optional<int64_t> wanted = getConstantIntValue(load.getIndices().front());
    memref::StoreOp found;
    for (Operation *user : alloc->getUsers()) {
      if (isa<memref::LoadOp, memref::ReshapeOp>(user))
        continue;
      auto store = dyn_cast<memref::StoreOp>(user);
      if (!store || store->getBlock() != load->getBlock() || store->getBlock() != alloc->getBlock())
        return {};
      std::optional<int64_t> position = getConstantIntValue(store.getIndices().front());
      if (!wanted || !position)
        return {};
      if (*position != *wanted)
        continue;
      if (found || !store->isBeforeInBlock(load))
        return {};
      found = store;
    }
    return found ? found.getValueToStore() : Value();
  }

  void resolveExtents() {
    SmallVector<memref::LoadOp> loads(function.getOps<memref::LoadOp>());
    for (memref::LoadOp load : loads)
      if (Value stored = getStored(load)) {
        load.replaceAllUsesWith(stored);
        load.erase();
      }
    SmallVector<memref::DimOp> dims;
    function.walk([&](memref::DimOp dim) { dims.push_back(dim); });
    for (memref::DimOp dim : dims) {
      std::optional<int64_t> position = dim.getConstantIndex();
      builder.setInsertionPoint(dim);
      Value extent = position ? extentOf(dim.getSource(), *position) : Value();
      if (!extent)
        continue;
      dim.replaceAllUsesWith(extent);
      dim.erase();
    }
  }

  /// Shapes are the host's, wherever the arena lies.
  void keepShapes() {
    SmallVector<memref::AllocOp> shapes;
    function.walk([&](memref::AllocOp alloc) {
      if (alloc.getType().getElementType().isIndex() && alloc.getType().hasStaticShape())
        shapes.push_back(alloc);
    });
    for (memref::AllocOp alloc : llvm::reverse(shapes)) {
      builder.setInsertionPointToStart(&function.getBody().front()); // which may have been an alloc that is gone
      alloc.replaceAllUsesWith(
          memref::AllocaOp::create(builder, alloc.getLoc(), alloc.getType()).getResult());
      alloc.erase();
    }
  }

  /// Number of the op of the function's own block around `op`.
  int64_t numberOf(Operation *op) {
    while (op->getBlock() != &function.getBody().front())
      op = op->getParentOp();
    return numbers.lookup(op);
  }

  Interval makeInterval(memref::AllocOp alloc) {
    MemRefType type = alloc.getType();
    int64_t bytes = type.hasStaticShape() ? std::max(getAlignedBytes(type), kBufferAlignment) : 0;
    Interval interval{{alloc, bytes}, std::numeric_limits<int64_t>::max(), numberOf(alloc)};
    // A use of anything that may be a view of the buffer is a use of the buffer.
    SmallVector<Value> work = {alloc.getResult()};
    llvm::SmallPtrSet<Value, 8> seen;
    while (!work.empty()) {
      Value value = work.pop_back_val();
      if (!seen.insert(value).second)
        continue;
      for (Operation *user : value.getUsers()) {
        int64_t number = numberOf(user);
        interval.first = std::min(interval.first, number);
        interval.last = std::max(interval.last, number);
        for (Value result : user->getResults())
          if (isa<BaseMemRefType>(result.getType()))
            work.push_back(result);
        if (Operation *parent = user->getParentOp();
            user->hasTrait<OpTrait::IsTerminator>() && parent != function)
          for (Value result : parent->getResults())
            if (isa<BaseMemRefType>(result.getType()))
              work.push_back(result);
      }
    }
    interval.first = std::min(interval.first, interval.last);
    return interval;
  }

  /// `@f.arena`: a copy of the function that only computes `total`.
  LogicalResult makeArenaQuery(Value total) {
    func::FuncOp query = makeQuery(function, total, function.getName() + kArenaSuffix, 1);
    if (!query)
      return failure();
    query.setPrivate();
    for (StringRef name : {attr::kEqualDims, attr::kIndexBounds, attr::kWritten, attr::kBudget,
                           attr::kVariants, attr::kVariantSizes, kReadBack, kWaitsAtEnd})
      query->removeAttr(name);
    return success();
  }

  func::FuncOp function;
  OpBuilder builder;
  Location loc;
  DenseMap<Operation *, int64_t> numbers;
  SmallVector<Interval> intervals;
};

struct PlanArena : fuse::impl::FusePlanArenaBase<PlanArena> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions)
      if (!function.isDeclaration() && function.isPublic()) {
        if (function.getNumResults() || !function.getBody().hasOneBlock()) {
          function.emitError("expected a function of one block without results, as "
                             "fuse-lower-program makes it");
          return signalPassFailure();
        }
        if (failed(ArenaPlan(function).run()))
          return signalPassFailure();
      }
  }
};

} // namespace
