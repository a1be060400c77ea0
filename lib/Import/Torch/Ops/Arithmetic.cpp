//===- Arithmetic.cpp - Functions of two tensors or a tensor and a number, element by element -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Elementwise.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::torch;

Value mlir::fuse::torch::getOperand(Node &n, StringRef name, Type element) {
  return n.isTensor(name) ? n.b.cast(n.tensor(name), element) : n.makeScalar(n.getNumber(name), element);
}

Promoted mlir::fuse::torch::describeOperand(Node &n, StringRef name) {
  return n.isTensor(name) ? Node::describe(n.tensor(name)) : Node::describe(n.getNumber(name));
}

Pair mlir::fuse::torch::getPair(Node &n, StringRef left, StringRef right, Type type) {
  if (!type)
    type = n.toType(promote({describeOperand(n, left), describeOperand(n, right)}));
  return {getOperand(n, left, type), getOperand(n, right, type)};
}

/// The type that an arithmetic op computes in. Eager mode keeps a number beside short floats as f32, and rounds the
/// result alone.
static Type getComputeType(Node &n, StringRef left, StringRef right, Type result) {
  auto isNumber = [&](StringRef name) { return !n.isTensor(name) || n.b.rankOf(n.tensor(name)) == 0; };
  bool mixes = isShortFloat(result) && isNumber(left) != isNumber(right);
  return mixes ? Type(n.b.getBuilder().getF32Type()) : result;
}

static Type getArithmeticType(Node &n, StringRef left, StringRef right) {
  return n.toType(promote({describeOperand(n, left), describeOperand(n, right)}));
}

/// + − · /, and whatever else takes operands and result of one type.
static LogicalResult importBinary(Node &n, BinaryKind kind, StringRef left = "self", StringRef right = "other") {
  Type result = getArithmeticType(n, left, right);
  if (n.hasFailed())
    return failure();
  if (result.isInteger(1)) { // bools: + is or, · is and
    Pair operands = getPair(n, left, right, result);
    if (kind == BinaryKind::Add || kind == BinaryKind::Mul)
      return n.setResult(
          n.b.binary(kind == BinaryKind::Add ? BinaryKind::Or : BinaryKind::And, operands.left, operands.right));
    if (kind != BinaryKind::Max && kind != BinaryKind::Min)
      return n.fail("expected numbers, found bools");
  }
  Pair operands = getPair(n, left, right, getComputeType(n, left, right, result));
  return n.setResult(n.b.cast(n.b.binary(kind, operands.left, operands.right), result));
}

/// self ± alpha · other
static LogicalResult importScaledSum(Node &n, BinaryKind kind, StringRef left, StringRef right) {
  if (!n.has("alpha"))
    return importBinary(n, kind, left, right);
  Number alpha = n.getNumber("alpha");
  if (n.hasFailed())
    return failure();
  if (alpha.value == 1.0)
    return importBinary(n, kind, left, right);
  Type result = getArithmeticType(n, left, right);
  Type compute = isShortFloat(result) ? Type(n.b.getBuilder().getF32Type()) : result;
  Pair operands = getPair(n, left, right, compute);
  Value factor = n.makeScalar(alpha, compute);
  Value scaled =
      compute.isInteger(1) ? n.b.binary(BinaryKind::And, operands.right, factor) : n.b.mul(operands.right, factor);
  BinaryKind sum = compute.isInteger(1) ? BinaryKind::Or : kind;
  return n.setResult(n.b.cast(n.b.binary(sum, operands.left, scaled), result));
}

/// Division of floats, also where both operands are integers.
static LogicalResult importTrueDivide(Node &n, StringRef left = "self", StringRef right = "other") {
  Type result = getArithmeticType(n, left, right);
  if (!isa<FloatType>(result))
    result = n.b.getBuilder().getF32Type();
  Pair operands = getPair(n, left, right, getComputeType(n, left, right, result));
  return n.setResult(n.b.cast(n.b.div(operands.left, operands.right), result));
}

/// The remainder that takes the divisor's sign.
static Value remainder(FuseBuilder &b, Value x, Value y) {
  Value rest = b.binary(BinaryKind::Rem, x, y);
  if (b.elementOf(x).isUnsignedInteger())
    return rest;
  Value zero = b.scalarLike(0, x);
  Value differs = b.compare(ComparePredicate::Ne, b.compare(ComparePredicate::Lt, rest, zero),
                            b.compare(ComparePredicate::Lt, y, zero));
  Value moves = b.binary(BinaryKind::And, differs, b.compare(ComparePredicate::Ne, rest, zero));
  return b.select(moves, b.add(rest, y), rest);
}

/// Division that rounds down: of floats, Python's, whose result times the divisor is nowhere above the dividend.
static Value floorDivide(FuseBuilder &b, Value x, Value y) {
  if (!isa<FloatType>(b.elementOf(x))) {
    Value quotient = b.div(x, y), rest = b.binary(BinaryKind::Rem, x, y), zero = b.scalarLike(0, x);
    if (b.elementOf(x).isUnsignedInteger())
      return quotient;
    Value differs = b.compare(ComparePredicate::Ne, b.compare(ComparePredicate::Lt, rest, zero),
                              b.compare(ComparePredicate::Lt, y, zero));
    Value moves = b.binary(BinaryKind::And, differs, b.compare(ComparePredicate::Ne, rest, zero));
    return b.select(moves, b.sub(quotient, 1.0), quotient);
  }
  // The remainder of an infinite divisor is the dividend; that of 0 is NaN, and the quotient says what becomes of it.
  Value zero = b.scalarLike(0, y), isZero = b.compare(ComparePredicate::Eq, y, zero);
  Value rest = b.binary(BinaryKind::Rem, x, y), whole = b.div(b.sub(x, rest), y);
  Value differs = b.compare(ComparePredicate::Ne, b.compare(ComparePredicate::Lt, rest, zero),
                            b.compare(ComparePredicate::Lt, y, zero));
  Value moves = b.binary(BinaryKind::And, differs, b.compare(ComparePredicate::Ne, rest, zero));
  whole = b.select(moves, b.sub(whole, 1.0), whole);
  Value low = b.unary(UnaryKind::Floor, whole);
  low = b.select(b.compare(ComparePredicate::Gt, b.sub(whole, low), 0.5), b.add(low, 1.0), low);
  return b.select(isZero, b.div(x, y), low);
}

static LogicalResult importDivide(Node &n, StringRef mode) {
  if (mode.empty())
    return importTrueDivide(n);
  Type result = getArithmeticType(n, "self", "other");
  if (result.isInteger(1))
    return n.fail("expected numbers, found bools");
  Type compute = isShortFloat(result) ? Type(n.b.getBuilder().getF32Type()) : result;
  Pair operands = getPair(n, "self", "other", compute);
  FuseBuilder &b = n.b;
  if (mode == "floor")
    return n.setResult(b.cast(floorDivide(b, operands.left, operands.right), result));
  if (mode != "trunc")
    return n.fail("expected rounding_mode = floor or trunc, found '" + mode + "'");
  Value quotient = b.div(operands.left, operands.right);
  return n.setResult(b.cast(isa<FloatType>(compute) ? truncate(b, quotient) : quotient, result));
}

static LogicalResult importRemainder(Node &n, bool takesDivisorSign) {
  Type result = getArithmeticType(n, "self", "other");
  if (result.isInteger(1))
    return n.fail("expected numbers, found bools");
  Type compute = isShortFloat(result) ? Type(n.b.getBuilder().getF32Type()) : result;
  Pair operands = getPair(n, "self", "other", compute);
  Value rest = takesDivisorSign ? remainder(n.b, operands.left, operands.right)
                                : n.b.binary(BinaryKind::Rem, operands.left, operands.right);
  return n.setResult(n.b.cast(rest, result));
}

static LogicalResult importCompare(Node &n, ComparePredicate predicate) {
  // A number is compared as what it is: 2.5 beside integers is a float.
  Pair operands = getPair(n, "self", "other");
  return n.setResult(n.b.compare(predicate, operands.left, operands.right));
}

static LogicalResult importLogical(Node &n, BinaryKind kind) {
  return n.setResult(n.b.binary(kind, toBool(n, n.tensor("self")), toBool(n, n.tensor("other"))));
}

/// Powers that eager mode computes as products and roots.
static Value multiplyOut(Node &n, Value base, double power) {
  FuseBuilder &b = n.b;
  if (power == 2)
    return b.mul(base, base);
  if (power == 3)
    return b.mul(b.mul(base, base), base);
  if (!isa<FloatType>(b.elementOf(base)))
    return {};
  if (power == 0.5)
    return b.unary(UnaryKind::Sqrt, base);
  if (power == -0.5)
    return b.unary(UnaryKind::Rsqrt, base);
  if (power == -1)
    return b.unary(UnaryKind::Reciprocal, base);
  if (power == -2)
    return b.unary(UnaryKind::Reciprocal, b.mul(base, base));
  return {};
}

static LogicalResult importPow(Node &n) {
  Type result = getArithmeticType(n, "self", "exponent");
  if (result.isInteger(1))
    return n.fail("expected numbers, found bools");
  Type compute = isShortFloat(result) ? Type(n.b.getBuilder().getF32Type()) : result;
  FuseBuilder &b = n.b;
  if (!n.isTensor("exponent")) {
    Number power = n.getNumber("exponent");
    Value base = getOperand(n, "self", compute);
    if (n.hasFailed())
      return failure();
    if (Value product = power.value ? multiplyOut(n, base, *power.value) : Value())
      return n.setResult(b.cast(product, result));
    return n.setResult(b.cast(b.binary(BinaryKind::Pow, base, n.makeScalar(power, compute)), result));
  }
  Pair operands = getPair(n, "self", "exponent", compute);
  return n.setResult(b.cast(b.binary(BinaryKind::Pow, operands.left, operands.right), result));
}

static LogicalResult importShift(Node &n, BinaryKind kind) {
  Type result = getArithmeticType(n, "self", "other");
  if (!isa<IntegerType>(result) || result.isInteger(1))
    return n.fail("expected integers");
  Pair operands = getPair(n, "self", "other", result);
  FuseBuilder &b = n.b;
  // All bits and more: nothing is left but the sign.
  int64_t bits = getElementBits(*toElementType(result));
  Value isFar = b.compare(ComparePredicate::Ge, operands.right, double(bits));
  if (!result.isUnsignedInteger())
    isFar = b.binary(BinaryKind::Or, isFar, b.compare(ComparePredicate::Lt, operands.right, 0.0));
  Value by = b.select(isFar, b.scalarLike(0, operands.right), operands.right);
  Value zero = b.scalarLike(0, operands.left);
  Value far = zero;
  if (kind == BinaryKind::ShiftRight && !result.isUnsignedInteger())
    far = b.select(b.compare(ComparePredicate::Lt, operands.left, zero), b.scalarLike(-1, operands.left), zero);
  return n.setResult(b.select(isFar, far, b.binary(kind, operands.left, by)));
}

/// The larger or smaller one; NaN only where both are.
static LogicalResult importFmax(Node &n, BinaryKind kind) {
  Pair operands = getPair(n, "self", "other");
  FuseBuilder &b = n.b;
  Value both = b.binary(kind, operands.left, operands.right);
  if (!isa<FloatType>(b.elementOf(operands.left)))
    return n.setResult(both);
  both = b.select(b.unary(UnaryKind::IsNan, operands.left), operands.right, both);
  return n.setResult(b.select(b.unary(UnaryKind::IsNan, operands.right), operands.left, both));
}

static LogicalResult importClamp(Node &n, StringRef low, StringRef high) {
  FuseBuilder &b = n.b;
  SmallVector<Promoted> all = {Node::describe(n.tensor("self"))};
  for (StringRef bound : {low, high})
    if (!bound.empty() && n.has(bound))
      all.push_back(describeOperand(n, bound));
  Type type = n.toType(promote(all));
  if (n.hasFailed())
    return failure();
  if (type.isInteger(1))
    return n.fail("expected numbers, found bools");
  Value x = b.cast(n.tensor("self"), type);
  if (!low.empty() && n.has(low))
    x = b.binary(BinaryKind::Max, x, getOperand(n, low, type));
  if (!high.empty() && n.has(high))
    x = b.binary(BinaryKind::Min, x, getOperand(n, high, type));
  return n.setResult(x);
}

static LogicalResult importWhere(Node &n) {
  Pair operands = getPair(n, "self", "other", n.getResultType(0, {}));
  return n.setResult(n.b.select(toBool(n, n.tensor("condition")), operands.left, operands.right));
}

static LogicalResult importMaskedFill(Node &n) {
  Value x = n.tensor("self");
  return n.setResult(n.b.select(toBool(n, n.tensor("mask")), getOperand(n, "value", n.b.elementOf(x)), x));
}

static LogicalResult importLerp(Node &n) {
  FuseBuilder &b = n.b;
  Type element = n.b.elementOf(n.tensor("self")),
       compute = isShortFloat(element) ? Type(b.getBuilder().getF32Type()) : element;
  Value start = b.cast(n.tensor("self"), compute), end = b.cast(n.tensor("end"), compute),
        weight = getOperand(n, "weight", compute);
  Value difference = b.sub(end, start);
  Value isSmall = b.compare(ComparePredicate::Lt, b.unary(UnaryKind::Abs, weight), 0.5);
  Value near = b.add(start, b.mul(weight, difference));
  Value far = b.sub(end, b.mul(difference, b.sub(b.scalarLike(1, weight), weight)));
  return n.setResult(b.cast(b.select(isSmall, near, far), element));
}

/// self + value · tensor1 (· or /) tensor2
static LogicalResult importAddProduct(Node &n, BinaryKind kind) {
  FuseBuilder &b = n.b;
  Type type = n.toType(promote(
      {Node::describe(n.tensor("self")), Node::describe(n.tensor("tensor1")), Node::describe(n.tensor("tensor2"))}));
  Type compute = isShortFloat(type) ? Type(b.getBuilder().getF32Type()) : type;
  Number one;
  one.value = 1;
  one.integer = 1;
  Value factor = n.makeScalar(n.getNumber("value", one), compute);
  Value first = b.mul(factor, b.cast(n.tensor("tensor1"), compute));
  Value product = b.binary(kind, first, b.cast(n.tensor("tensor2"), compute));
  return n.setResult(b.cast(b.add(b.cast(n.tensor("self"), compute), product), type));
}

static LogicalResult importAtan2(Node &n) {
  FuseBuilder &b = n.b;
  Type type = getArithmeticType(n, "self", "other");
  if (!isa<FloatType>(type))
    type = b.getBuilder().getF32Type();
  Pair operands = getPair(n, "self", "other", isShortFloat(type) ? Type(b.getBuilder().getF32Type()) : type);
  Value y = operands.left, x = operands.right, zero = b.scalarLike(0, x), one = b.scalarLike(1, x);
  // The angle of |x| and |y|, whose quotient is NaN where both are 0 or both infinite.
  Value width = b.unary(UnaryKind::Abs, x), height = b.unary(UnaryKind::Abs, y);
  Value areEqual = b.compare(ComparePredicate::Eq, width, height),
        isZero = b.compare(ComparePredicate::Eq, height, zero);
  Value quotient = b.select(isZero, zero, b.select(areEqual, one, b.div(height, width)));
  Value angle = b.unary(UnaryKind::Atan, quotient);
  auto isNegative = [&](Value v) { // −0 is
    return b.binary(BinaryKind::Or, b.compare(ComparePredicate::Lt, v, zero),
                    b.binary(BinaryKind::And, b.compare(ComparePredicate::Eq, v, zero),
                             b.compare(ComparePredicate::Lt, b.unary(UnaryKind::Reciprocal, v), zero)));
  };
  angle = b.select(isNegative(x), b.sub(b.scalarLike(M_PI, x), angle), angle);
  angle = b.select(isNegative(y), b.unary(UnaryKind::Neg, angle), angle);
  Value isNan = b.binary(BinaryKind::Or, b.unary(UnaryKind::IsNan, x), b.unary(UnaryKind::IsNan, y));
  return n.setResult(b.cast(b.select(isNan, b.add(x, y), angle), type));
}

Value mlir::fuse::torch::addExponentials(FuseBuilder &b, Value x, Value y, bool isBinary) {
  double scale = isBinary ? std::log(2.0) : 1;
  Value most = b.binary(BinaryKind::Max, x, y);
  Value distance = b.unary(UnaryKind::Abs, b.sub(x, y));
  Value rest = b.unary(UnaryKind::Log1p, b.unary(UnaryKind::Exp, b.mul(distance, -scale)));
  Value sum = b.add(most, isBinary ? b.div(rest, scale) : rest);
  // Infinities of one sign are their own sum.
  Value areSame = b.binary(BinaryKind::And, b.unary(UnaryKind::IsInf, x), b.compare(ComparePredicate::Eq, x, y));
  return b.select(areSame, x, sum);
}

static LogicalResult importLogAddExp(Node &n, bool isBinary) {
  FuseBuilder &b = n.b;
  Type type = getArithmeticType(n, "self", "other");
  Pair operands = getPair(n, "self", "other", isShortFloat(type) ? Type(b.getBuilder().getF32Type()) : type);
  if (!isa<FloatType>(type))
    return n.fail("expected floats");
  return n.setResult(b.cast(addExponentials(b, operands.left, operands.right, isBinary), type));
}

/// x · log(y) (or log1p), which is 0 where x is, unless y is NaN.
static LogicalResult importXLogY(Node &n, UnaryKind log) {
  FuseBuilder &b = n.b;
  Type type = getArithmeticType(n, "self", "other");
  if (!isa<FloatType>(type))
    type = b.getBuilder().getF32Type();
  Pair operands = getPair(n, "self", "other", isShortFloat(type) ? Type(b.getBuilder().getF32Type()) : type);
  Value product = b.mul(operands.left, b.unary(log, operands.right));
  Value zero = b.scalarLike(0, product);
  product = b.select(b.compare(ComparePredicate::Eq, operands.left, zero), zero, product);
  product = b.select(b.unary(UnaryKind::IsNan, operands.right), operands.right, product);
  return n.setResult(b.cast(product, type));
}

static LogicalResult importHypot(Node &n) {
  FuseBuilder &b = n.b;
  Type type = getArithmeticType(n, "self", "other");
  Pair operands = getPair(n, "self", "other", isShortFloat(type) ? Type(b.getBuilder().getF32Type()) : type);
  if (!isa<FloatType>(type))
    return n.fail("expected floats");
  Value x = b.unary(UnaryKind::Abs, operands.left), y = b.unary(UnaryKind::Abs, operands.right);
  Value most = b.binary(BinaryKind::Max, x, y), least = b.binary(BinaryKind::Min, x, y);
  // Of an infinite side the length is infinite, whatever the other one is, NaN included.
  Value isInfinite = b.binary(BinaryKind::Or, b.unary(UnaryKind::IsInf, x), b.unary(UnaryKind::IsInf, y));
  Value isZero = b.compare(ComparePredicate::Eq, most, 0.0);
  Value ratio = b.div(least, most);
  Value length = b.mul(most, b.unary(UnaryKind::Sqrt, b.add(b.mul(ratio, ratio), 1.0)));
  Value infinity = b.scalarLike(std::numeric_limits<double>::infinity(), most);
  Value finite = b.select(isZero, most, length);
  return n.setResult(b.cast(b.select(isInfinite, infinity, finite), type));
}

static LogicalResult importCopysign(Node &n) {
  FuseBuilder &b = n.b;
  Type type = getArithmeticType(n, "self", "other");
  if (!isa<FloatType>(type))
    type = b.getBuilder().getF32Type();
  Pair operands = getPair(n, "self", "other", type);
  Value zero = b.scalarLike(0, operands.right), sign = operands.right;
  Value isMinusZero = b.binary(BinaryKind::And, b.compare(ComparePredicate::Eq, sign, zero),
                               b.compare(ComparePredicate::Lt, b.unary(UnaryKind::Reciprocal, sign), zero));
  Value isNegative = b.binary(BinaryKind::Or, b.compare(ComparePredicate::Lt, sign, zero), isMinusZero);
  Value size = b.unary(UnaryKind::Abs, operands.left);
  return n.setResult(b.select(isNegative, b.unary(UnaryKind::Neg, size), size));
}

static LogicalResult importHeaviside(Node &n) {
  FuseBuilder &b = n.b;
  Value x = n.tensor("self"), atZero = n.tensor("values");
  if (b.elementOf(x).isInteger(1))
    return n.fail("expected numbers, found bools");
  Value step = b.cast(b.compare(ComparePredicate::Gt, x, 0.0), b.elementOf(x));
  return n.setResult(b.select(b.compare(ComparePredicate::Eq, x, 0.0), atZero, step));
}

void mlir::fuse::torch::addArithmeticOps(OpTable &table) {
  table.add("add.Tensor add.Scalar", "self", [](Node &n) { return importScaledSum(n, BinaryKind::Add, "self", "other"); });
  table.add("sub.Tensor sub.Scalar subtract.Tensor", "self",
            [](Node &n) { return importScaledSum(n, BinaryKind::Sub, "self", "other"); });
  table.add("rsub.Tensor rsub.Scalar", "self", [](Node &n) { return importScaledSum(n, BinaryKind::Sub, "other", "self"); });
  table.add("mul.Tensor mul.Scalar multiply.Tensor", "self", [](Node &n) { return importBinary(n, BinaryKind::Mul); });
  table.add("div.Tensor div.Scalar true_divide.Tensor divide.Tensor", "self",
            [](Node &n) { return importTrueDivide(n); });
  table.add("div.Tensor_mode div.Scalar_mode divide.Tensor_mode", "self",
            [](Node &n) { return importDivide(n, n.getString("rounding_mode", "")); });
  table.add("floor_divide.default floor_divide.Scalar", "self", [](Node &n) { return importDivide(n, "floor"); });
  table.add("remainder.Tensor remainder.Scalar", "self", [](Node &n) { return importRemainder(n, true); });
  table.add("fmod.Tensor fmod.Scalar", "self", [](Node &n) { return importRemainder(n, false); });
  table.add("pow.Tensor_Tensor pow.Tensor_Scalar pow.Scalar", "", importPow);
  table.add("maximum.default max.other", "self other", [](Node &n) { return importBinary(n, BinaryKind::Max); });
  table.add("minimum.default min.other", "self other", [](Node &n) { return importBinary(n, BinaryKind::Min); });
  table.add("fmax.default", "self other", [](Node &n) { return importFmax(n, BinaryKind::Max); });
  table.add("fmin.default", "self other", [](Node &n) { return importFmax(n, BinaryKind::Min); });
  static constexpr std::pair<const char *, ComparePredicate> kCompare[] = {
      {"eq.Tensor eq.Scalar", ComparePredicate::Eq},
      {"ne.Tensor ne.Scalar not_equal.Tensor not_equal.Scalar", ComparePredicate::Ne},
      {"lt.Tensor lt.Scalar less.Tensor less.Scalar", ComparePredicate::Lt},
      {"le.Tensor le.Scalar less_equal.Tensor less_equal.Scalar", ComparePredicate::Le},
      {"gt.Tensor gt.Scalar greater.Tensor greater.Scalar", ComparePredicate::Gt},
      {"ge.Tensor ge.Scalar greater_equal.Tensor greater_equal.Scalar", ComparePredicate::Ge}};
  for (auto [names, predicate] : kCompare)
    table.add(names, "self", [predicate = predicate](Node &n) { return importCompare(n, predicate); });
  static constexpr std::pair<const char *, BinaryKind> kBits[] = {
      {"bitwise_and.Tensor bitwise_and.Scalar __and__.Tensor __and__.Scalar", BinaryKind::And},
      {"bitwise_or.Tensor bitwise_or.Scalar __or__.Tensor __or__.Scalar", BinaryKind::Or},
      {"bitwise_xor.Tensor bitwise_xor.Scalar __xor__.Tensor __xor__.Scalar", BinaryKind::Xor}};
  for (auto [names, kind] : kBits)
    table.add(names, "self", [kind = kind](Node &n) {
      Pair operands = getPair(n, "self", "other");
      return n.setResult(n.b.binary(kind, operands.left, operands.right));
    });
  table.add("bitwise_left_shift.Tensor bitwise_left_shift.Tensor_Scalar __lshift__.Scalar __lshift__.Tensor", "self",
            [](Node &n) { return importShift(n, BinaryKind::ShiftLeft); });
  table.add("bitwise_left_shift.Scalar_Tensor", "other", [](Node &n) { return importShift(n, BinaryKind::ShiftLeft); });
  table.add("bitwise_right_shift.Tensor bitwise_right_shift.Tensor_Scalar __rshift__.Scalar __rshift__.Tensor", "self",
            [](Node &n) { return importShift(n, BinaryKind::ShiftRight); });
  table.add("bitwise_right_shift.Scalar_Tensor", "other", [](Node &n) { return importShift(n, BinaryKind::ShiftRight); });
  table.add("logical_and.default", "self other", [](Node &n) { return importLogical(n, BinaryKind::And); });
  table.add("logical_or.default", "self other", [](Node &n) { return importLogical(n, BinaryKind::Or); });
  table.add("logical_xor.default", "self other", [](Node &n) { return importLogical(n, BinaryKind::Xor); });
  table.add("clamp.default clamp.Tensor clip.default clip.Tensor", "self",
            [](Node &n) { return importClamp(n, "min", "max"); });
  table.add("clamp_min.default clamp_min.Tensor", "self", [](Node &n) { return importClamp(n, "min", ""); });
  table.add("clamp_max.default clamp_max.Tensor", "self", [](Node &n) { return importClamp(n, "", "max"); });
  table.add("where.self where.ScalarOther where.ScalarSelf where.Scalar", "condition", importWhere);
  table.add("masked_fill.Scalar masked_fill.Tensor", "self mask", importMaskedFill);
  table.add("lerp.Scalar lerp.Tensor", "self end", importLerp);
  table.add("addcmul.default", "self tensor1 tensor2", [](Node &n) { return importAddProduct(n, BinaryKind::Mul); });
  table.add("addcdiv.default", "self tensor1 tensor2", [](Node &n) { return importAddProduct(n, BinaryKind::Div); });
  table.add("atan2.default", "self other", importAtan2);
  table.add("logaddexp.default", "self other", [](Node &n) { return importLogAddExp(n, false); });
  table.add("logaddexp2.default", "self other", [](Node &n) { return importLogAddExp(n, true); });
  table.add("xlogy.Tensor xlogy.Scalar_Other xlogy.Scalar_Self special_xlogy.default", "",
            [](Node &n) { return importXLogY(n, UnaryKind::Log); });
  table.add("special_xlog1py.default", "self other", [](Node &n) { return importXLogY(n, UnaryKind::Log1p); });
  table.add("hypot.default", "self other", importHypot);
  table.add("copysign.Tensor copysign.Scalar", "self", importCopysign);
  table.add("heaviside.default", "self values", importHeaviside);
}
