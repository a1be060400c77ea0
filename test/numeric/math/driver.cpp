//===- driver.cpp - The largest error of each function over all floats ----------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Compiled and run by check_math.py, which generates functions.inc: one line
// FUNCTION(name, bound, truth) for each compiled function void fuse_name(const float *, float *)
// over a block of 4096. `truth` is an expression in the double x, right to well below an f32's
// last place. Errors are in units of the last place of the truth, of the least denormal at least;
// a wrong zero sign, NaN or infinity counts as infinite.
//
// pow, of two operands, is measured on pairs of special values and on random pairs.
//
//   driver STRIDE [NAME…]    every STRIDE-th float, and the special ones
//   driver --time [NAME…]    ns per 16 elements on a block that fits L1
//
//===----------------------------------------------------------------------------------------===//

#include "truths.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <thread>
#include <vector>

static constexpr int blockSize = 4096;

#define FUNCTION(name, bound, truth) extern "C" void fuse_##name(const float *, float *);
#include "functions.inc"
#undef FUNCTION

struct Function {
  const char *name;
  double bound;
  void (*compiled)(const float *, float *);
  void (*truths)(const float *, double *);
};

static const Function functions[] = {
#define FUNCTION(name, bound, truth)                                                              \
  {#name, bound, fuse_##name, [](const float *in, double *out) {                                  \
     for (int i = 0; i < blockSize; ++i) {                                                        \
       double x = in[i];                                                                          \
       out[i] = truth;                                                                            \
     }                                                                                            \
   }},
#include "functions.inc"
#undef FUNCTION
};

static float fromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

static double errorInUlps(float got, double want) {
  if (std::isnan(want) || std::isnan(got))
    return std::isnan(want) == std::isnan(got) ? 0.0 : INFINITY;
  if (std::signbit(got) != std::signbit(want))
    return INFINITY;
  if (std::isinf(want))
    return std::isinf(got) ? 0.0 : INFINITY;
  // 2^128 stands for infinity, so that a result that rounds to it is not far off.
  double value = std::isinf(got) ? std::copysign(0x1p128, got) : got;
  if (std::fabs(want) > 0x1p128)
    want = std::copysign(0x1p128, want);
  int exponent = want == 0 ? -1000 : std::ilogb(want);
  double ulp = std::ldexp(1.0, std::max(exponent, -126) - 23);
  return std::fabs(value - want) / ulp;
}

struct Worst {
  double error = 0.0;
  float at = 0.0f, got = 0.0f;
  double want = 0.0;
  void take(const Worst &other) {
    if (!(other.error <= error))
      *this = other;
  }
};

static Worst check(const Function &function, const std::vector<float> &in) {
  std::vector<float> out(blockSize);
  std::vector<double> want(blockSize);
  function.compiled(in.data(), out.data());
  function.truths(in.data(), want.data());
  Worst worst;
  for (int i = 0; i < blockSize; ++i) {
    double error = errorInUlps(out[i], want[i]);
    worst.take({error, in[i], out[i], want[i]});
  }
  return worst;
}

static Worst checkAll(const Function &function, uint64_t stride) {
  std::vector<float> special;
  for (uint32_t bits : {0x00000000u, 0x00000001u, 0x00000002u, 0x007FFFFFu, 0x00800000u,
                        0x00800001u, 0x3F7FFFFFu, 0x3F800000u, 0x3F800001u, 0x7F7FFFFFu,
                        0x7F800000u, 0x7FC00000u, 0x7F800001u, 0x3F490FDBu, 0x42B17218u,
                        0x42CFF1B5u, 0x40490FDBu, 0x3FC90FDBu, 0x5F000000u, 0x4B000001u})
    for (uint32_t sign : {0u, 0x80000000u})
      special.push_back(fromBits(bits | sign));
  special.resize(blockSize, 1.0f);
  Worst worst = check(function, special);

  unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  std::vector<Worst> perThread(threads);
  std::vector<std::thread> pool;
  uint64_t count = (0x100000000ull + stride - 1) / stride;
  for (unsigned t = 0; t < threads; ++t)
    pool.emplace_back([&, t] {
      std::vector<float> in(blockSize);
      for (uint64_t first = uint64_t(t) * blockSize; first < count;
           first += uint64_t(threads) * blockSize) {
        for (int i = 0; i < blockSize; ++i)
          in[i] = fromBits(static_cast<uint32_t>(std::min(first + i, count - 1) * stride));
        perThread[t].take(check(function, in));
      }
    });
  for (std::thread &thread : pool)
    thread.join();
  for (const Worst &other : perThread)
    worst.take(other);
  return worst;
}

extern "C" void fuse_pow(const float *, const float *, float *);
static constexpr double powBound = 1.0;

static bool checkPow(uint64_t stride) {
  std::vector<float> x(blockSize), y(blockSize), out(blockSize);
  Worst worst;
  float worstExponent = 0.0f;
  auto checkBlock = [&] {
    fuse_pow(x.data(), y.data(), out.data());
    for (int i = 0; i < blockSize; ++i) {
      double want = std::pow(double(x[i]), double(y[i]));
      double error = errorInUlps(out[i], want);
      if (!(error <= worst.error))
        worstExponent = y[i];
      worst.take({error, x[i], out[i], want});
    }
  };
  std::vector<float> special = {0.0f, 0x1p-149f, 0x1p-126f, 0.5f, 0x1.fffffep-1f, 1.0f,
                                0x1.000002p0f, 2.0f, 3.0f, 1.5f, 0.333333343f, 0x1p23f,
                                0x1.fffffep23f, 0x1p24f, 127.0f, 128.0f, 149.0f, 150.0f,
                                0x1.fffffep127f, INFINITY, NAN};
  size_t positive = special.size();
  for (size_t i = 0; i < positive; ++i)
    special.push_back(-special[i]);
  for (int i = 0; i < blockSize; ++i) {
    x[i] = special[i % special.size()];
    y[i] = special[i / special.size() % special.size()];
  }
  checkBlock();
  uint64_t state = 1;
  auto random = [&] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>(state >> 32);
  };
  for (uint64_t block = 0; block < 0x100000000ull / stride / blockSize + 4; ++block) {
    for (int i = 0; i < blockSize; ++i) {
      x[i] = fromBits(random());
      // A third of the exponents are whatever, a third small integers, and a third such that the
      // result is in range.
      uint32_t choice = random() % 3;
      double logarithm = std::log2(std::fabs(double(x[i])));
      y[i] = choice == 0   ? fromBits(random())
             : choice == 1 ? float(int(random() % 41) - 20)
                           : float((random() / 0x1p32 * 300 - 160) / logarithm);
      if (choice == 2)
        x[i] = std::fabs(x[i]);
    }
    checkBlock();
  }
  bool isGood = worst.error <= powBound;
  std::printf("%-14s %8.3f ulp (bound %g) at %a, %a: got %a, want %a%s\n", "pow", worst.error,
              powBound, double(worst.at), double(worstExponent), double(worst.got), worst.want,
              isGood ? "" : "  FAIL");
  return isGood;
}

static double timeOne(const Function &function) {
  std::vector<float> in(blockSize), out(blockSize);
  for (int i = 0; i < blockSize; ++i)
    in[i] = -8.0f + 16.0f * i / blockSize;
  double best = INFINITY;
  for (int run = 0; run < 20; ++run) {
    constexpr int repeats = 50;
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < repeats; ++i)
      function.compiled(in.data(), out.data());
    std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - start;
    best = std::min(best, elapsed.count() / repeats / (blockSize / 16));
  }
  return best;
}

int main(int argc, char **argv) {
  bool isTiming = argc > 1 && std::string(argv[1]) == "--time";
  uint64_t stride = argc > 1 && !isTiming ? std::strtoull(argv[1], nullptr, 10) : 65537;
  int failures = 0;
  bool isPowWanted = argc <= 2;
  for (int i = 2; i < argc; ++i)
    isPowWanted |= std::string(argv[i]) == "pow";
  if (isPowWanted && !isTiming)
    failures += !checkPow(stride);
  for (const Function &function : functions) {
    bool isWanted = argc <= 2;
    for (int i = 2; i < argc; ++i)
      isWanted |= std::string(argv[i]) == function.name;
    if (!isWanted)
      continue;
    if (isTiming) {
      std::printf("%-14s %7.2f ns per 16\n", function.name, timeOne(function));
      continue;
    }
    Worst worst = checkAll(function, stride);
    bool isGood = worst.error <= function.bound;
    failures += !isGood;
    std::printf("%-14s %8.3f ulp (bound %g) at %a: got %a, want %a%s\n", function.name,
                worst.error, function.bound, double(worst.at), double(worst.got), worst.want,
                isGood ? "" : "  FAIL");
    std::fflush(stdout);
  }
  return failures != 0;
}
