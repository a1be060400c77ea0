//===- Buffers.cpp - Element types and strided copies --------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Device/DeviceState.h"

#include <cstdio>
#include <cstring>

using namespace mlir::fuse::runtime;

namespace {

struct DTypeInfo {
  const char *name;
  int64_t size;
};

constexpr DTypeInfo kDTypes[FUSE_NUM_DTYPES] = {
    {"f16", 2}, {"bf16", 2}, {"f32", 4}, {"f64", 8},  {"i1", 1},   {"i8", 1},  {"i16", 2},
    {"i32", 4}, {"i64", 8},  {"ui8", 1}, {"ui16", 2}, {"ui32", 4}, {"ui64", 8}};

/// One loop of a copy; steps in bytes.
struct Loop {
  int64_t size, fromStep, toStep;
};

/// An array whose dimensions of extent 1 are dropped has fewer dimensions than its element count
/// has bits, so no rank is too high.
constexpr int kMaxLoops = 63;

struct CopyLoops {
  Loop loops[kMaxLoops];
  int count = 0;
  bool empty = false;
  bool overflow = false;
};

CopyLoops collectLoops(const fuse_buffer &from, const fuse_buffer &to, int64_t elementSize) {
  CopyLoops result;
  for (int32_t d = 0; d < from.rank; ++d)
    result.empty |= from.sizes[d] == 0;
  if (result.empty)
    return result;
  for (int32_t d = 0; d < from.rank; ++d) {
    if (from.sizes[d] == 1)
      continue;
    Loop loop = {from.sizes[d], from.strides[d] * elementSize, to.strides[d] * elementSize};
    Loop *outer = result.count > 0 ? &result.loops[result.count - 1] : nullptr;
    if (outer && outer->fromStep == loop.size * loop.fromStep &&
        outer->toStep == loop.size * loop.toStep) {
      *outer = {outer->size * loop.size, loop.fromStep, loop.toStep};
      continue;
    }
    if (result.count == kMaxLoops) {
      result.overflow = true;
      return result;
    }
    result.loops[result.count++] = loop;
  }
  return result;
}

template <int64_t Size> void copyElements(const char *from, char *to, const Loop &loop) {
  for (int64_t i = 0; i < loop.size; ++i)
    std::memcpy(to + i * loop.toStep, from + i * loop.fromStep, Size);
}

void copyInnermost(const char *from, char *to, const Loop &loop, int64_t elementSize) {
  if (loop.fromStep == elementSize && loop.toStep == elementSize) {
    std::memcpy(to, from, loop.size * elementSize);
    return;
  }
  switch (elementSize) {
  case 1:
    return copyElements<1>(from, to, loop);
  case 2:
    return copyElements<2>(from, to, loop);
  case 4:
    return copyElements<4>(from, to, loop);
  default:
    return copyElements<8>(from, to, loop);
  }
}

void copyLoops(const char *from, char *to, const CopyLoops &loops, int depth, int64_t elementSize) {
  const Loop &loop = loops.loops[depth];
  if (depth == loops.count - 1)
    return copyInnermost(from, to, loop, elementSize);
  for (int64_t i = 0; i < loop.size; ++i)
    copyLoops(from + i * loop.fromStep, to + i * loop.toStep, loops, depth + 1, elementSize);
}

bool sameArray(const fuse_buffer &a, const fuse_buffer &b) {
  if (a.data != b.data)
    return false;
  for (int32_t d = 0; d < a.rank; ++d)
    if (a.sizes[d] > 1 && a.strides[d] != b.strides[d])
      return false;
  return true;
}

} // namespace

ShapeText::ShapeText(const fuse_buffer &buffer) {
  // Room for the longest number, the ellipsis and the bracket is kept free at each step.
  constexpr int reserve = 32;
  int length = snprintf(text, sizeof(text), "[");
  for (int32_t d = 0; d < buffer.rank; ++d) {
    if (length > static_cast<int>(sizeof(text)) - reserve) {
      length += snprintf(text + length, sizeof(text) - length, ", …");
      break;
    }
    length += snprintf(text + length, sizeof(text) - length, d ? ", %lld" : "%lld",
                       toLong(buffer.sizes[d]));
  }
  snprintf(text + length, sizeof(text) - length, "]");
}

bool mlir::fuse::runtime::haveSameSizes(const fuse_buffer &a, const fuse_buffer &b) {
  if (a.rank != b.rank)
    return false;
  for (int32_t d = 0; d < a.rank; ++d)
    if (a.sizes[d] != b.sizes[d])
      return false;
  return true;
}

void mlir::fuse::runtime::computeStrides(int32_t rank, const int64_t *sizes, int64_t *strides) {
  uint64_t stride = 1; // wraps for sizes that no memory holds
  for (int32_t d = rank; d-- > 0;) {
    strides[d] = static_cast<int64_t>(stride);
    stride *= static_cast<uint64_t>(sizes[d]);
  }
}

int64_t mlir::fuse::runtime::countBytes(const fuse_buffer &buffer) {
  int64_t bytes = fuse_dtype_size(buffer.dtype);
  for (int32_t d = 0; d < buffer.rank; ++d)
    bytes *= buffer.sizes[d];
  return bytes;
}

/// The first dimension whose stride is not that of row-major order, which goes to `expected`; -1 if
/// there is none.
static int32_t findGap(const fuse_buffer &buffer, int64_t &expected) {
  for (int32_t d = 0; d < buffer.rank; ++d)
    if (buffer.sizes[d] == 0)
      return -1;
  expected = 1;
  for (int32_t d = buffer.rank - 1; d >= 0; --d) {
    if (buffer.sizes[d] != 1 && buffer.strides[d] != expected)
      return d;
    expected *= buffer.sizes[d];
  }
  return -1;
}

bool mlir::fuse::runtime::isRowMajor(const fuse_buffer &buffer) {
  int64_t expected = 0;
  return findGap(buffer, expected) < 0;
}

static void copyArrays(const fuse_buffer &from, const fuse_buffer &to, const CopyLoops &loops,
                       int64_t elementSize) {
  const char *source = static_cast<const char *>(from.data);
  char *target = static_cast<char *>(to.data);
  if (loops.count == 0)
    std::memcpy(target, source, elementSize);
  else
    copyLoops(source, target, loops, 0, elementSize);
}

int32_t mlir::fuse::runtime::copyElements(fuse_context *context, const fuse_buffer &from,
                                          const fuse_buffer &to) {
  int64_t elementSize = fuse_dtype_size(to.dtype);
  CopyLoops loops = collectLoops(from, to, elementSize);
  if (loops.overflow)
    return failWith(context, "copy: shape %s has too many elements", ShapeText(to).text);
  if (!loops.empty && !sameArray(from, to))
    copyArrays(from, to, loops, elementSize);
  return 0;
}

/// Copies of devices have one dimension; others make the detour over the host.
static int32_t copyOnDevice(fuse_context *context, const fuse_buffer &from, const fuse_buffer &to,
                            const CopyLoops &loops) {
  fuse_device *device = context->device;
  leaveHost(context, &to, 1);
  if (isRowMajor(from) && isRowMajor(to))
    return device->copy(device, context, to.data, from.data, countBytes(to));
  fuse_buffer stagedFrom, stagedTo;
  if (stageCopy(context, from, to, stagedFrom, stagedTo))
    return 1;
  copyArrays(stagedFrom, stagedTo, loops, fuse_dtype_size(to.dtype));
  return sendCopy(context, to, stagedTo);
}

extern "C" {

int64_t fuse_dtype_size(int32_t dtype) {
  return dtype >= 0 && dtype < FUSE_NUM_DTYPES ? kDTypes[dtype].size : 0;
}

const char *fuse_dtype_name(int32_t dtype) {
  return dtype >= 0 && dtype < FUSE_NUM_DTYPES ? kDTypes[dtype].name : "unknown";
}

int32_t fuse_copy(fuse_context *context, const fuse_buffer *from, const fuse_buffer *to) {
  int64_t elementSize = fuse_dtype_size(to->dtype);
  if (elementSize == 0)
    return failWith(context, "copy: unknown element type %d", to->dtype);
  if (from->dtype != to->dtype)
    return failWith(context, "copy: expected element type %s, found %s", fuse_dtype_name(to->dtype),
                    fuse_dtype_name(from->dtype));
  if (!haveSameSizes(*from, *to))
    return failWith(context, "copy: expected shape %s, found %s", ShapeText(*to).text,
                    ShapeText(*from).text);
  CopyLoops loops = collectLoops(*from, *to, elementSize);
  if (loops.overflow)
    return failWith(context, "copy: shape %s has too many elements", ShapeText(*to).text);
  ++context->counters.copies;
  if (loops.empty || sameArray(*from, *to))
    return 0;
  Recording recording(context, FUSE_EVENT_COPY, "copy");
  recording.setBytes(from->sizes, from->rank, elementSize);
  if (context->device)
    return copyOnDevice(context, *from, *to, loops);
  copyArrays(*from, *to, loops, elementSize);
  return 0;
}

int32_t fuse_expect_row_major(fuse_context *context, const char *names, const fuse_buffer *buffers,
                              int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    int64_t expected = 0;
    int32_t d = findGap(buffers[i], expected);
    if (d < 0)
      continue;
    for (; i > 0; --i)
      names += std::strlen(names) + 1;
    return failWith(context,
                    "%s: expected row-major order, stride %lld in dimension %d, found %lld", names,
                    toLong(expected), static_cast<int>(d), toLong(buffers[i].strides[d]));
  }
  return 0;
}

} // extern "C"
