//===- Values.h - Inputs with special values -----------------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TEST_NUMERIC_DIFFERENTIAL_VALUES_H
#define FUSE_TEST_NUMERIC_DIFFERENTIAL_VALUES_H

#include "fuse/Support/HostArray.h"

namespace mlir::fuse::differential {

/// What an input is full of. All but Ordinary have a meaning for the types named only.
enum class ValueSet {
  Ordinary,
  NaN,      // floats: every third element
  Inf,      // floats
  NegInf,   // floats
  NegZero,  // floats: −0.0 and +0.0
  Denormal, // floats
  Extreme,  // floats: largest, lowest, least normal; integers: lowest, highest and their neighbours
  Pairs     // every special value against every other
};
inline constexpr unsigned kNumValueSets = 8;
llvm::StringRef getName(ValueSet set);

/// Whether an array of `type` holds something else in `set` than in Ordinary.
bool isSpecialFor(ValueSet set, ElementType type);

/// What an argument stands for.
struct ValueRole {
  enum Kind {
    Any,
    Unit,     // normal with deviation 1: terms of sums
    NearOne,  // factors of a product
    Positive, // variances
    Index,    // −extent to extent − 1
    OneLarge  // as Unit; only one element of Extreme is
  } kind = Any;
  int64_t extent = 0;
};

/// Depends on nothing but its arguments. `argument`: the position, so that specials of several
/// arguments meet each other and ordinary values.
HostArray makeValues(ElementType type, ArrayRef<int64_t> shape, ValueRole role, ValueSet set,
                     unsigned argument, uint64_t seed);

/// SplitMix64.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t next();
  /// In (0, 1].
  double uniform() { return static_cast<double>((next() >> 11) + 1) * 0x1p-53; }
  double normal();
  /// In [0, n).
  int64_t below(int64_t n) { return static_cast<int64_t>(next() % static_cast<uint64_t>(n)); }

private:
  uint64_t state;
};

uint64_t hashText(llvm::StringRef text);

} // namespace mlir::fuse::differential

#endif // FUSE_TEST_NUMERIC_DIFFERENTIAL_VALUES_H
