//===- MemorySpeed.cpp - What this machine's memory allows ------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "MemorySpeed.h"

#include <cstring>
#include <omp.h>

using Lanes = float __attribute__((vector_size(64), aligned(4)));
using AlignedLanes = float __attribute__((vector_size(64)));
static constexpr int64_t kLanes = 16;

/// Calls fn(begin, end) in each thread; borders are multiples of a cache line.
template <typename Fn>
static void forEachPart(int64_t count, int threads, Fn fn) {
#pragma omp parallel num_threads(threads)
  {
    int64_t lines = count / kLanes, thread = omp_get_thread_num(), all = omp_get_num_threads();
    int64_t begin = lines * thread / all * kLanes;
    int64_t end = thread + 1 == all ? count : lines * (thread + 1) / all * kLanes;
    fn(begin, end);
  }
}

void mlir::fuse::bench::triad(float *to, const float *a, const float *b, int64_t count,
                              int threads) {
  forEachPart(count, threads, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      to[i] = a[i] + 3.0f * b[i];
  });
}

void mlir::fuse::bench::triadNonTemporal(float *to, const float *a, const float *b, int64_t count,
                                         int threads) {
  forEachPart(count, threads, [=](int64_t begin, int64_t end) {
    int64_t i = begin;
    for (; i + kLanes <= end; i += kLanes) {
      Lanes value = *reinterpret_cast<const Lanes *>(a + i) +
                    3.0f * *reinterpret_cast<const Lanes *>(b + i);
      __builtin_nontemporal_store(static_cast<AlignedLanes>(value),
                                  reinterpret_cast<AlignedLanes *>(to + i));
    }
    for (; i < end; ++i)
      to[i] = a[i] + 3.0f * b[i];
  });
}

void mlir::fuse::bench::copy(float *to, const float *from, int64_t count, int threads) {
  forEachPart(count, threads, [=](int64_t begin, int64_t end) {
    std::memcpy(to + begin, from + begin, static_cast<size_t>(end - begin) * sizeof(float));
  });
}

float mlir::fuse::bench::read(const float *from, int64_t count, int threads) {
  float total = 0;
  forEachPart(count, threads, [&](int64_t begin, int64_t end) {
    Lanes sums[8] = {};
    int64_t i = begin;
    for (; i + 8 * kLanes <= end; i += 8 * kLanes)
      for (int64_t j = 0; j < 8; ++j)
        sums[j] += *reinterpret_cast<const Lanes *>(from + i + j * kLanes);
    float sum = 0;
    for (; i < end; ++i)
      sum += from[i];
    for (Lanes part : sums)
      for (int64_t lane = 0; lane < kLanes; ++lane)
        sum += part[lane];
#pragma omp critical
    total += sum;
  });
  return total;
}
