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

  /* Memory of the device, aligned to 256 bytes. */
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

  /* Puts `blocks` blocks of kernel->device into the queue, blocks > 0. */
  int32_t (*launch)(fuse_device *device, fuse_context *context, const fuse_kernel *kernel,
                    const fuse_buffer *args, int64_t blocks);

  /* Returns when the queue is empty, with the error of what was in it. */
  int32_t (*wait)(fuse_device *device, fuse_context *context);
};

/* Writes each parameter of a launch to values[0 … num_params). scratch_bytes: of each block. */
void fuse_device_params(const fuse_device_kernel *kernel, const fuse_buffer *args, int64_t blocks,
                        void *scratch, int64_t scratch_bytes, uint64_t *values);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // FUSE_RUNTIME_DEVICE_H
