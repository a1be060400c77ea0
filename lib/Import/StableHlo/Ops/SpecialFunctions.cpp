//===- SpecialFunctions.cpp - Functions that the dialect has no kind for -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "SpecialFunctions.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::fuse;

/// Horner's scheme, the highest power's coefficient first.
static Value evaluate(FuseBuilder &b, Value x, ArrayRef<double> coefficients) {
  Value sum = b.scalarLike(coefficients.front(), x);
  for (double each : coefficients.drop_front())
    sum = b.add(b.mul(sum, x), each);
  return sum;
}

Value mlir::fuse::stablehlo::buildErfc(FuseBuilder &b, Value given) {
  Value x = b.widen(given);
  Value inside = b.sub(b.scalarLike(1, x), b.unary(UnaryKind::Erf, x));
  // Cephes' erfcf, for |x| of at least 1.
  static constexpr double kNear[] = {2.326819970068386e-2,  -1.387039388740657e-1, 3.687424674597105e-1,
                                     -5.824733027278666e-1, 6.210004621745983e-1,  -4.944515323274145e-1,
                                     3.404879937665872e-1,  -2.741127028184656e-1, 5.638259427386472e-1};
  static constexpr double kFar[] = {-1.047766399936249e+1, 1.297719955372516e+1,  -7.495518717768503e+0,
                                    2.921019019210786e+0,  -1.015265279202700e+0, 4.218463358204948e-1,
                                    -2.820767439740514e-1, 5.641895067754075e-1};
  Value size = b.unary(UnaryKind::Abs, x), inverse = b.unary(UnaryKind::Reciprocal, size);
  Value square = b.mul(inverse, inverse);
  Value isNear = b.compare(ComparePredicate::Lt, size, 2.0);
  Value series = b.select(isNear, evaluate(b, square, kNear), evaluate(b, square, kFar));
  Value tail = b.mul(b.mul(b.unary(UnaryKind::Exp, b.unary(UnaryKind::Neg, b.mul(x, x))), inverse), series);
  // The series is of an infinity, too: 0 times its last coefficient.
  Value outside = b.select(b.compare(ComparePredicate::Lt, x, 0.0), b.sub(b.scalarLike(2, x), tail), tail);
  // In f64 the series of f32 is taken where 1 − erf has lost as many digits.
  double limit = b.elementOf(x).isF64() ? 3.5 : 1.0;
  Value isTail = b.compare(ComparePredicate::Ge, b.elementOf(x).isF64() ? x : size, limit);
  return b.cast(b.select(isTail, outside, inside), b.elementOf(given));
}

Value mlir::fuse::stablehlo::buildErfInv(FuseBuilder &b, Value given) {
  static constexpr double kCenter[] = {2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087,
                                       -0.00125372503, -0.00417768164, 0.246640727,    1.50140941};
  static constexpr double kTail[] = {-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
                                     -0.0076224613,   0.00943887047,  1.00167406,    2.83297682};
  Value x = b.widen(given);
  Value w = b.unary(UnaryKind::Neg, b.unary(UnaryKind::Log1p, b.unary(UnaryKind::Neg, b.mul(x, x))));
  Value isCenter = b.compare(ComparePredicate::Lt, w, 5.0);
  Value center = evaluate(b, b.sub(w, 2.5), kCenter);
  Value tail = evaluate(b, b.sub(b.unary(UnaryKind::Sqrt, w), 3.0), kTail);
  Value result = b.mul(b.select(isCenter, center, tail), x);
  Value isEnd = b.compare(ComparePredicate::Eq, b.unary(UnaryKind::Abs, x), 1.0);
  result = b.select(isEnd, b.mul(x, std::numeric_limits<double>::infinity()), result);
  return b.cast(result, b.elementOf(given));
}

Value mlir::fuse::stablehlo::buildLgamma(FuseBuilder &b, Value given) {
  static constexpr double kLanczos[] = {676.520368121885098567009190444019, -1259.13921672240287047156078755283,
                                        771.3234287776530788486528258894,   -176.61502916214059906584551354,
                                        12.507343278686904814458936853,     -0.13857109526572011689554707,
                                        9.984369578019570859563e-6,         1.50563273514931155834e-7};
  constexpr double kG = 7;
  double logG = std::log(kG + 0.5), halfLog2Pi = 0.5 * std::log(2 * M_PI);
  Value x = b.widen(given);
  Value isReflected = b.compare(ComparePredicate::Lt, x, 0.5);
  Value z = b.select(isReflected, b.unary(UnaryKind::Neg, x), b.sub(x, 1.0));
  Value sum = b.scalarLike(0.99999999999980993227684700473478, x);
  for (auto [i, each] : llvm::enumerate(kLanczos))
    sum = b.add(sum, b.div(b.scalarLike(each, x), b.add(z, double(i + 1))));
  Value t = b.add(z, kG + 0.5), logT = b.add(b.unary(UnaryKind::Log1p, b.div(z, kG + 0.5)), logG);
  Value result = b.mul(b.sub(b.add(z, 0.5), b.div(t, logT)), logT);
  result = b.add(b.add(result, halfLog2Pi), b.unary(UnaryKind::Log, sum));
  // log Γ(x) = log(π / |sin πx|) − log Γ(1 − x); only the fraction matters to the sine.
  Value size = b.unary(UnaryKind::Abs, x), fraction = b.sub(size, b.unary(UnaryKind::Floor, size));
  Value folded =
      b.select(b.compare(ComparePredicate::Gt, fraction, 0.5), b.sub(b.scalarLike(1, x), fraction), fraction);
  Value logSine = b.unary(UnaryKind::Log, b.unary(UnaryKind::Sin, b.mul(folded, M_PI)));
  Value reflected = b.sub(b.sub(b.scalarLike(std::log(M_PI), x), logSine), result);
  result = b.select(isReflected, reflected, result);
  Value infinite = b.scalarLike(std::numeric_limits<double>::infinity(), x);
  return b.cast(b.select(b.unary(UnaryKind::IsInf, x), infinite, result), b.elementOf(given));
}
