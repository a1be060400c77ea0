//===- TestUtils.h - Arrays and contexts for the runtime's tests -----------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TEST_UNIT_RUNTIME_TESTUTILS_H
#define FUSE_TEST_UNIT_RUNTIME_TESTUTILS_H

#include "fuse/Runtime/Context.h"

#include <memory>
#include <vector>

namespace fusetest {

struct DestroyContext {
  void operator()(fuse_context *context) const { fuse_context_destroy(context); }
};
using Context = std::unique_ptr<fuse_context, DestroyContext>;

inline Context makeContext(int32_t threads) { return Context(fuse_context_create(threads)); }

/// Row-major strides with `gap` unused elements after each row.
inline std::vector<int64_t> rowMajor(const std::vector<int64_t> &sizes, int64_t gap = 0) {
  std::vector<int64_t> strides(sizes.size());
  int64_t step = 1;
  for (size_t d = sizes.size(); d-- > 0;) {
    strides[d] = step;
    step *= sizes[d];
    if (d + 1 == sizes.size())
      step += gap;
  }
  return strides;
}

/// A shape with memory for it.
template <typename T> struct Array {
  std::vector<int64_t> sizes, strides;
  std::vector<T> data;
  int32_t dtype;

  Array(int32_t dtype, std::vector<int64_t> sizes, int64_t gap = 0)
      : sizes(sizes), strides(rowMajor(sizes, gap)), dtype(dtype) {
    int64_t count = 1;
    for (int64_t size : sizes)
      count *= size;
    int64_t rows = sizes.empty() || sizes.back() == 0 ? 0 : count / sizes.back();
    data.resize(count + rows * gap + 1);
  }
  fuse_buffer buffer() {
    return {data.data(), sizes.data(), strides.data(), static_cast<int32_t>(sizes.size()), dtype};
  }
};

} // namespace fusetest

#endif // FUSE_TEST_UNIT_RUNTIME_TESTUTILS_H
