//===- HoistFromPads.cpp - What a padding computes, where its source is computed -------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A padding computes the elements that it lays out, so that they need not be there whole (see
// MergeMembers.cpp). Where they are computed from sums that the block has whole all the same, such
// as those of a convolution in front of this one,
//
//   sums = …
//   tile = inside ? relu(sums[position] + bias[channel]) : border
//
// they are computed where the sums lie, which is on the way for accumulators (see Neighbours.h):
//
//   sums = …
//   sums = relu(sums + bias)
//   tile = inside ? sums[position] : border
//
//===----------------------------------------------------------------------------------------===//

#include "../Kernel/BodyAccess.h"
#include "PadTile.h"
#include "fuse/Codegen/Cpu/Passes.h"
#include "fuse/IR/FuseDialect.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEHOISTFROMPADS
#include "fuse/Codegen/Cpu/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {

class Hoisting {
public:
  Hoisting(RewriterBase &b, linalg::GenericOp pad) : b(b), pad(pad), loc(pad.getLoc()) {}

  bool match() {
    if (!pad->hasAttr(attr::kRecompute) || pad.getNumDpsInputs() != 0 ||
        pad.getNumDpsInits() != 1 || pad.getNumReductionLoops() != 0 ||
        !pad.getIndexingMapsArray().front().isIdentity())
      return false;
    choice = pad.getBody()->getTerminator()->getOperand(0).getDefiningOp<arith::SelectOp>();
    if (!choice || !collect(choice.getTrueValue()) || ops.empty())
      return false;
    for (memref::LoadOp load : loads) {
      if (!isa_and_nonnull<memref::AllocOp>(load.getMemRef().getDefiningOp()))
        continue;
      if (sums)
        return false;
      sums = load;
    }
    return sums && areWhole() && llvm::all_of(loads, [&](memref::LoadOp load) {
             return load == sums || matchOther(load);
           });
  }

  void emit() {
    b.setInsertionPoint(pad);
    unsigned rank = sums.getMemRefType().getRank();
    Value buffer = sums.getMemRef();
    SmallVector<Value> inputs = {buffer};
    AffineMap identity = b.getMultiDimIdentityMap(rank);
    SmallVector<AffineMap> maps = {identity};
    for (Other &other : others) {
      SmallVector<OpFoldResult> from, extent, ones(other.positions.size(), b.getIndexAttr(1));
      SmallVector<AffineExpr> exprs;
      for (BodyPosition &position : other.positions) {
        from.push_back(affine::makeComposedFoldedAffineApply(
            b, loc, AffineMap::get(0, position.symbols.size(), position.start),
            getAsOpFoldResult(position.symbols)));
        extent.push_back(
            b.getIndexAttr(position.loop ? sums.getMemRefType().getDimSize(*position.loop) : 1));
        exprs.push_back(position.loop ? b.getAffineDimExpr(*position.loop)
                                      : b.getAffineConstantExpr(0));
      }
      inputs.push_back(
          memref::SubViewOp::create(b, loc, other.load.getMemRef(), from, extent, ones));
      maps.push_back(AffineMap::get(rank, 0, exprs, b.getContext()));
    }
    maps.push_back(identity);
    SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
    auto body = [&](OpBuilder &inner, Location, ValueRange arguments) {
      IRMapping mapping;
      mapping.map(sums.getResult(), arguments[0]);
      for (auto [number, other] : llvm::enumerate(others))
        mapping.map(other.load.getResult(), arguments[1 + number]);
      for (Operation &op : pad.getBody()->without_terminator())
        if (ops.contains(&op))
          inner.clone(op, mapping);
      linalg::YieldOp::create(inner, loc, mapping.lookup(choice.getTrueValue()));
    };
    linalg::GenericOp::create(b, loc, inputs, ValueRange{buffer}, maps, iterators, body);
    b.modifyOpInPlace(pad, [&] { choice.getTrueValueMutable().assign(sums); });
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*pad.getBody())))
      if (isOpTriviallyDead(&op))
        b.eraseOp(&op);
  }

private:
  /// An element that is read beside the sums, by positions of the sums.
  struct Other {
    memref::LoadOp load;
    SmallVector<BodyPosition> positions;
  };

  /// Notes what `value` is computed by; where it is computed may matter to loads alone.
  bool collect(Value value) {
    Operation *def = value.getDefiningOp();
    if (!def || def->getBlock() != pad.getBody())
      return !isa<BlockArgument>(value) || cast<BlockArgument>(value).getOwner() != pad.getBody();
    if (auto load = dyn_cast<memref::LoadOp>(def)) {
      loads.insert(load);
      return true;
    }
    if (isa<linalg::IndexOp>(def) || !isMemoryEffectFree(def) || def->getNumRegions() != 0)
      return false;
    return !ops.insert(def) ||
           llvm::all_of(def->getOperands(), [&](Value operand) { return collect(operand); });
  }

  /// Whether the sums are made anew for each run of the padding, and not looked at but by it.
  bool areWhole() {
    Value buffer = sums.getMemRef();
    if (buffer.getDefiningOp()->getBlock() != pad->getBlock() ||
        !sums.getMemRefType().hasStaticShape() ||
        sums.getMemRefType().getRank() != static_cast<int64_t>(pad.getNumLoops()))
      return false;
    if (sums.getType() != choice.getType()) // no room for what is computed
      return false;
    bool isWritten = false;
    for (OpOperand &use : buffer.getUses()) {
      if (use.getOwner() == sums)
        continue;
      auto member = dyn_cast<linalg::LinalgOp>(use.getOwner());
      if (!member || member->getBlock() != pad->getBlock() || !member->isBeforeInBlock(pad))
        return false;
      isWritten |= member.isDpsInit(&use);
    }
    return isWritten;
  }

  /// The dimension of the sums whose position `index` is.
  std::optional<unsigned> findDimension(Value index) {
    for (auto [dim, at] : llvm::enumerate(sums.getIndices()))
      if (at == index)
        return dim;
    return std::nullopt;
  }

  /// Whether the other operand has an element for each of the sums' that it is read with.
  bool matchOther(memref::LoadOp load) {
    Other other{load, {}};
    MemRefType type = sums.getMemRefType();
    for (auto [dim, index] : llvm::enumerate(load.getIndices())) {
      if (std::optional<unsigned> same = findDimension(index)) {
        if (load.getMemRefType().getDimSize(dim) < type.getDimSize(*same)) // or dynamic
          return false;
        other.positions.push_back({same, getAffineConstantExpr(0, pad.getContext()), {}});
        continue;
      }
      std::optional<BodyPosition> position = getBodyPosition(pad, index);
      if (!position)
        return false;
      if (position->loop) {
        // The sums' own position is the number of the iteration, for as many iterations.
        auto at = sums.getIndices()[*position->loop].getDefiningOp<linalg::IndexOp>();
        auto tile = cast<MemRefType>(pad.getDpsInits()[0].getType());
        if (!at || at.getDim() != *position->loop ||
            tile.getDimSize(*position->loop) != type.getDimSize(*position->loop))
          return false;
      }
      other.positions.push_back(*position);
    }
    others.push_back(other);
    return true;
  }

  RewriterBase &b;
  linalg::GenericOp pad;
  Location loc;
  arith::SelectOp choice;
  memref::LoadOp sums;
  llvm::SetVector<Operation *> ops;
  llvm::SetVector<memref::LoadOp> loads;
  SmallVector<Other> others;
};

struct HoistFromPads : fuse::impl::FuseHoistFromPadsBase<HoistFromPads> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::GenericOp> members;
    getOperation().walk([&](linalg::GenericOp op) { members.push_back(op); });
    for (linalg::GenericOp op : members)
      if (Hoisting hoisting(rewriter, op); hoisting.match())
        hoisting.emit();
  }
};

} // namespace
