//===- HostOpsTest.cpp - log_mel, its gradient, welch_peaks against NumPy ------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Floats.h"
#include "TestUtils.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "values.inc"

using namespace fusetest;
using namespace mlir::fuse::runtime;

namespace {

/// A float array of any type, filled and read as doubles. `gap` unused elements follow each row,
/// and with `step` a row's elements lie apart.
struct Floats {
  std::vector<int64_t> sizes, strides;
  std::vector<double> memory;
  int32_t dtype;

  Floats(int32_t dtype, std::vector<int64_t> sizes, int64_t gap = 0, int64_t step = 1)
      : sizes(sizes), strides(rowMajor(sizes, gap)), dtype(dtype) {
    for (int64_t &stride : strides)
      stride *= step;
    // Doubles are large enough for every type, and aligned.
    memory.resize(numRows(buffer()) * (sizes.back() + gap) * step + 1);
  }
  Floats(int32_t dtype, std::vector<int64_t> sizes, const std::vector<double> &values,
         int64_t gap = 0, int64_t step = 1)
      : Floats(dtype, sizes, gap, step) {
    fuse_buffer self = buffer();
    for (int64_t row = 0; row < numRows(self); ++row)
      writeRow(self, row, values.data() + row * sizes.back());
  }
  fuse_buffer buffer() {
    return {memory.data(), sizes.data(), strides.data(), static_cast<int32_t>(sizes.size()), dtype};
  }
  std::vector<double> values() {
    fuse_buffer self = buffer();
    std::vector<double> result(numRows(self) * sizes.back());
    for (int64_t row = 0; row < numRows(self); ++row)
      readRow(self, row, result.data() + row * sizes.back());
    return result;
  }
};

/// Half a unit in the last place, with room for the order of the sums in double, and half of the
/// smallest denormal.
struct Tolerance {
  double relative, absolute;
};
Tolerance toleranceOf(int32_t dtype) {
  switch (dtype) {
  case FUSE_F16:
    return {0x1.01p-11, 0x1p-25};
  case FUSE_BF16:
    return {0x1.01p-8, 0x1p-134};
  case FUSE_F32:
    return {0x1.01p-24, 0x1p-150};
  default:
    return {1e-14, 0};
  }
}

void expectClose(const std::vector<double> &got, const std::vector<double> &want, int32_t dtype,
                 const char *what) {
  ASSERT_EQ(got.size(), want.size());
  Tolerance tolerance = toleranceOf(dtype);
  for (size_t i = 0; i < got.size(); ++i) {
    // f16 overflows where the exact value is beyond its range.
    if (dtype == FUSE_F16 && std::fabs(want[i]) >= 65520) {
      EXPECT_EQ(got[i], std::copysign(INFINITY, want[i]));
      continue;
    }
    EXPECT_LE(std::fabs(got[i] - want[i]),
              tolerance.relative * std::fabs(want[i]) + tolerance.absolute)
        << what << " " << fuse_dtype_name(dtype) << " element " << i << ": expected " << want[i]
        << ", found " << got[i];
  }
}

void call(fuse_context *context, const char *name, std::vector<fuse_buffer> args,
          std::vector<int64_t> attrs = {}) {
  EXPECT_EQ(
      fuse_host_call(context, name, args.data(), args.size() - 1, 1, attrs.data(), attrs.size()), 0)
      << fuse_context_error(context);
}

constexpr int32_t kFloatTypes[] = {FUSE_F16, FUSE_BF16, FUSE_F32, FUSE_F64};

} // namespace

TEST(HostOps, LogMelAgreesWithNumPy) {
  Context context = makeContext(2);
  for (int32_t dtype : kFloatTypes)
    for (int64_t step : {1, 3}) {
      Floats spectrum(dtype, {2, 3, 32}, melSpectrum, /*gap=*/step - 1, step);
      Floats filters(dtype, {5, 9}, melFilters, /*gap=*/2, step), result(dtype, {2, 3, 5}, 1, step);
      call(context.get(), "log_mel", {spectrum.buffer(), filters.buffer(), result.buffer()});
      expectClose(result.values(), melResult, dtype, "log_mel");
    }
}

TEST(HostOps, LogMelBackwardAgreesWithNumPy) {
  Context context = makeContext(2);
  for (int32_t dtype : kFloatTypes)
    for (int64_t step : {1, 2}) {
      Floats spectrum(dtype, {2, 3, 32}, melSpectrum, /*gap=*/5, step);
      Floats filters(dtype, {5, 9}, melFilters, 0, step), dy(dtype, {2, 3, 5}, melDy, 1, step);
      Floats result(dtype, {2, 3, 32}, 0, step);
      call(context.get(), "log_mel_backward",
           {spectrum.buffer(), filters.buffer(), dy.buffer(), result.buffer()});
      expectClose(result.values(), melGradient, dtype, "log_mel_backward");
    }
}

TEST(HostOps, LogMelBackwardAgreesWithFiniteDifferences) {
  Context context = makeContext(1);
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  constexpr int64_t nFft = 12, bins = 7, mels = 4;
  int clampedFrames = 0;
  for (int round = 0; round < 20; ++round) {
    std::vector<double> x(2 * nFft), f(mels * bins), dy(mels);
    // Every fourth frame is so faint that the floor is above the highest − 8.
    double scale = round % 4 == 3 ? 1e-4 : 1;
    for (double &value : x)
      value = normal(random) * scale;
    for (double &value : f)
      value = std::fabs(normal(random)) + 0.1;
    for (double &value : dy)
      value = normal(random);
    // Every other frame has one loud mel, so that the others depend on it only; every third has a
    // mel at the floor.
    if (round % 2 == 0)
      for (int64_t b = 0; b < bins; ++b)
        f[2 * bins + b] *= 1e9;
    if (round % 3 == 0)
      for (int64_t b = 0; b < bins; ++b)
        f[1 * bins + b] *= 1e-14;
    Floats filters(FUSE_F64, {mels, bins}, f), grad(FUSE_F64, {mels}, dy);
    auto loss = [&](const std::vector<double> &at) {
      Floats spectrum(FUSE_F64, {2 * nFft}, at), result(FUSE_F64, {mels});
      call(context.get(), "log_mel", {spectrum.buffer(), filters.buffer(), result.buffer()});
      double sum = 0;
      for (int64_t j = 0; j < mels; ++j)
        sum += dy[j] * result.values()[j];
      return sum;
    };
    Floats spectrum(FUSE_F64, {2 * nFft}, x), gradient(FUSE_F64, {2 * nFft});
    call(context.get(), "log_mel_backward",
         {spectrum.buffer(), filters.buffer(), grad.buffer(), gradient.buffer()});
    for (int64_t i = 0; i < 2 * nFft; ++i) {
      double h = 1e-5 * scale;
      std::vector<double> up = x, down = x;
      up[i] += h;
      down[i] -= h;
      double want = (loss(up) - loss(down)) / (2 * h);
      EXPECT_NEAR(gradient.values()[i], want, 1e-8 / scale)
          << "round " << round << ", element " << i;
    }
    Floats result(FUSE_F64, {mels});
    call(context.get(), "log_mel", {spectrum.buffer(), filters.buffer(), result.buffer()});
    std::vector<double> y = result.values();
    auto [low, high] = std::minmax_element(y.begin(), y.end());
    clampedFrames += std::fabs(*high - *low - 2) < 1e-12;
  }
  EXPECT_GE(clampedFrames, 10);
}

TEST(HostOps, LogMelKeepsNaN) {
  Context context = makeContext(1);
  std::vector<double> x = melSpectrum;
  x[32 + 1] = NAN;
  Floats spectrum(FUSE_F32, {2, 3, 32}, x), filters(FUSE_F32, {5, 9}, melFilters);
  Floats result(FUSE_F32, {2, 3, 5}), dy(FUSE_F32, {2, 3, 5}, melDy),
      gradient(FUSE_F32, {2, 3, 32});
  call(context.get(), "log_mel", {spectrum.buffer(), filters.buffer(), result.buffer()});
  std::vector<double> y = result.values();
  for (int i = 0; i < 30; ++i)
    EXPECT_EQ(std::isnan(y[i]), i >= 5 && i < 10) << i;
  call(context.get(), "log_mel_backward",
       {spectrum.buffer(), filters.buffer(), dy.buffer(), gradient.buffer()});
  std::vector<double> g = gradient.values();
  EXPECT_FALSE(std::isnan(g[0]));
  EXPECT_TRUE(std::isnan(g[32 + 1]));
}

TEST(HostOps, EmptyArrays) {
  Context context = makeContext(1);
  Floats none(FUSE_F32, {2, 0, 32}), filters(FUSE_F32, {5, 9}, melFilters),
      result(FUSE_F32, {2, 0, 5});
  call(context.get(), "log_mel", {none.buffer(), filters.buffer(), result.buffer()});
  call(context.get(), "log_mel_backward",
       {none.buffer(), filters.buffer(), result.buffer(), none.buffer()});
  Floats noFilters(FUSE_F32, {0, 9}), noMels(FUSE_F32, {6, 0}),
      spectrum(FUSE_F32, {6, 32}, melSpectrum);
  call(context.get(), "log_mel", {spectrum.buffer(), noFilters.buffer(), noMels.buffer()});
  Floats gradient(FUSE_F32, {6, 32}, melSpectrum);
  call(context.get(), "log_mel_backward",
       {spectrum.buffer(), noFilters.buffer(), noMels.buffer(), gradient.buffer()});
  for (double value : gradient.values())
    EXPECT_EQ(value, 0);
}

TEST(HostOps, WelchPeaksAgreesWithNumPy) {
  Context context = makeContext(1);
  for (int32_t dtype : kFloatTypes)
    for (int64_t step : {1, 2}) {
      Floats even(dtype, {6, 32}, welchEvenSpectrum, 3, step),
          odd(dtype, {6, 18}, welchOddSpectrum);
      Floats peaks(dtype, {2, 8}, 1, step);
      call(context.get(), "welch_peaks", {even.buffer(), peaks.buffer()}, {4, 3});
      expectClose(peaks.values(), welchEvenResult, dtype, "welch_peaks, even");
      call(context.get(), "welch_peaks", {odd.buffer(), peaks.buffer()}, {4, 3});
      expectClose(peaks.values(), welchOddResult, dtype, "welch_peaks, odd");
    }
}

TEST(HostOps, WelchPeaksOfAllBinsAndOfNaN) {
  Context context = makeContext(1);
  std::vector<double> x = {1, 3, 2, NAN, 0, 0, 0, 0, 0, 0, 0, 0};
  Floats spectrum(FUSE_F64, {1, 12}, x), peaks(FUSE_F64, {1, 8});
  call(context.get(), "welch_peaks", {spectrum.buffer(), peaks.buffer()}, {4, 1});
  std::vector<double> got = peaks.values();
  // n_fft 6, bins 0 … 3: the NaN first, then 2·9, 2·4, 1 (DC is not doubled).
  EXPECT_EQ(got[0], 3);
  EXPECT_TRUE(std::isnan(got[1]));
  EXPECT_EQ(std::vector<double>(got.begin() + 2, got.end()),
            (std::vector<double>{1, 18, 2, 8, 0, 1}));
}
