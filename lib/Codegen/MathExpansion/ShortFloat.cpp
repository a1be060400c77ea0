//===- ShortFloat.cpp - bf16 and f16 by integer arithmetic ------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The CPUs' bf16 instructions flush denormals, and f64 -> f16 has none: compilers call a function
// for it.
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Codegen/MathExpansion.h"
#include "fuse/IR/ElementBuilder.h"

using namespace mlir;
using namespace mlir::fuse;

/// bf16 is the upper half of an f32.
static Value extendBFloat16(ElementBuilder &e, Value x) {
  ImplicitLocOpBuilder &b = e.getBuilder();
  Type wide = e.shapedAs(b.getI32Type(), x);
  Value bits = arith::ExtUIOp::create(b, wide, e.toBits(x));
  return e.bitcast(e.shl(bits, 16), b.getF32Type());
}

static Value truncateToBFloat16(ElementBuilder &e, Value x) {
  ImplicitLocOpBuilder &b = e.getBuilder();
  Value bits = e.toBits(x);
  // Adds just less than half of the last place, or half if that makes the result even. A carry
  // runs into the exponent, up to infinity, as it should.
  Value lastBit = e.bitAnd(e.lshr(bits, 16), 1);
  Value rounded = e.lshr(e.add(e.add(bits, lastBit), 0x7FFF), 16);
  Value quiet = e.bitOr(e.lshr(bits, 16), 0x40);
  Value half = e.select(e.isNan(x), quiet, rounded);
  half = arith::TruncIOp::create(b, e.shapedAs(b.getI16Type(), x), half);
  return e.bitcast(half, b.getBF16Type());
}

namespace {

struct ExpandExtF : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getIn().getType()).isBF16())
      return rewriter.notifyMatchFailure(op, "not from bf16");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    ElementBuilder e(b);
    Value single = extendBFloat16(e, op.getIn());
    Type to = getElementTypeOrSelf(op.getType());
    rewriter.replaceOp(op, to.isF32() ? single : e.extend(single, to));
    return success();
  }
};

struct ExpandTruncF : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op, PatternRewriter &rewriter) const override {
    Type from = getElementTypeOrSelf(op.getIn().getType());
    Type to = getElementTypeOrSelf(op.getType());
    if (!to.isBF16() && !(from.isF64() && to.isF16()))
      return rewriter.notifyMatchFailure(op, "neither to bf16 nor from f64 to f16");
    if (!from.isF32() && !from.isF64())
      return rewriter.notifyMatchFailure(op, "from neither f32 nor f64");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    ElementBuilder e(b);
    Value single = from.isF64() ? e.truncateToOdd(op.getIn()) : op.getIn();
    rewriter.replaceOp(op, to.isBF16() ? truncateToBFloat16(e, single) : e.truncate(single, to));
    return success();
  }
};

/// CPUs with bf16 conversions choose between two bf16 by way of f32, which flushes denormals.
struct ExpandSelect : OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::SelectOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isBF16())
      return rewriter.notifyMatchFailure(op, "not bf16");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    ElementBuilder e(b);
    Value bits = arith::SelectOp::create(b, op.getCondition(), e.toBits(op.getTrueValue()),
                                         e.toBits(op.getFalseValue()));
    rewriter.replaceOp(op, e.bitcast(bits, b.getBF16Type()));
    return success();
  }
};

} // namespace

void fuse::populateExpandShortFloatPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandExtF, ExpandSelect, ExpandTruncF>(patterns.getContext());
}
