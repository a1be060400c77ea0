//===- MergeMembers.cpp - Element-wise generics into their only reader -----===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Conversion/FuseToLinalg/FuseToLinalg.h"
#include "fuse/Conversion/Passes.h"
#include "fuse/IR/FuseDialect.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_MERGEMEMBERS
#include "fuse/Conversion/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

/// Whether several operands are folded along a reduction: a matrix product, a convolution.
static bool isContraction(linalg::GenericOp op) {
  return op.getNumReductionLoops() > 0 && llvm::count_if(op.getDpsInputs(), [](Value input) {
           return !input.getDefiningOp<tensor::EmptyOp>();
         }) > 1;
}

/// Whether the reader runs along each dimension of the operand and along nothing else, so that it
/// reads each element exactly once. Windows do not.
static bool canMerge(OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  auto consumer = cast<linalg::GenericOp>(operand->getOwner());
  if (!producer || producer->hasAttr(attr::kRecompute) || producer->getNumResults() != 1 ||
      !producer->getResult(0).hasOneUse())
    return false;
  return consumer.isDpsInput(operand) &&
         consumer.getMatchingIndexingMap(operand).isPermutation() &&
         linalg::areElementwiseOpsFusable(operand);
}

void fuse::fuseElementwiseMembers(func::FuncOp func) {
  IRRewriter rewriter(func.getContext());
  // Readers before what they read: a chain collapses into its last op in one sweep.
  SmallVector<linalg::GenericOp> generics;
  func.walk([&](linalg::GenericOp op) { generics.push_back(op); });
  while (!generics.empty()) {
    linalg::GenericOp consumer = generics.pop_back_val();
    // Asked before anything is merged into it: a sum of products is merged from a reduction.
    if (isContraction(consumer))
      continue;
    for (bool changed = true; changed;) {
      changed = false;
      for (OpOperand &operand : consumer->getOpOperands()) {
        if (!canMerge(&operand))
          continue;
        auto producer = operand.get().getDefiningOp<linalg::GenericOp>();
        rewriter.setInsertionPoint(consumer);
        FailureOr<linalg::ElementwiseOpFusionResult> fused =
            linalg::fuseElementwiseOps(rewriter, &operand);
        if (failed(fused))
          continue;
        for (Value result : consumer->getResults())
          rewriter.replaceAllUsesWith(result, fused->replacements.lookup(result));
        fused->fusedOp->setDiscardableAttrs(consumer->getDiscardableAttrDictionary());
        rewriter.eraseOp(consumer);
        llvm::erase(generics, producer);
        rewriter.eraseOp(producer);
        consumer = cast<linalg::GenericOp>(fused->fusedOp);
        changed = true;
        break;
      }
    }
  }
}

namespace {
struct MergeMembersPass : fuse::impl::MergeMembersBase<MergeMembersPass> {
  void runOnOperation() override { fuseElementwiseMembers(getOperation()); }
};
} // namespace
