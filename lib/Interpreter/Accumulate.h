//===- Accumulate.h - Numbers as contractions accumulate them -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_INTERPRETER_ACCUMULATE_H
#define FUSE_LIB_INTERPRETER_ACCUMULATE_H

#include "fuse/Support/HostArray.h"

#include <vector>

namespace mlir::fuse::interpreter {

/// How sums of products are formed. Products of f16, bf16 and f32 are exact in double, and a sum
/// in double stands for any order of accumulation in f32; f64 gets long double. Integers wrap
/// modulo 2^64, which every narrower wrapping agrees with.
struct FloatSum {
  using Value = double;
  using Sum = double;
  static Value load(const HostArray &array, int64_t i) { return array.getFloat(i); }
};
struct DoubleSum : FloatSum {
  using Sum = long double;
};
struct IntegerSum {
  using Value = uint64_t;
  using Sum = uint64_t;
  static Value load(const HostArray &array, int64_t i) { return array.getUInt(i); }
};

template <typename Kind> std::vector<typename Kind::Value> loadAll(const HostArray &array) {
  std::vector<typename Kind::Value> values(array.getNumElements());
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = Kind::load(array, i);
  return values;
}

/// Rounds once to the accumulator's type, then to the element type; or wraps.
template <typename Sum> void storeSum(HostArray &array, int64_t i, Sum sum) {
  ElementType type = array.getElementType();
  if constexpr (std::is_same_v<Sum, uint64_t>)
    array.setInt(i, static_cast<int64_t>(sum));
  else
    array.set(i, Scalar::fromFloat(type, roundComputed(type, sum)));
}

/// Calls `function` with the kind of sum for operands of `type`.
template <typename Function> void withSumOf(ElementType type, Function function) {
  if (!isFloatElement(type))
    function(IntegerSum());
  else if (type == ElementType::F64)
    function(DoubleSum());
  else
    function(FloatSum());
}

} // namespace mlir::fuse::interpreter

#endif // FUSE_LIB_INTERPRETER_ACCUMULATE_H
