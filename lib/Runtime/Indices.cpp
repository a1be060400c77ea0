//===- Indices.cpp - Bounds of indices that a program is given -------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Device/DeviceState.h"

#include <cstring>

using namespace mlir::fuse::runtime;

namespace {

template <typename Int> int64_t load(const char *at) {
  Int value;
  std::memcpy(&value, at, sizeof(value));
  return static_cast<int64_t>(value);
}

using LoadFn = int64_t (*)(const char *);

/// Null for types that are no signed integers.
LoadFn getLoad(int32_t dtype) {
  switch (dtype) {
  case FUSE_I8:
    return load<int8_t>;
  case FUSE_I16:
    return load<int16_t>;
  case FUSE_I32:
    return load<int32_t>;
  case FUSE_I64:
    return load<int64_t>;
  default:
    return nullptr;
  }
}

/// The first element outside the bounds, in row-major order.
struct Search {
  LoadFn load;
  int64_t bytes, extent;
  int64_t position = 0, value = 0;

  bool findIn(const fuse_buffer &indices, int32_t dim, const char *at) {
    if (dim == indices.rank) {
      value = load(at);
      if (value < -extent || value >= extent)
        return true;
      ++position;
      return false;
    }
    for (int64_t i = 0; i < indices.sizes[dim]; ++i)
      if (findIn(indices, dim + 1, at + i * indices.strides[dim] * bytes))
        return true;
    return false;
  }
};

/// A recorded run checks again whenever it is replayed.
int32_t keepCheck(fuse_context *context, const char *what, const fuse_buffer &indices,
                  int64_t extent) {
  fuse_device_state &state = *context->device_state;
  if (!state.isCapturing)
    return 0;
  if (!makeRoom(reinterpret_cast<void **>(&state.checks), state.numChecks, &state.checkCapacity,
                sizeof(IndexCheck)))
    return failWith(context, "out of memory: a check of indices");
  state.checks[state.numChecks++] = {what, indices, extent};
  return 0;
}

} // namespace

extern "C" int32_t fuse_expect_indices(fuse_context *context, const char *what,
                                       const fuse_buffer *indices, int64_t extent) {
  Search search = {getLoad(indices->dtype), fuse_dtype_size(indices->dtype), extent};
  if (!search.load)
    return failWith(context, "%s: expected signed integers as indices, found %s", what,
                    fuse_dtype_name(indices->dtype));
  fuse_buffer onHost = *indices;
  if (context->device && countBytes(*indices) > 0) {
    if (lookAtHost(context, onHost) || keepCheck(context, what, *indices, extent))
      return 1;
  }
  if (!search.findIn(onHost, 0, static_cast<const char *>(onHost.data)))
    return 0;
  return failWith(context, "%s: index %lld (element %lld) is outside [%lld, %lld)", what,
                  toLong(search.value), toLong(search.position), toLong(-extent), toLong(extent));
}
