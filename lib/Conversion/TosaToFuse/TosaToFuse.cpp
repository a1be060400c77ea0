//===- TosaToFuse.cpp - The pass, and what the patterns share ---------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Conversion/TosaToFuse.h"

#include "Patterns.h"
#include "fuse/Conversion/Passes.h"
#include "mlir/Dialect/Tosa/Utils/ConversionUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_CONVERTTOSATOFUSE
#include "fuse/Conversion/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

bool fuse::isZeroPoint(Value zeroPoint) {
  DenseElementsAttr constant;
  if (!matchPattern(zeroPoint, m_Constant(&constant)) || !constant.isSplat())
    return false;
  if (isa<FloatType>(constant.getElementType()))
    return constant.getSplatValue<APFloat>().isZero();
  return constant.getSplatValue<APInt>().isZero();
}

FailureOr<SmallVector<int64_t>> fuse::getConstantIntegers(Value value) {
  if (isa<tosa::shapeType>(value.getType())) {
    SmallVector<int64_t> values;
    if (!tosa::getConstShapeValues(value.getDefiningOp(), values))
      return failure();
    return values;
  }
  DenseElementsAttr constant;
  if (!matchPattern(value, m_Constant(&constant)) || !isa<IntegerType>(constant.getElementType()))
    return failure();
  return llvm::map_to_vector(constant.getValues<APInt>(),
                             [](const APInt &element) { return element.getSExtValue(); });
}

void fuse::populateTosaToFusePatterns(RewritePatternSet &patterns) {
  populateTosaElementwisePatterns(patterns);
  populateTosaContractionPatterns(patterns);
  populateTosaMovementPatterns(patterns);
  populateTosaRescalePatterns(patterns);
}

namespace {
struct ConvertTosaToFuse : public fuse::impl::ConvertTosaToFuseBase<ConvertTosaToFuse> {
  using ConvertTosaToFuseBase::ConvertTosaToFuseBase;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    populateTosaToFusePatterns(set);
    patterns = FrozenRewritePatternSet(std::move(set));
    return success();
  }

  void runOnOperation() override {
    walkAndApplyPatterns(getOperation(), patterns);
    eraseDeadOps(getOperation());
  }

private:
  FrozenRewritePatternSet patterns;
};
} // namespace
