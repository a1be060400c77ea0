//===- Strided.h - Walks over several arrays at once -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_INTERPRETER_STRIDED_H
#define FUSE_LIB_INTERPRETER_STRIDED_H

#include "fuse/Support/HostArray.h"

#include <array>

namespace mlir::fuse::interpreter {

/// Calls `body(offsets)` for each index of `shape` in row-major order; offsets[n] is the index
/// times strides[n], in elements.
template <size_t N, typename Body>
void forEachIndex(ArrayRef<int64_t> shape, const std::array<SmallVector<int64_t>, N> &strides,
                  Body body) {
  int64_t rank = shape.size();
  for (int64_t size : shape)
    if (size == 0)
      return;
  std::array<int64_t, N> offsets = {};
  if (rank == 0)
    return body(offsets);
  SmallVector<int64_t> index(rank, 0);
  int64_t inner = shape[rank - 1];
  while (true) {
    std::array<int64_t, N> at = offsets;
    for (int64_t i = 0; i < inner; ++i) {
      body(at);
      for (size_t n = 0; n < N; ++n)
        at[n] += strides[n][rank - 1];
    }
    int64_t dim = rank - 2;
    for (; dim >= 0; --dim) {
      for (size_t n = 0; n < N; ++n)
        offsets[n] += strides[n][dim];
      if (++index[dim] < shape[dim])
        break;
      for (size_t n = 0; n < N; ++n)
        offsets[n] -= strides[n][dim] * shape[dim];
      index[dim] = 0;
    }
    if (dim < 0)
      return;
  }
}

/// Row-major strides of a shape, in elements.
SmallVector<int64_t> getRowMajorStrides(ArrayRef<int64_t> shape);

/// Strides with which an array of shape `from` is read along `to`, aligned at the last dimension:
/// 0 where it lacks a dimension or has one element against another extent.
SmallVector<int64_t> getBroadcastStrides(ArrayRef<int64_t> from, ArrayRef<int64_t> to);

/// Where a strided walk begins and how it goes on, in elements.
struct StridedView {
  int64_t offset = 0;
  SmallVector<int64_t> strides;
};

/// Copies the elements of `shape` from one view to another; both arrays have one element size.
void copyElements(ArrayRef<int64_t> shape, const HostArray &from, const StridedView &fromView,
                  HostArray &to, const StridedView &toView);

} // namespace mlir::fuse::interpreter

#endif // FUSE_LIB_INTERPRETER_STRIDED_H
