//===- Strided.cpp - Walks over several arrays at once -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Strided.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::interpreter;

SmallVector<int64_t> interpreter::getRowMajorStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (int64_t i = static_cast<int64_t>(shape.size()) - 2; i >= 0; --i)
    strides[i] = strides[i + 1] * shape[i + 1];
  return strides;
}

SmallVector<int64_t> interpreter::getBroadcastStrides(ArrayRef<int64_t> from,
                                                      ArrayRef<int64_t> to) {
  SmallVector<int64_t> strides(to.size() - from.size(), 0);
  for (auto [i, stride] : llvm::enumerate(getRowMajorStrides(from)))
    strides.push_back(from[i] == 1 ? 0 : stride);
  return strides;
}

template <typename T>
static void copyTyped(ArrayRef<int64_t> shape, const HostArray &from, const StridedView &fromView,
                      HostArray &to, const StridedView &toView) {
  // Offsets may lie outside while a walk has no element.
  const T *source = from.data<T>().data();
  T *target = to.data<T>().data();
  forEachIndex<2>(shape, {fromView.strides, toView.strides}, [&](std::array<int64_t, 2> at) {
    target[toView.offset + at[1]] = source[fromView.offset + at[0]];
  });
}

void interpreter::copyElements(ArrayRef<int64_t> shape, const HostArray &from,
                               const StridedView &fromView, HostArray &to,
                               const StridedView &toView) {
  switch (getElementBytes(from.getElementType())) {
  case 1:
    return copyTyped<uint8_t>(shape, from, fromView, to, toView);
  case 2:
    return copyTyped<uint16_t>(shape, from, fromView, to, toView);
  case 4:
    return copyTyped<uint32_t>(shape, from, fromView, to, toView);
  default:
    return copyTyped<uint64_t>(shape, from, fromView, to, toView);
  }
}
