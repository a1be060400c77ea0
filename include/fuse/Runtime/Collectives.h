//===- Collectives.h - Processes that exchange arrays ---------------------------*- C -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A job is a number of ranks that run one program, each on its own parts of the arrays. The ranks
// are processes that MPI has started, or threads of one process. A program arranges them in a grid;
// a group is the ranks of a grid that differ along some of its axes only. A collective is called by
// all ranks of a group, in the same order, and returns when this rank has its result.
//
//   fuse_job *job;
//   fuse_job_open(&job, error, sizeof error);                 MPI's, found at run time
//   fuse_job_check_grid(job, grid, 2, error, sizeof error);   mpirun's -n fits the program
//   fuse_job_group(job, grid, 2, axes, 1, &group, error, sizeof error);   cached
//   fuse_all_reduce(context, group, FUSE_REDUCE_SUM, &in, &out);
//
// MPI is no part of the build and of no link: the library is opened when a job is. It is that of
// the process if it has one; else the one that FUSE_MPI names; else that of the mpirun which
// started the process, as its environment tells; else the first that is found of libmpi.so.40
// (OpenMPI) and libmpich.so.12 (MPICH, and what shares its binary interface).
//
// Errors: what can fail returns 0, or 1 with a text, in English and without a line break at its
// end: of the context, or in `error` (cut to `capacity` bytes; may be null with capacity 0). A rank
// that fails must not leave the others waiting: see fuse_job_abort.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_RUNTIME_COLLECTIVES_H
#define FUSE_RUNTIME_COLLECTIVES_H

#include "fuse/Runtime/Context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How ranks combine elements; the numbers are those of the language's reductions. */
enum fuse_reduce_kind {
  FUSE_REDUCE_SUM = 0,
  FUSE_REDUCE_MAX = 1, /* a NaN is larger, and smaller, than every number */
  FUSE_REDUCE_MIN = 2,
  FUSE_REDUCE_PROD = 4,
  FUSE_REDUCE_ANY = 5, /* of i1, as FUSE_REDUCE_ALL */
  FUSE_REDUCE_ALL = 6
};

/* One rank's view of a job, and of a group of its ranks. */
typedef struct fuse_job fuse_job;
typedef struct fuse_group fuse_group;

/* The job that this process is a rank of: MPI is initialized, unless it is, and finalized when the
   process exits. A process that no mpirun started is a job of one rank. The same job with every
   call. Fails where there is no MPI, and if MPI fails. */
int32_t fuse_job_open(fuse_job **job, char *error, int64_t capacity);

/* How many ranks the environment says that an mpirun has started; 0: none has. Opens nothing. */
int64_t fuse_job_started_ranks(void);

/* A job whose ranks are threads of this process: jobs[0 … ranks) are their views, each for one
   thread. To be destroyed together, with jobs[0], when no thread uses them any more. Fails when
   memory can't be had. */
int32_t fuse_job_create_threads(int64_t ranks, fuse_job **jobs, char *error, int64_t capacity);
void fuse_job_destroy_threads(fuse_job *job);

/* This rank, how many there are, and what connects them ("Open MPI v4.1.4", "threads"). */
int64_t fuse_job_rank(const fuse_job *job);
int64_t fuse_job_size(const fuse_job *job);
const char *fuse_job_library(const fuse_job *job);

/* Fails unless the job has as many ranks as the grid. */
int32_t fuse_job_check_grid(const fuse_job *job, const int64_t *grid, int64_t grid_axes,
                            char *error, int64_t capacity);

/* Called by all ranks. Fails on all of them unless they have the same text, which is cut to 255
   bytes; `what` says what it is: "fuse 0.1.0, build 3f2a…". */
int32_t fuse_job_agree(fuse_job *job, const char *what, const char *text, char *error,
                       int64_t capacity);

/* Ends the job, after an error of one rank that others would wait for: prints nothing, ends this
   process with `status`, and the others by a signal. Ranks that are threads are told instead: what
   they call then fails, and the function returns. */
void fuse_job_abort(fuse_job *job, int32_t status);

/* The ranks that differ from this one along `axes` of a row-major grid only. They are counted
   row-major over `axes`. The same group for the same grid and axes; it lives as long as the job.
   Called by all members when it is new. Fails unless the grid has as many ranks as the job, on axes
   that the grid does not have, and if MPI fails. */
int32_t fuse_job_group(fuse_job *job, const int64_t *grid, int64_t grid_axes, const int64_t *axes,
                       int64_t num_axes, fuse_group **group, char *error, int64_t capacity);
int64_t fuse_group_rank(const fuse_group *group);
int64_t fuse_group_size(const fuse_group *group);

/* The group of all ranks of a job, in order. */
fuse_group *fuse_job_all(fuse_job *job);

/* The job whose ranks runs with this context are; null, as at first: fuse_job_open's, which the
   first collective among several ranks opens. */
void fuse_context_set_job(fuse_context *context, fuse_job *job);

/* The collectives. Arrays have any strides; `out` has the shape that the op's description in
   the language says, and must not overlap `in`. Elements of f16 and bf16 are combined in f32 and
   rounded once; integers wrap. All ranks of a group get the same bits. Fails on shapes, types or
   kinds that do not fit, when memory can't be had, and if MPI fails. */
int32_t fuse_all_reduce(fuse_context *context, fuse_group *group, int32_t kind,
                        const fuse_buffer *in, const fuse_buffer *out);
int32_t fuse_all_gather(fuse_context *context, fuse_group *group, int64_t dimension,
                        const fuse_buffer *in, const fuse_buffer *out);
int32_t fuse_reduce_scatter(fuse_context *context, fuse_group *group, int32_t kind,
                            int64_t dimension, const fuse_buffer *in, const fuse_buffer *out);
int32_t fuse_all_to_all(fuse_context *context, fuse_group *group, int64_t split, int64_t concat,
                        const fuse_buffer *in, const fuse_buffer *out);
int32_t fuse_all_slice(fuse_context *context, fuse_group *group, int64_t dimension,
                       const fuse_buffer *in, const fuse_buffer *out);
int32_t fuse_broadcast_from(fuse_context *context, fuse_group *group, int64_t root,
                            const fuse_buffer *in, const fuse_buffer *out);
int32_t fuse_barrier(fuse_context *context, fuse_group *group);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // FUSE_RUNTIME_COLLECTIVES_H
