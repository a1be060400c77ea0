//===- Emulator.h - A GPU on the CPU --------------------------------------------*- C -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A device (Device.h) whose kernels are code of the CPU, one fiber per thread of a block. Blocks
// run one after the other on each of the context's threads. Work is done when it is asked for;
// memory of the device is memory of the host.
//
// A launch fails with the first fault found, and says the kernel, the block, the threads and where
// in the source they were. Found always: threads that wait for each other forever, warp functions
// whose lanes disagree. The rest as the options say. To FUSE_EMULATOR_RACES belongs an access to
// shared memory that an asynchronous copy is under way to.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_RUNTIME_EMULATOR_H
#define FUSE_RUNTIME_EMULATOR_H

#include "fuse/Runtime/Device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What to look for. All but the first and the last need kernels that were compiled with checks. */
enum fuse_emulator_check {
  FUSE_EMULATOR_DIVERGENCE = 1, /* a barrier that some threads of the block do not reach */
  FUSE_EMULATOR_BOUNDS = 2,     /* accesses beyond arguments, scratch and shared memory */
  FUSE_EMULATOR_RACES = 4,      /* two threads at one place, one writing, nothing ordering them */
  FUSE_EMULATOR_REQUESTS = 8,   /* counts requests to memory; see fuse_emulator_requests */
  FUSE_EMULATOR_HOST = 16       /* the host's own accesses to the device's memory: they end the
                                   process, as they would with a GPU */
};

/* A new device that looks for these (fuse_emulator_check, added up). Null without memory. */
fuse_device *fuse_emulator_create(int32_t checks);

/* No context may have it open. Null is allowed. */
void fuse_emulator_destroy(fuse_device *device);

/* When asynchronous copies arrive, between the moment that they are asked for and the one when their thread has waited
   for them, and in which order, follows from this number (default: 0) and the block. */
void fuse_emulator_set_seed(fuse_device *device, uint64_t seed);

/* What the warps asked of memory at one place of a kernel. A request is the n-th time that
   the lanes of one warp come there. A copy to shared memory has parts in both kinds. */
typedef struct fuse_emulator_request_count {
  const char *kernel;
  const char *site; /* where in the source */
  int32_t writes;   /* 0 for a load, 1 for a store */
  int64_t requests;      /* to global memory */
  int64_t sectors;       /* of 32 bytes, that were touched */
  int64_t ideal_sectors; /* that would do for as many bytes */
  int64_t bytes;         /* distinct ones in each request */
  int64_t rounds;        /* in which the banks of shared memory were read or written */
  int64_t ideal_rounds;  /* that would do, were the words of each in banks of their own */
} fuse_emulator_request_count;

/* Writes up to `capacity` counts since the device was made or they were last forgotten, in the
   order of kernels and sites, and returns how many there are. Their texts live until they are
   forgotten. */
int64_t fuse_emulator_requests(fuse_device *device, fuse_emulator_request_count *counts,
                               int64_t capacity);
void fuse_emulator_forget_requests(fuse_device *device);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // FUSE_RUNTIME_EMULATOR_H
