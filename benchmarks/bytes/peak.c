// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints how many products of bytes a core sums in a nanosecond, with vpdpbusd on registers alone; nothing on a CPU
// without it.

#include <stdio.h>

#if defined(__AVX512VNNI__)
#include <immintrin.h>
#include <time.h>

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec + 1e-9 * now.tv_nsec;
}

int main(void) {
  enum { kSums = 16, kRounds = 20000000 };
  __m512i left = _mm512_set1_epi8(1), right = _mm512_set1_epi8(2), sum[kSums];
  for (int i = 0; i < kSums; ++i)
    sum[i] = _mm512_setzero_si512();
  double least = 1e9;
  for (int attempt = 0; attempt < 3; ++attempt) {
    double start = seconds();
    for (long round = 0; round < kRounds; ++round) {
#pragma GCC unroll 16
      for (int i = 0; i < kSums; ++i) {
        sum[i] = _mm512_dpbusd_epi32(sum[i], left, right);
        __asm__ volatile("" : "+v"(sum[i]));
      }
    }
    double taken = seconds() - start;
    least = taken < least ? taken : least;
  }
  printf("%.1f\n", 64.0 * kSums * kRounds / least * 1e-9);
  return 0;
}
#else
int main(void) { return 0; }
#endif
