//===- Elementwise.cpp - Functions of each element -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../OpTable.h"
#include "SpecialFunctions.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::stablehlo;

/// The result of an element-wise op: where its operands were broadcast, it is, too.
static LogicalResult setElementwise(Node &n, Value value) {
  for (unsigned i = 0; i < n.getNumOperands(); ++i)
    if (n.getOperand(i).type && n.getRank(i) == n.getResultType().getRank() && !n.getOperand(i).extents.empty())
      return n.setResult(value, n.getOperand(i).extents);
  if (n.getResultType().hasStaticShape() || n.b.rankOf(value) == n.getResultType().getRank())
    return n.setResult(value);
  for (unsigned i = 0; i < n.getNumOperands(); ++i)
    if (n.getRank(i) == n.getResultType().getRank())
      return n.setResult(value, n.getExtentsOf(i));
  return n.setResult(value);
}

/// Operands have one shape, which is the result's; some ops take numbers of rank 0 beside.
static LogicalResult checkOperands(Node &n, unsigned count, bool allowsScalars = false) {
  for (unsigned i = 0; i < count; ++i) {
    ArrayRef<int64_t> shape = n.getOperand(i).type.getShape(), wanted = n.getResultType().getShape();
    if (allowsScalars && shape.empty())
      continue;
    bool fits = shape.size() == wanted.size();
    for (size_t dim = 0; fits && dim < shape.size(); ++dim)
      fits = shape[dim] == wanted[dim] || ShapedType::isDynamic(shape[dim]) || ShapedType::isDynamic(wanted[dim]);
    if (!fits)
      return n.fail("expected operands of the result's shape, found " + describe(n.getOperand(i).type) + " and " +
                    describe(n.getResultType()));
  }
  return success();
}

using UnaryBuilder = std::function<Value(Node &, Value)>;

static void addUnary(OpTable &table, StringRef ops, UnaryBuilder build) {
  table.add(
      ops, 1,
      [build](Node &n) {
        if (failed(checkOperands(n, 1)))
          return failure();
        Value made = build(n, n.part(0));
        return n.hasFailed() ? failure() : setElementwise(n, made);
      },
      /*isElementwise=*/true);
}

static void addUnary(OpTable &table, StringRef ops, UnaryKind kind) {
  addUnary(table, ops, [kind](Node &n, Value x) { return n.b.unary(kind, x); });
}

using BinaryBuilder = std::function<Value(Node &, Value, Value)>;

static void addBinary(OpTable &table, StringRef ops, BinaryBuilder build) {
  table.add(
      ops, 2,
      [build](Node &n) {
        if (failed(checkOperands(n, 2)))
          return failure();
        if (n.getElement(0) != n.getElement(1))
          return n.fail("expected operands of one element type, found " + describe(n.getElement(0)) + " and " +
                        describe(n.getElement(1)));
        Value made = build(n, n.part(0), n.part(1));
        return n.hasFailed() ? failure() : setElementwise(n, made);
      },
      /*isElementwise=*/true);
}

static void addBinary(OpTable &table, StringRef ops, BinaryKind kind) {
  addBinary(table, ops, [kind](Node &n, Value x, Value y) { return n.b.binary(kind, x, y); });
}

static bool isBool(Value x) { return FuseBuilder::elementOf(x).isInteger(1); }

/// Sums of booleans are disjunctions, products conjunctions.
static BinaryBuilder withBool(BinaryKind kind, BinaryKind ofBools) {
  return [kind, ofBools](Node &n, Value x, Value y) { return n.b.binary(isBool(x) ? ofBools : kind, x, y); };
}

/// Counts that are not below the width give 0, which fuse.binary does for unsigned integers.
static Value shiftLogical(Node &n, Value x, Value y) {
  FuseBuilder &b = n.b;
  Type element = b.elementOf(x);
  auto integer = dyn_cast<IntegerType>(element);
  if (!integer || integer.isUnsigned() || integer.getWidth() == 1)
    return b.binary(BinaryKind::ShiftRight, x, y);
  Type wide = IntegerType::get(b.getContext(), integer.getWidth(), IntegerType::Unsigned);
  return b.bitcast(b.binary(BinaryKind::ShiftRight, b.bitcast(x, wide), b.bitcast(y, wide)), element);
}

/// With copies of the sign, whatever the type says.
static Value shiftArithmetic(Node &n, Value x, Value y) {
  FuseBuilder &b = n.b;
  Type element = b.elementOf(x);
  auto integer = dyn_cast<IntegerType>(element);
  if (!integer || !integer.isUnsigned())
    return b.binary(BinaryKind::ShiftRight, x, y);
  Type wide = IntegerType::get(b.getContext(), integer.getWidth());
  return b.bitcast(b.binary(BinaryKind::ShiftRight, b.bitcast(x, wide), b.bitcast(y, wide)), element);
}

//===- Comparisons and choices --------------------------------------------------------------===//

static LogicalResult importCompare(Node &n) {
  if (failed(checkOperands(n, 2)))
    return failure();
  if (n.getElement(0) != n.getElement(1))
    return n.fail("expected operands of one element type");
  if (n.getWord("compare_type") == "TOTALORDER")
    return n.fail("comparisons of the total order are supported in sorts alone");
  StringRef word = n.getWord("comparison_direction");
  std::optional<ComparePredicate> predicate = getPredicate(word);
  if (!predicate)
    return n.fail("expected LT, LE, GT, GE, EQ or NE as 'comparison_direction', found '" + word + "'");
  std::optional<Condition> condition = n.getResults()[0].condition;
  LogicalResult result = setElementwise(n, n.b.compare(*predicate, n.part(0), n.part(1)));
  n.getResults()[0].condition = condition;
  return result;
}

static LogicalResult importSelect(Node &n) {
  if (failed(checkOperands(n, 3, /*allowsScalars=*/true)))
    return failure();
  if (!n.getElement(0).isInteger(1) || n.getElement(1) != n.getElement(2))
    return n.fail("expected a condition of booleans, and choices of one element type");
  return setElementwise(n, n.b.select(n.part(0), n.part(1), n.part(2)));
}

static LogicalResult importClamp(Node &n) {
  if (failed(checkOperands(n, 3, /*allowsScalars=*/true)))
    return failure();
  if (n.getElement(0) != n.getElement(1) || n.getElement(2) != n.getElement(1))
    return n.fail("expected operands of one element type");
  return setElementwise(n, n.b.clamp(n.part(1), n.part(0), n.part(2)));
}

//===- Functions made of others ---------------------------------------------------------------===//

/// atan2 by the quotient's arctangent and the signs.
static Value buildAtan2(Node &n, Value y, Value x) {
  FuseBuilder &b = n.b;
  auto isNegative = [&](Value v) { // -0 is
    Value below = b.compare(ComparePredicate::Lt, v, 0.0);
    Value isZero = b.compare(ComparePredicate::Eq, v, 0.0);
    Value inverse = b.compare(ComparePredicate::Lt, b.unary(UnaryKind::Reciprocal, v), 0.0);
    return b.binary(BinaryKind::Or, below, b.binary(BinaryKind::And, isZero, inverse));
  };
  Value absX = b.unary(UnaryKind::Abs, x), absY = b.unary(UnaryKind::Abs, y);
  // Both 0 or both infinite: a quotient that is no NaN.
  Value areEqual = b.compare(ComparePredicate::Eq, absX, absY);
  Value isZero = b.compare(ComparePredicate::Eq, absX, 0.0);
  Value same = b.select(isZero, b.scalarLike(0, x), b.scalarLike(M_PI / 4, x));
  Value angle = b.select(areEqual, same, b.unary(UnaryKind::Atan, b.div(absY, absX)));
  angle = b.select(isNegative(x), b.sub(b.scalarLike(M_PI, x), angle), angle);
  return b.select(isNegative(y), b.unary(UnaryKind::Neg, angle), angle);
}

static Value buildCbrt(Node &n, Value x) {
  FuseBuilder &b = n.b;
  Value wide = b.widen(x);
  Value root = b.binary(BinaryKind::Pow, b.unary(UnaryKind::Abs, wide), b.scalarLike(1.0 / 3.0, wide));
  Value isNegative = b.compare(ComparePredicate::Lt, wide, 0.0);
  root = b.select(isNegative, b.unary(UnaryKind::Neg, root), root);
  // Zeros keep their signs.
  root = b.select(b.compare(ComparePredicate::Eq, wide, 0.0), wide, root);
  return b.cast(root, b.elementOf(x));
}

/// Halves are rounded away from 0.
static Value buildRoundAway(Node &n, Value x) {
  FuseBuilder &b = n.b;
  Value size = b.unary(UnaryKind::Abs, x), whole = b.unary(UnaryKind::Floor, size);
  Value isUp = b.compare(ComparePredicate::Ge, b.sub(size, whole), 0.5);
  Value rounded = b.select(isUp, b.add(whole, 1.0), whole);
  Value isNegative = b.compare(ComparePredicate::Lt, x, 0.0);
  return b.select(isNegative, b.unary(UnaryKind::Neg, rounded), rounded);
}

static Value buildIsFinite(Node &n, Value x) {
  FuseBuilder &b = n.b;
  Value isOther = b.binary(BinaryKind::Or, b.unary(UnaryKind::IsNan, x), b.unary(UnaryKind::IsInf, x));
  return b.unary(UnaryKind::LogicalNot, isOther);
}

static LogicalResult importBitcast(Node &n) {
  auto width = [](Type type) { return type.getIntOrFloatBitWidth(); };
  if (failed(checkOperands(n, 1)))
    return failure();
  if (width(n.getElement(0)) != width(n.getResultElement()) || n.getElement(0).isInteger(1))
    return n.fail("expected elements of one width, found " + describe(n.getElement(0)) + " and " +
                  describe(n.getResultElement()));
  return setElementwise(n, n.b.bitcast(n.part(0), n.getResultElement()));
}

/// The value itself.
static LogicalResult importSame(Node &n) {
  for (unsigned i = 0; i < n.getNumResults(); ++i)
    if (i >= n.getNumOperands() || failed(n.setValue(i, n.getOperand(i))))
      return n.fail("expected as many results as operands");
  return success();
}

void mlir::fuse::stablehlo::addElementwiseOps(OpTable &table) {
  static constexpr std::pair<StringLiteral, UnaryKind> kUnary[] = {
      {"abs", UnaryKind::Abs},
      {"ceil", UnaryKind::Ceil},
      {"cosine", UnaryKind::Cos},
      {"exponential", UnaryKind::Exp},
      {"exponential_minus_one", UnaryKind::Expm1},
      {"floor", UnaryKind::Floor},
      {"log", UnaryKind::Log},
      {"log_plus_one", UnaryKind::Log1p},
      {"logistic", UnaryKind::Sigmoid},
      {"round_nearest_even", UnaryKind::RoundEven},
      {"rsqrt", UnaryKind::Rsqrt},
      {"sign", UnaryKind::Sign},
      {"sine", UnaryKind::Sin},
      {"sqrt", UnaryKind::Sqrt},
      {"tan chlo.tan", UnaryKind::Tan},
      {"tanh", UnaryKind::Tanh},
      {"chlo.acos", UnaryKind::Acos},
      {"chlo.acosh", UnaryKind::Acosh},
      {"chlo.asin", UnaryKind::Asin},
      {"chlo.asinh", UnaryKind::Asinh},
      {"chlo.atan", UnaryKind::Atan},
      {"chlo.atanh", UnaryKind::Atanh},
      {"chlo.cosh", UnaryKind::Cosh},
      {"chlo.erf", UnaryKind::Erf},
      {"chlo.sinh", UnaryKind::Sinh},
      {"chlo.is_inf", UnaryKind::IsInf},
  };
  for (auto [ops, kind] : kUnary)
    addUnary(table, ops, kind);
  addUnary(table, "negate", [](Node &n, Value x) {
    auto integer = dyn_cast<IntegerType>(n.b.elementOf(x)); // of unsigned ones the complement
    return integer && integer.isUnsigned() ? n.b.sub(n.b.scalarLike(0, x), x) : n.b.unary(UnaryKind::Neg, x);
  });
  addUnary(table, "not",
           [](Node &n, Value x) { return n.b.unary(isBool(x) ? UnaryKind::LogicalNot : UnaryKind::BitwiseNot, x); });
  addUnary(table, "convert", [](Node &n, Value x) { return n.b.cast(x, n.getResultElement()); });
  addUnary(table, "cbrt", buildCbrt);
  addUnary(table, "is_finite", buildIsFinite);
  addUnary(table, "round_nearest_afz", buildRoundAway);
  addUnary(table, "chlo.square", [](Node &n, Value x) { return n.b.mul(x, x); });
  addUnary(table, "chlo.erfc", [](Node &n, Value x) { return buildErfc(n.b, x); });
  addUnary(table, "chlo.erf_inv", [](Node &n, Value x) { return buildErfInv(n.b, x); });
  addUnary(table, "chlo.lgamma", [](Node &n, Value x) { return buildLgamma(n.b, x); });
  addUnary(table, "reduce_precision", [](Node &n, Value x) {
    int64_t exponent = n.getInt("exponent_bits"), mantissa = n.getInt("mantissa_bits");
    ImplicitLocOpBuilder &builder = n.b.getBuilder();
    Type element = n.b.elementOf(x);
    if (exponent == 8 && mantissa == 7)
      return n.b.cast(n.b.cast(x, builder.getBF16Type()), element);
    if (exponent == 5 && mantissa == 10)
      return n.b.cast(n.b.cast(x, builder.getF16Type()), element);
    if (exponent == 8 && mantissa == 23)
      return n.b.cast(n.b.cast(x, builder.getF32Type()), element);
    (void)n.fail("expected the precision of f32, f16 or bf16");
    return x;
  });
  addBinary(table, "add", withBool(BinaryKind::Add, BinaryKind::Or));
  addBinary(table, "multiply",
            [](Node &n, Value x, Value y) { return n.b.binary(isBool(x) ? BinaryKind::And : BinaryKind::Mul, x, y); });
  addBinary(table, "subtract", BinaryKind::Sub);
  addBinary(table, "divide", BinaryKind::Div);
  addBinary(table, "maximum", withBool(BinaryKind::Max, BinaryKind::Or));
  addBinary(table, "minimum", withBool(BinaryKind::Min, BinaryKind::And));
  addBinary(table, "power", BinaryKind::Pow);
  addBinary(table, "remainder", BinaryKind::Rem);
  addBinary(table, "and", BinaryKind::And);
  addBinary(table, "or", BinaryKind::Or);
  addBinary(table, "xor", BinaryKind::Xor);
  addBinary(table, "shift_left", BinaryKind::ShiftLeft);
  addBinary(table, "shift_right_logical", shiftLogical);
  addBinary(table, "shift_right_arithmetic", shiftArithmetic);
  addBinary(table, "atan2", buildAtan2);
  table.add("compare", 2, importCompare, /*isElementwise=*/true);
  table.add("select", 3, importSelect, /*isElementwise=*/true);
  table.add("clamp", 3, importClamp, /*isElementwise=*/true);
  table.add("bitcast_convert", 1, importBitcast, /*isElementwise=*/true);
  table.add("optimization_barrier sdy.sharding_constraint", 0, importSame);
}
