//===- FakeCuda.h - A driver without a GPU -----------------------------------------*- C -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The library libcuda.so.1 of this folder has the entry points of NVIDIA's driver that the runtime
// uses. It is stricter than the real one:
//   - memory of the device cannot be touched but by the fake itself,
//   - what is put into a stream is done when the stream is waited for, and not before, so that a
//     missing wait shows; host memory of a recorded copy must be pinned,
//   - handles, the current context and what is freed are checked; what is wrong is a violation.
//
// Images are text: "FAKE sm_80", then lines "ENTRY BUILTIN". Built-in functions: see FakeKernels.h.
// An image that begins as a cubin or PTX is not loaded: the fake looks at what it is for only; with
// FAKE_CUDA_REAL_IMAGES cubins of its chip are, and PTX, and each of their kernels does nothing.
//
// The environment, read at each call:
//   FAKE_CUDA_DEVICES  how many GPUs there are (1)
//   FAKE_CUDA_VERSION  that the driver supports (12020)
//   FAKE_CUDA_CHIP     80 for sm_80 (80)
//   FAKE_CUDA_MEMORY   bytes of a GPU (1 GiB)
//   FAKE_CUDA_REAL_IMAGES  1: cubins and PTX are loaded (0)
//   FAKE_CUDA_LOG      1: how often each entry point was called is printed at the end, sorted (0)
//   FAKE_CUDA_FAIL     "ENTRY:N:CODE": the N-th call of it since the last reset gives CODE and does
//                      nothing; several with commas between them
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TEST_LIB_FAKECUDA_FAKECUDA_H
#define FUSE_TEST_LIB_FAKECUDA_FAKECUDA_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Forgets the counts of calls and the violations. */
void fake_cuda_reset(void);

/* How often an entry point was called. */
int64_t fake_cuda_calls(const char *entry);

/* Contexts, memory, streams, modules and graphs that were made and not given back. */
int64_t fake_cuda_live(void);

/* What was done wrong, a line each; empty if nothing was. Valid until the next call. */
const char *fake_cuda_violations(void);

/* A stream, as a caller of ours would make one; the current context's. */
void *fake_cuda_make_stream(void);
void fake_cuda_destroy_stream(void *stream);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // FUSE_TEST_LIB_FAKECUDA_FAKECUDA_H
