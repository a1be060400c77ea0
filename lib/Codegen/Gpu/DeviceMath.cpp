//===- DeviceMath.cpp - Functions that devices have as instructions ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Codegen/Gpu/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEDEVICEMATH
#include "fuse/Codegen/Gpu/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;

namespace {

/// The op as a call of LLVM's intrinsic `name`: conversions to a device's dialect refuse the ops that
/// stand for intrinsics, because not all of them have instructions.
template <typename Op>
struct ToIntrinsic : OpRewritePattern<Op> {
  /// `atZero`: the intrinsic wants to know whether zero, or the least integer, has no result.
  ToIntrinsic(MLIRContext *context, StringRef name, bool atZero = false)
      : OpRewritePattern<Op>(context), name(name), atZero(atZero) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!op.getType().isIntOrFloat())
      return rewriter.notifyMatchFailure(op, "not a scalar");
    SmallVector<Value> operands(op->getOperands());
    if (atZero)
      operands.push_back(
          LLVM::ConstantOp::create(rewriter, op.getLoc(), rewriter.getBoolAttr(false)));
    rewriter.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(op, op.getType(),
                                                       rewriter.getStringAttr(name), operands);
    return success();
  }

  StringRef name;
  bool atZero;
};

struct DeviceMath : fuse::impl::FuseDeviceMathBase<DeviceMath> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    patterns.add<ToIntrinsic<math::SqrtOp>>(context, "llvm.sqrt");
    patterns.add<ToIntrinsic<math::FmaOp>>(context, "llvm.fma");
    patterns.add<ToIntrinsic<math::FloorOp>>(context, "llvm.floor");
    patterns.add<ToIntrinsic<math::CeilOp>>(context, "llvm.ceil");
    patterns.add<ToIntrinsic<math::RoundEvenOp>>(context, "llvm.roundeven");
    patterns.add<ToIntrinsic<math::RoundOp>>(context, "llvm.round");
    patterns.add<ToIntrinsic<math::TruncOp>>(context, "llvm.trunc");
    patterns.add<ToIntrinsic<math::AbsFOp>>(context, "llvm.fabs");
    patterns.add<ToIntrinsic<math::CopySignOp>>(context, "llvm.copysign");
    patterns.add<ToIntrinsic<math::CtPopOp>>(context, "llvm.ctpop");
    patterns.add<ToIntrinsic<math::AbsIOp>>(context, "llvm.abs", /*atZero=*/true);
    patterns.add<ToIntrinsic<math::CountLeadingZerosOp>>(context, "llvm.ctlz", /*atZero=*/true);
    patterns.add<ToIntrinsic<math::CountTrailingZerosOp>>(context, "llvm.cttz", /*atZero=*/true);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
