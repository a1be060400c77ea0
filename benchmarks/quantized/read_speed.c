// Reads SIZE bytes again and again with THREADS threads, and prints the bytes of a second (median of 25 rounds of at
// least two milliseconds): what memory, or the cache that the bytes fit, gives to code that does nothing but read.
// cc -O3 -march=native -fopenmp read_speed.c -o read_speed; read_speed SIZE THREADS
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Eight sums of vectors that the compiler makes as long as registers are; what is read ahead has been asked for.
__attribute__((noinline)) static uint64_t read_all(const uint64_t *data, size_t count) {
  uint64_t sums[64] = {0};
  for (size_t i = 0; i + 64 <= count; i += 64) {
    __builtin_prefetch(data + i + 1024);
    __builtin_prefetch(data + i + 1032);
    __builtin_prefetch(data + i + 1040);
    __builtin_prefetch(data + i + 1048);
    __builtin_prefetch(data + i + 1056);
    __builtin_prefetch(data + i + 1064);
    __builtin_prefetch(data + i + 1072);
    __builtin_prefetch(data + i + 1080);
    for (size_t lane = 0; lane < 64; ++lane)
      sums[lane] |= data[i + lane];
  }
  uint64_t all = 0;
  for (size_t lane = 0; lane < 64; ++lane)
    all |= sums[lane];
  return all;
}

int main(int argc, char **argv) {
  if (argc != 3)
    return fprintf(stderr, "usage: read_speed SIZE THREADS\n"), 1;
  size_t size = strtoull(argv[1], NULL, 10);
  int threads = atoi(argv[2]);
  size_t each = size / 8 / (size_t)threads / 64 * 64;
  uint64_t *data = aligned_alloc(1 << 21, (size + 8192 + (1 << 21) - 1) >> 21 << 21);
  if (!data || threads < 1 || each == 0)
    return fprintf(stderr, "read_speed: too many bytes or threads\n"), 1;
  memset(data, 1, size + 8192);
  volatile uint64_t seen = 0;
  omp_set_num_threads(threads);
  double rates[25];
  long repeats = 1;
  for (int round = -1; round < 25;) {
    double start = omp_get_wtime();
#pragma omp parallel
    {
      uint64_t all = 0;
      for (long i = 0; i < repeats; ++i) {
        __asm__ volatile("" ::: "memory"); // reads it anew
        all |= read_all(data + (size_t)omp_get_thread_num() * each, each);
      }
      seen = all;
    }
    double seconds = omp_get_wtime() - start;
    if (round < 0 && seconds < 2e-3) {
      repeats *= 2;
      continue;
    }
    if (round >= 0)
      rates[round] = (double)repeats * (double)(each * 8) * threads / seconds;
    ++round;
  }
  qsort(rates, 25, sizeof *rates, compare);
  printf("%.0f\n", rates[12]);
  return 0;
}
