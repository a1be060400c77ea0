//===- HostCalls.h - Functions that programs call on the host -------------------*- C -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The host ops of the language are built in and known to every context; functions for
// `fuse.host_call @name` are registered with each context that is to call them.
//
// Built in, operands → results {attributes}; f16, bf16, f32 and f64 buffers with any strides, in
// any mixture; computed in double and rounded once:
//   log_mel           spectrum[…, 2·n_fft], filters[n_mels, n_fft/2+1] → [..., n_mels]
//   log_mel_backward  spectrum, filters, dy[…, n_mels] → d_spectrum[…, 2·n_fft]
//   welch_peaks       spectrum[batch·n_segments, 2·n_fft] → [batch, 2·k] {k, n_segments}
// and of every type, with any strides, among the ranks of a group (see Collectives.h), which is the
// last of the attributes, as the number of the grid's axes, its shape, and the group's axes:
//   all_reduce        x → shape of x {kind, group}
//   all_gather        x → larger along the dimension {dimension, group}
//   reduce_scatter    x → smaller along the dimension {kind, dimension, group}
//   all_to_all        x → smaller along split, larger along concat {split, concat, group}
//   all_slice         x → smaller along the dimension {dimension, group}
//   broadcast_from    x → shape of x {root, group}
// All but all_slice can be started: start_all_reduce, and so on. Their arrays must stay until they are
// waited for, which ends them in the order in which they were started:
//   wait_for_collectives  {how many may still be under way}
// A row of a spectrum is the real plane, then the imaginary plane. Shapes that do not fit are
// errors that show what was expected and what was found.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_RUNTIME_HOSTCALLS_H
#define FUSE_RUNTIME_HOSTCALLS_H

#include "fuse/Runtime/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A host function. args: num_ins operands, then num_outs results, which it fills. Returns 0, or
   another number after setting the reason with fuse_fail. It runs on the thread that runs the
   program and must not throw. */
typedef int32_t (*fuse_host_fn)(fuse_context *context, const fuse_buffer *args, int64_t num_ins,
                                int64_t num_outs, const int64_t *attrs, int64_t num_attrs,
                                void *user_data);

typedef struct fuse_host_function {
  char *name; /* owned by the context */
  fuse_host_fn function;
  void *user_data; /* handed to the function; owned by the caller */
} fuse_host_function;

/* Lets programs run with this context call `function` by `name`; a second registration of a name
   replaces the first. Fails on a null or empty name, a null function, the name of a host op of
   the language, and when memory can't be had. */
int32_t fuse_register_host_function(fuse_context *context, const char *name, fuse_host_fn function,
                                    void *user_data);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // FUSE_RUNTIME_HOSTCALLS_H
