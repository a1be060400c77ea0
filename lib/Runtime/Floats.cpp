//===- Floats.cpp - Float buffers as rows of doubles ---------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Floats.h"

#include <cmath>

using namespace mlir::fuse::runtime;

namespace {

/// An IEEE-like format of 16 bits.
template <int ExponentBits, int MantissaBits> struct Small {
  static constexpr int bias = (1 << (ExponentBits - 1)) - 1;
  static constexpr uint16_t infinity = ((1 << ExponentBits) - 1) << MantissaBits;

  static double widen(uint16_t bits) {
    int exponent = (bits >> MantissaBits) & ((1 << ExponentBits) - 1);
    int mantissa = bits & ((1 << MantissaBits) - 1);
    double magnitude;
    if (exponent == (1 << ExponentBits) - 1)
      magnitude = mantissa ? NAN : INFINITY;
    else if (exponent == 0)
      magnitude = std::ldexp(mantissa, 1 - bias - MantissaBits);
    else
      magnitude = std::ldexp(mantissa + (1 << MantissaBits), exponent - bias - MantissaBits);
    return bits >> 15 ? -magnitude : magnitude;
  }

  static uint16_t round(double value) {
    uint16_t sign = __builtin_bit_cast(uint64_t, value) >> 63 << 15;
    if (std::isnan(value))
      return sign | infinity | 1 << (MantissaBits - 1);
    double magnitude = std::fabs(value);
    if (std::isinf(magnitude))
      return sign | infinity;
    // The spacing of the format's numbers around the value; below the normal range it stays that
    // of the denormals. Scaling by a power of 2 is exact, so nearbyint rounds once.
    int exponent = magnitude > 0 ? std::ilogb(magnitude) : 1 - bias;
    if (exponent < 1 - bias)
      exponent = 1 - bias;
    if (exponent > bias)
      return sign | infinity;
    int64_t steps =
        static_cast<int64_t>(std::nearbyint(std::ldexp(magnitude, MantissaBits - exponent)));
    // Counting steps from the start of the binade carries into the exponent by itself, and from
    // the highest number into infinity.
    int64_t bits = (static_cast<int64_t>(exponent + bias - 1) << MantissaBits) + steps;
    return sign | static_cast<uint16_t>(bits);
  }
};

using F16 = Small<5, 10>;
using BF16 = Small<8, 7>;

template <typename T, typename Widen>
void readStrided(const void *data, int64_t offset, int64_t stride, int64_t count, double *values,
                 Widen widen) {
  const T *first = static_cast<const T *>(data) + offset;
  for (int64_t i = 0; i < count; ++i)
    values[i] = widen(first[i * stride]);
}

template <typename T, typename Round>
void writeStrided(void *data, int64_t offset, int64_t stride, int64_t count, const double *values,
                  Round round) {
  T *first = static_cast<T *>(data) + offset;
  for (int64_t i = 0; i < count; ++i)
    first[i * stride] = round(values[i]);
}

} // namespace

bool mlir::fuse::runtime::isFloat(int32_t dtype) {
  return dtype == FUSE_F16 || dtype == FUSE_BF16 || dtype == FUSE_F32 || dtype == FUSE_F64;
}

double mlir::fuse::runtime::widenF16(uint16_t bits) { return F16::widen(bits); }
double mlir::fuse::runtime::widenBF16(uint16_t bits) { return BF16::widen(bits); }
uint16_t mlir::fuse::runtime::roundToF16(double value) { return F16::round(value); }
uint16_t mlir::fuse::runtime::roundToBF16(double value) { return BF16::round(value); }

int64_t mlir::fuse::runtime::rowOffset(const fuse_buffer &buffer, int64_t row) {
  int64_t offset = 0;
  for (int32_t d = buffer.rank - 2; d >= 0; --d) {
    offset += row % buffer.sizes[d] * buffer.strides[d];
    row /= buffer.sizes[d];
  }
  return offset;
}

int64_t mlir::fuse::runtime::numRows(const fuse_buffer &buffer) {
  int64_t rows = 1;
  for (int32_t d = 0; d < buffer.rank - 1; ++d)
    rows *= buffer.sizes[d];
  return rows;
}

void mlir::fuse::runtime::readRow(const fuse_buffer &buffer, int64_t row, double *values) {
  int64_t offset = rowOffset(buffer, row);
  int64_t count = buffer.sizes[buffer.rank - 1], stride = buffer.strides[buffer.rank - 1];
  auto identity = [](auto value) { return value; };
  switch (buffer.dtype) {
  case FUSE_F16:
    return readStrided<uint16_t>(buffer.data, offset, stride, count, values, widenF16);
  case FUSE_BF16:
    return readStrided<uint16_t>(buffer.data, offset, stride, count, values, widenBF16);
  case FUSE_F32:
    return readStrided<float>(buffer.data, offset, stride, count, values, identity);
  case FUSE_F64:
    return readStrided<double>(buffer.data, offset, stride, count, values, identity);
  }
}

void mlir::fuse::runtime::writeRow(const fuse_buffer &buffer, int64_t row, const double *values) {
  int64_t offset = rowOffset(buffer, row);
  int64_t count = buffer.sizes[buffer.rank - 1], stride = buffer.strides[buffer.rank - 1];
  switch (buffer.dtype) {
  case FUSE_F16:
    return writeStrided<uint16_t>(buffer.data, offset, stride, count, values, roundToF16);
  case FUSE_BF16:
    return writeStrided<uint16_t>(buffer.data, offset, stride, count, values, roundToBF16);
  case FUSE_F32:
    return writeStrided<float>(buffer.data, offset, stride, count, values,
                               [](double value) { return static_cast<float>(value); });
  case FUSE_F64:
    return writeStrided<double>(buffer.data, offset, stride, count, values,
                                [](double value) { return value; });
  }
}
