//===- Combine.cpp - Combining elements of several ranks -----------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Each function gives the same bits in either order of its two operands, so that ranks that combine
// the same elements in the two orders agree: of a NaN and another it gives one NaN, and it tells the
// zeros apart.
//
//===----------------------------------------------------------------------------------------===//

#include "Job.h"

#include <type_traits>

using namespace mlir::fuse::runtime;

namespace {

template <typename T> constexpr bool kIsFloat = std::is_floating_point_v<T>;

struct Sum {
  template <typename T> T operator()(T a, T b) const { return static_cast<T>(a + b); }
};

struct Product {
  template <typename T> T operator()(T a, T b) const { return static_cast<T>(a * b); }
};

template <bool IsMax> struct Extreme {
  template <typename T> T operator()(T a, T b) const {
    if constexpr (kIsFloat<T>) {
      if (a != a || b != b)
        return static_cast<T>(__builtin_nan(""));
      if (a == b) // 0 and -0
        return (__builtin_signbit(a) != 0) == IsMax ? b : a;
    }
    return (a < b) == IsMax ? b : a;
  }
};

template <typename T, typename Combine>
void combineAs(const void *in, void *out, int64_t count, Combine each) {
  const T *from = static_cast<const T *>(in);
  T *to = static_cast<T *>(out);
  for (int64_t i = 0; i < count; ++i)
    to[i] = each(to[i], from[i]);
}

/// Signed integers are added and multiplied as unsigned ones, which wrap.
template <typename T> void combineAs(int32_t kind, const void *in, void *out, int64_t count) {
  using Unsigned = typename std::conditional_t<kIsFloat<T>, std::enable_if<true, T>,
                                               std::make_unsigned<T>>::type;
  switch (kind) {
  case FUSE_REDUCE_SUM:
    return combineAs<Unsigned>(in, out, count, Sum());
  case FUSE_REDUCE_PROD:
    return combineAs<Unsigned>(in, out, count, Product());
  case FUSE_REDUCE_MAX:
  case FUSE_REDUCE_ANY:
    return combineAs<T>(in, out, count, Extreme<true>());
  case FUSE_REDUCE_MIN:
  case FUSE_REDUCE_ALL:
    return combineAs<T>(in, out, count, Extreme<false>());
  }
}

} // namespace

void mlir::fuse::runtime::combine(const Elements &elements, const void *in, void *out) {
  int32_t kind = elements.kind;
  int64_t count = elements.count;
  switch (elements.dtype) {
  case FUSE_F32:
    return combineAs<float>(kind, in, out, count);
  case FUSE_F64:
    return combineAs<double>(kind, in, out, count);
  case FUSE_I1:
  case FUSE_U8:
    return combineAs<uint8_t>(kind, in, out, count);
  case FUSE_I8:
    return combineAs<int8_t>(kind, in, out, count);
  case FUSE_I16:
    return combineAs<int16_t>(kind, in, out, count);
  case FUSE_I32:
    return combineAs<int32_t>(kind, in, out, count);
  case FUSE_I64:
    return combineAs<int64_t>(kind, in, out, count);
  case FUSE_U16:
    return combineAs<uint16_t>(kind, in, out, count);
  case FUSE_U32:
    return combineAs<uint32_t>(kind, in, out, count);
  case FUSE_U64:
    return combineAs<uint64_t>(kind, in, out, count);
  }
}
