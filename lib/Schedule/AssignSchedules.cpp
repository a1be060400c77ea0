//===- AssignSchedules.cpp - Gives each outlined kernel its schedule ----------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/KernelMembers.h"
#include "fuse/IR/FuseDialect.h"
#include "fuse/Schedule/KernelSchedule.h"
#include "fuse/Schedule/Passes.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEASSIGNSCHEDULES
#include "fuse/Schedule/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

static KernelFacts getFacts(const KernelMembers &kernel) {
  const SharedDomain &shared = kernel.domain();
  KernelFacts facts;
  for (unsigned dim = 0; dim < shared.numDims; ++dim)
    facts.extents.push_back(kernel.staticExtent(dim));
  int64_t contiguousAlongShared = 0, contiguousAlongPrivate = 0;
  for (auto [m, op] : llvm::enumerate(kernel.ops())) {
    linalg::LinalgOp member = op;
    SmallVector<int64_t> ranges = member.getStaticLoopRanges();
    int64_t privateElements = 1;
    for (auto [loop, range] : llvm::enumerate(ranges)) {
      if (shared.loops[m][loop] != SharedDomain::kPrivate)
        continue;
      if (ShapedType::isDynamic(range) || ShapedType::isDynamic(privateElements))
        privateElements = ShapedType::kDynamic;
      else
        privateElements = llvm::SaturatingMultiply<uint64_t>(privateElements, range);
      facts.hasReductions |= member.getIteratorTypesArray()[loop] == utils::IteratorType::reduction;
    }
    if (ShapedType::isDynamic(privateElements) || ShapedType::isDynamic(facts.privateElements))
      facts.privateElements = ShapedType::kDynamic;
    else
      facts.privateElements = std::max(facts.privateElements, privateElements);
    KernelFacts::ReplicatedMember replicated{{}, privateElements};
    for (int dim : shared.loops[m])
      if (dim != SharedDomain::kPrivate && !llvm::is_contained(replicated.dims, dim))
        replicated.dims.push_back(dim);
    if (replicated.dims.size() < shared.numDims)
      facts.replicated.push_back(std::move(replicated));
    for (OpOperand &operand : member->getOpOperands()) {
      auto type = dyn_cast<RankedTensorType>(operand.get().getType());
      AffineMap map = member.getMatchingIndexingMap(&operand);
      if (!type || map.getNumResults() == 0)
        continue;
      facts.elementBytes =
          std::max<int64_t>(facts.elementBytes, llvm::divideCeil(type.getElementTypeBitWidth(), 8));
      if (auto last = dyn_cast<AffineDimExpr>(map.getResults().back())) {
        int dim = shared.loops[m][last.getPosition()];
        if (dim == static_cast<int>(shared.numDims) - 1)
          ++contiguousAlongShared;
        else
          ++contiguousAlongPrivate;
      }
    }
  }
  facts.lastDimIsContiguous = contiguousAlongShared >= contiguousAlongPrivate;
  return facts;
}

namespace {
struct AssignSchedules : fuse::impl::FuseAssignSchedulesBase<AssignSchedules> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal() || function->hasAttr(attr::kSchedule))
        continue;
      FailureOr<KernelMembers> kernel = KernelMembers::get(function);
      if (failed(kernel))
        return signalPassFailure();
      function->setAttr(attr::kSchedule, computeSchedule(&getContext(), getFacts(*kernel),
                                                         TargetAttr::lookup(function)));
    }
  }
};
} // namespace
