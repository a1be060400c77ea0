//===- RepeatCheap.cpp - Cheap values are computed by each of their readers -----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "MergeMembers.h"
#include "fuse/Conversion/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_REPEATCHEAP
#include "fuse/Conversion/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

/// Whether computing an element takes no longer than reading it: one or two sums or products of
/// one tensor's elements, in order, and of what is repeated along them.
static bool isCheap(linalg::GenericOp op) {
  constexpr int64_t kMostOps = 2;
  if (op->getNumResults() != 1 || op.getNumReductionLoops() > 0)
    return false;
  AffineMap written = op.getIndexingMapMatchingResult(op->getOpResult(0));
  int64_t numInOrder = 0;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap read = op.getMatchingIndexingMap(input);
    numInOrder += read == written;
    if (read != written && read.getNumResults() >= written.getNumResults())
      return false;
  }
  auto ops = llvm::make_filter_range(op.getBody()->without_terminator(), [](Operation &inner) {
    return !isa<arith::ConstantOp>(inner);
  });
  return numInOrder == 1 && llvm::range_size(ops) <= kMostOps &&
         llvm::all_of(ops, llvm::IsaPred<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::NegFOp,
                                         arith::ExtFOp>);
}

/// Whether all that read the op's value can compute it themselves. Then it need not be anywhere.
static bool mergesEverywhere(linalg::GenericOp op) {
  llvm::SmallPtrSet<Operation *, 4> readers;
  return llvm::all_of(op->getUses(), [&](OpOperand &use) {
    auto reader = dyn_cast<linalg::GenericOp>(use.getOwner());
    return reader && reader->getBlock() == op->getBlock() && readers.insert(reader).second &&
           !isContraction(reader) && isReadOnce(use);
  });
}

static void repeatInReaders(IRRewriter &rewriter, linalg::GenericOp op) {
  while (!op->hasOneUse()) {
    OpOperand &use = *op->use_begin();
    rewriter.setInsertionPoint(op);
    use.set(rewriter.clone(*op)->getResult(0));
    mergeProducer(rewriter, use);
  }
  mergeProducer(rewriter, *op->use_begin());
}

namespace {
struct RepeatCheapPass : fuse::impl::RepeatCheapBase<RepeatCheapPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::GenericOp> generics;
    getOperation().walk([&](linalg::GenericOp op) { generics.push_back(op); });
    // Readers first: a merge replaces them.
    for (linalg::GenericOp op : llvm::reverse(generics))
      if (isCheap(op) && !op->use_empty() && !op->hasOneUse() && mergesEverywhere(op))
        repeatInReaders(rewriter, op);
  }
};
} // namespace
