//===- Runtime.h - What generated code links against ----------------------------*- C -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The ABI between compiled programs, their kernels and the runtime: plain C, free of LLVM, MLIR
// and the C++ library. Context.h makes and inspects contexts, HostCalls.h registers functions
// that programs call on the host.
//
// Errors: a function that can fail returns 0, or a status other than 0 with the reason as text in
// the context (fuse_context_error). No exception leaves a function, and none may be thrown
// through one by a kernel or a host function.
// Threads: a context serves one calling thread at a time. Any number of contexts may run the same
// kernels at once. Buffers are never owned by the runtime; their sizes and strides must live
// until the call returns.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_RUNTIME_RUNTIME_H
#define FUSE_RUNTIME_RUNTIME_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes with the layout of any struct below or with the meaning of a function. */
#define FUSE_ABI_VERSION 3

/* Element types. The numbers are part of the ABI. */
enum fuse_dtype {
  FUSE_F16 = 0,
  FUSE_BF16 = 1,
  FUSE_F32 = 2,
  FUSE_F64 = 3,
  FUSE_I1 = 4, /* one byte, 0 or 1 */
  FUSE_I8 = 5,
  FUSE_I16 = 6,
  FUSE_I32 = 7,
  FUSE_I64 = 8,
  FUSE_U8 = 9,
  FUSE_U16 = 10,
  FUSE_U32 = 11,
  FUSE_U64 = 12,
  FUSE_NUM_DTYPES = 13
};

/* Bytes per element; 0 for a number that is no fuse_dtype. */
int64_t fuse_dtype_size(int32_t dtype);

/* The type's spelling in MLIR ("f32", "i1", "ui8"); "unknown" for any other number. */
const char *fuse_dtype_name(int32_t dtype);

/* A strided array. Strides may be 0 (broadcast) or negative. Generated code relies on this
   layout: 32 bytes where pointers have 64 bits. */
typedef struct fuse_buffer {
  void *data;             /* the first element, any offset already applied */
  const int64_t *sizes;   /* rank entries, in elements, none negative */
  const int64_t *strides; /* rank entries, in elements */
  int32_t rank;           /* 0 for a scalar; sizes and strides are not read then */
  int32_t dtype;          /* a fuse_dtype */
} fuse_buffer;

typedef struct fuse_context fuse_context;

/* Computes the blocks [begin, end) of one kernel. args: operands, then results.
   scratch: at least scratch_bytes bytes, aligned to 64, which no other thread uses during the
   call; its content is undefined on entry. */
typedef void (*fuse_blocks_fn)(const fuse_buffer *args, int64_t begin, int64_t end, void *scratch);

/* How many blocks these operands make; args as given to fuse_launch. */
typedef int64_t (*fuse_block_count_fn)(const fuse_buffer *args);

/* How many bytes of scratch per thread these operands want; args as given to fuse_launch. */
typedef int64_t (*fuse_scratch_fn)(const fuse_buffer *args);

/* See Device.h. */
typedef struct fuse_device fuse_device;
typedef struct fuse_device_kernel fuse_device_kernel;

typedef struct fuse_kernel {
  const char *name;          /* for messages and reports; never null */
  fuse_blocks_fn run;        /* null for a kernel of a device only */
  fuse_block_count_fn count; /* never null */
  int64_t scratch_bytes;     /* per thread, on a device per block; a multiple of 64 */
  fuse_scratch_fn scratch;   /* or null: scratch_bytes are enough for all operands */
  const fuse_device_kernel *device; /* or null: runs on the CPU */
} fuse_kernel;

/* What a context has done since it was made or its counters were reset. */
typedef struct fuse_counters {
  int64_t launches;   /* calls of fuse_parallel_for, forked or not, also of no blocks */
  int64_t host_calls; /* host functions found and called */
  int64_t waits;      /* calls of fuse_wait: what a device is, or would be, waited for */
  int64_t copies;     /* calls of fuse_copy that copied; on a device also each operand that a host
                         function fetched, each result that it sent, each result read back */
  int64_t readback_bytes; /* of the results that fuse_read_back was given */
  int64_t uploads;        /* arguments that were copied to a device before runs */
  int64_t replays;        /* runs that a device did as a whole; see fuse_device_replay */
} fuse_counters;

/* What an event is. */
enum fuse_event_kind {
  FUSE_EVENT_LAUNCH = 0,    /* fuse_launch, from the count of blocks to the join of the threads */
  FUSE_EVENT_HOST_CALL = 1, /* a host function */
  FUSE_EVENT_COPY = 2       /* fuse_copy */
};

/* Something that a context did, and when: nanoseconds of CLOCK_MONOTONIC, which is the clock of
   std::chrono::steady_clock. */
typedef struct fuse_event {
  int64_t begin_ns, end_ns;
  const char *name; /* of the kernel or host function, "copy" for a copy; the program's */
  int64_t bytes;    /* of a copy: what it moved; else 0 */
  int32_t kernel;   /* of a launch: the index in the kernel table; else -1 */
  int32_t kind;     /* a fuse_event_kind */
} fuse_event;

/* Runs one kernel of the context's table on args[0 … nargs) and returns when all its blocks are
   done. Counts as one launch. Fails on a kernel index outside the table, a bad nargs, a negative
   block count, or when memory for the scratch of the threads can't be had. */
int32_t fuse_launch(fuse_context *context, int64_t kernel, const fuse_buffer *args, int64_t nargs);

/* Spreads blocks [0, blocks) over the context's threads: thread t gets one contiguous range, the
   ranges differ by at most one block. Adds one to the launches counted. Called from inside another parallel region
   it runs on the calling thread. Fails if the kernel needs more scratch than the context has,
   which cannot happen for kernels of the attached table. */
int32_t fuse_parallel_for(fuse_context *context, const fuse_kernel *kernel, const fuse_buffer *args,
                          int64_t blocks);

/* Calls a host function by name: a host op of the language (HostCalls.h lists them) or one
   registered with the context. args: num_ins operands, then num_outs
   results. On a device the function works on copies in the host's memory: of the operands, as
   fuse_fetch began them or, where it was not called, as this call makes them; and of the results,
   which then go to the device, one copy each. Fails if the name is unknown, the function fails, a
   result on the device is not in row-major order, or the device fails. */
int32_t fuse_host_call(fuse_context *context, const char *callee, const fuse_buffer *args,
                       int64_t num_ins, int64_t num_outs, const int64_t *attrs, int64_t num_attrs);

/* After a failure of a program that has started collectives: waits until none of them touches its arrays any more. The
   context's error stays what it is. Returns 0. */
int32_t fuse_abandon_collectives(fuse_context *context);

/* Begins the copies of a host function's operands to the host, where fuse_host_call finds them
   after the next fuse_wait. Adds one per operand to the copies counted. On the CPU there is nothing
   to do. Fails on an operand without a type or sizes, when memory can't be had, or if the device
   does. */
int32_t fuse_fetch(fuse_context *context, const fuse_buffer *args, int64_t num_ins);

/* Waits until the device has done what it was given: before a host function runs, and before a
   program returns a result that a kernel computed; nowhere else. Adds one to the waits counted. On
   the CPU a launch has ended when fuse_launch returns, so that there is nothing left to wait for.
   Fails if the device does. */
int32_t fuse_wait(fuse_context *context);

/* Hands a result of the program to its caller: one that the program computed, not one that it was
   given; each once, before the last fuse_wait. Adds its bytes to those counted as read back. On a
   device this begins the copy to the caller's memory, which ends with that wait; on the CPU the
   result lies there already. The caller's memory is that of fuse_context_set_mirrors (Device.h).
   Adds one to the copies counted on a device. Fails on a buffer that is none, or if the device
   does. */
int32_t fuse_read_back(fuse_context *context, const fuse_buffer *result);

typedef int32_t (*fuse_query_fn)(fuse_context *context, const fuse_buffer *ins, fuse_buffer *outs,
                                 int64_t *arena_bytes);
typedef int32_t (*fuse_run_fn)(fuse_context *context, const fuse_buffer *ins, fuse_buffer *outs,
                               void *arena);

/* Runs a function once that computes parameters from parameters, in an arena of its own. Counts
   nothing: it is no part of a run. Fails as query and run do, or when memory can't be had. */
int32_t fuse_prepare(fuse_context *context, fuse_query_fn query, fuse_run_fn run,
                     const fuse_buffer *params, fuse_buffer *prepared);

/* Copies every element; any rank, any strides. Fails unless dtype, rank and sizes agree. The two
   may be one and the same array; otherwise they must not overlap. On a device arrays that are
   not in row-major order make a detour over the host, which waits without counting that. */
int32_t fuse_copy(fuse_context *context, const fuse_buffer *from, const fuse_buffer *to);

/* Memory of the device with what the host has: bytes of the program's own that kernels are given
   as arguments. They are copied once per context and kernel table, and stay for as long as the
   table does. Without a device *place is `host`. Fails when memory can't be had, if the device
   does, and while a run is recorded that uses something for the first time. */
int32_t fuse_constant(fuse_context *context, const void *host, int64_t bytes, void **place);

/* Gives every element of an array, which may have any strides, the value that `element` points at.
   Not counted. Fails on a buffer without an element type, or if the device does. */
int32_t fuse_fill(fuse_context *context, const fuse_buffer *to, const void *element);

/* Reads one element for the host: on a device once all that came before is done, which is waited
   for without counting that. Fails on an unknown dtype, if the device does, and while a run is
   recorded. */
int32_t fuse_read_element(fuse_context *context, const void *from, int32_t dtype, void *value);

/* Sets the context's error text (cut to its capacity) and returns 1. */
int32_t fuse_fail(fuse_context *context, const char *text);

/* 0 if got equals want. Otherwise returns 1 with the text `what`, its first "{}" replaced by got
   and its second by want; if it has no "{}", ": expected WANT, found GOT" is appended. Example:
   "f: expected dimension 0 of 'a' (={}) to equal dimension 1 of 'b' (={})". */
int32_t fuse_expect_equal(fuse_context *context, const char *what, int64_t got, int64_t want);

/* 0 if got is not above bound. Otherwise returns 1 with a text made as fuse_expect_equal makes it;
   if `what` has no "{}", ": expected at most BOUND, found GOT" is appended. */
int32_t fuse_expect_at_most(fuse_context *context, const char *what, int64_t got, int64_t bound);

/* 0 if the elements of each of `count` arrays lie in row-major order without gaps, as compiled
   programs read and write them. Otherwise returns 1 with a text that names the array and the
   dimension. `names`: the arrays' names behind each other, each zero-terminated. */
int32_t fuse_expect_row_major(fuse_context *context, const char *names, const fuse_buffer *buffers,
                              int64_t count);

/* 0 if all elements of indices, an array of integers that `what` names, lie in [-extent, extent).
   Otherwise returns 1 with a text that names the first which does not. */
int32_t fuse_expect_indices(fuse_context *context, const char *what, const fuse_buffer *indices,
                            int64_t extent);

#ifdef __cplusplus
} // extern "C"

static_assert(sizeof(void *) != 8 || sizeof(fuse_buffer) == 32, "generated code relies on it");
#endif

#endif // FUSE_RUNTIME_RUNTIME_H
