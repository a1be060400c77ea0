//===- CommonDivisor.cpp - Quotients with one divisor ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// With y = 1 / b, correctly rounded, and fused multiplications and additions:
//
//   q0 = a y                      // less than 1.5 ULP off
//   q1 = q0 + (a - b q0) y        // less than 1 ULP off
//   q2 = q1 + (a - b q1) y        // a / b, correctly rounded
//
// The last step is a theorem of Markstein (Cornea, Harrison and Tang, "Scientific Computing on
// Itanium-based Systems", theorem 8.5): it holds where y is correctly rounded, q1 is less than an
// ULP off, and neither q2 nor the remainder a - b q1 leaves the normal numbers' range. Dividends
// outside of a range that grants that, and divisors, are divided as ever, all lanes together. Zeros
// may be among the dividends, since the scores that attention masks are zeros: their quotients are
// zeros of a sign that is copied.
//
//===----------------------------------------------------------------------------------------===//

#include "CommonDivisor.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// Powers of two between which dividends and divisors lie, divisors from 1 to 2^`mostDivisor`. The
/// remainder is a multiple of the dividend's 2^-(2 · mantissa bits + 1), and the quotient no less
/// than the dividend by the greatest divisor.
struct Bounds {
  int64_t leastDividend, mostDividend, mostDivisor;
};

class Quotients {
public:
  Quotients(OpBuilder &builder, Location loc, Value dividends, Value divisor)
      : b(loc, builder), dividends(dividends), divisor(divisor),
        type(cast<VectorType>(dividends.getType())), element(cast<FloatType>(divisor.getType())),
        bits(b.getIntegerType(element.getWidth())),
        bounds(element.isF32() ? Bounds{-100, 100, 26} : Bounds{-850, 850, 150}) {}

  Value create() {
    Value usual = arith::AndIOp::create(b, isUsualDivisor(), areUsualDividends());
    Value likely = arith::ConstantOp::create(b, b.getBoolAttr(true));
    auto branch = scf::IfOp::create(
        b, LLVM::ExpectOp::create(b, usual, likely),
        [&](OpBuilder &, Location loc) { scf::YieldOp::create(b, loc, multiply()); },
        [&](OpBuilder &, Location loc) {
          Value same = vector::BroadcastOp::create(b, type, divisor);
          scf::YieldOp::create(b, loc, arith::DivFOp::create(b, dividends, same).getResult());
        });
    return branch.getResult(0);
  }

private:
  /// The bits of 2^`exponent`.
  APInt powerBits(int64_t exponent) {
    return scalbn(APFloat::getOne(element.getFloatSemantics()), exponent,
                  APFloat::rmNearestTiesToEven)
        .bitcastToAPInt();
  }

  Value constant(Type shape, const APInt &value) {
    if (auto vector = dyn_cast<VectorType>(shape))
      return arith::ConstantOp::create(b, DenseElementsAttr::get(vector, value));
    return arith::ConstantOp::create(b, b.getIntegerAttr(shape, value));
  }

  /// Bits of positive numbers are ordered as these are, and those of others lie above them.
  Value isUsualDivisor() {
    Value number = arith::BitcastOp::create(b, bits, divisor);
    Value above = arith::SubIOp::create(b, number, constant(bits, powerBits(0)));
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ule, above,
                                 constant(bits, powerBits(bounds.mostDivisor) - powerBits(0)));
  }

  /// The halves of `vector` joined by `Op`, until a register is left.
  template <typename Op>
  Value fold(Value vector) {
    constexpr int64_t kRegisterBits = 512;
    for (int64_t lanes = type.getNumElements();
         lanes % 2 == 0 && lanes * element.getWidth() > kRegisterBits; lanes /= 2) {
      auto half = [&](int64_t from) -> Value {
        return vector::ExtractStridedSliceOp::create(
            b, vector, ArrayRef<int64_t>{from}, ArrayRef<int64_t>{lanes / 2}, ArrayRef<int64_t>{1});
      };
      vector = Op::create(b, half(0), half(lanes / 2));
    }
    return vector;
  }

  Value areUsualDividends() {
    Type words = type.clone(bits);
    Value number = arith::BitcastOp::create(b, words, dividends);
    APInt magnitudeBits = APInt::getSignedMaxValue(element.getWidth());
    Value magnitude = arith::AndIOp::create(b, number, constant(words, magnitudeBits));
    // One less makes zeros the greatest of all.
    Value less = arith::SubIOp::create(b, magnitude, constant(words, APInt(element.getWidth(), 1)));
    Value least = fold<arith::MinUIOp>(less), most = fold<arith::MaxUIOp>(magnitude);
    auto bound = [&](arith::CmpIPredicate predicate, Value value, const APInt &limit) -> Value {
      return arith::CmpIOp::create(b, predicate, value, constant(value.getType(), limit));
    };
    Value areUsual = arith::AndIOp::create(
        b, bound(arith::CmpIPredicate::uge, least, powerBits(bounds.leastDividend)),
        bound(arith::CmpIPredicate::ule, most, powerBits(bounds.mostDividend)));
    return vector::ReductionOp::create(b, vector::CombiningKind::AND, areUsual);
  }

  Value multiply() {
    Value one = arith::ConstantOp::create(b, b.getFloatAttr(element, 1));
    Value reciprocal = arith::DivFOp::create(b, one, divisor);
    Value factors = vector::BroadcastOp::create(b, type, reciprocal);
    Value negative = vector::BroadcastOp::create(b, type, arith::NegFOp::create(b, divisor));
    Value quotients = arith::MulFOp::create(b, dividends, factors);
    for (int step = 0; step < 2; ++step) {
      Value remainders = math::FmaOp::create(b, negative, quotients, dividends);
      quotients = math::FmaOp::create(b, remainders, factors, quotients);
    }
    return math::CopySignOp::create(b, quotients, dividends);
  }

  ImplicitLocOpBuilder b;
  Value dividends, divisor;
  VectorType type;
  FloatType element;
  Type bits;
  Bounds bounds;
};

} // namespace

bool mlir::fuse::hasCommonQuotients(Type type, Value divisor) {
  APFloat value(0.0F);
  if (matchPattern(divisor, m_ConstantFloat(&value)) && value.getExactInverse(nullptr))
    return false;
  return type.isF32() || type.isF64();
}

Value mlir::fuse::createQuotients(OpBuilder &b, Location loc, Value dividends, Value divisor) {
  return Quotients(b, loc, dividends, divisor).create();
}
