//===- Values.cpp - Inputs with special values -------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Values.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::differential;

llvm::StringRef differential::getName(ValueSet set) {
  static constexpr const char *names[] = {"ordinary", "nan",      "inf",     "neg_inf",
                                          "neg_zero", "denormal", "extreme", "pairs"};
  return names[static_cast<unsigned>(set)];
}

bool differential::isSpecialFor(ValueSet set, ElementType type) {
  if (set == ValueSet::Ordinary)
    return false;
  if (isFloatElement(type) || set == ValueSet::Pairs)
    return true;
  return set == ValueSet::Extreme && type != ElementType::I1;
}

uint64_t Random::next() {
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

double Random::normal() {
  double radius = std::sqrt(-2 * std::log(uniform()));
  return radius * std::cos(6.283185307179586 * uniform());
}

uint64_t differential::hashText(llvm::StringRef text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (unsigned char byte : text.bytes())
    hash = (hash ^ byte) * 0x100000001b3;
  return hash;
}

namespace {
struct FloatFormat {
  double largest, leastNormal, leastDenormal;
};
} // namespace

static FloatFormat getFormat(ElementType type) {
  switch (type) {
  case ElementType::F16:
    return {65504.0, 0x1p-14, 0x1p-24};
  case ElementType::BF16:
    return {0x1.fep127, 0x1p-126, 0x1p-133};
  case ElementType::F32:
    return {0x1.fffffep127, 0x1p-126, 0x1p-149};
  default:
    return {0x1.fffffffffffffp1023, 0x1p-1022, 0x1p-1074};
  }
}

static SmallVector<double> getSpecialFloats(ElementType type, ValueSet set) {
  FloatFormat format = getFormat(type);
  double d = format.leastDenormal;
  switch (set) {
  case ValueSet::Ordinary:
    return {};
  case ValueSet::NaN:
    return {NAN};
  case ValueSet::Inf:
    return {INFINITY};
  case ValueSet::NegInf:
    return {-INFINITY};
  case ValueSet::NegZero:
    return {-0.0, 0.0};
  case ValueSet::Denormal:
    return {d, -d, format.leastNormal - d, 3 * d, -(format.leastNormal - d), -3 * d};
  case ValueSet::Extreme:
    return {format.largest, -format.largest, format.leastNormal, -format.leastNormal};
  case ValueSet::Pairs:
    return {0.0,  -0.0, 1.0,  -1.0, INFINITY,       -INFINITY,       NAN, 0.5, -0.5, 2.0, -2.0,
            1.5,  3.0,  -3.0, d,    format.largest, -format.largest, -d,  2.5, -2.5, 100.0,
            -100.0, format.leastNormal};
  }
  return {};
}

static SmallVector<int64_t> getSpecialInts(ElementType type, ValueSet set) {
  int64_t low = getLowestInteger(type), high = getHighestInteger(type);
  if (set == ValueSet::Extreme)
    return {low, high, low + 1, high - 1};
  if (set != ValueSet::Pairs)
    return {};
  if (type == ElementType::I1)
    return {0, 1};
  // −1 wraps to the highest value of an unsigned type.
  SmallVector<int64_t> values = {0, 1, 2, 3, 7, 31, 64, low, high, low + 1, high - 1};
  if (isSignedElement(type))
    values.append({-1, -2, -3, -7, -64});
  return values;
}

/// Whether element `i` of an argument is special, and which one of them.
static std::optional<size_t> pickSpecial(int64_t i, int64_t count, unsigned argument,
                                         ValueSet set, ValueRole role, size_t numSpecials) {
  if (numSpecials == 0)
    return std::nullopt;
  auto n = static_cast<int64_t>(numSpecials);
  if (set == ValueSet::Pairs) {
    // A counter whose digits are the arguments; the small arrays start somewhere within it.
    int64_t digit = i + (count < n ? count : 0);
    for (unsigned a = 0; a < argument; ++a)
      digit /= n;
    return digit % n;
  }
  if (role.kind == ValueRole::OneLarge && set == ValueSet::Extreme)
    return i == count / 2 ? std::optional<size_t>(0) : std::nullopt;
  if (argument == 0 ? i % 3 != 0 : (i + argument) % 5 > 1)
    return std::nullopt;
  return (i / 3) % n;
}

static double makeFloat(ValueRole role, Random &random) {
  switch (role.kind) {
  case ValueRole::NearOne:
    return (random.below(2) ? 1 : -1) * (0.75 + 0.5 * random.uniform());
  case ValueRole::Positive:
    return 0.25 + random.uniform();
  case ValueRole::Any:
    switch (random.below(3)) {
    case 0:
      return (random.below(2) ? 1 : -1) * std::exp2(random.uniform() * 24 - 12);
    case 1:
      return 8 * random.normal();
    }
    [[fallthrough]];
  default:
    return random.normal();
  }
}

static int64_t makeInt(ElementType type, ValueRole role, Random &random) {
  if (role.kind == ValueRole::Index)
    return random.below(2 * role.extent) - role.extent;
  if (type == ElementType::I1)
    return random.below(2);
  // Small values meet, wide ones wrap.
  if (random.below(2))
    return random.below(17) - (isSignedElement(type) ? 8 : 0);
  return static_cast<int64_t>(random.next());
}

HostArray differential::makeValues(ElementType type, ArrayRef<int64_t> shape, ValueRole role,
                                   ValueSet set, unsigned argument, uint64_t seed) {
  HostArray array(type, shape);
  Random random(seed + argument * 0x100000001b3 + static_cast<uint64_t>(set) * 0x9e3779b9);
  bool isFloat = isFloatElement(type);
  SmallVector<double> floats;
  SmallVector<int64_t> ints;
  if (role.kind != ValueRole::Index && role.kind != ValueRole::Positive) {
    if (isFloat)
      floats = getSpecialFloats(type, set);
    else
      ints = getSpecialInts(type, set);
  }
  int64_t count = array.getNumElements();
  for (int64_t i = 0; i < count; ++i) {
    double f = isFloat ? makeFloat(role, random) : 0.0;
    int64_t n = isFloat ? 0 : makeInt(type, role, random);
    if (auto special = pickSpecial(i, count, argument, set, role, floats.size() + ints.size())) {
      if (isFloat)
        f = floats[*special];
      else
        n = ints[*special];
    }
    if (isFloat)
      array.setFloat(i, f);
    else
      array.setInt(i, n);
  }
  return array;
}
