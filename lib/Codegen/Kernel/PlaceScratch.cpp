//===- PlaceScratch.cpp - Temporaries at fixed places ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "BufferPlaces.h"
#include "fuse/Codegen/Kernel/Passes.h"
#include "fuse/IR/FuseDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEPLACESCRATCH
#include "fuse/Codegen/Kernel/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {

struct PlaceScratch : fuse::impl::FusePlaceScratchBase<PlaceScratch> {
  using FusePlaceScratchBase::FusePlaceScratchBase;

  bool hasShared() const { return sharedBytes >= 0; }

  void runOnOperation() override {
    if (sharedBytes < -1) {
      getOperation().emitError()
          << "shared-bytes: expected a number of bytes, or -1 for a CPU, found "
          << static_cast<int64_t>(sharedBytes);
      return signalPassFailure();
    }
    int64_t most = 0;
    mostShared = 0; // a pass runs on one module after the other
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions)
      if (!function.isDeclaration() && !function.getName().ends_with("_count"))
        most = std::max(most, place(function));
    auto setBytes = [&](StringRef name, int64_t bytes) {
      getOperation()->setAttr(name, IntegerAttr::get(IntegerType::get(&getContext(), 64), bytes));
    };
    setBytes(attr::kScratchBytes, most);
    if (hasShared())
      setBytes(attr::kSharedBytes, mostShared);
  }

  /// Returns the bytes of the buffers of static size, which come first.
  int64_t place(func::FuncOp function) {
    OpBuilder builder(function.getBody());
    Block *entry = &function.getBody().front();
    auto bytes = MemRefType::get({ShapedType::kDynamic}, builder.getI8Type());
    for (int i = 0; i < (hasShared() ? 2 : 1); ++i)
      (void)function.insertArgument(function.getNumArguments(), bytes, {}, function.getLoc());
    scratch = function.getArguments().back();
    SmallVector<memref::AllocOp> dynamic;
    SmallVector<Placed> fixed, shared;
    function.walk([&](memref::AllocOp alloc) {
      if (alloc.getType().hasStaticShape())
        fixed.push_back({{alloc, getAlignedBytes(alloc.getType())}, getLifetime(alloc)});
      else
        dynamic.push_back(alloc);
    });
    if (hasShared())
      shared = takeShared(fixed);
    int64_t offset = placeBuffers(fixed);
    auto placeAll = [&](MutableArrayRef<Placed> all, Value memory) {
      for (Placed &placed : all) {
        builder.setInsertionPointToStart(entry);
        Location loc = placed.alloc.getLoc();
        replaceByView(builder, placed.alloc, memory,
                      arith::ConstantIndexOp::create(builder, loc, placed.offset));
      }
    };
    placeAll(shared, function.getArgument(function.getNumArguments() - 2));
    placeAll(fixed, scratch);
    Value end;
    int64_t firstAdded = function.getNumArguments() - (hasShared() ? 2 : 1);
    for (memref::AllocOp alloc : dynamic) {
      if (!hasRange(function.getArgumentTypes().take_front(firstAdded))) {
        alloc.emitError("expected buffers of open size in a block function only, whose last "
                        "arguments are its range of blocks, found the arguments ")
            << function.getArgumentTypes().take_front(firstAdded);
        signalPassFailure();
        return 0;
      }
      Operation *loop = entry->findAncestorOpInBlock(*alloc);
      if (!llvm::all_of(alloc.getDynamicSizes(), [&](Value size) { return computeBefore(size, loop); })) {
        // Each thread would have a buffer of its own.
        if (hasShared()) {
          alloc.emitError("expected a size that is known before the loop over blocks: on a GPU a "
                          "block cannot allocate memory");
          signalPassFailure();
          return 0;
        }
        OpBuilder atEnd(alloc->getBlock()->getTerminator());
        memref::DeallocOp::create(atEnd, alloc.getLoc(), alloc);
        continue;
      }
      builder.setInsertionPoint(loop);
      if (!end)
        end = arith::ConstantIndexOp::create(builder, alloc.getLoc(), offset);
      Value next = arith::AddIOp::create(builder, alloc.getLoc(), end,
                                         computeAlignedBytes(builder, alloc));
      replaceByView(builder, alloc, scratch, end);
      end = next;
    }
    // `@k_scratch(ins…, outs…) -> index`: without the memory, and the range of blocks
    if (end && !makeQuery(function, end, function.getName() + "_scratch", hasShared() ? 4 : 3))
      signalPassFailure();
    return offset;
  }

  /// A buffer of static size: which ops of the block loop's body need it, and its place.
  struct Placed : PlacedBuffer {
    std::pair<Operation *, Operation *> life; ///< first and last op; null: needed throughout

    bool overlaps(const Placed &other) const {
      if (!life.first || !other.life.first)
        return true;
      // One may be needed within an op of the block that the other belongs to.
      auto [first, last] = getLifeIn(life.first->getBlock(), other);
      if (first)
        return !life.second->isBeforeInBlock(first) && !last->isBeforeInBlock(life.first);
      std::tie(first, last) = getLifeIn(other.life.first->getBlock(), *this);
      return !first || (!other.life.second->isBeforeInBlock(first) &&
                        !last->isBeforeInBlock(other.life.first));
    }

    /// The ops of a block between which `placed` is needed; null if it is not needed within it alone.
    static std::pair<Operation *, Operation *> getLifeIn(Block *block, const Placed &placed) {
      return {block->findAncestorOpInBlock(*placed.life.first),
              block->findAncestorOpInBlock(*placed.life.second)};
    }
  };

  /// Between its first and last use, those of its views included, in the block that it is allocated in: a view itself touches
  /// nothing. Where threads share it, up to where they wait for each other.
  std::pair<Operation *, Operation *> getLifetime(memref::AllocOp alloc) {
    Block *block = alloc->getBlock();
    if (isa<func::FuncOp>(block->getParentOp()))
      return {nullptr, nullptr};
    Operation *first = nullptr, *last = nullptr;
    SmallVector<Value> names = {alloc.getResult()};
    while (!names.empty()) {
      Value name = names.pop_back_val();
      for (Operation *user : name.getUsers()) {
        Operation *here = block->findAncestorOpInBlock(*user);
        // What leaves the block, or goes on under a name that is no view's, is not followed.
        bool isFollowed = isa<ViewLikeOpInterface>(user) || user->getNumResults() == 0 ||
                          llvm::none_of(user->getResultTypes(), llvm::IsaPred<BaseMemRefType>);
        if (!here || !isFollowed || user->hasTrait<OpTrait::IsTerminator>())
          return {nullptr, nullptr};
        if (isa<ViewLikeOpInterface>(user)) {
          llvm::append_range(names, user->getResults());
          continue;
        }
        if (!first || here->isBeforeInBlock(first))
          first = here;
        if (!last || last->isBeforeInBlock(here))
          last = here;
      }
    }
    if (!hasShared())
      return {first, last};
    while (last && !isa<gpu::BarrierOp>(last))
      last = last->getNextNode();
    if (!last)
      return {nullptr, nullptr};
    return {first, last};
  }

  /// Takes out of `fixed`, and gives places to, what shared memory has room for, small buffers first.
  SmallVector<Placed> takeShared(SmallVectorImpl<Placed> &fixed) {
    SmallVector<Placed> shared;
    llvm::stable_sort(fixed, [](const Placed &l, const Placed &r) { return l.bytes > r.bytes; });
    while (!fixed.empty()) {
      SmallVector<Placed> more(shared);
      more.push_back(fixed.back());
      int64_t bytes = placeBuffers(more);
      if (bytes > sharedBytes)
        break;
      mostShared = std::max(mostShared, bytes);
      shared = more;
      fixed.pop_back();
    }
    return shared;
  }

  /// Whether the arguments end with the range of blocks, which the query of the size has not.
  static bool hasRange(TypeRange arguments) {
    return arguments.size() >= 2 && llvm::all_of(arguments.take_back(2), llvm::IsaPred<IndexType>);
  }

  /// Whether a size is computed before the loop over blocks, and from buffers alone.
  static bool isKnownBefore(Value size) {
    if (auto argument = dyn_cast<BlockArgument>(size))
      return isa<MemRefType>(argument.getType());
    Operation *def = size.getDefiningOp();
    if (isa<memref::AllocOp, memref::ViewOp>(def)) // goes when sizes alone are computed
      return false;
    return isa<func::FuncOp>(def->getParentOp()) && llvm::all_of(def->getOperands(), isKnownBefore);
  }

  /// Moves what computes `size` of such values before `op`; false where it depends on others.
  static bool computeBefore(Value size, Operation *op) {
    if (isKnownBefore(size))
      return true;
    Operation *def = size.getDefiningOp();
    if (!def || !op->isAncestor(def) || !isPure(def) || def->getNumRegions() > 0 ||
        isa<memref::ViewOp>(def) ||
        !llvm::all_of(def->getOperands(), [&](Value operand) { return computeBefore(operand, op); }))
      return false;
    def->moveBefore(op);
    return true;
  }

  Value scratch;          // of the function at hand
  int64_t mostShared = 0; // of the module at hand
};

} // namespace
