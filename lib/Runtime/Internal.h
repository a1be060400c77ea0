//===- Internal.h - Shared by the runtime's sources ---------------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_RUNTIME_INTERNAL_H
#define FUSE_LIB_RUNTIME_INTERNAL_H

#include "fuse/Runtime/Context.h"

namespace mlir::fuse::runtime {

/// Sets the context's error text and returns 1.
__attribute__((format(printf, 2, 3))) int32_t failWith(fuse_context *context, const char *format,
                                                       ...);

/// Where a function without a context puts its error text.
struct ErrorText {
  char *text;
  int64_t capacity;

  /// Writes the text and returns 1.
  __attribute__((format(printf, 2, 3))) int32_t fail(const char *format, ...) const;
};

/// As printf's %lld takes it.
constexpr long long toLong(int64_t value) { return value; }

/// The next multiple of an alignment; that of the host's memory if none is given.
constexpr int64_t kHostAlignment = 64;
constexpr int64_t alignUp(int64_t bytes, int64_t alignment = kHostAlignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

/// Makes `memory` at least `bytes` large, keeping nothing of its content. `what` names the use in
/// the error text.
int32_t reserve(fuse_context *context, fuse_memory &memory, int64_t bytes, const char *what);

/// Makes room for one element behind the `count` of an array; false without memory.
bool makeRoom(void **array, int64_t count, int64_t *capacity, int64_t elementSize);

/// Bytes of an array's elements.
int64_t countBytes(const fuse_buffer &buffer);

/// In row-major order without gaps, in elements; of sizes that no memory holds they wrap.
void computeStrides(int32_t rank, const int64_t *sizes, int64_t *strides);

/// Copies the elements of arrays in the host's memory that have one type and one shape, which is not
/// counted. Fails on more dimensions than any array in memory has.
int32_t copyElements(fuse_context *context, const fuse_buffer &from, const fuse_buffer &to);

bool haveSameSizes(const fuse_buffer &a, const fuse_buffer &b);

/// Whether the elements lie in row-major order without gaps.
bool isRowMajor(const fuse_buffer &buffer);

/// Records what happens while it lives as an event, if the context records any.
class Recording {
public:
  Recording(fuse_context *context, int32_t kind, const char *name, int32_t kernel = -1)
      : event(context->events ? begin(context, kind, name, kernel) : nullptr) {}
  ~Recording() {
    if (event)
      event->end_ns = now();
  }
  Recording(const Recording &) = delete;
  Recording &operator=(const Recording &) = delete;

  void setBytes(const int64_t *sizes, int32_t rank, int64_t elementSize) {
    if (!event)
      return;
    event->bytes = elementSize;
    for (int32_t d = 0; d < rank; ++d)
      event->bytes *= sizes[d];
  }

  /// Nanoseconds of a clock that only goes on.
  static int64_t now();

private:
  static fuse_event *begin(fuse_context *context, int32_t kind, const char *name, int32_t kernel);

  fuse_event *event; // null where none is recorded
};

/// A buffer's sizes as text, "[2, 3]"; shortened with "…" if it does not fit.
struct ShapeText {
  explicit ShapeText(const fuse_buffer &buffer);
  char text[128];
};

/// Fails with a text that names `op` unless it was given these numbers of operands, results and
/// attributes.
int32_t expectCounts(fuse_context *context, const char *op, const int64_t (&expected)[3],
                     int64_t numIns, int64_t numOuts, int64_t numAttrs);

/// Fails unless the buffer holds floats and has rank `rank`, or, where `orMore`, at least that.
int32_t expectFloats(fuse_context *context, const char *op, const char *what,
                     const fuse_buffer &buffer, int32_t rank, bool orMore);

/// The host op called `name`, or null.
fuse_host_fn findHostOp(const char *name);

// The host ops; see HostCalls.h.
int32_t logMel(fuse_context *context, const fuse_buffer *args, int64_t numIns, int64_t numOuts,
               const int64_t *attrs, int64_t numAttrs, void *userData);
int32_t logMelBackward(fuse_context *context, const fuse_buffer *args, int64_t numIns,
                       int64_t numOuts, const int64_t *attrs, int64_t numAttrs, void *userData);
int32_t welchPeaks(fuse_context *context, const fuse_buffer *args, int64_t numIns, int64_t numOuts,
                   const int64_t *attrs, int64_t numAttrs, void *userData);
int32_t allReduce(fuse_context *context, const fuse_buffer *args, int64_t numIns, int64_t numOuts,
                  const int64_t *attrs, int64_t numAttrs, void *userData);
int32_t allGather(fuse_context *context, const fuse_buffer *args, int64_t numIns, int64_t numOuts,
                  const int64_t *attrs, int64_t numAttrs, void *userData);
int32_t reduceScatter(fuse_context *context, const fuse_buffer *args, int64_t numIns, int64_t numOuts,
                      const int64_t *attrs, int64_t numAttrs, void *userData);
int32_t allToAll(fuse_context *context, const fuse_buffer *args, int64_t numIns, int64_t numOuts,
                 const int64_t *attrs, int64_t numAttrs, void *userData);
int32_t allSlice(fuse_context *context, const fuse_buffer *args, int64_t numIns, int64_t numOuts,
                 const int64_t *attrs, int64_t numAttrs, void *userData);
int32_t broadcastFrom(fuse_context *context, const fuse_buffer *args, int64_t numIns, int64_t numOuts,
                      const int64_t *attrs, int64_t numAttrs, void *userData);
int32_t startAllReduce(fuse_context *context, const fuse_buffer *args, int64_t numIns, int64_t numOuts,
                       const int64_t *attrs, int64_t numAttrs, void *userData);
int32_t startAllGather(fuse_context *context, const fuse_buffer *args, int64_t numIns, int64_t numOuts,
                       const int64_t *attrs, int64_t numAttrs, void *userData);
int32_t startReduceScatter(fuse_context *context, const fuse_buffer *args, int64_t numIns, int64_t numOuts,
                           const int64_t *attrs, int64_t numAttrs, void *userData);
int32_t startAllToAll(fuse_context *context, const fuse_buffer *args, int64_t numIns, int64_t numOuts,
                      const int64_t *attrs, int64_t numAttrs, void *userData);
int32_t startBroadcastFrom(fuse_context *context, const fuse_buffer *args, int64_t numIns, int64_t numOuts,
                           const int64_t *attrs, int64_t numAttrs, void *userData);
int32_t waitForCollectives(fuse_context *context, const fuse_buffer *args, int64_t numIns, int64_t numOuts,
                           const int64_t *attrs, int64_t numAttrs, void *userData);

} // namespace mlir::fuse::runtime

#endif // FUSE_LIB_RUNTIME_INTERNAL_H
