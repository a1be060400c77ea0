//===- DevicePrograms.h - What a compiler would make of small programs ----------------*- C++
//-*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Programs of two arrays x and w of n floats and one result y, as query and run functions:
//   plain    y = 2 x + w
//   hosted   y = w - 2 x, with -2 x computed by the host function "negate"
//   unasked  the same, without fetching what the host function reads
//   last     y = -2 x, which the host function returns, so that the program does not wait for it
//   inplace  y = w - x, computed in place of what the host function had written there
//   passing  y = x
//   indexed  y = 2 x + w, after a look at x as indices below 10 (x holds integers)
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TEST_UNIT_RUNTIME_CUDA_DEVICEPROGRAMS_H
#define FUSE_TEST_UNIT_RUNTIME_CUDA_DEVICEPROGRAMS_H

#include "CudaFixture.h"

namespace fusetest {

inline int32_t queryLikeX(fuse_context *, const fuse_buffer *ins, fuse_buffer *outs,
                          int64_t *arenaBytes) {
  const_cast<int64_t *>(outs[0].sizes)[0] = ins[0].sizes[0];
  const_cast<int64_t *>(outs[0].strides)[0] = 1;
  *arenaBytes = 2 * 4 * ins[0].sizes[0];
  return 0;
}

/// Array number `index` of the arena, like x.
inline fuse_buffer inArena(void *arena, const fuse_buffer &x, int64_t index) {
  fuse_buffer buffer = x;
  buffer.data = static_cast<char *>(arena) + index * 4 * x.sizes[0];
  return buffer;
}

inline int32_t readBackAndWait(fuse_context *context, const fuse_buffer *outs) {
  return fuse_read_back(context, &outs[0]) || fuse_wait(context);
}

inline int32_t runPlain(fuse_context *context, const fuse_buffer *ins, fuse_buffer *outs,
                        void *arena) {
  fuse_buffer twice = inArena(arena, ins[0], 0);
  fuse_buffer first[] = {ins[0], twice}, second[] = {twice, ins[1], outs[0]};
  return fuse_launch(context, kDouble, first, 2) || fuse_launch(context, kAdd, second, 3) ||
         readBackAndWait(context, outs);
}

inline int32_t runWithHost(fuse_context *context, const fuse_buffer *ins, fuse_buffer *outs,
                           void *arena, bool fetches) {
  fuse_buffer twice = inArena(arena, ins[0], 0), minus = inArena(arena, ins[0], 1);
  fuse_buffer first[] = {ins[0], twice}, host[] = {twice, minus};
  fuse_buffer second[] = {minus, ins[1], outs[0]};
  if (fuse_launch(context, kDouble, first, 2))
    return 1;
  if (fetches && fuse_fetch(context, host, 1))
    return 1;
  return fuse_wait(context) || fuse_host_call(context, "negate", host, 1, 1, nullptr, 0) ||
         fuse_launch(context, kAdd, second, 3) || readBackAndWait(context, outs);
}

inline int32_t runHosted(fuse_context *context, const fuse_buffer *ins, fuse_buffer *outs,
                         void *arena) {
  return runWithHost(context, ins, outs, arena, true);
}

inline int32_t runUnasked(fuse_context *context, const fuse_buffer *ins, fuse_buffer *outs,
                          void *arena) {
  return runWithHost(context, ins, outs, arena, false);
}

inline int32_t runLast(fuse_context *context, const fuse_buffer *ins, fuse_buffer *outs,
                       void *arena) {
  fuse_buffer twice = inArena(arena, ins[0], 0);
  fuse_buffer first[] = {ins[0], twice}, host[] = {twice, outs[0]};
  return fuse_launch(context, kDouble, first, 2) || fuse_fetch(context, host, 1) ||
         fuse_wait(context) || fuse_host_call(context, "negate", host, 1, 1, nullptr, 0) ||
         fuse_read_back(context, &outs[0]);
}

inline int32_t runInPlace(fuse_context *context, const fuse_buffer *ins, fuse_buffer *outs,
                          void *) {
  fuse_buffer host[] = {ins[0], outs[0]}, second[] = {outs[0], ins[1], outs[0]};
  return fuse_fetch(context, host, 1) || fuse_wait(context) ||
         fuse_host_call(context, "negate", host, 1, 1, nullptr, 0) ||
         fuse_launch(context, kAdd, second, 3) || fuse_read_back(context, &outs[0]);
}

inline int32_t runPassing(fuse_context *context, const fuse_buffer *ins, fuse_buffer *outs,
                          void *) {
  return fuse_copy(context, &ins[0], &outs[0]);
}

inline int32_t runIndexed(fuse_context *context, const fuse_buffer *ins, fuse_buffer *outs,
                          void *arena) {
  fuse_buffer indices = ins[0];
  indices.dtype = FUSE_I32;
  return fuse_expect_indices(context, "x", &indices, 10) || runPlain(context, ins, outs, arena);
}

inline int32_t negate(fuse_context *, const fuse_buffer *args, int64_t, int64_t, const int64_t *,
                      int64_t, void *) {
  for (int64_t i = 0; i < args[0].sizes[0]; ++i)
    static_cast<float *>(args[1].data)[i] = -static_cast<float *>(args[0].data)[i];
  return 0;
}

} // namespace fusetest

#endif // FUSE_TEST_UNIT_RUNTIME_CUDA_DEVICEPROGRAMS_H
