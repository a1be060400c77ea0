//===- Program.h - Programs that can be called ----------------------------------*- C -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A program is compiled code with its weights, wherever it comes from: a bundle in a file
// (fuse_program_load) or a compilation in this process (fuse/CAPI/Compile.h). Both are called
// alike:
//
//   fuse_program *program;           shared by all threads
//   fuse_program_context *context;   one per calling thread: owns threads, scratch and the arena
//   fuse_program_load("model.so", NULL, &program, error, sizeof error);
//   fuse_program_context_create(program, 0, &context, error, sizeof error);
//   fuse_program_query(context, ins, outs);   only where shapes of outputs are not known beforehand
//   fuse_program_run(context, ins, outs);     as often as wanted
//
// These functions are in libfuse-runtime.so, which needs libc and libm only, and in
// libfuse-compiler.so. A program must be given to functions of the library that made it.
//
// Errors: what can fail returns 0, or 1 with a text, in English and without a line break at its
// end: in `error` (cut to `capacity` bytes; may be null with capacity 0), or of the context
// (fuse_program_error). After an error of a run its outputs are undefined; the context stays
// usable. Threads: a program serves any number of threads at once, a context one at a time.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_RUNTIME_PROGRAM_H
#define FUSE_RUNTIME_PROGRAM_H

#include "fuse/Runtime/BundleFormat.h"
#include "fuse/Runtime/Context.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fuse_program fuse_program;
typedef struct fuse_program_context fuse_program_context;

/* The version of this interface and of Compile.h, which changes when a function or a struct does: a
   caller that is compiled for another one must not go on. */
#define FUSE_API_VERSION 1
int32_t fuse_api_version(void);

/* Opens the bundle NAME.so and maps its weights. weights: their file, or null for NAME.weights.
   Fails on files that are missing, damaged, no bundle or of another version, and as
   fuse_bundle_open does. */
int32_t fuse_program_load(const char *path, const char *weights, fuse_program **program,
                          char *error, int64_t capacity);

/* The file of an OpenMP runtime that programs which are made from now on take before those which
   are looked for; null: none. FUSE_OPENMP in the environment comes first. Programs that were
   compiled in this process share the one of the first that needs threads. */
void fuse_program_set_openmp(const char *file);

/* Programs are counted references: a new one is held once. The last release, which must come after
   the last of its contexts is destroyed, unloads it. Null is allowed. Any thread may call these. */
void fuse_program_retain(fuse_program *program);
void fuse_program_release(fuse_program *program);

/* What calls take and give. Weights are no inputs. Null for an index out of range. Alive as long as
   the program. */
int64_t fuse_program_num_inputs(const fuse_program *program);
int64_t fuse_program_num_outputs(const fuse_program *program);
const fuse_bundle_value *fuse_program_input(const fuse_program *program, int64_t index);
const fuse_bundle_value *fuse_program_output(const fuse_program *program, int64_t index);

/* The name of a dimension that differs from call to call, such as "batch"; null for one without a
   name. Dimensions of one name have one size. */
const char *fuse_program_input_dim(const fuse_program *program, int64_t index, int32_t dim);
const char *fuse_program_output_dim(const fuse_program *program, int64_t index, int32_t dim);

/* Of a program for several processes: see fuse_bundle_grid. */
int64_t fuse_program_grid(const fuse_program *program, const int64_t **grid);
const int64_t *fuse_program_input_axes(const fuse_program *program, int64_t index);
const int64_t *fuse_program_output_axes(const fuse_program *program, int64_t index);

/* The report of the plan as JSON (docs/report.schema.json). */
const char *fuse_program_report(const fuse_program *program);
/* The fuse that compiled it, as text; the CPUs it has code for, with commas between them, and the
   one whose code runs, as --cpu of fuse-compile names them. */
const char *fuse_program_version(const fuse_program *program);
const char *fuse_program_cpus(const fuse_program *program);
const char *fuse_program_cpu(const fuse_program *program);

/* threads: that a run uses; 0 or less: as many as OpenMP would. Several need an OpenMP
   (docs/bundles.md), one needs none. Fails when memory can't be had, or several threads are asked
   for and can't be. */
int32_t fuse_program_context_create(fuse_program *program, int32_t threads,
                                    fuse_program_context **context, char *error, int64_t capacity);
void fuse_program_context_destroy(fuse_program_context *context);

/* Completes `outs`, one buffer per output, for these inputs, one buffer each, in order: sizes,
   strides, rank and dtype, but not data. See fuse_bundle_query. */
int32_t fuse_program_query(fuse_program_context *context, const fuse_buffer *ins,
                           fuse_buffer *outs);

/* Runs the program. `sizes` may be null where the shape has no -1 (for outputs: always), `strides`
   for row-major order, the only one that programs take. See fuse_bundle_run. */
int32_t fuse_program_run(fuse_program_context *context, const fuse_buffer *ins,
                         const fuse_buffer *outs);

/* The text of the last failure; empty if nothing has failed yet. Valid until the next one. */
const char *fuse_program_error(const fuse_program_context *context);

/* Bytes of the arena that the last query or run asked for. */
int64_t fuse_program_arena_bytes(const fuse_program_context *context);

/* What runs with this context have done since it was made; see Context.h. */
const fuse_counters *fuse_program_counters(const fuse_program_context *context);

/* Makes room for `capacity` events and records launches, host calls and copies of the runs from now
   on; 0 ends that. Either way what was recorded before is forgotten. Fails on a negative capacity
   and when memory can't be had. */
int32_t fuse_program_record(fuse_program_context *context, int64_t capacity);

/* What was recorded, in order, and how much found no room. Valid until the next run or
 * fuse_program_record. */
const fuse_event *fuse_program_events(const fuse_program_context *context, int64_t *count,
                                      int64_t *lost);

/* Lets runs with this context call `function` by `name`; see fuse_register_host_function. */
int32_t fuse_program_register_host_function(fuse_program_context *context, const char *name,
                                            fuse_host_fn function, void *user_data);

/* For compilers: a program of code in this process's memory. weights: for each argument of the role
   FUSE_ARGUMENT_WEIGHT, in order, its elements, row-major; what `description` says of a file of
   weights does not count. All of it must stay until release(owner) is called, by the last
   fuse_program_release, or here where it fails. */
int32_t fuse_program_open(const fuse_bundle_program *description, const void *const *weights,
                          void (*release)(void *owner), void *owner, fuse_program **program,
                          char *error, int64_t capacity);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // FUSE_RUNTIME_PROGRAM_H
