//===- DeviceRun.h - A program's memory on a device, and its runs ------------------*- C -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Stands between a caller, whose arrays are the host's, and a program whose arrays lie on a device:
// uploads arguments, sizes results, runs, and leaves the results in the caller's memory. From the
// second run on nothing is allocated. It belongs to one context, which must have its device and
// kernels and may have one run at a time under way. Functions return 0, or 1 with the context's
// error text set; after an error nothing is under way and everything may be tried again.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_RUNTIME_DEVICERUN_H
#define FUSE_RUNTIME_DEVICERUN_H

#include "fuse/Runtime/Device.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fuse_device_run fuse_device_run;

/* For a program of this many arguments (inputs, parameters, prepared ones) and results. */
int32_t fuse_device_run_create(fuse_context *context, fuse_query_fn query, fuse_run_fn run,
                               int64_t num_ins, int64_t num_outs, fuse_device_run **result);

/* Before the context loses its device. Null is allowed. */
void fuse_device_run_destroy(fuse_device_run *run);

/* Gives argument `index` the type and sizes of `like` and memory on the device, of no content. */
int32_t fuse_device_run_reserve(fuse_device_run *run, int64_t index, const fuse_buffer *like);

/* The same, and begins the copy of its elements, which must lie in row-major order: parameters
   once, inputs before each run for which they have changed. What `host` points at must stay as it
   is until the next run has ended; integers until the argument is uploaded anew, since runs look at
   those that are indices. Adds one to the uploads counted. */
int32_t fuse_device_run_upload(fuse_device_run *run, int64_t index, const fuse_buffer *host);

/* The arguments on the device, num_ins of them. What has no memory of the run's own may be pointed
   at other memory of the device: parameters that several runs share, or that were prepared. */
fuse_buffer *fuse_device_run_ins(fuse_device_run *run);

/* Asks the program for the results' sizes and makes room on the device. outs: num_outs buffers with
   type and rank; their sizes and strides are filled in, in memory of the caller's. To be called
   once all arguments are there, and again when the sizes of one have changed. */
int32_t fuse_device_run_size(fuse_device_run *run, fuse_buffer *outs);

/* Runs the program and fills the memory of outs, sized as fuse_device_run_size said, in row-major
   order. */
int32_t fuse_device_run_execute(fuse_device_run *run, const fuse_buffer *outs);

/* Copies an argument, which a run may have written, back; not counted. */
int32_t fuse_device_run_download(fuse_device_run *run, int64_t index, const fuse_buffer *host);

/* Whether runs after the first are recorded and then submitted as a whole, where the device can do
   that and the program calls no host function; other programs run as before. Off at first. */
void fuse_device_run_use_graph(fuse_device_run *run, int32_t use);

/* Runs the program `times` times, of which no result comes to the host, and says how long that took on the device. It has run
   before. Where the device can record, and the program calls no host function, what was recorded is replayed, so that the
   host's work is not in it. */
int32_t fuse_device_run_time(fuse_device_run *run, int64_t times, int64_t *nanoseconds);

/* Bytes of the program's arena on the device. */
int64_t fuse_device_run_arena_bytes(const fuse_device_run *run);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // FUSE_RUNTIME_DEVICERUN_H
