//===- VectorizeKernels.cpp - Members on buffers into loops ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "VectorLoops.h"
#include "fuse/Codegen/Cpu/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEVECTORIZEKERNELS
#include "fuse/Codegen/Cpu/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {

struct VectorizeKernels : fuse::impl::FuseVectorizeKernelsBase<VectorizeKernels> {
  using FuseVectorizeKernelsBase::FuseVectorizeKernelsBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    // A copy is a member like any other, not a call of the runtime.
    SmallVector<memref::CopyOp> copies;
    getOperation().walk([&](memref::CopyOp copy) { copies.push_back(copy); });
    for (memref::CopyOp copy : copies) {
      rewriter.setInsertionPoint(copy);
      rewriter.replaceOpWithNewOp<linalg::CopyOp>(copy, copy.getSource(), copy.getTarget());
    }
    SmallVector<linalg::LinalgOp> members;
    getOperation().walk([&](linalg::LinalgOp member) { members.push_back(member); });
    for (linalg::LinalgOp member : members)
      if (failed(lower(rewriter, member))) {
        member.emitError("cannot be lowered to loops");
        return signalPassFailure();
      }
  }

  LogicalResult lower(RewriterBase &rewriter, linalg::LinalgOp member) {
    rewriter.setInsertionPoint(member);
    auto generic = dyn_cast<linalg::GenericOp>(member.getOperation());
    if (!generic) {
      FailureOr<linalg::GenericOp> general = linalg::generalizeNamedOp(rewriter, member);
      if (failed(general))
        return failure();
      generic = *general;
    }
    if (std::optional<VectorPlan> plan = planVectors(generic, vectorBytes, reductionLanes)) {
      emitVectorLoops(rewriter, generic, *plan);
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
