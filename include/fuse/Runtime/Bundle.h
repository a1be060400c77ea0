//===- Bundle.h - Running a compiled program from C -----------------------------*- C -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What a bundle, the shared library that fuse-compile makes, exports. A program links against one
// bundle, or opens any number of them with dlopen(…, RTLD_LOCAL) and finds these functions in each
// with dlsym.
//
//   fuse_bundle *bundle;             one per process: maps the weights, prepares them
//   fuse_bundle_context *context;    one per calling thread: owns the arena
//   fuse_bundle_open(FUSE_ABI_VERSION, NULL, &bundle, error, sizeof error);
//   fuse_bundle_context_create(bundle, 0, &context, error, sizeof error);
//   fuse_bundle_query(context, ins, outs);   only where shapes are not known beforehand
//   fuse_bundle_run(context, ins, outs);     as often as wanted
//
// Errors: what can fail returns 0, or 1 with a text, in English and without a line break at its
// end: in `error` (cut to `capacity` bytes; may be null with capacity 0), or of the context
// (fuse_bundle_error). After an error of a run its outputs are undefined; the context stays usable.
// Threads: a bundle serves any number of threads at once, a context one at a time.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_RUNTIME_BUNDLE_H
#define FUSE_RUNTIME_BUNDLE_H

#include "fuse/Runtime/HostCalls.h"
#include "fuse/Runtime/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fuse_bundle fuse_bundle;
typedef struct fuse_bundle_context fuse_bundle_context;

enum fuse_value_flags {
  /* An input that the program also writes; it has to be row-major and its data writable. */
  FUSE_VALUE_IN_PLACE = 1,
  /* An input whose elements say sizes, of outputs or of what lies between: a query needs its data, and outputs may have
     other sizes with each call. */
  FUSE_VALUE_SAYS_SIZES = 2
};

/* An input or an output. */
typedef struct fuse_bundle_value {
  const char *name;      /* never null */
  const int64_t *shape;  /* rank entries; -1 where it differs from call to call */
  int32_t rank;
  int32_t dtype;         /* a fuse_dtype */
  int32_t flags;         /* of fuse_value_flags */
  int32_t reserved;
  int64_t indices_below; /* of an input whose elements index something: its extent; else 0 */
} fuse_bundle_value;

/* The version of the binary interface, to be compared with FUSE_ABI_VERSION before anything else
   is called, and the version of fuse that compiled the bundle. */
int32_t fuse_bundle_abi_version(void);
const char *fuse_bundle_version(void);

/* The report of the plan as JSON, as `fuse-run --report-json` writes it. */
const char *fuse_bundle_report(void);

/* The CPUs that there is code for, by the names of fuse-compile's --cpu, with commas between them,
   and the one whose code an open bundle runs: the first that this machine has all features of, or
   what the environment's FUSE_BUNDLE_CPU names. */
const char *fuse_bundle_cpus(void);
const char *fuse_bundle_cpu(const fuse_bundle *bundle);

/* The file of an OpenMP runtime that is taken before those which are looked for (FUSE_OPENMP in the environment comes first);
   null: none. Before the bundle is opened. */
void fuse_bundle_set_openmp(const char *file);

/* Maps the weights and prepares what the program computes from them once. abi_version: pass
   FUSE_ABI_VERSION. weights: the file, or null for the one beside the bundle (its name with
   .weights in place of .so). It is mapped, read-only and shared with every other process that maps
   it: it may be replaced by renaming, but must not be written in place. Fails on another ABI
   version, on a CPU that lacks instructions of all its code, on a file that is missing, damaged or
   of another build, and when memory can't be had. */
int32_t fuse_bundle_open(int32_t abi_version, const char *weights, fuse_bundle **bundle,
                         char *error, int64_t capacity);

/* After all its contexts are destroyed; null is allowed. */
void fuse_bundle_close(fuse_bundle *bundle);

int64_t fuse_bundle_num_inputs(const fuse_bundle *bundle);
int64_t fuse_bundle_num_outputs(const fuse_bundle *bundle);
/* Null for an index out of range. Alive as long as the bundle. */
const fuse_bundle_value *fuse_bundle_input(const fuse_bundle *bundle, int64_t index);
const fuse_bundle_value *fuse_bundle_output(const fuse_bundle *bundle, int64_t index);

/* What the program calls a dimension that differs from call to call: "batch"; null for one that has
   no name, and for an index out of range. Dimensions of one name have one size. */
const char *fuse_bundle_input_dim(const fuse_bundle *bundle, int64_t index, int32_t dim);
const char *fuse_bundle_output_dim(const fuse_bundle *bundle, int64_t index, int32_t dim);

/* The shape of the grid of processes that run the program together, each with its own parts of the
   arrays, and how many axes it has; 0: the program is for one process. MPI's ranks are arranged in it
   row-major; fuse_bundle_open has joined them, and fails unless there are as many, with the same
   bundle. All of them then make the same calls. */
int64_t fuse_bundle_grid(const fuse_bundle *bundle, const int64_t **grid);

/* Which axes of the grid cut a value, whose shape is that of one process's part: for each dimension
   how many, then these, the outermost first. Null: the value is not cut. */
const int64_t *fuse_bundle_input_axes(const fuse_bundle *bundle, int64_t index);
const int64_t *fuse_bundle_output_axes(const fuse_bundle *bundle, int64_t index);

/* threads: that a run uses; 0 or less: as many as OpenMP would. Several need the machine's OpenMP, one
   needs none. Fails when memory can't be had, or several threads are asked for and can't be. */
int32_t fuse_bundle_context_create(fuse_bundle *bundle, int32_t threads,
                                   fuse_bundle_context **context, char *error, int64_t capacity);
void fuse_bundle_context_destroy(fuse_bundle_context *context);

/* Completes `outs`, one buffer per output, for these inputs, one buffer each, in order: sizes,
   strides, rank and dtype, but not data. The sizes belong to the context and stay until it sees
   inputs of other sizes. Data of inputs may be null, but of FUSE_VALUE_SAYS_SIZES. Also makes room in the arena, so that a run
   with the same sizes allocates nothing. Fails on a wrong dtype, rank or size. */
int32_t fuse_bundle_query(fuse_bundle_context *context, const fuse_buffer *ins, fuse_buffer *outs);

/* Runs the program. In every buffer `sizes` may be null where the shape has no -1 (for outputs:
   always), and `strides` may be null for row-major order, the only one that programs take. Outputs
   must not overlap each other, nor an input. The first run after a change of sizes takes memory,
   others take none. */
int32_t fuse_bundle_run(fuse_bundle_context *context, const fuse_buffer *ins,
                        const fuse_buffer *outs);

/* Repeats the last run `times` times on the GPU that the bundle's kernels run on, without its copies from and to the host, and
   gives how long all of them took by the GPU's own clock. Inputs that the program writes have been written so often then. Fails
   before the first run, where the sizes have changed since, and for a bundle whose kernels run on the CPU. */
int32_t fuse_bundle_time(fuse_bundle_context *context, int64_t times, int64_t *nanoseconds);

/* The text of the last failure; empty if nothing has failed yet. Owned by the context, valid until
   its next failure. */
const char *fuse_bundle_error(const fuse_bundle_context *context);

/* Bytes of the arena that the last query or run asked for. */
int64_t fuse_bundle_arena_bytes(const fuse_bundle_context *context);

/* What runs with this context have done since it was made. */
const fuse_counters *fuse_bundle_counters(const fuse_bundle_context *context);

/* Makes room for `capacity` events of the runs from now on, or ends that with 0; see fuse_context_set_recording. */
int32_t fuse_bundle_record(fuse_bundle_context *context, int64_t capacity);

/* What was recorded, in order, and how much found no room. Valid until the next run or fuse_bundle_record. */
const fuse_event *fuse_bundle_events(const fuse_bundle_context *context, int64_t *count,
                                     int64_t *lost);

/* Lets runs with this context call `function` by `name`; see fuse_register_host_function. */
int32_t fuse_bundle_register_host_function(fuse_bundle_context *context, const char *name,
                                           fuse_host_fn function, void *user_data);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // FUSE_RUNTIME_BUNDLE_H
