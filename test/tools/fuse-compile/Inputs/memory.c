/* How much memory a process takes that opens a bundle with large weights and runs it: in kB, beyond
   the size of weights, inputs, outputs and the arena. */
#include "memory.h"

#include <stdio.h>
#include <sys/resource.h>

int main(int argc, char **argv) {
  static float x[4096], y[4096];
  char error[256];
  fuse_bundle *bundle;
  fuse_bundle_context *context;
  struct rusage usage;
  fuse_buffer in = {x, NULL, NULL, 2, FUSE_F32}, out = {y, NULL, NULL, 2, FUSE_F32};
  if (fuse_bundle_open(FUSE_ABI_VERSION, argc > 1 ? argv[1] : NULL, &bundle, error,
                       sizeof error) ||
      fuse_bundle_context_create(bundle, 2, &context, error, sizeof error)) {
    printf("%s\n", error);
    return 1;
  }
  for (int i = 0; i < 3; ++i)
    if (fuse_bundle_run(context, &in, &out))
      return 1;
  getrusage(RUSAGE_SELF, &usage);
  long long weights = 4096LL * 4096 * 4;
  long long arrays = (long long)sizeof x + (long long)sizeof y + fuse_bundle_arena_bytes(context);
  long long beyond = usage.ru_maxrss - (weights + arrays * 3 / 2) / 1024;
  printf("all weights were read: %d\n", usage.ru_maxrss > weights / 1024);
  printf("at most 30 MB beyond: %d (%lld kB)\n", beyond <= 30 * 1000, beyond);
  return 0;
}
