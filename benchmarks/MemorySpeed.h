//===- MemorySpeed.h - What this machine's memory allows ------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Loops that do nothing but move bytes, as plain as a compiler makes them fast. Each works on f32
// arrays of `count` elements, aligned to 64 bytes, with `threads` threads and touches every element
// once.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_BENCHMARKS_MEMORYSPEED_H
#define FUSE_BENCHMARKS_MEMORYSPEED_H

#include <cstdint>

namespace mlir::fuse::bench {

/// STREAM's triad: to[i] = a[i] + 3 * b[i].
void triad(float *to, const float *a, const float *b, int64_t count, int threads);
/// The same with stores that bypass the caches.
void triadNonTemporal(float *to, const float *a, const float *b, int64_t count, int threads);
/// libc's memcpy of one part per thread.
void copy(float *to, const float *from, int64_t count, int threads);
/// Reads all; the sum keeps the compiler from dropping it.
float read(const float *from, int64_t count, int threads);

} // namespace mlir::fuse::bench

#endif // FUSE_BENCHMARKS_MEMORYSPEED_H
