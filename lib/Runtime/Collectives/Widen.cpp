//===- Widen.cpp - Arrays of short floats as f32 -------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Floats.h converts single numbers of any kind, from double; here are whole arrays, with integer
// operations that compilers make vectors of, without instructions that only some CPUs have.
//
//===----------------------------------------------------------------------------------------===//

#include "Widen.h"

#include "fuse/Runtime/Runtime.h"

using namespace mlir::fuse::runtime;

namespace {

uint32_t getBits(float value) { return __builtin_bit_cast(uint32_t, value); }
float getFloat(uint32_t bits) { return __builtin_bit_cast(float, bits); }

constexpr uint32_t kSign = 0x80000000, kInfinity = 0x7f800000;
constexpr uint32_t kBias = (127 - 15) << 23; // between the exponents of f32 and f16

float widenF16Fast(uint16_t half) {
  constexpr uint32_t kHalfInfinity = 0x7c00 << 13, kLeastNormal = (127 - 14) << 23;
  uint32_t bits = uint32_t(half & 0x7fff) << 13, exponent = bits & kHalfInfinity;
  uint32_t moved = bits + kBias;
  uint32_t normal = exponent == kHalfInfinity ? moved + kBias : moved;
  // A denormal counts steps from 0, and these bits steps from the least normal number.
  uint32_t denormal = getBits(getFloat(moved + (1 << 23)) - getFloat(kLeastNormal));
  return getFloat((exponent == 0 ? denormal : normal) | uint32_t(half & 0x8000) << 16);
}

uint16_t narrowF16Fast(float value) {
  constexpr uint32_t kTooLarge = (127 + 16) << 23, kLeastNormal = (127 - 14) << 23;
  // Added to a number below the least normal one it leaves that number's steps as its last bits.
  constexpr uint32_t kSteps = (127 - 14 + 23 - 10) << 23;
  uint32_t bits = getBits(value) & ~kSign;
  uint32_t denormal = getBits(getFloat(bits) + getFloat(kSteps)) - kSteps;
  uint32_t odd = bits >> 13 & 1;
  uint32_t normal = (bits - kBias + 0xfff + odd) >> 13;
  uint32_t large = bits > kInfinity ? 0x7e00 : 0x7c00;
  uint32_t result = bits >= kTooLarge ? large : bits < kLeastNormal ? denormal : normal;
  return static_cast<uint16_t>(result | getBits(value) >> 31 << 15);
}

float widenBF16Fast(uint16_t bits) { return getFloat(uint32_t(bits) << 16); }

uint16_t narrowBF16Fast(float value) {
  uint32_t bits = getBits(value), odd = bits >> 16 & 1;
  uint32_t rounded = (bits + 0x7fff + odd) >> 16;
  uint32_t quiet = bits >> 16 | 0x40;
  return static_cast<uint16_t>((bits & ~kSign) > kInfinity ? quiet : rounded);
}

} // namespace

void mlir::fuse::runtime::widen(int32_t dtype, const void *from, int64_t count, float *to) {
  auto *shorts = static_cast<const uint16_t *>(from);
  if (dtype == FUSE_F16)
    for (int64_t i = 0; i < count; ++i)
      to[i] = widenF16Fast(shorts[i]);
  else
    for (int64_t i = 0; i < count; ++i)
      to[i] = widenBF16Fast(shorts[i]);
}

void mlir::fuse::runtime::narrow(int32_t dtype, const float *from, int64_t count, void *to) {
  auto *shorts = static_cast<uint16_t *>(to);
  if (dtype == FUSE_F16)
    for (int64_t i = 0; i < count; ++i)
      shorts[i] = narrowF16Fast(from[i]);
  else
    for (int64_t i = 0; i < count; ++i)
      shorts[i] = narrowBF16Fast(from[i]);
}
