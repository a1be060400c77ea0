//===- ScalarBodyUnary.cpp - Functions of one element --------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ScalarBodyActivations.h"
#include "fuse/IR/ElementBuilder.h"
#include "fuse/IR/ScalarBody.h"
#include "llvm/Support/ErrorHandling.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;

/// -1, 0 or 1; a zero keeps its sign and a NaN stays.
static Value buildFloatSign(ElementBuilder &e, Value x) {
  Value nonZero = e.fcmp(arith::CmpFPredicate::ONE, x, 0.0);
  return e.select(nonZero, e.copySign(e.constant(1.0, x), x), x);
}

/// alpha x + beta. The sum may cancel, so the product is not rounded, and what f32 loses of the two
/// constants is added.
static Value buildLine(ElementBuilder &e, double alpha, double beta, Value x) {
  if (e.elementOf(x).isF64())
    return e.fma(x, alpha, beta);
  // Constants that f32 may not have, or of which what it loses may be infinite: as in f64.
  if (!(std::abs(alpha) < 0x1p64 && std::abs(beta) < 0x1p64)) {
    Type narrow = e.elementOf(x);
    Value wide = e.extend(x, e.getBuilder().getF64Type());
    return e.truncate(e.fma(wide, alpha, beta), narrow);
  }
  Value line = e.fma(x, alpha, beta);
  double alphaLow = alpha - static_cast<float>(alpha);
  double betaLow = beta - static_cast<float>(beta);
  if (alphaLow == 0.0 && betaLow == 0.0)
    return line;
  // Bounded, so that infinities of both signs do not meet.
  Value bounded = e.atMost(e.atLeast(x, -0x1p60), 0x1p60);
  return e.fadd(line, e.fma(bounded, alphaLow, betaLow));
}

/// `x` is f32 or f64.
static Value buildFloatUnary(ElementBuilder &e, UnaryKind kind, const UnaryParams &params, Value x) {
  ImplicitLocOpBuilder &b = e.getBuilder();
  switch (kind) {
  case UnaryKind::Relu:
    // NaN passes, -0.0 becomes 0.0; fewer instructions than arith.maximumf.
    return e.select(e.fcmp(arith::CmpFPredicate::OLE, x, 0.0), e.constant(0.0, x), x);
  case UnaryKind::Sigmoid:
    return buildSigmoid(e, x);
  case UnaryKind::Tanh:
    return math::TanhOp::create(b, x);
  case UnaryKind::Gelu:
    return params.form == GeluForm::Tanh ? buildGeluTanh(e, x) : buildGeluErf(e, x);
  case UnaryKind::Sqrt:
    return math::SqrtOp::create(b, x);
  case UnaryKind::Rsqrt:
    return e.fdiv(1.0, math::SqrtOp::create(b, x));
  case UnaryKind::Exp:
    return math::ExpOp::create(b, x);
  case UnaryKind::Log:
    return math::LogOp::create(b, x);
  case UnaryKind::Neg:
    return e.fneg(x);
  case UnaryKind::Abs:
    return e.fabs(x);
  case UnaryKind::Erf:
    return math::ErfOp::create(b, x);
  case UnaryKind::Silu:
    return buildSilu(e, x);
  case UnaryKind::Softplus:
    return buildSoftplus(e, x);
  case UnaryKind::HardSigmoid: {
    Value line = buildLine(e, params.alpha, params.beta, x);
    Value low = arith::MaximumFOp::create(b, line, e.constant(0.0, x));
    return arith::MinimumFOp::create(b, low, e.constant(1.0, x));
  }
  case UnaryKind::HardSwish: {
    // Divided before multiplied: x * 6 may overflow.
    Value low = arith::MaximumFOp::create(b, e.fadd(x, 3.0), e.constant(0.0, x));
    Value gate = arith::MinimumFOp::create(b, low, e.constant(6.0, x));
    return e.fmul(x, e.fdiv(gate, e.constant(6.0, x)));
  }
  case UnaryKind::LeakyRelu:
    return e.select(e.fcmp(arith::CmpFPredicate::OLT, x, 0.0), e.fmul(x, params.alpha), x);
  case UnaryKind::Elu: {
    Value below = e.fmul(math::ExpM1Op::create(b, x), params.alpha);
    return e.select(e.fcmp(arith::CmpFPredicate::OGE, x, 0.0), x, below);
  }
  case UnaryKind::Floor:
    return math::FloorOp::create(b, x);
  case UnaryKind::Ceil:
    return math::CeilOp::create(b, x);
  case UnaryKind::RoundEven:
    return math::RoundEvenOp::create(b, x);
  case UnaryKind::Sign:
    return buildFloatSign(e, x);
  case UnaryKind::Sin:
    return math::SinOp::create(b, x);
  case UnaryKind::Cos:
    return math::CosOp::create(b, x);
  case UnaryKind::Tan:
    return math::TanOp::create(b, x);
  case UnaryKind::Reciprocal:
    return e.fdiv(1.0, x);
  case UnaryKind::Log1p:
    return math::Log1pOp::create(b, x);
  case UnaryKind::Expm1:
    return math::ExpM1Op::create(b, x);
  case UnaryKind::Atan:
    return math::AtanOp::create(b, x);
  case UnaryKind::Asin:
    return math::AsinOp::create(b, x);
  case UnaryKind::Acos:
    return math::AcosOp::create(b, x);
  case UnaryKind::Sinh:
    return math::SinhOp::create(b, x);
  case UnaryKind::Cosh:
    return math::CoshOp::create(b, x);
  case UnaryKind::Asinh:
    return math::AsinhOp::create(b, x);
  case UnaryKind::Acosh:
    return math::AcoshOp::create(b, x);
  case UnaryKind::Atanh:
    return math::AtanhOp::create(b, x);
  case UnaryKind::IsNan:
    return e.isNan(x);
  case UnaryKind::IsInf:
    return e.fcmp(arith::CmpFPredicate::OEQ, e.fabs(x), e.infinity(x));
  case UnaryKind::LogicalNot:
  case UnaryKind::BitwiseNot:
    break;
  }
  llvm_unreachable("kind does not take floats");
}

static Value buildIntegerUnary(ElementBuilder &e, UnaryKind kind, IntegerType type, Value x) {
  ImplicitLocOpBuilder &b = e.getBuilder();
  Value zero = e.constant(0, x);
  switch (kind) {
  case UnaryKind::Relu:
    return type.isUnsigned() ? x : arith::MaxSIOp::create(b, x, zero).getResult();
  case UnaryKind::Abs:
    // Not math.absi: its least integer is poison in some lowerings.
    return type.isUnsigned() ? x
                             : arith::MaxSIOp::create(b, x, e.sub(zero, x)).getResult();
  case UnaryKind::Neg:
    return e.sub(zero, x);
  case UnaryKind::Sign: {
    Value high = e.constant(1, x);
    if (type.isUnsigned())
      return arith::MinUIOp::create(b, x, high);
    return arith::MaxSIOp::create(b, arith::MinSIOp::create(b, x, high), e.constant(-1, x));
  }
  case UnaryKind::LogicalNot:
  case UnaryKind::BitwiseNot:
    return e.bitXor(x, -1);
  default:
    llvm_unreachable("kind does not take integers");
  }
}

Value fuse::buildUnary(ImplicitLocOpBuilder &b, UnaryKind kind, const UnaryParams &params,
                       Type logicalType, Value x) {
  ElementBuilder e(b);
  if (auto integer = dyn_cast<IntegerType>(logicalType))
    return buildIntegerUnary(e, kind, integer, x);
  if (logicalType.getIntOrFloatBitWidth() > 16)
    return buildFloatUnary(e, kind, params, x);
  Value result = buildFloatUnary(e, kind, params, e.extend(x, b.getF32Type()));
  if (isa<IntegerType>(e.elementOf(result)))
    return result;
  return e.roundResult(result, logicalType);
}
