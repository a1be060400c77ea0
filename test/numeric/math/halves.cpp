//===- halves.cpp - The largest error of each function over all f16 and bf16 ---------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Compiled and run by check_halves.py, which generates functions.inc: one line FUNCTION(name, type,
// truth) for each compiled function void fuse_name_type(const uint16_t *, uint16_t *) over a block
// of 4096. `truth` is an expression in the double x. A wrong zero sign, NaN or infinity counts as
// infinite.
//
//===----------------------------------------------------------------------------------------===//

#include "truths.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>

static constexpr int blockSize = 4096;

struct Format {
  const char *name;
  int fractionBits, leastExponent, greatestExponent;
};
static constexpr Format f16 = {"f16", 10, -14, 15}, bf16 = {"bf16", 7, -126, 127};

static double decode(const Format &format, uint16_t bits) {
  int fraction = bits & ((1 << format.fractionBits) - 1);
  int exponent = (bits & 0x7FFF) >> format.fractionBits;
  double value =
      exponent == format.greatestExponent - format.leastExponent + 2
          ? (fraction ? NAN : INFINITY)
          : std::ldexp(exponent ? fraction + (1 << format.fractionBits) : fraction,
                       std::max(exponent, 1) - 1 + format.leastExponent - format.fractionBits);
  return bits & 0x8000 ? -value : value;
}

static double errorInUlps(const Format &format, double got, double want) {
  if (std::isnan(want) || std::isnan(got))
    return std::isnan(want) == std::isnan(got) ? 0.0 : INFINITY;
  if (std::signbit(got) != std::signbit(want))
    return INFINITY;
  if (std::isinf(want))
    return std::isinf(got) ? 0.0 : INFINITY;
  // So that a result that rounds to infinity is not far off.
  double most = std::ldexp(1.0, format.greatestExponent + 1);
  double value = std::isinf(got) ? std::copysign(most, got) : got;
  if (std::fabs(want) > most)
    want = std::copysign(most, want);
  int exponent =
      want == 0 ? format.leastExponent : std::max(std::ilogb(want), format.leastExponent);
  return std::fabs(value - want) / std::ldexp(1.0, exponent - format.fractionBits);
}

static bool check(const char *name, const Format &format,
                  void (*compiled)(const uint16_t *, uint16_t *), double (*truth)(double)) {
  constexpr double bound = 1;
  double worst = 0, at = 0, got = 0;
  uint16_t in[blockSize], out[blockSize];
  for (int first = 0; first < 0x10000; first += blockSize) {
    for (int i = 0; i < blockSize; ++i)
      in[i] = static_cast<uint16_t>(first + i);
    compiled(in, out);
    for (int i = 0; i < blockSize; ++i) {
      double x = decode(format, in[i]), result = decode(format, out[i]);
      double error = errorInUlps(format, result, truth(x));
      if (!(error <= worst)) {
        worst = error;
        at = x;
        got = result;
      }
    }
  }
  bool isGood = worst <= bound;
  std::printf("%-14s %-4s %8.3f ulp (bound %g) at %a: got %a, want %a%s\n", name, format.name,
              worst, bound, at, got, truth(at), isGood ? "" : "  FAIL");
  return isGood;
}

#define FUNCTION(name, type, truth)                                                                \
  extern "C" void fuse_##name##_##type(const uint16_t *, uint16_t *);
#include "functions.inc"
#undef FUNCTION

int main() {
  int failures = 0;
#define FUNCTION(name, type, truth)                                                                \
  failures += !check(#name, type, fuse_##name##_##type, [](double x) -> double { return truth; });
#include "functions.inc"
#undef FUNCTION
  return failures != 0;
}
