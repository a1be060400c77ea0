//===- BundleFormat.h - What lies in a bundle and in its weights ----------------*- C -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Between fuse-compile, which writes both, and the runtime within the bundle, which is linked to
// its program and so always of the same version. Who uses a bundle needs Bundle.h only.
//
// A file of weights: the header, one entry per array, zeros up to a multiple of 64, then the
// arrays, each from a multiple of 64 on, row-major without gaps; of an array that a grid of processes
// cuts its parts, each as an array is, in the order of the axes that cut it. All numbers are of the machine's
// own byte order.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_RUNTIME_BUNDLEFORMAT_H
#define FUSE_RUNTIME_BUNDLEFORMAT_H

#include "fuse/Runtime/Bundle.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FUSE_WEIGHTS_MAGIC "FUSEWGHT" /* 8 bytes, without the 0 at the end */
#define FUSE_WEIGHTS_ALIGNMENT 64

typedef struct fuse_weights_header {
  char magic[8];
  int32_t abi_version;
  int32_t reserved;
  char version[16];  /* of fuse, filled up with zeros */
  uint64_t build[2]; /* identifies code and weights together; the bundle has the same */
  int64_t bytes;     /* of the whole file */
  int64_t arrays;
} fuse_weights_header;

typedef struct fuse_weights_entry {
  int64_t offset; /* from the file's start */
  int64_t bytes;
} fuse_weights_entry;

enum fuse_argument_role {
  FUSE_ARGUMENT_INPUT = 0,   /* given by the caller */
  FUSE_ARGUMENT_WEIGHT = 1,  /* lies in the file of weights */
  FUSE_ARGUMENT_PREPARED = 2 /* computed once from the weights */
};

/* An argument of fuse_run_f. */
typedef struct fuse_bundle_argument {
  fuse_bundle_value value;
  int64_t role;   /* a fuse_argument_role */
  int64_t offset; /* of a weight, in its file; else 0 */
} fuse_bundle_argument;

typedef struct fuse_bundle_program {
  int32_t abi_version;
  int32_t reserved;
  const char *version; /* of fuse */
  uint64_t build[2];
  int64_t weights_bytes; /* of the whole file */
  const char *function;
  const char *report;       /* JSON */
  const char *cpu_features; /* what the code may use, as LLVM lists it: "+avx,-xop,…" */
  int64_t num_arguments, num_outputs, num_kernels;
  const fuse_bundle_argument *arguments;
  const fuse_bundle_value *outputs;
  const fuse_kernel *kernels;
  int32_t (*prepare)(fuse_context *, const fuse_buffer *params, fuse_buffer *prepared);
  fuse_query_fn query;
  fuse_run_fn run;
  const char *device; /* that the kernels are for: "cuda"; null: the CPU */
  const char *cpu;    /* the name of what cpu_features lists: "native", "x86-64-v3", … */
  const char *cpus;   /* the names of all that there is code for, with commas between them */
  /* The names of the dimensions of all arguments, and of all outputs, one behind the other; null
     for one that has none. */
  const char *const *argument_dims, *const *output_dims;
  /* Of a program for several processes: the shape of their grid, and for each argument, and each
     output, which of its axes cut each dimension, as fuse_bundle_input_axes has it. Null, and no
     axes, for a program of one. The shapes of values are those of one process's parts. */
  int64_t grid_axes;
  const int64_t *grid;
  const int64_t *const *argument_axes, *const *output_axes;
  /* The same program, compiled for a CPU with less; null: none. All but cpu, cpu_features, kernels
     and the functions is as here. */
  const struct fuse_bundle_program *next;
} fuse_bundle_program;

/* Defined by the object that fuse-compile writes. */
extern const fuse_bundle_program fuse_the_program;

/* The end of a bundle's library, behind what a loader reads: whether the rest is as it was written. */
#define FUSE_BUNDLE_SEAL_BYTES 50
void fuse_bundle_seal(const void *library, int64_t bytes, char seal[FUSE_BUNDLE_SEAL_BYTES]);

/* Whether the file can be loaded without danger: it is as long as its headers say, and as its seal says. Files
   that cannot be read pass: loading says why. On failure the reason is in `error`. */
int32_t fuse_bundle_check_file(const char *path, char *error, int64_t capacity);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // FUSE_RUNTIME_BUNDLEFORMAT_H
