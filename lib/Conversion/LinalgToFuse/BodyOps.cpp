//===- BodyOps.cpp - Scalar ops as tensor ops -------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Patterns.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fuse;

static Type getUnsigned(Type type) {
  return IntegerType::get(type.getContext(), type.getIntOrFloatBitWidth(), IntegerType::Unsigned);
}

static Type elementOf(Value value) { return getElementTypeOrSelf(value); }

static bool takes(TypeClass legal, Value operand) {
  return getTypeClass(elementOf(operand)) & legal;
}

static Value unary(FuseBuilder &g, UnaryKind kind, Value x) {
  return takes(getLegalTypes(kind), x) ? g.unary(kind, x) : Value();
}

static Value binary(FuseBuilder &g, BinaryKind kind, Value l, Value r) {
  return takes(getLegalTypes(kind), l) ? g.binary(kind, l, r) : Value();
}

/// Signless integers are signed in the dialect: the bits go through the unsigned type.
static Value unsignedBinary(FuseBuilder &g, BinaryKind kind, Value l, Value r) {
  Type element = elementOf(l);
  if (!takes(SignedTypes, l))
    return {};
  Type bits = getUnsigned(element);
  return g.bitcast(g.binary(kind, g.bitcast(l, bits), g.bitcast(r, bits)), element);
}

/// The other operand where one is NaN.
static Value numberExtreme(FuseBuilder &g, BinaryKind kind, Value l, Value r) {
  Value extreme = g.binary(kind, l, r);
  extreme = g.select(g.unary(UnaryKind::IsNan, r), l, extreme);
  return g.select(g.unary(UnaryKind::IsNan, l), r, extreme);
}

static Value compareFloats(FuseBuilder &g, arith::CmpFPredicate predicate, Value l, Value r) {
  using P = arith::CmpFPredicate;
  auto not_ = [&](Value mask) { return g.unary(UnaryKind::LogicalNot, mask); };
  auto either = [&](Value x, Value y) { return g.binary(BinaryKind::Or, x, y); };
  auto compare = [&](ComparePredicate kind) { return g.compare(kind, l, r); };
  auto isUnordered = [&] {
    return either(g.unary(UnaryKind::IsNan, l), g.unary(UnaryKind::IsNan, r));
  };
  auto isLessOrGreater = [&] {
    return either(compare(ComparePredicate::Lt), compare(ComparePredicate::Gt));
  };
  switch (predicate) {
  case P::OEQ:
    return compare(ComparePredicate::Eq);
  case P::OGT:
    return compare(ComparePredicate::Gt);
  case P::OGE:
    return compare(ComparePredicate::Ge);
  case P::OLT:
    return compare(ComparePredicate::Lt);
  case P::OLE:
    return compare(ComparePredicate::Le);
  case P::UNE:
    return compare(ComparePredicate::Ne);
  case P::UGT:
    return not_(compare(ComparePredicate::Le));
  case P::UGE:
    return not_(compare(ComparePredicate::Lt));
  case P::ULT:
    return not_(compare(ComparePredicate::Ge));
  case P::ULE:
    return not_(compare(ComparePredicate::Gt));
  case P::ONE:
    return isLessOrGreater();
  case P::UEQ:
    return not_(isLessOrGreater());
  case P::UNO:
    return isUnordered();
  case P::ORD:
    return not_(isUnordered());
  case P::AlwaysFalse:
  case P::AlwaysTrue:
    return {};
  }
  return {};
}

static Value compareIntegers(FuseBuilder &g, arith::CmpIPredicate predicate, Value l, Value r) {
  using P = arith::CmpIPredicate;
  if (predicate == P::eq || predicate == P::ne)
    return g.compare(predicate == P::eq ? ComparePredicate::Eq : ComparePredicate::Ne, l, r);
  // The order of i1 is that of signed numbers in arith, and of unsigned ones here.
  if (!takes(SignedTypes, l))
    return {};
  if (predicate >= P::ult) {
    Type bits = getUnsigned(elementOf(l));
    l = g.bitcast(l, bits);
    r = g.bitcast(r, bits);
  }
  switch (predicate) {
  case P::slt:
  case P::ult:
    return g.compare(ComparePredicate::Lt, l, r);
  case P::sle:
  case P::ule:
    return g.compare(ComparePredicate::Le, l, r);
  case P::sgt:
  case P::ugt:
    return g.compare(ComparePredicate::Gt, l, r);
  default:
    return g.compare(ComparePredicate::Ge, l, r);
  }
}

/// Conversions; of i1 only zero-extending ones mean the same.
static Value convert(FuseBuilder &g, Operation *op, Value x) {
  Type to = op->getResult(0).getType();
  if (getTypeClass(to) == NoTypes)
    return {};
  bool fromMask = elementOf(x).isInteger(1);
  if (isa<arith::ExtFOp, arith::TruncFOp>(op))
    return g.cast(x, to);
  if (isa<arith::SIToFPOp, arith::ExtSIOp>(op))
    return fromMask ? Value() : g.cast(x, to);
  if (isa<arith::UIToFPOp, arith::ExtUIOp>(op))
    return g.cast(fromMask ? x : g.bitcast(x, getUnsigned(elementOf(x))), to);
  // Of i1 arith keeps the low bit, and the dialect asks for not 0.
  if (to.isInteger(1))
    return {};
  if (isa<arith::TruncIOp, arith::FPToSIOp>(op))
    return g.cast(x, to);
  if (isa<arith::FPToUIOp>(op))
    return g.bitcast(g.cast(x, getUnsigned(to)), to);
  return fromMask ? Value() : g.bitcast(x, to); // arith.bitcast
}

static std::optional<UnaryKind> getUnaryKind(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<UnaryKind>>(op)
      .Case<arith::NegFOp>([](auto) { return UnaryKind::Neg; })
      .Case<math::AbsFOp, math::AbsIOp>([](auto) { return UnaryKind::Abs; })
      .Case<math::AcosOp>([](auto) { return UnaryKind::Acos; })
      .Case<math::AcoshOp>([](auto) { return UnaryKind::Acosh; })
      .Case<math::AsinOp>([](auto) { return UnaryKind::Asin; })
      .Case<math::AsinhOp>([](auto) { return UnaryKind::Asinh; })
      .Case<math::AtanOp>([](auto) { return UnaryKind::Atan; })
      .Case<math::AtanhOp>([](auto) { return UnaryKind::Atanh; })
      .Case<math::CeilOp>([](auto) { return UnaryKind::Ceil; })
      .Case<math::CosOp>([](auto) { return UnaryKind::Cos; })
      .Case<math::CoshOp>([](auto) { return UnaryKind::Cosh; })
      .Case<math::ErfOp>([](auto) { return UnaryKind::Erf; })
      .Case<math::ExpOp>([](auto) { return UnaryKind::Exp; })
      .Case<math::ExpM1Op>([](auto) { return UnaryKind::Expm1; })
      .Case<math::FloorOp>([](auto) { return UnaryKind::Floor; })
      .Case<math::LogOp>([](auto) { return UnaryKind::Log; })
      .Case<math::Log1pOp>([](auto) { return UnaryKind::Log1p; })
      .Case<math::RoundEvenOp>([](auto) { return UnaryKind::RoundEven; })
      .Case<math::RsqrtOp>([](auto) { return UnaryKind::Rsqrt; })
      .Case<math::SinOp>([](auto) { return UnaryKind::Sin; })
      .Case<math::SinhOp>([](auto) { return UnaryKind::Sinh; })
      .Case<math::SqrtOp>([](auto) { return UnaryKind::Sqrt; })
      .Case<math::TanOp>([](auto) { return UnaryKind::Tan; })
      .Case<math::TanhOp>([](auto) { return UnaryKind::Tanh; })
      .Case<math::IsNaNOp>([](auto) { return UnaryKind::IsNan; })
      .Case<math::IsInfOp>([](auto) { return UnaryKind::IsInf; })
      .Default([](Operation *) { return std::nullopt; });
}

static std::optional<BinaryKind> getBinaryKind(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<BinaryKind>>(op)
      .Case<arith::AddFOp, arith::AddIOp>([](auto) { return BinaryKind::Add; })
      .Case<arith::SubFOp, arith::SubIOp>([](auto) { return BinaryKind::Sub; })
      .Case<arith::MulFOp, arith::MulIOp>([](auto) { return BinaryKind::Mul; })
      .Case<arith::DivFOp, arith::DivSIOp>([](auto) { return BinaryKind::Div; })
      .Case<arith::RemFOp, arith::RemSIOp>([](auto) { return BinaryKind::Rem; })
      .Case<arith::MaximumFOp>([](auto) { return BinaryKind::Max; })
      .Case<arith::MinimumFOp>([](auto) { return BinaryKind::Min; })
      .Case<arith::AndIOp>([](auto) { return BinaryKind::And; })
      .Case<arith::OrIOp>([](auto) { return BinaryKind::Or; })
      .Case<arith::XOrIOp>([](auto) { return BinaryKind::Xor; })
      .Case<arith::ShLIOp>([](auto) { return BinaryKind::ShiftLeft; })
      .Case<arith::ShRSIOp>([](auto) { return BinaryKind::ShiftRight; })
      .Case<math::PowFOp, math::IPowIOp>([](auto) { return BinaryKind::Pow; })
      .Default([](Operation *) { return std::nullopt; });
}

static std::optional<BinaryKind> getUnsignedKind(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<BinaryKind>>(op)
      .Case<arith::DivUIOp>([](auto) { return BinaryKind::Div; })
      .Case<arith::RemUIOp>([](auto) { return BinaryKind::Rem; })
      .Case<arith::MaxUIOp>([](auto) { return BinaryKind::Max; })
      .Case<arith::MinUIOp>([](auto) { return BinaryKind::Min; })
      .Case<arith::ShRUIOp>([](auto) { return BinaryKind::ShiftRight; })
      .Default([](Operation *) { return std::nullopt; });
}

Value fuse::buildBodyOp(FuseBuilder &g, Operation *op, ArrayRef<Value> operands) {
  if (op->getNumResults() != 1 || op->getNumRegions() != 0 ||
      getTypeClass(op->getResult(0).getType()) == NoTypes)
    return {};
  if (std::optional<UnaryKind> kind = getUnaryKind(op))
    return unary(g, *kind, operands[0]);
  if (std::optional<BinaryKind> kind = getBinaryKind(op))
    return binary(g, *kind, operands[0], operands[1]);
  if (std::optional<BinaryKind> kind = getUnsignedKind(op))
    return unsignedBinary(g, *kind, operands[0], operands[1]);
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](arith::ConstantOp constant) { return g.constant(constant.getValue()); })
      .Case<arith::MaxSIOp>([&](auto) {
        return takes(SignedTypes, operands[0]) ? g.binary(BinaryKind::Max, operands[0], operands[1])
                                               : Value();
      })
      .Case<arith::MinSIOp>([&](auto) {
        return takes(SignedTypes, operands[0]) ? g.binary(BinaryKind::Min, operands[0], operands[1])
                                               : Value();
      })
      .Case<arith::MaxNumFOp>(
          [&](auto) { return numberExtreme(g, BinaryKind::Max, operands[0], operands[1]); })
      .Case<arith::MinNumFOp>(
          [&](auto) { return numberExtreme(g, BinaryKind::Min, operands[0], operands[1]); })
      .Case<math::Exp2Op>([&](auto) {
        Value two = g.scalar(2.0, elementOf(operands[0]));
        return g.binary(BinaryKind::Pow, two, operands[0]);
      })
      .Case([&](arith::CmpFOp compare) {
        return compareFloats(g, compare.getPredicate(), operands[0], operands[1]);
      })
      .Case([&](arith::CmpIOp compare) {
        return compareIntegers(g, compare.getPredicate(), operands[0], operands[1]);
      })
      .Case<arith::SelectOp>([&](auto) { return g.select(operands[0], operands[1], operands[2]); })
      .Case<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp,
            arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp, arith::FPToUIOp, arith::BitcastOp>(
          [&](Operation *conversion) { return convert(g, conversion, operands[0]); })
      .Default([](Operation *) { return Value(); });
}
