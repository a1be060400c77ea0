//===- Device.h - What a device does for a program -------------------------------*- C -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A context without a device runs kernels on the CPU's threads. With one, the buffers that
// fuse_launch and fuse_copy are given lie in the device's memory, and what is asked of the device
// is done in order, some time before the next wait.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_RUNTIME_DEVICE_H
#define FUSE_RUNTIME_DEVICE_H

#include "fuse/Runtime/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One argument of a device function: 8 bytes. */
typedef struct fuse_device_param {
  int32_t buffer; /* number of the launch's buffer; -1: none */
  int32_t what;   /* of a buffer: its data (-1), or the size of this dimension;
                     of none: a fuse_device_value */
} fuse_device_param;

enum fuse_device_value {
  FUSE_DEVICE_BLOCKS = 0, /* int64_t: how many blocks there are to compute; the grid may have fewer */
  FUSE_DEVICE_SCRATCH = 1, /* pointer: memory of the grid's blocks, one behind the other */
  FUSE_DEVICE_SCRATCH_BYTES = 2 /* int64_t: of each of them */
};

/* A kernel as machine code of a device. */
struct fuse_device_kernel {
  const char *entry;   /* the function's name in the image; never null */
  const void *image;   /* what the driver loads (a cubin, or PTX that ends in 0); kernels may share
                          one; null on the emulator */
  int64_t image_bytes;
  void (*emulated)(void *const *params); /* the function for one thread on the emulator, else null;
                                            each entry points at 8 bytes */
  int32_t threads;      /* of a block */
  int32_t shared_bytes; /* of dynamic shared memory per block */
  int64_t most_blocks;  /* the largest grid wanted; blocks beyond it are done in turn; 0: no limit */
  const fuse_device_param *params;
  int64_t num_params;
};

/* What a device can do. Every function that returns int32_t gives 0, or 1 with the context's error
   text set, the driver's own message in it. Contexts share a device; each has a queue of its own
   (fuse_context.stream), in which its work is done in order. */
struct fuse_device {
  const char *name; /* as --target names it */

  /* Gives the context its queue, or takes it back; nothing is under way then. */
  int32_t (*open)(fuse_device *device, fuse_context *context);
  void (*close)(fuse_device *device, fuse_context *context);

  /* Memory of the device, aligned to 256 bytes. Nothing in a queue may use what is released. */
  int32_t (*allocate)(fuse_device *device, fuse_context *context, int64_t bytes, void **memory);
  void (*release)(fuse_device *device, fuse_context *context, void *memory);

  /* Memory of the host that copies are fast to and from. */
  int32_t (*allocate_host)(fuse_device *device, fuse_context *context, int64_t bytes,
                           void **memory);
  void (*release_host)(fuse_device *device, fuse_context *context, void *memory);

  /* Put into the queue. What they read and write stays as it is until the next wait. */
  int32_t (*to_device)(fuse_device *device, fuse_context *context, void *to, const void *from,
                       int64_t bytes);
  int32_t (*to_host)(fuse_device *device, fuse_context *context, void *to, const void *from,
                     int64_t bytes);
  int32_t (*copy)(fuse_device *device, fuse_context *context, void *to, const void *from,
                  int64_t bytes);

  /* Puts `count` copies of one element of 1, 2, 4 or 8 bytes, read at once, behind each other. */
  int32_t (*fill)(fuse_device *device, fuse_context *context, void *to, const void *element,
                  int32_t element_bytes, int64_t count);

  /* Puts `blocks` blocks of kernel->device into the queue, blocks > 0. */
  int32_t (*launch)(fuse_device *device, fuse_context *context, const fuse_kernel *kernel,
                    const fuse_buffer *args, int64_t blocks);

  /* Returns when the queue is empty, with the error of what was in it. */
  int32_t (*wait)(fuse_device *device, fuse_context *context);

  /* Between these two what is put into the queue is kept instead of done; nothing may be allocated
     and nothing waited for. Replaying puts all of it into the queue at once. Either all of these
     are null or none. */
  int32_t (*begin_capture)(fuse_device *device, fuse_context *context);
  int32_t (*end_capture)(fuse_device *device, fuse_context *context, void **graph);
  int32_t (*replay)(fuse_device *device, fuse_context *context, void *graph);
  void (*release_graph)(fuse_device *device, fuse_context *context, void *graph);

  /* Between these two the queue is timed by the device; the second waits until it is empty. Either both are null or none:
     the host's clock is asked then. */
  int32_t (*begin_time)(fuse_device *device, fuse_context *context);
  int32_t (*end_time)(fuse_device *device, fuse_context *context, int64_t *nanoseconds);
};

/* Gives a context its device, or takes it away (null), before it is given kernels of one. The
   device must outlive that; fuse_context_destroy takes it away, too. A stream that the context has
   already is used and stays the caller's. Fails as fuse_device.open does; there is no device then.
 */
int32_t fuse_context_set_device(fuse_context *context, fuse_device *device);

/* Where the host has what lies in the device's memory. */
typedef struct fuse_mirror {
  const void *device; /* the first byte */
  void *host;
  int64_t bytes;
  int32_t is_result;  /* fuse_read_back copies to `host`; else `host` has what `device` has */
  int32_t was_read;   /* set by fuse_read_back */
  int32_t is_at_host; /* a host function has computed it; cleared by launches that are given it */
} fuse_mirror;

/* The arguments and results of the runs to come; the array is the caller's and must outlive them.
   The host's memory of results must be pinned (allocate_host): host functions write there, too.
   Null, as at first, where arguments and results lie in memory that is the host's as well. */
void fuse_context_set_mirrors(fuse_context *context, fuse_mirror *mirrors, int64_t num_mirrors);

/* A run of a program that was recorded. */
typedef struct fuse_device_graph fuse_device_graph;

/* From here on launches and copies are recorded and not done; counters stand still, waits return at
   once, and host functions fail. A program should have run once before, so that all memory is in
   place. Fails where the device cannot record. */
int32_t fuse_device_capture_begin(fuse_context *context);

/* Ends the recording. Where `keep` is 0, or on an error, *graph is null. */
int32_t fuse_device_capture_end(fuse_context *context, int32_t keep, fuse_device_graph **graph);

/* Does what was recorded, in one submission, on the same memory; counts as the recorded run did,
   waits left out, and as one replay. Indices that were checked are checked again. */
int32_t fuse_device_replay(fuse_context *context, fuse_device_graph *graph);

/* Null is allowed. To be called before the context's device or kernels are replaced. */
void fuse_device_graph_destroy(fuse_context *context, fuse_device_graph *graph);

/* Writes each parameter of a launch to values[0 … num_params). scratch_bytes: of each block. */
void fuse_device_params(const fuse_device_kernel *kernel, const fuse_buffer *args, int64_t blocks,
                        void *scratch, int64_t scratch_bytes, uint64_t *values);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // FUSE_RUNTIME_DEVICE_H
