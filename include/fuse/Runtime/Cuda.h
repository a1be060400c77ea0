//===- Cuda.h - GPUs of NVIDIA ---------------------------------------------------*- C -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A device (Device.h) over NVIDIA's driver, which is opened when it is asked for: nothing here
// needs it, or a toolkit, to be built or linked. Any number of contexts may use a device, each on
// a thread of its own.
//
// An image is a cubin, or PTX that ends in 0. It is loaded at the first launch of one of its
// kernels, once for all contexts alive, and unloaded with the last of them that used it.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_RUNTIME_CUDA_H
#define FUSE_RUNTIME_CUDA_H

#include "fuse/Runtime/Device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is known of an open GPU. */
typedef struct fuse_cuda_facts {
  char name[128];
  int32_t driver_version; /* of CUDA that the driver supports: 1000 × major + 10 × minor */
  int32_t chip;           /* 80 for sm_80 */
  int32_t multiprocessors;
  int32_t shared_bytes; /* the most shared memory that a block may have */
  int64_t memory_bytes;
} fuse_cuda_facts;

/* Opens GPU number `ordinal` of this machine; contexts use it through fuse_context_set_device. The
   driver is the library that FUSE_CUDA_DRIVER names, else libcuda.so.1. Returns 0, or 1 with the
   reason as text in error[0 … capacity). Fails without a driver, with one older than CUDA 12.0,
   which the code needs, and without such a GPU. */
int32_t fuse_cuda_open(int32_t ordinal, fuse_device **device, char *error, int64_t capacity);

/* No context may use the device any more. Null is allowed. */
void fuse_cuda_close(fuse_device *device);

/* Of a device that fuse_cuda_open opened; lives as long as it does. */
const fuse_cuda_facts *fuse_cuda_get_facts(const fuse_device *device);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // FUSE_RUNTIME_CUDA_H
