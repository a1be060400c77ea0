//===- DeferFactors.cpp - Factors move behind the sums that they scale ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "DeferFactors.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::fuse;

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

void fuse::deferFactors(const KernelMembers &kernel, const StreamedDim &stream) {
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
