//===- ByteMultiplyAdd.cpp - Sums of scaled bytes in one rounding ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ByteMultiplyAdd.h"
#include "LaneConstant.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/bit.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// Vectors of f32, and the values that their elements may have.
struct KnownNumbers {
  Value vector;
  SmallVector<float> values;
};

class MultiplyAdds {
public:
  explicit MultiplyAdds(RewriterBase &rewriter) : b(rewriter) {}

  void rewrite(arith::TruncFOp op) {
    auto type = dyn_cast<VectorType>(op.getType());
    auto sum = op.getIn().getDefiningOp<arith::AddFOp>();
    if (!type || !type.getElementType().isF32() || !sum || !cast<VectorType>(sum.getType()).getElementType().isF64())
      return;
    b.setInsertionPoint(op);
    for (auto [left, right] : {std::pair(sum.getLhs(), sum.getRhs()), std::pair(sum.getRhs(), sum.getLhs())})
      if (rewriteAs(op, left.getDefiningOp<arith::MulFOp>(), right))
        return;
  }

private:
  /// The element of a constant of f64 that f32 holds, too.
  static std::optional<float> getConstant(Value value) {
    std::optional<APFloat> number = getLaneConstant(value);
    if (!number || !number->isFinite())
      return std::nullopt;
    double wide = number->convertToDouble();
    auto narrow = static_cast<float>(wide);
    return static_cast<double>(narrow) == wide ? std::optional(narrow) : std::nullopt;
  }

  /// A vector of f32 that was widened, and all values that bytes give it.
  std::optional<KnownNumbers> getNumbers(Value wide) {
    if (std::optional<float> constant = getConstant(wide)) {
      auto type = cast<VectorType>(wide.getType()).clone(b.getF32Type());
      return KnownNumbers{arith::ConstantOp::create(b, wide.getLoc(), DenseElementsAttr::get(type, *constant)), {*constant}};
    }
    auto widened = wide.getDefiningOp<arith::ExtFOp>();
    if (!widened || !getElementTypeOrSelf(widened.getIn()).isF32())
      return std::nullopt;
    Value vector = widened.getIn();
    if (auto known = sums.find(vector); known != sums.end())
      return KnownNumbers{vector, known->second};
    Operation *converted = vector.getDefiningOp();
    bool isUnsigned = isa_and_nonnull<arith::UIToFPOp>(converted);
    if (!isUnsigned && !isa_and_nonnull<arith::SIToFPOp>(converted))
      return std::nullopt;
    if (!getElementTypeOrSelf(converted->getOperand(0)).isInteger(8))
      return std::nullopt;
    KnownNumbers numbers{vector, {}};
    for (int byte = isUnsigned ? 0 : -128, end = byte + 256; byte < end; ++byte)
      numbers.values.push_back(static_cast<float>(byte));
    return numbers;
  }

  bool rewriteAs(arith::TruncFOp op, arith::MulFOp product, Value other) {
    if (!product)
      return false;
    Value factor = product.getLhs(), scale = product.getRhs();
    if (getConstant(factor))
      std::swap(factor, scale);
    std::optional<float> by = getConstant(scale);
    std::optional<KnownNumbers> bytes = by ? getNumbers(factor) : std::nullopt;
    std::optional<KnownNumbers> added = bytes ? getNumbers(other) : std::nullopt;
    if (!added)
      return false;
    SmallVector<float> values;
    for (float x : bytes->values)
      for (float c : added->values) {
        auto twice = static_cast<float>(static_cast<double>(x) * static_cast<double>(*by) + static_cast<double>(c));
        float once = std::fma(x, *by, c);
        if (llvm::bit_cast<uint32_t>(once) != llvm::bit_cast<uint32_t>(twice))
          return false;
        if (added->values.size() == 1)
          values.push_back(once);
      }
    Value factors = arith::ConstantOp::create(b, op.getLoc(),
                                              DenseElementsAttr::get(cast<VectorType>(op.getType()), *by));
    Value sum = math::FmaOp::create(b, op.getLoc(), bytes->vector, factors, added->vector);
    if (!values.empty())
      sums.try_emplace(sum, values);
    b.replaceOp(op, sum);
    return true;
  }

  RewriterBase &b;
  DenseMap<Value, SmallVector<float>> sums; ///< of one byte each
};

} // namespace

void mlir::fuse::multiplyAddBytes(RewriterBase &rewriter, func::FuncOp kernel) {
  SmallVector<arith::TruncFOp> conversions;
  kernel.walk([&](arith::TruncFOp op) { conversions.push_back(op); });
  MultiplyAdds sums(rewriter);
  for (arith::TruncFOp op : conversions)
    sums.rewrite(op);
}
