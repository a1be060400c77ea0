//===- Unary.cpp - Functions of one tensor, element by element -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Elementwise.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::torch;

/// Functions of floats, which integers are made first.
static LogicalResult importFloat(Node &n, UnaryKind kind) {
  return n.setResult(n.b.unary(kind, toFloat(n, n.tensor("self"))));
}

/// A formula of floats that eager mode computes in f32 for shorter ones, and rounds once.
static LogicalResult importFormula(Node &n, llvm::function_ref<Value(FuseBuilder &, Value)> build) {
  Value x = toFloat(n, n.tensor("self"));
  return n.setResult(n.b.cast(build(n.b, n.b.widen(x)), n.b.elementOf(x)));
}

/// Functions that leave integers as they are.
static LogicalResult importRounding(Node &n, UnaryKind kind) {
  Value x = n.tensor("self");
  return n.setResult(isa<FloatType>(n.b.elementOf(x)) ? n.b.unary(kind, x) : x);
}

static LogicalResult importRound(Node &n) {
  Value x = n.tensor("self");
  int64_t decimals = n.getInt("decimals", 0);
  FuseBuilder &b = n.b;
  if (!isa<FloatType>(b.elementOf(x)))
    return decimals >= 0 ? n.setResult(x)
                         : n.fail("expected decimals of at least 0 for integers, found " + Twine(decimals));
  if (decimals == 0)
    return n.setResult(b.unary(UnaryKind::RoundEven, x));
  Value wide = b.widen(x), factor = b.scalarLike(std::pow(10.0, std::abs(double(decimals))), wide);
  Value scaled = decimals > 0 ? b.mul(wide, factor) : b.div(wide, factor);
  Value rounded = b.unary(UnaryKind::RoundEven, scaled);
  return n.setResult(b.cast(decimals > 0 ? b.div(rounded, factor) : b.mul(rounded, factor), b.elementOf(x)));
}

static LogicalResult importAbs(Node &n) {
  Value x = n.tensor("self");
  return n.setResult(n.b.elementOf(x).isInteger(1) ? x : n.b.unary(UnaryKind::Abs, x));
}

static LogicalResult importSign(Node &n) {
  Value x = n.tensor("self");
  if (n.b.elementOf(x).isInteger(1))
    return n.setResult(x);
  Value sign = n.b.unary(UnaryKind::Sign, x);
  if (!isa<FloatType>(n.b.elementOf(x)))
    return n.setResult(sign);
  // PyTorch's sign of NaN is 0.
  return n.setResult(n.b.select(n.b.unary(UnaryKind::IsNan, x), n.b.scalarLike(0, x), sign));
}

static LogicalResult importNeg(Node &n) {
  Value x = n.tensor("self");
  if (n.b.elementOf(x).isUnsignedInteger())
    return n.setResult(n.b.sub(n.b.scalarLike(0, x), x));
  return n.setResult(n.b.unary(UnaryKind::Neg, x));
}

/// Of integers no element is NaN or infinite.
static LogicalResult importTest(Node &n, llvm::function_ref<Value(FuseBuilder &, Value)> test, bool ofIntegers) {
  Value x = n.tensor("self");
  if (isa<FloatType>(n.b.elementOf(x)))
    return n.setResult(test(n.b, x));
  Number answer;
  answer.kind = Number::Bool;
  answer.integer = ofIntegers;
  answer.value = double(ofIntegers);
  return n.setResult(n.fill(answer, n.getExtents(x), n.b.getBuilder().getI1Type()));
}

static Value isFinite(FuseBuilder &b, Value x) {
  double infinity = std::numeric_limits<double>::infinity();
  return b.compare(ComparePredicate::Lt, b.unary(UnaryKind::Abs, x), infinity);
}

static LogicalResult importNanToNum(Node &n) {
  FuseBuilder &b = n.b;
  Value x = n.tensor("self");
  if (!isa<FloatType>(b.elementOf(x)))
    return n.setResult(x);
  const auto &semantics = cast<FloatType>(b.elementOf(x)).getFloatSemantics();
  double most = llvm::APFloat::getLargest(semantics).convertToDouble(),
         infinity = std::numeric_limits<double>::infinity();
  Value nan = b.scalarLike(n.getFloat("nan", 0), x), high = b.scalarLike(n.getFloat("posinf", most), x),
        low = b.scalarLike(n.getFloat("neginf", -most), x);
  Value result = b.select(b.unary(UnaryKind::IsNan, x), nan, x);
  result = b.select(b.compare(ComparePredicate::Eq, x, infinity), high, result);
  return n.setResult(b.select(b.compare(ComparePredicate::Eq, x, -infinity), low, result));
}

static LogicalResult importLogicalNot(Node &n) {
  return n.setResult(n.b.unary(UnaryKind::LogicalNot, toBool(n, n.tensor("self"))));
}

static LogicalResult importBitwiseNot(Node &n) {
  Value x = n.tensor("self");
  bool isBool = n.b.elementOf(x).isInteger(1);
  return n.setResult(n.b.unary(isBool ? UnaryKind::LogicalNot : UnaryKind::BitwiseNot, x));
}

static LogicalResult importLogit(Node &n) {
  FuseBuilder &b = n.b;
  Value given = toFloat(n, n.tensor("self")), x = b.widen(given);
  if (n.has("eps")) {
    double epsilon = n.getFloat("eps", 0);
    Value least = b.scalarLike(epsilon, x), most = b.scalarLike(1 - epsilon, x);
    // An eps above one half has bounds that cross: what is below the lower one is raised, and not lowered again.
    if (epsilon > 0.5)
      x = b.select(b.compare(ComparePredicate::Lt, x, least), least, most);
    else
      x = b.clamp(x, least, most);
  }
  Value odds = b.div(x, b.sub(b.scalarLike(1, x), x));
  return n.setResult(b.cast(b.unary(UnaryKind::Log, odds), b.elementOf(given)));
}

static Value logOver(FuseBuilder &b, Value x, double base) { return b.div(b.unary(UnaryKind::Log, x), std::log(base)); }

void mlir::fuse::torch::addUnaryOps(OpTable &table) {
  static constexpr std::pair<const char *, UnaryKind> kFloat[] = {
      {"exp.default", UnaryKind::Exp},
      {"expm1.default", UnaryKind::Expm1},
      {"log.default", UnaryKind::Log},
      {"log1p.default", UnaryKind::Log1p},
      {"sqrt.default", UnaryKind::Sqrt},
      {"rsqrt.default", UnaryKind::Rsqrt},
      {"sin.default", UnaryKind::Sin},
      {"cos.default", UnaryKind::Cos},
      {"tan.default", UnaryKind::Tan},
      {"asin.default", UnaryKind::Asin},
      {"acos.default", UnaryKind::Acos},
      {"atan.default", UnaryKind::Atan},
      {"sinh.default", UnaryKind::Sinh},
      {"cosh.default", UnaryKind::Cosh},
      {"tanh.default", UnaryKind::Tanh},
      {"asinh.default", UnaryKind::Asinh},
      {"acosh.default", UnaryKind::Acosh},
      {"atanh.default", UnaryKind::Atanh},
      {"erf.default", UnaryKind::Erf},
      {"sigmoid.default special_expit.default", UnaryKind::Sigmoid},
      {"reciprocal.default", UnaryKind::Reciprocal}};
  for (auto [name, kind] : kFloat)
    table.add(name, "self", [kind = kind](Node &n) { return importFloat(n, kind); });
  static constexpr std::pair<const char *, UnaryKind> kRounding[] = {{"floor.default", UnaryKind::Floor},
                                                                     {"ceil.default", UnaryKind::Ceil}};
  for (auto [name, kind] : kRounding)
    table.add(name, "self", [kind = kind](Node &n) { return importRounding(n, kind); });
  table.add("exp2.default", "self", [](Node &n) {
    return importFormula(n, [](FuseBuilder &b, Value x) { return b.binary(BinaryKind::Pow, b.scalarLike(2, x), x); });
  });
  for (auto [name, base] : {std::pair("log2.default", 2.0), std::pair("log10.default", 10.0)})
    table.add(name, "self", [base = base](Node &n) {
      return importFormula(n, [&](FuseBuilder &b, Value x) { return logOver(b, x, base); });
    });
  table.add("square.default", "self", [](Node &n) {
    Value x = n.tensor("self");
    return n.setResult(n.b.elementOf(x).isInteger(1) ? n.b.cast(x, n.getResultType(0, n.b.elementOf(x)))
                                                     : n.b.mul(x, x));
  });
  table.add("trunc.default fix.default", "self", [](Node &n) {
    Value x = n.tensor("self");
    return n.setResult(isa<FloatType>(n.b.elementOf(x)) ? truncate(n.b, x) : x);
  });
  table.add("frac.default", "self", [](Node &n) {
    Value x = n.tensor("self");
    return n.setResult(n.b.sub(x, truncate(n.b, x)));
  });
  table.add("round.default round.decimals", "self", importRound);
  table.add("abs.default", "self", importAbs);
  table.add("sign.default sgn.default", "self", importSign);
  table.add("neg.default", "self", importNeg);
  table.add("positive.default", "self", [](Node &n) { return n.setResult(n.tensor("self")); });
  table.add("isnan.default", "self", [](Node &n) {
    return importTest(
        n, [](FuseBuilder &b, Value x) { return b.unary(UnaryKind::IsNan, x); }, false);
  });
  table.add("isinf.default", "self", [](Node &n) {
    return importTest(
        n, [](FuseBuilder &b, Value x) { return b.unary(UnaryKind::IsInf, x); }, false);
  });
  table.add("isfinite.default", "self", [](Node &n) { return importTest(n, isFinite, true); });
  for (auto [name, sign] : {std::pair("isposinf.default", 1.0), std::pair("isneginf.default", -1.0)})
    table.add(name, "self", [sign = sign](Node &n) {
      return importTest(
          n,
          [&](FuseBuilder &b, Value x) {
            return b.compare(ComparePredicate::Eq, x, sign * std::numeric_limits<double>::infinity());
          },
          false);
    });
  table.add("nan_to_num.default", "self", importNanToNum);
  table.add("logical_not.default", "self", importLogicalNot);
  table.add("bitwise_not.default", "self", importBitwiseNot);
  table.add("logit.default special_logit.default", "self", importLogit);
  table.add("deg2rad.default", "self",
            [](Node &n) { return importFormula(n, [](FuseBuilder &b, Value x) { return b.mul(x, M_PI / 180); }); });
  table.add("rad2deg.default", "self",
            [](Node &n) { return importFormula(n, [](FuseBuilder &b, Value x) { return b.mul(x, 180 / M_PI); }); });
}
