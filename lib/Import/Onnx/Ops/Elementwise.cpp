//===- Elementwise.cpp - Operators on each element -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../OpTable.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::onnx;

static LogicalResult importUnary(Node &n, UnaryKind kind) {
  return n.setResult(n.b.unary(kind, n.getInput(0)));
}

/// The second operand. Before opset 7 its dimensions could be placed at an axis of the first.
static FailureOr<Value> getSecond(Node &n) {
  Value y = n.getInput(1);
  if (n.getOpset() >= 7 || !n.getInt("broadcast", 0) || !n.hasAttribute("axis"))
    return y;
  int64_t axis = n.getAxis(0, n.getRank(0)), behind = n.getRank(0) - axis - n.getRank(1);
  if (n.hasFailed())
    return failure();
  if (behind < 0)
    return n.fail("the second operand has more dimensions than the first has from axis " +
                  Twine(axis) + " on");
  SmallVector<int64_t> shape(n.getShape(1));
  shape.append(behind, 1);
  return n.b.reshape(y, shape);
}

static LogicalResult importBinary(Node &n, BinaryKind kind) {
  FailureOr<Value> second = getSecond(n);
  if (failed(second))
    return failure();
  return n.setResult(n.b.binary(kind, n.getInput(0), *second));
}

static LogicalResult importCompare(Node &n, ComparePredicate predicate) {
  FailureOr<Value> second = getSecond(n);
  if (failed(second))
    return failure();
  return n.setResult(n.b.compare(predicate, n.getInput(0), *second));
}

/// Any number of operands, one after the other.
static LogicalResult importVariadic(Node &n, BinaryKind kind) {
  Value result = n.getInput(0);
  for (size_t i = 1; i < n.getNumInputs(); ++i)
    result = n.b.binary(kind, result, n.getInput(i));
  return n.setResult(result);
}

static LogicalResult importMean(Node &n) {
  Value sum = n.b.widen(n.getInput(0));
  for (size_t i = 1; i < n.getNumInputs(); ++i)
    sum = n.b.add(sum, n.b.widen(n.getInput(i)));
  Value mean = n.b.div(sum, static_cast<double>(n.getNumInputs()));
  return n.setResult(n.b.cast(mean, n.getElementType(0)));
}

/// x^2, x^3 and 1/x of floats, which exporters write as powers with these exponents; null for any other power.
static Value multiplyOut(Node &n, Value base) {
  HostArray exponent = n.getKnown(1);
  if (!exponent || exponent.getNumElements() != 1 || n.getRank(1) > n.getRank(0) ||
      !isa<FloatType>(n.getElementType(0)))
    return Value();
  double power = exponent.getFloat(0);
  if (power == -1)
    return n.b.binary(BinaryKind::Div, n.b.scalarLike(1, base), base);
  if (power != 2 && power != 3)
    return Value();
  Value square = n.b.binary(BinaryKind::Mul, base, base);
  return power == 2 ? square : n.b.binary(BinaryKind::Mul, square, base);
}

/// Base and exponent may have different types; the result has the base's.
static LogicalResult importPow(Node &n) {
  Value base = n.getInput(0), exponent = n.getInput(1);
  if (Value product = multiplyOut(n, base))
    return n.setResult(product);
  Type element = n.getElementType(0);
  bool isMixed = element != n.getElementType(1);
  if (!isMixed)
    return n.setResult(n.b.binary(BinaryKind::Pow, base, exponent));
  // What is computed in between is the wider of the two.
  Type wide = isa<FloatType>(element) ? element : n.getElementType(1);
  if (isa<IntegerType>(element) && isa<IntegerType>(n.getElementType(1)))
    wide = n.b.getBuilder().getI64Type();
  else if (isa<IntegerType>(element))
    wide = n.b.getBuilder().getF64Type();
  Value power = n.b.binary(BinaryKind::Pow, n.b.cast(base, wide), n.b.cast(exponent, wide));
  return n.setResult(n.b.cast(power, element));
}

/// fmod = 1 is the dialect's rem (the dividend's sign); else the result has the divisor's.
static LogicalResult importMod(Node &n) {
  Value x = n.getInput(0), y = n.getInput(1);
  Value rest = n.b.binary(BinaryKind::Rem, x, y);
  Type element = n.getElementType(0);
  bool isUnsigned = element.isUnsignedInteger();
  if (n.getInt("fmod", 0) || isUnsigned)
    return n.setResult(rest);
  Value zero = n.b.scalarLike(0, x);
  Value differs = n.b.compare(ComparePredicate::Ne, n.b.compare(ComparePredicate::Lt, rest, zero),
                              n.b.compare(ComparePredicate::Lt, y, zero));
  Value isInexact = n.b.compare(ComparePredicate::Ne, rest, zero);
  Value moves = n.b.binary(BinaryKind::And, differs, isInexact);
  return n.setResult(n.b.select(moves, n.b.add(rest, y), rest));
}

static LogicalResult importClip(Node &n) {
  Value x = n.getInput(0);
  Value low, high;
  if (n.getOpset() < 11) {
    low = n.hasAttribute("min") ? n.b.scalarLike(n.getFloat("min", 0), x) : Value();
    high = n.hasAttribute("max") ? n.b.scalarLike(n.getFloat("max", 0), x) : Value();
  } else {
    for (size_t i : {1, 2})
      if (n.hasInput(i) && (n.getRank(i) > 1 || (n.getRank(i) == 1 && n.getShape(i)[0] != 1)))
        return n.fail("expected a bound of one element");
    low = n.hasInput(1) ? n.getInput(1) : Value();
    high = n.hasInput(2) ? n.getInput(2) : Value();
  }
  if (low)
    x = n.b.binary(BinaryKind::Max, x, low);
  if (high)
    x = n.b.binary(BinaryKind::Min, x, high);
  return n.setResult(x);
}

/// To an element type, or to a format that the dialect has no type for.
static LogicalResult importCast(Node &n, Type element, const Format *to) {
  FuseBuilder &b = n.b;
  Value x = n.getInput(0);
  if (const Format *from = n.getElementFormat(0)) {
    if (from == to) {
      n.setFormat(0, to);
      return n.setResult(x);
    }
    x = decode(b, *from, x, to ? b.getBuilder().getF32Type() : element);
  }
  if (!to)
    return n.setResult(b.cast(x, element));
  std::string rounding = n.getString("round_mode", "up");
  if (rounding != "up" && rounding != "down" && rounding != "nearest")
    return n.fail("expected round_mode = up, down or nearest, found '" + rounding + "'");
  ScaleRounding mode = rounding == "up"     ? ScaleRounding::Up
                       : rounding == "down" ? ScaleRounding::Down
                                            : ScaleRounding::Nearest;
  n.setFormat(0, to);
  return n.setResult(encode(b, *to, x, n.getInt("saturate", 1) != 0, mode));
}

static LogicalResult importCastTo(Node &n) {
  int64_t to = n.getInt("to", 0);
  std::optional<ElementType> element = getStoredElement(to);
  if (!element)
    return n.fail("elements of type " + getDataTypeName(to) + " are not supported");
  return importCast(n, toMLIRType(*element, n.b.getContext()), getFormat(to));
}

static LogicalResult importGelu(Node &n) {
  std::string form = n.getString("approximate", "none");
  if (form != "none" && form != "tanh")
    return n.fail("expected approximate = none or tanh, found '" + form + "'");
  Value result = n.b.unary(UnaryKind::Gelu, n.getInput(0));
  auto op = result.getDefiningOp<UnaryOp>();
  op.setApproximate(form == "tanh" ? GeluForm::Tanh : GeluForm::None);
  return n.setResult(result);
}

static LogicalResult importSelu(Node &n) {
  Value x = n.getInput(0);
  double alpha = n.getFloat("alpha", 1.67326319217681884765625);
  double gamma = n.getFloat("gamma", 1.05070102214813232421875);
  Value negative = n.b.mul(n.b.unary(UnaryKind::Expm1, x), alpha);
  Value isPositive = n.b.compare(ComparePredicate::Gt, x, 0.0);
  return n.setResult(n.b.mul(n.b.select(isPositive, x, negative), gamma));
}

/// max(0, x) + min(0, alpha · (exp(x / alpha) − 1)).
static LogicalResult importCelu(Node &n) {
  Value x = n.getInput(0);
  double alpha = n.getFloat("alpha", 1.0);
  Value zero = n.b.scalarLike(0, x);
  Value negative = n.b.mul(n.b.unary(UnaryKind::Expm1, n.b.div(x, alpha)), alpha);
  return n.setResult(n.b.add(n.b.binary(BinaryKind::Max, x, zero),
                             n.b.binary(BinaryKind::Min, negative, zero)));
}

static LogicalResult importPRelu(Node &n) {
  Value x = n.getInput(0), slope = n.getInput(1);
  Value isNegative = n.b.compare(ComparePredicate::Lt, x, 0.0);
  // Of old, a list of slopes was that of the channels.
  if (n.getOpset() < 7 && n.getRank(1) == 1 && n.getRank(0) > 2) {
    SmallVector<int64_t> shape(n.getRank(0) - 1, 1);
    shape.front() = n.getShape(1)[0];
    slope = n.b.reshape(slope, shape);
  }
  return n.setResult(n.b.select(isNegative, n.b.mul(slope, x), x));
}

static LogicalResult importThresholdedRelu(Node &n) {
  Value x = n.getInput(0);
  Value isLarge = n.b.compare(ComparePredicate::Gt, x, n.getFloat("alpha", 1));
  return n.setResult(n.b.select(isLarge, x, n.b.scalarLike(0, x)));
}

static LogicalResult importShrink(Node &n) {
  Value x = n.getInput(0);
  double bias = n.getFloat("bias", 0), lambda = n.getFloat("lambd", 0.5);
  Value isLow = n.b.compare(ComparePredicate::Lt, x, -lambda);
  Value isHigh = n.b.compare(ComparePredicate::Gt, x, lambda);
  Value high = n.b.select(isHigh, n.b.sub(x, bias), n.b.scalarLike(0, x));
  return n.setResult(n.b.select(isLow, n.b.add(x, bias), high));
}

static LogicalResult importSoftsign(Node &n) {
  Value x = n.getInput(0);
  return n.setResult(n.b.div(x, n.b.add(n.b.unary(UnaryKind::Abs, x), 1.0)));
}

static LogicalResult importMish(Node &n) {
  Value x = n.getInput(0);
  return n.setResult(n.b.mul(x, n.b.unary(UnaryKind::Tanh, n.b.unary(UnaryKind::Softplus, x))));
}

/// x · sigmoid(alpha · x).
static LogicalResult importSwish(Node &n) {
  Value x = n.getInput(0);
  double alpha = n.getFloat("alpha", 1.0);
  if (alpha == 1)
    return importUnary(n, UnaryKind::Silu);
  return n.setResult(n.b.mul(x, n.b.unary(UnaryKind::Sigmoid, n.b.mul(x, alpha))));
}

static LogicalResult importIsInf(Node &n) {
  Value x = n.getInput(0);
  bool positive = n.getInt("detect_positive", 1), negative = n.getInt("detect_negative", 1);
  Value isInf = n.b.unary(UnaryKind::IsInf, x);
  if (positive && negative)
    return n.setResult(isInf);
  Value zero = n.b.scalarLike(0, x);
  Value side = n.b.compare(positive ? ComparePredicate::Gt : ComparePredicate::Lt, x, zero);
  Value result = n.b.binary(BinaryKind::And, isInf, side);
  if (!positive && !negative)
    result = n.b.compare(ComparePredicate::Ne, isInf, isInf);
  return n.setResult(result);
}

/// Inference passes through; a mask, if one is asked for, is all true.
static LogicalResult importDropout(Node &n) {
  if (n.hasInput(2)) {
    HostArray training = n.getKnown(2);
    if (!training)
      return n.fail("expected 'training_mode' to be known before the model runs");
    HostArray ratio = n.getKnown(1);
    bool drops = training.getNumElements() == 1 && training.getInt(0) != 0 &&
                 !(ratio && ratio.getNumElements() == 1 && ratio.getFloat(0) == 0);
    if (drops)
      return n.fail("training_mode is not supported");
  }
  if (n.wantsOutput(1)) {
    if (!n.getType(0).hasStaticShape())
      return n.fail("a mask needs a static shape");
    auto type = RankedTensorType::get(n.getShape(0), n.b.getBuilder().getI1Type());
    n.setResult(1, n.b.splat(1, type));
  }
  return n.setResult(n.getInput(0));
}

void mlir::fuse::onnx::addElementwiseOps(OpTable &table) {
  static constexpr std::pair<const char *, UnaryKind> kUnary[] = {
      {"Abs", UnaryKind::Abs},           {"Acos", UnaryKind::Acos},
      {"Acosh", UnaryKind::Acosh},       {"Asin", UnaryKind::Asin},
      {"Asinh", UnaryKind::Asinh},       {"Atan", UnaryKind::Atan},
      {"Atanh", UnaryKind::Atanh},       {"Cosh", UnaryKind::Cosh},
      {"Sinh", UnaryKind::Sinh},         {"Ceil", UnaryKind::Ceil},
      {"Cos", UnaryKind::Cos},           {"Erf", UnaryKind::Erf},
      {"Exp", UnaryKind::Exp},           {"Floor", UnaryKind::Floor},
      {"IsNaN", UnaryKind::IsNan},       {"Log", UnaryKind::Log},
      {"Neg", UnaryKind::Neg},           {"Not", UnaryKind::LogicalNot},
      {"Reciprocal", UnaryKind::Reciprocal}, {"Relu", UnaryKind::Relu},
      {"Round", UnaryKind::RoundEven},   {"Sigmoid", UnaryKind::Sigmoid},
      {"Sign", UnaryKind::Sign},         {"Sin", UnaryKind::Sin},
      {"Softplus", UnaryKind::Softplus}, {"Sqrt", UnaryKind::Sqrt},
      {"Tan", UnaryKind::Tan},           {"Tanh", UnaryKind::Tanh},
      {"HardSwish", UnaryKind::HardSwish}};
  for (auto [name, kind] : kUnary)
    table.add(name, 1, 1, [kind = kind](Node &n) { return importUnary(n, kind); });
  static constexpr std::pair<const char *, BinaryKind> kBinary[] = {
      {"Add", BinaryKind::Add}, {"Sub", BinaryKind::Sub}, {"Mul", BinaryKind::Mul},
      {"Div", BinaryKind::Div}, {"And", BinaryKind::And}, {"Or", BinaryKind::Or},
      {"Xor", BinaryKind::Xor}};
  for (auto [name, kind] : kBinary)
    table.add(name, 2, 2, [kind = kind](Node &n) { return importBinary(n, kind); });
  static constexpr std::pair<const char *, ComparePredicate> kCompare[] = {
      {"Equal", ComparePredicate::Eq},          {"Greater", ComparePredicate::Gt},
      {"GreaterOrEqual", ComparePredicate::Ge}, {"Less", ComparePredicate::Lt},
      {"LessOrEqual", ComparePredicate::Le}};
  for (auto [name, predicate] : kCompare)
    table.add(name, 2, 2, [predicate = predicate](Node &n) { return importCompare(n, predicate); });
  static constexpr std::pair<const char *, BinaryKind> kVariadic[] = {
      {"Max", BinaryKind::Max}, {"Min", BinaryKind::Min}, {"Sum", BinaryKind::Add}};
  for (auto [name, kind] : kVariadic)
    table.add(name, 1, OpTable::kAny, [kind = kind](Node &n) { return importVariadic(n, kind); });

  table.add("Mean", 1, OpTable::kAny, importMean);
  table.add("Pow", 2, 2, importPow);
  table.add("Mod", 2, 2, importMod);
  table.add("Clip", 1, 3, importClip);
  table.add("Cast", 1, 1, importCastTo).readsFormats = true;
  table
      .add("CastLike", 2, 2,
           [](Node &n) { return importCast(n, n.getElementType(1), n.getElementFormat(1)); })
      .readsFormats = true;
  table.add("Gelu", 1, 1, importGelu);
  table.add("LeakyRelu", 1, 1, [](Node &n) {
    return n.setResult(n.b.unary(UnaryKind::LeakyRelu, n.getInput(0), n.getFloat("alpha", 0.01)));
  });
  table.add("Elu", 1, 1, [](Node &n) {
    return n.setResult(n.b.unary(UnaryKind::Elu, n.getInput(0), n.getFloat("alpha", 1.0)));
  });
  table.add("HardSigmoid", 1, 1, [](Node &n) {
    return n.setResult(n.b.unary(UnaryKind::HardSigmoid, n.getInput(0), n.getFloat("alpha", 0.2),
                                 n.getFloat("beta", 0.5)));
  });
  table.add("Selu", 1, 1, importSelu);
  table.add("Celu", 1, 1, importCelu);
  table.add("PRelu", 2, 2, importPRelu);
  table.add("ThresholdedRelu", 1, 1, importThresholdedRelu);
  table.add("Shrink", 1, 1, importShrink);
  table.add("Softsign", 1, 1, importSoftsign);
  table.add("Mish", 1, 1, importMish);
  table.add("Swish", 1, 1, importSwish);
  table.add("IsInf", 1, 1, importIsInf);
  table.add("Where", 3, 3, [](Node &n) {
    return n.setResult(n.b.select(n.getInput(0), n.getInput(1), n.getInput(2)));
  });
  table.add("Identity", 1, 1, [](Node &n) { return n.setResult(n.getInput(0)); }).movesFormats = true;
  table.add("Dropout", 1, 3, importDropout, {2});
}
