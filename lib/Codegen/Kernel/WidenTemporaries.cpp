//===- WidenTemporaries.cpp - Short floats that stay f32 between members ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A temporary of f16 or bf16 between two members of a kernel is rounded where it is written, and widened wherever it is
// read. Near the core it had better be f32: a softmax's exponentials are read twice, and a padded tile of an image once for
// each tap of a convolution.
//
//===----------------------------------------------------------------------------------------===//

#include "WidenTemporaries.h"
#include "fuse/IR/ElementBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// A temporary, and all that touches it.
class Temporary {
public:
  explicit Temporary(memref::AllocOp alloc) : alloc(alloc), element(alloc.getType().getElementType()) {}

  bool shouldWiden() {
    // As f32 it stays in the second cache, as the same tile of a program in f32 does.
    constexpr int64_t kMostBytes = 1024 * 1024;
    MemRefType type = alloc.getType();
    if (!(element.isF16() || element.isBF16()) || !type.hasStaticShape() || type.getNumElements() * 4 > kMostBytes)
      return false;
    values.push_back(alloc.getResult());
    for (size_t i = 0; i < values.size(); ++i)
      for (OpOperand &use : values[i].getUses())
        if (!note(use))
          return false;
    // What is only copied from short numbers is read several times in windows, or as short as it is. Two bf16 at a time are
    // what contractions read.
    bool isComputed = !rounded.empty();
    return !reads.empty() && (isComputed || (element.isF16() && hasWindows)) && (!hasContractions || element.isF16());
  }

  void widen() {
    Type f32 = Float32Type::get(alloc.getContext());
    for (Value value : values)
      value.setType(MemRefType::Builder(cast<MemRefType>(value.getType())).setElementType(f32));
    for (OpOperand *read : reads) {
      BlockArgument argument = cast<linalg::GenericOp>(read->getOwner()).getMatchingBlockArgument(read);
      argument.setType(f32);
      for (Operation *user : llvm::make_early_inc_range(argument.getUsers())) {
        user->getResult(0).replaceAllUsesWith(argument);
        user->erase();
      }
    }
    for (OpOperand *write : rounded)
      store(*write, [](OpOperand &yielded) {
        auto rounding = yielded.get().getDefiningOp<arith::TruncFOp>();
        yielded.set(rounding.getIn());
        if (rounding->use_empty())
          rounding.erase();
      });
    for (OpOperand *write : stored)
      store(*write, [&](OpOperand &yielded) {
        OpBuilder b(yielded.getOwner());
        yielded.set(arith::ExtFOp::create(b, yielded.getOwner()->getLoc(), f32, yielded.get()));
      });
    for (linalg::FillOp fill : fills) {
      OpBuilder b(fill);
      Value value = b.createOrFold<arith::ExtFOp>(fill.getLoc(), f32, fill.value());
      linalg::FillOp::create(b, fill.getLoc(), value, fill.output());
      fill.erase();
    }
    for (memref::CopyOp copy : copies) {
      OpBuilder b(copy);
      unsigned rank = copy.getTarget().getType().getRank();
      AffineMap map = b.getMultiDimIdentityMap(rank);
      SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
      linalg::GenericOp::create(b, copy.getLoc(), ValueRange{copy.getSource()}, ValueRange{copy.getTarget()},
                                ArrayRef{map, map}, loops, [&](OpBuilder &inside, Location loc, ValueRange elements) {
                                  Value wide = arith::ExtFOp::create(inside, loc, f32, elements[0]);
                                  linalg::YieldOp::create(inside, loc, wide);
                                });
      copy.erase();
    }
  }

private:
  static bool isRounding(Value value) {
    auto rounding = value.getDefiningOp<arith::TruncFOp>();
    return rounding && rounding->hasAttr(attr::kRounding) && rounding.getIn().getType().isF32();
  }

  bool note(OpOperand &use) {
    Operation *owner = use.getOwner();
    if (auto view = dyn_cast<ViewLikeOpInterface>(owner)) {
      auto type = dyn_cast<MemRefType>(view.getViewDest().getType());
      if (!type || type.getElementType() != element || !isa<memref::SubViewOp, memref::ExpandShapeOp, memref::CollapseShapeOp>(owner))
        return false;
      values.push_back(view.getViewDest());
      return true;
    }
    if (auto fill = dyn_cast<linalg::FillOp>(owner)) {
      fills.push_back(fill);
      return use.get() == fill.output();
    }
    if (auto copy = dyn_cast<memref::CopyOp>(owner)) {
      copies.push_back(copy);
      return use.get() == copy.getTarget() && copy.getSource() != copy.getTarget();
    }
    auto generic = dyn_cast<linalg::GenericOp>(owner);
    if (!generic)
      return false;
    BlockArgument argument = generic.getMatchingBlockArgument(&use);
    if (generic.isDpsInput(&use)) {
      if (!llvm::all_of(argument.getUsers(), [](Operation *user) {
            return isa<arith::ExtFOp>(user) && user->getResult(0).getType().isF32();
          }))
        return false;
      bool isContraction = generic.getNumReductionLoops() > 0 && generic.getNumDpsInputs() > 1;
      bool isWindow = isContraction && !generic.getMatchingIndexingMap(&use).isProjectedPermutation();
      hasWindows |= isWindow;
      hasContractions |= isContraction;
      reads.push_back(&use);
      return !isContraction || isWindow;
    }
    if (!argument.use_empty())
      return false;
    Value yielded = getYielded(use).get();
    (isRounding(yielded) ? rounded : stored).push_back(&use);
    return true;
  }

  static OpOperand &getYielded(OpOperand &init) {
    auto generic = cast<linalg::GenericOp>(init.getOwner());
    return generic.getBody()->getTerminator()->getOpOperand(init.getOperandNumber() - generic.getNumDpsInputs());
  }

  static void store(OpOperand &init, llvm::function_ref<void(OpOperand &)> change) {
    auto generic = cast<linalg::GenericOp>(init.getOwner());
    generic.getMatchingBlockArgument(&init).setType(Float32Type::get(generic.getContext()));
    change(getYielded(init));
  }

  memref::AllocOp alloc;
  Type element;
  SmallVector<Value> values; ///< the temporary and views of it
  SmallVector<OpOperand *> reads, rounded, stored;
  SmallVector<linalg::FillOp> fills;
  SmallVector<memref::CopyOp> copies;
  bool hasWindows = false, hasContractions = false;
};

} // namespace

void mlir::fuse::widenTemporaries(Operation *root) {
  SmallVector<memref::AllocOp> allocs;
  root->walk([&](memref::AllocOp alloc) { allocs.push_back(alloc); });
  for (memref::AllocOp alloc : allocs)
    if (Temporary temporary(alloc); temporary.shouldWiden())
      temporary.widen();
}
