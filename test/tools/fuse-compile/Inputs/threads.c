/* usage: threads THREADS: one bundle (examples/bundle/mlp.mlir), THREADS contexts at once, each with
   numbers of rows of its own; prints how many threads saw a result that differs from a run alone. */
#include "mlp.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 40, RUNS = 50, MOST_THREADS = 256 };

static fuse_bundle *bundle;
static float want[MOST_THREADS][MOST_ROWS][3];

static int64_t count_rows(int thread) { return 1 + thread % MOST_ROWS; }

static int run(fuse_bundle_context *context, int thread, float (*y)[3]) {
  float x[MOST_ROWS][4];
  int64_t sizes[2] = {count_rows(thread), 4};
  fuse_buffer in = {x, sizes, NULL, 2, FUSE_F32}, out = {y, NULL, NULL, 2, FUSE_F32};
  for (int row = 0; row < MOST_ROWS; ++row)
    for (int column = 0; column < 4; ++column)
      x[row][column] = (float)((row * 7 + column * 3 + thread * 5) % 11) - 5;
  if (fuse_bundle_run(context, &in, &out) == 0)
    return 0;
  fprintf(stderr, "%s\n", fuse_bundle_error(context));
  return 1;
}

static void *run_often(void *argument) {
  int thread = *(int *)argument;
  char error[256];
  fuse_bundle_context *context;
  long wrong = 0;
  if (fuse_bundle_context_create(bundle, 1 + thread % 2, &context, error, sizeof error))
    return (void *)1;
  for (int i = 0; i < RUNS; ++i) {
    float y[MOST_ROWS][3];
    memset(y, 0xff, sizeof y);
    wrong += run(context, thread, y) ||
             memcmp(y, want[thread], (size_t)count_rows(thread) * sizeof y[0]) != 0;
  }
  fuse_bundle_context_destroy(context);
  return (void *)wrong;
}

int main(int argc, char **argv) {
  int threads = argc > 1 ? atoi(argv[1]) : 0, numbers[MOST_THREADS], wrong = 0;
  pthread_t handles[MOST_THREADS];
  char error[256];
  fuse_bundle_context *context;
  if (threads < 1 || threads > MOST_THREADS)
    return 2;
  if (fuse_bundle_open(FUSE_ABI_VERSION, NULL, &bundle, error, sizeof error) ||
      fuse_bundle_context_create(bundle, 1, &context, error, sizeof error)) {
    fprintf(stderr, "%s\n", error);
    return 1;
  }
  for (int i = 0; i < threads; ++i)
    if (run(context, i, want[i]))
      return 1;
  for (int i = 0; i < threads; ++i) {
    numbers[i] = i;
    if (pthread_create(&handles[i], NULL, run_often, &numbers[i]))
      return 1;
  }
  for (int i = 0; i < threads; ++i) {
    void *result;
    pthread_join(handles[i], &result);
    wrong += result != NULL;
  }
  printf("%d of %d threads are wrong\n", wrong, threads);
  fuse_bundle_context_destroy(context);
  fuse_bundle_close(bundle);
  return wrong != 0;
}
