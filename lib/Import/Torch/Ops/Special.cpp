//===- Special.cpp - Functions that are made of others: of probability, and distances -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Special functions are computed in f64, and rounded once.
//
//===----------------------------------------------------------------------------------------===//

#include "Elementwise.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::torch;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The polynomial with these coefficients, that of the highest power first.
static Value evaluate(FuseBuilder &b, Value x, ArrayRef<double> coefficients) {
  Value sum = b.scalarLike(coefficients.front(), x);
  for (double each : coefficients.drop_front())
    sum = b.add(b.mul(sum, x), each);
  return sum;
}

/// 1 − erf(x), without the cancellation: exp(−x²) times rational functions, Cephes' for x below and above 8.
static Value makeErfc(FuseBuilder &b, Value x) {
  static constexpr double kNear[] = {2.46196981473530512524e-10, 5.64189564831068821977e-1, 7.46321056442269912687e0,
                                     4.86371970985681366614e1,   1.96520832956077098242e2,  5.26445194995477358631e2,
                                     9.34528527171957607540e2,   1.02755188689515710272e3,  5.57535335369399327526e2};
  static constexpr double kUnderNear[] = {1.0,
                                          1.32281951154744992508e1,
                                          8.67072140885989742329e1,
                                          3.54937778887819891062e2,
                                          9.75708501743205489753e2,
                                          1.82390916687909736289e3,
                                          2.24633760818710981792e3,
                                          1.65666309194161350182e3,
                                          5.57535340817727675546e2};
  static constexpr double kFar[] = {5.64189583547755073984e-1, 1.27536670759978104416e0, 5.01905042251180477414e0,
                                    6.16021097993053585195e0,  7.40974269950448939160e0, 2.97886665372100240670e0};
  static constexpr double kUnderFar[] = {1.0,
                                         2.26052863220117276590e0,
                                         9.39603524938001434673e0,
                                         1.20489539808096656605e1,
                                         1.70814450747565897222e1,
                                         9.60896809063285878198e0,
                                         3.36907645100081516050e0};
  // Beyond 30 the result is 0.
  Value size = b.clamp(b.unary(UnaryKind::Abs, x), b.scalarLike(0, x), b.scalarLike(30, x));
  Value near = b.div(evaluate(b, size, kNear), evaluate(b, size, kUnderNear));
  Value far = b.div(evaluate(b, size, kFar), evaluate(b, size, kUnderFar));
  Value ratio = b.select(b.compare(ComparePredicate::Lt, size, 8.0), near, far);
  Value tail = b.mul(b.unary(UnaryKind::Exp, b.unary(UnaryKind::Neg, b.mul(size, size))), ratio);
  tail = b.select(b.compare(ComparePredicate::Lt, x, 0.0), b.sub(b.scalarLike(2, x), tail), tail);
  Value middle = b.sub(b.scalarLike(1, x), b.unary(UnaryKind::Erf, x));
  return b.select(b.compare(ComparePredicate::Lt, size, 1.0), middle, tail);
}

/// x from the next lower integer on, times π: its sine is exactly 0 for integers, as that of x · π would not be.
static Value getPhase(FuseBuilder &b, Value x) { return b.mul(b.sub(x, b.unary(UnaryKind::Floor, x)), M_PI); }

/// log |Γ(x)| by Lanczos' sum (g = 7, nine terms), and for x < 1/2 by reflection.
static Value makeLgamma(FuseBuilder &b, Value x) {
  static constexpr double kTerms[] = {676.5203681218851,     -1259.1392167224028,  771.32342877765313,
                                      -176.61502916214059,   12.507343278686905,   -0.13857109526572012,
                                      9.9843695780195716e-6, 1.5056327351493116e-7};
  Value isLow = b.compare(ComparePredicate::Lt, x, 0.5);
  Value z = b.sub(b.select(isLow, b.sub(b.scalarLike(1, x), x), x), 1.0);
  Value sum = b.scalarLike(0.99999999999980993, z);
  for (auto [i, term] : llvm::enumerate(kTerms))
    sum = b.add(sum, b.div(b.scalarLike(term, z), b.add(z, double(i + 1))));
  Value t = b.add(z, 7.5);
  Value log = b.sub(b.mul(b.add(z, 0.5), b.unary(UnaryKind::Log, t)), t);
  log = b.add(b.add(log, b.unary(UnaryKind::Log, sum)), 0.5 * std::log(2 * M_PI));
  Value sine = b.unary(UnaryKind::Sin, getPhase(b, x));
  Value reflected = b.sub(b.unary(UnaryKind::Log, b.div(b.scalarLike(M_PI, x), sine)), log);
  Value isInfinite = b.compare(ComparePredicate::Eq, b.unary(UnaryKind::Abs, x), kInfinity);
  return b.select(isInfinite, b.scalarLike(kInfinity, x), b.select(isLow, reflected, log));
}

/// Γ′(x) / Γ(x): for x < 1/2 by reflection, else by its asymptotic series eight steps further.
static Value makeDigamma(FuseBuilder &b, Value x) {
  Value isLow = b.compare(ComparePredicate::Lt, x, 0.5);
  Value z = b.select(isLow, b.sub(b.scalarLike(1, x), x), x), steps = b.scalarLike(0, x);
  for (int i = 0; i < 8; ++i)
    steps = b.add(steps, b.unary(UnaryKind::Reciprocal, b.add(z, double(i))));
  Value far = b.add(z, 8.0), inverse = b.unary(UnaryKind::Reciprocal, far), square = b.mul(inverse, inverse);
  static constexpr double kSeries[] = {1.0 / 12,  -691.0 / 32760, 1.0 / 132, -1.0 / 240,
                                       1.0 / 252, -1.0 / 120,     1.0 / 12};
  Value series = b.add(b.mul(evaluate(b, square, kSeries), square), b.mul(inverse, 0.5));
  Value result = b.sub(b.sub(b.unary(UnaryKind::Log, far), series), steps);
  Value phase = getPhase(b, x);
  Value reflected = b.sub(result, b.div(b.scalarLike(M_PI, x), b.unary(UnaryKind::Tan, phase)));
  // At integers below 0 it is not a number, and at 0 it depends on the sign.
  Value isWhole = b.compare(ComparePredicate::Eq, phase, 0.0);
  Value pole = b.select(b.compare(ComparePredicate::Eq, x, 0.0), b.div(b.scalarLike(-1, x), x),
                        b.scalarLike(std::numeric_limits<double>::quiet_NaN(), x));
  return b.select(isLow, b.select(isWhole, pole, reflected), result);
}

/// The inverse of erf: rational functions in the middle and towards the ends, and two of Newton's steps.
static Value makeErfinv(FuseBuilder &b, Value y) {
  static constexpr double kMiddle[] = {-0.140543331, 0.914624893, -1.645349621, 0.886226899};
  static constexpr double kUnderMiddle[] = {0.012229801, -0.329097515, 1.442710462, -2.118377725, 1.0};
  static constexpr double kEnd[] = {1.641345311, 3.429567803, -1.624906493, -1.970840454};
  static constexpr double kUnderEnd[] = {1.637067800, 3.543889200, 1.0};
  Value size = b.unary(UnaryKind::Abs, y), one = b.scalarLike(1, y), square = b.mul(y, y);
  Value middle =
      b.div(b.mul(y, evaluate(b, square, kMiddle)), evaluate(b, square, kUnderMiddle));
  Value isEnd = b.compare(ComparePredicate::Lt, b.scalarLike(0.7, y), size);
  // Where it is not taken, the logarithm's argument is one that has none of its poles.
  Value rest = b.mul(b.sub(one, b.select(isEnd, size, b.scalarLike(0.8, y))), 0.5);
  Value z = b.unary(UnaryKind::Sqrt, b.unary(UnaryKind::Neg, b.unary(UnaryKind::Log, rest)));
  Value end = b.div(evaluate(b, z, kEnd), evaluate(b, z, kUnderEnd));
  end = b.select(b.compare(ComparePredicate::Lt, y, 0.0), b.unary(UnaryKind::Neg, end), end);
  Value x = b.select(isEnd, end, middle);
  for (int step = 0; step < 2; ++step) {
    // Towards the ends, 1 - erf is known to all digits.
    Value far = b.sub(b.sub(one, size), makeErfc(b, b.unary(UnaryKind::Abs, x)));
    far = b.select(b.compare(ComparePredicate::Lt, y, 0.0), b.unary(UnaryKind::Neg, far), far);
    Value error = b.select(isEnd, far, b.sub(b.unary(UnaryKind::Erf, x), y));
    Value slope = b.mul(b.unary(UnaryKind::Exp, b.unary(UnaryKind::Neg, b.mul(x, x))), 2 / std::sqrt(M_PI));
    x = b.sub(x, b.div(error, slope));
  }
  Value limit = b.select(b.compare(ComparePredicate::Eq, size, 1.0), b.mul(y, kInfinity),
                         b.scalarLike(std::numeric_limits<double>::quiet_NaN(), y));
  return b.select(b.compare(ComparePredicate::Lt, size, 1.0), x, limit);
}

static LogicalResult importSpecial(Node &n, Value (*make)(FuseBuilder &, Value)) {
  Value x = toFloat(n, n.tensor("self"));
  return n.setResult(n.b.cast(make(n.b, n.b.cast(x, n.b.getBuilder().getF64Type())), n.b.elementOf(x)));
}

/// Whether the sign is set, that of zeros as well.
static LogicalResult importSignBit(Node &n) {
  FuseBuilder &b = n.b;
  Value x = n.tensor("self");
  Type element = b.elementOf(x);
  if (isa<FloatType>(element))
    x = b.bitcast(x, b.getBuilder().getIntegerType(element.getIntOrFloatBitWidth()));
  else if (element.isInteger(1) || element.isUnsignedInteger())
    x = b.cast(x, b.getBuilder().getIntegerType(64));
  return n.setResult(b.compare(ComparePredicate::Lt, x, b.scalarLike(0, x)));
}

/// Sums of |x|ᵖ along the last axis, and their p-th roots.
static Value getNorm(FuseBuilder &b, Value x, double p) {
  int64_t axis = b.rankOf(x) - 1;
  Value size = b.unary(UnaryKind::Abs, x);
  if (p == 0)
    return b.reduce(ReduceKind::Sum, b.cast(b.compare(ComparePredicate::Ne, x, 0.0), b.elementOf(x)), {axis}, false);
  if (p == kInfinity)
    return b.reduce(ReduceKind::Max, size, {axis}, false);
  if (p == 1)
    return b.reduce(ReduceKind::Sum, size, {axis}, false);
  if (p == 2)
    return b.unary(UnaryKind::Sqrt, b.reduce(ReduceKind::Sum, b.mul(x, x), {axis}, false));
  Value sum = b.reduce(ReduceKind::Sum, b.binary(BinaryKind::Pow, size, b.scalarLike(p, size)), {axis}, false);
  return b.binary(BinaryKind::Pow, sum, b.scalarLike(1 / p, sum));
}

/// [..., P, M] and [..., R, M] to the distances [..., P, R].
static LogicalResult importDistances(Node &n) {
  FuseBuilder &b = n.b;
  Value x = n.tensor("x1"), y = n.tensor("x2");
  double p = n.getFloat("p", 2);
  if (n.hasFailed() || b.rankOf(x) < 2 || b.rankOf(y) < 2 || !isa<FloatType>(b.elementOf(x)) || !(p >= 0))
    return n.fail("expected lists of vectors, and p of at least 0");
  if (b.shapeOf(x).back() == 0)
    return n.fail("expected vectors of one element or more");
  Value difference =
      b.sub(b.widen(b.insertUnitDims(x, {b.rankOf(x) - 1})), b.widen(b.insertUnitDims(y, {b.rankOf(y) - 2})));
  return n.setResult(b.cast(getNorm(b, difference, p), b.elementOf(x)));
}

static LogicalResult importDistance(Node &n) {
  FuseBuilder &b = n.b;
  Value x = n.tensor("self"), y = n.tensor("other");
  Type type = n.getResultType(0, b.elementOf(x));
  Value difference = b.sub(b.widen(b.cast(x, type)), b.widen(b.cast(y, type)));
  difference = n.reshape(difference, {n.getProduct(n.getExtents(difference))});
  double p = n.getFloat("p", 2);
  if (n.hasFailed() || !(p >= 0) || b.shapeOf(difference)[0] == 0)
    return n.fail("expected one element or more, and p of at least 0");
  return n.setResult(b.cast(getNorm(b, difference, p), type));
}

/// The sum over `sumdim` of the products of three tensors, to each of which dimensions are added.
static LogicalResult importTrilinear(Node &n) {
  FuseBuilder &b = n.b;
  Value product;
  for (auto [name, added] : {std::pair("i1", "expand1"), std::pair("i2", "expand2"), std::pair("i3", "expand3")}) {
    Value x = b.insertUnitDims(b.widen(n.tensor(name)), n.getInts(added));
    product = product ? b.mul(product, x) : x;
  }
  if (n.hasFailed())
    return failure();
  SmallVector<int64_t> axes = n.getDims("sumdim", b.rankOf(product), /*allIfEmpty=*/false);
  Value sum = axes.empty() ? product : b.reduce(ReduceKind::Sum, product, axes, false);
  return n.hasFailed() ? failure() : n.setResult(b.cast(sum, b.elementOf(n.tensor("i1"))));
}

void mlir::fuse::torch::addSpecialOps(OpTable &table) {
  table.add("erfc.default special_erfc.default", "self", [](Node &n) { return importSpecial(n, makeErfc); });
  table.add("lgamma.default special_gammaln.default", "self", [](Node &n) { return importSpecial(n, makeLgamma); });
  table.add("digamma.default special_digamma.default", "self", [](Node &n) { return importSpecial(n, makeDigamma); });
  table.add("erfinv.default special_erfinv.default", "self", [](Node &n) { return importSpecial(n, makeErfinv); });
  table.add("signbit.default", "self", importSignBit);
  table.add("_cdist_forward.default", "x1 x2", importDistances);
  table.add("dist.default", "self other", importDistance);
  table.add("_trilinear.default", "i1 i2 i3", importTrilinear);
}
