//===- Context.h - What one calling thread needs to run programs ----------------*- C -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A context holds the kernel table of the program at hand, the registered host functions, the
// last error, the counters, and all memory that launches need. That memory grows when a kernel
// table is attached and, for partial results and host ops, at the first call that needs more; it
// never shrinks. So the second call of a program with the same shapes allocates nothing.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_RUNTIME_CONTEXT_H
#define FUSE_RUNTIME_CONTEXT_H

#include "fuse/Runtime/HostCalls.h"
#include "fuse/Runtime/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FUSE_ERROR_CAPACITY 1024

/* Memory that grows and is reused; aligned to 64 bytes. */
typedef struct fuse_memory {
  void *data;
  int64_t bytes;
} fuse_memory;

/* Visible so that drivers can read it; change it through the functions below only. Generated code
   sees an opaque pointer, so fields may be added. */
struct fuse_context {
  int32_t abi_version;
  int32_t threads; /* at least 1 */
  fuse_device *device; /* null: kernels run on the CPU */
  void *stream;    /* the device's queue; null on the CPU */
  void *device_data;                      /* what the device keeps for this context */
  struct fuse_device_state *device_state; /* what the runtime keeps for one with a device */
  struct fuse_job *job; /* whose ranks collectives join; see Collectives.h */
  int32_t starts_collectives; /* collectives return when they have begun, and end as they are waited for */
  int64_t num_started_collectives;
  struct fuse_started_collective *started_collectives; /* in the order in which they end */
  struct fuse_started_collective *unused_collectives;  /* memory for others */
  const fuse_kernel *kernels;
  int64_t num_kernels;
  int64_t kernel_table; /* how many tables have been attached: tells this one from those before */
  fuse_host_function *host_functions;
  int64_t num_host_functions;
  fuse_counters counters;
  fuse_event *events; /* in the order of their beginnings; null while none are recorded */
  int64_t num_events;
  int64_t events_capacity;
  int64_t events_lost;     /* those that found no room */
  int64_t scratch_stride;  /* bytes from one thread's scratch to the next one's */
  fuse_memory scratch;     /* threads × scratch_stride */
  fuse_memory launch_args; /* the arguments of a host call, where they lie in the host's memory */
  fuse_memory host_space;  /* working memory of host ops */
  char error[FUSE_ERROR_CAPACITY];
};

/* A context that uses `threads` threads per launch; 0 or less: as many as OpenMP would
   (OMP_NUM_THREADS, else the CPUs this process may use). Null if memory can't be had. */
fuse_context *fuse_context_create(int32_t threads);

/* Frees the context; null is allowed. Kernel tables and buffers belong to the caller. */
void fuse_context_destroy(fuse_context *context);

/* Attaches a kernel table, which must outlive its use, and makes sure of the threads' scratch. A
   table replaces the one before. Fails on a kernel without functions, on a
   bad size, and when memory can't be had; the former table stays attached then. */
int32_t fuse_context_set_kernels(fuse_context *context, const fuse_kernel *kernels,
                                 int64_t num_kernels);

/* Makes room for `capacity` events and records launches, host calls and copies from now on, each
   with one look at the clock at either end; 0 ends that and frees the room. Either way there are no
   events afterwards. Recording allocates nothing: events without room are counted in events_lost.
   What preparing parameters does is no event. Fails on a negative capacity and when memory can't be
   had; nothing has changed then. */
int32_t fuse_context_set_recording(fuse_context *context, int64_t capacity);

/* Forgets the events recorded so far, and those lost. */
void fuse_context_clear_events(fuse_context *context);

/* Sets the counters to 0. */
void fuse_context_reset_counters(fuse_context *context);

/* The text of the last failure, in English, without a line break at its end; empty if nothing has
   failed yet. Owned by the context; valid until the next failure. */
const char *fuse_context_error(const fuse_context *context);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // FUSE_RUNTIME_CONTEXT_H
