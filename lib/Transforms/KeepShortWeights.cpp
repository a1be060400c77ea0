//===- KeepShortWeights.cpp - The pass fuse-keep-short-weights -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------------------------===//
//
// A product of few rows takes as long as memory takes to give the weights. Where these are computed
// element by element from parameters of few bits, the few bits are what memory should give: the
// pass lays them out as the product reads them, and leaves what makes floats of them to the
// product's kernel (see WidenedOperand.h), op for op as it is written.
//
//   W[k, n] = (float(q[k, n]) - 8) * s[k / 32, n]                  4 bits, 64 columns to a block
//
// Prepared once, for the eight j of each word:
//   words[n / 64, k / 8, n mod 64] = q[8 (k / 8) + j, n] << 4 j
// In the product's loops:
//   (float((words >> 4 j) & 15) - 8) * s[n / 64, k / 32, n mod 64]
//
// One load of 64 bytes has eight steps of 16 columns each, and no lane moves. The product is one of
// batches, which are the blocks of columns.
//
//===----------------------------------------------------------------------------------------===//

#include "ReadNumerics.h"
#include "RoundedRows.h"
#include "WeightTree.h"
#include "fuse/IR/FuseDialect.h"
#include "fuse/IR/OpText.h"
#include "fuse/IR/WidenedOperand.h"
#include "fuse/Support/Numerics.h"
#include "fuse/Transforms/Passes.h"
#include "fuse/Transforms/Transforms.h"
#include "mlir/IR/Remarks.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEKEEPSHORTWEIGHTS
#include "fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

/// Narrower products are left as they are: vectors run along columns.
static constexpr int64_t kLeastColumns = 16;

/// Columns of a block: four vectors of 16 floats for a row or two, which have sums enough to hide
/// the latency of additions only so, else two (see getVectors in VectorPlan.cpp).
static int64_t getColumnBlock(int64_t columns, int64_t rows) {
  constexpr int64_t kFewRows = 2, kWide = 64, kNarrow = 32;
  int64_t wide = llvm::alignTo(columns, kWide), narrow = llvm::alignTo(columns, kNarrow);
  constexpr int64_t kMostWaste = 16; // one part in so many
  return rows <= kFewRows && wide - narrow <= columns / kMostWaste ? kWide : kNarrow;
}

namespace {

struct KeepShortWeights : fuse::impl::FuseKeepShortWeightsBase<KeepShortWeights> {
  using FuseKeepShortWeightsBase::FuseKeepShortWeightsBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    std::optional<Numerics> known = readNumerics(function, numerics);
    if (!known)
      return signalPassFailure();
    allowed = *known;
    numRounded = 0;
    if (function.isExternal())
      return;
    SmallVector<MatmulOp> products;
    function.walk([&](Operation *op) {
      if (isa<KernelOp>(op))
        return WalkResult::skip();
      if (auto product = dyn_cast<MatmulOp>(op); product && op->getBlock() == &function.front())
        products.push_back(product);
      return WalkResult::advance();
    });
    for (MatmulOp product : products)
      keep(product);
  }

  void keep(MatmulOp product) {
    auto lhs = FuseBuilder::typeOf(product.getLhs()), rhs = FuseBuilder::typeOf(product.getRhs());
    if (rhs.getRank() != 2 || !rhs.hasStaticShape() || !isa<FloatType>(rhs.getElementType()) ||
        lhs.getRank() < 2 || product.getTransposeLhs() || !product.getRhs().getDefiningOp())
      return;
    WeightTree weights(getOperation(), product);
    if (weights.steps == 0 || weights.columns < kLeastColumns)
      return;
    std::string reason = weights.check();
    int64_t rows = lhs.hasStaticShape() ? lhs.getNumElements() / weights.steps : 0;
    if (reason.empty() && (rows == 0 || rows > kMostTimesWidened))
      reason = lhs.hasStaticShape() ? std::to_string(rows) + " rows read each weight"
                                    : "the number of rows is not known";
    if (reason.empty() && allowed < Numerics::Reassociates && !weights.keepsOrder())
      reason = "sums of groups of steps would have another order";
    if (!reason.empty()) {
      if (weights.hasShort())
        refuse(product, reason);
      return;
    }
    FuseBuilder b(OpBuilder(product), product.getLoc());
    Value x = b.reshape(product.getLhs(), {rows, weights.steps});
    int64_t block = getColumnBlock(weights.columns, rows);
    Value result;
    int64_t digits = countDigits(product, rows);
    if (digits > 0)
      result = weights.buildRounded(b, x, getColumnBlock(weights.columns, digits * rows), digits,
                                    "rounded " + std::to_string(numRounded));
    bool isRounded = result != nullptr;
    numRounded += isRounded;
    if (!isRounded)
      result = weights.build(b, x, block);
    int64_t padded = FuseBuilder::shapeOf(result)[1];
    if (padded > weights.columns)
      result = b.slice(result, 1, 0, weights.columns);
    // The caller's memory has no columns that fill up a block. A copy of few rows need not be the
    // product's.
    if (FuseBuilder::shapeOf(result)[1] != padded &&
        llvm::any_of(product->getUsers(), llvm::IsaPred<func::ReturnOp>))
      result = CopyOp::create(b.getBuilder(), FuseBuilder::typeOf(result), result);
    remark::passed(product.getLoc(), remark::RemarkOpts::name("kept")
                                         .category("fuse-keep-short-weights")
                                         .function(getOperation().getName()))
        << remark::add("keeps the weights of {0} as numbers of {1} bits{2}", describeOp(product),
                       weights.bits,
                       !isRounded    ? ""
                       : digits == 1 ? ", and rounds the rows to 8 bits"
                                     : ", and multiplies rows of 24 bits by bytes");
    Value before = product.getRhs();
    product.getResult().replaceAllUsesWith(
        b.reshape(result, FuseBuilder::shapeOf(product.getResult())));
    product.erase();
    eraseUnused(before);
  }

  /// Bytes that an element of the rows becomes, if the numeric class, the model and the target's speed let it be integers; 0:
  /// it stays a float.
  int64_t countDigits(MatmulOp product, int64_t rows) {
    // From so many rows on each float that is made of a weight is multiplied often enough.
    constexpr int64_t kMostRowsOfDigits = 2;
    TargetAttr target = TargetAttr::lookup(getOperation());
    if (!getElementTypeOrSelf(product.getType()).isF32() || product->hasAttr(attr::kTogether) ||
        target.getFigure("int8_flops_per_ns") <= target.getFigure("matmul_flops_per_ns"))
      return 0;
    if (allowed >= Numerics::Reassociates && product->hasAttr(attr::kShortLhs))
      return 1;
    return allowed >= Numerics::Folds && rows <= kMostRowsOfDigits ? kFloatDigits : 0;
  }

  void refuse(MatmulOp product, StringRef reason) {
    remark::missed(product.getLoc(), remark::RemarkOpts::name("not-kept")
                                         .category("fuse-keep-short-weights")
                                         .function(getOperation().getName()))
        << remark::add("the weights of {0} are widened in memory", describeOp(product))
        << remark::reason("{0}", reason)
        << remark::suggest("at most {0} rows, a number that is known, and weights that are "
                           "parameters times scales of "
                           "blocks or columns",
                           kMostTimesWidened);
  }

  Numerics allowed = Numerics::Exact;
  unsigned numRounded = 0;
};

} // namespace
