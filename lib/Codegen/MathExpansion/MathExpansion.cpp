//===- MathExpansion.cpp - The patterns and their target --------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Codegen/MathExpansion.h"

#include "Expansions.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// Replaces f32, and f64 where `takesF64`, by what `expand` makes of the op.
template <typename Op, Value (*expand)(ExpansionBuilder &, Op), bool takesF64 = false>
struct Expand : OpRewritePattern<Op> {
  Expand(MLIRContext *context, PatternBenefit benefit, const MathExpansionOptions &options)
      : OpRewritePattern<Op>(context, benefit), options(options) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(op.getType());
    if (!element.isF32() && !(takesF64 && element.isF64()))
      return rewriter.notifyMatchFailure(op, takesF64 ? "neither f32 nor f64" : "not f32");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    ExpansionBuilder e(b, options, op->hasAttr(attr::kShortResult));
    rewriter.replaceOp(op, expand(e, op));
    return success();
  }

  const MathExpansionOptions options;
};

template <typename Op, Value (*expand)(ExpansionBuilder &, Value)>
Value expandOperand(ExpansionBuilder &e, Op op) {
  return expand(e, op.getOperand());
}

template <typename Op, Value (*expand)(ExpansionBuilder &, Value)>
using ExpandUnary = Expand<Op, expandOperand<Op, expand>>;

Value expandRsqrt(ExpansionBuilder &e, math::RsqrtOp op) {
  return e.fdiv(1.0, math::SqrtOp::create(e.getBuilder(), op.getOperand()));
}

} // namespace

void fuse::populateExpandFloat32MathPatterns(RewritePatternSet &patterns,
                                             const MathExpansionOptions &options) {
  // Above the benefit of the calls of libm.
  constexpr unsigned benefit = 2;
  patterns.add<ExpandUnary<math::ExpOp, expandExp>, ExpandUnary<math::Exp2Op, expandExp2>,
               ExpandUnary<math::ExpM1Op, expandExpM1>, ExpandUnary<math::LogOp, expandLog>,
               ExpandUnary<math::Log1pOp, expandLog1p>, ExpandUnary<math::TanhOp, expandTanh>,
               ExpandUnary<math::ErfOp, expandErf>, ExpandUnary<math::SinOp, expandSin>,
               ExpandUnary<math::CosOp, expandCos>, ExpandUnary<math::TanOp, expandTan>,
               ExpandUnary<math::AtanOp, expandAtan>, ExpandUnary<math::AsinOp, expandAsin>,
               ExpandUnary<math::AcosOp, expandAcos>, ExpandUnary<math::SinhOp, expandSinh>,
               ExpandUnary<math::CoshOp, expandCosh>, ExpandUnary<math::AsinhOp, expandAsinh>,
               ExpandUnary<math::AcoshOp, expandAcosh>, ExpandUnary<math::AtanhOp, expandAtanh>,
               Expand<math::PowFOp, expandPow>, Expand<GateOp, expandGate>,
               Expand<math::RsqrtOp, expandRsqrt, true>>(patterns.getContext(),
                                                         PatternBenefit(benefit), options);
}

void fuse::populateExpandMathPatterns(RewritePatternSet &patterns,
                                      const MathExpansionOptions &options) {
  populateExpandFloat32MathPatterns(patterns, options);
  populateExpandShortFloatPatterns(patterns);
  populateMathToLibmConversionPatterns(patterns);
}

static bool isShortConversion(Operation *op, bool convertsBf16) {
  if (isa<arith::SelectOp>(op))
    return getElementTypeOrSelf(op->getResult(0).getType()).isBF16();
  if (!isa<arith::ExtFOp, arith::TruncFOp>(op))
    return false;
  Type from = getElementTypeOrSelf(op->getOperand(0).getType());
  Type to = getElementTypeOrSelf(op->getResult(0).getType());
  if (convertsBf16 && from.isF32() && to.isBF16())
    return false;
  return from.isBF16() || to.isBF16() || (from.isF64() && to.isF16());
}

void fuse::configureExpandMathTarget(ConversionTarget &target, const MathExpansionOptions &options) {
  target.addIllegalOp<math::ExpOp, math::Exp2Op, math::ExpM1Op, math::LogOp, math::Log2Op,
                      math::Log10Op, math::Log1pOp, math::TanhOp, math::ErfOp, math::ErfcOp,
                      math::SinOp, math::CosOp, math::TanOp, math::PowFOp, math::RsqrtOp,
                      math::AcosOp, math::AcoshOp, math::AsinOp, math::AsinhOp, math::AtanOp,
                      math::AtanhOp, math::Atan2Op, math::CbrtOp, math::CoshOp, math::SinhOp,
                      GateOp>();
  target.markUnknownOpDynamicallyLegal(
      [convertsBf16 = options.convertsBf16](Operation *op) { return !isShortConversion(op, convertsBf16); });
}
