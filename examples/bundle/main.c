/* Runs the bundle mlp.so on two rows and prints its output:
 *   fuse-compile mlp.mlir --inputs mlp_weights.npz -o mlp.so
 *   cc main.c mlp.so -Wl,-rpath,. -o main && ./main */
#include "mlp.h"

#include <stdio.h>

int main(void) {
  char error[256];
  fuse_bundle *bundle;
  fuse_bundle_context *context;
  if (fuse_bundle_open(FUSE_ABI_VERSION, NULL, &bundle, error, sizeof error) ||
      fuse_bundle_context_create(bundle, /*threads=*/1, &context, error, sizeof error)) {
    fprintf(stderr, "%s\n", error);
    return 1;
  }

  float x[2][4] = {{1, 2, 3, 4}, {-1, 0, 1, 0}}, y[2][3];
  int64_t sizes[] = {2, 4}; /* the rows are not known beforehand; null would do if they were */
  fuse_buffer ins[FUSE_MLP_NUM_INPUTS] = {{x, sizes, NULL, 2, FUSE_F32}};
  fuse_buffer outs[FUSE_MLP_NUM_OUTPUTS] = {{y, NULL, NULL, 2, FUSE_F32}};
  int failed = fuse_bundle_run(context, ins, outs);
  if (failed)
    fprintf(stderr, "%s\n", fuse_bundle_error(context));
  for (int row = 0; row < 2 && !failed; ++row)
    printf("%.6f %.6f %.6f\n", y[row][0], y[row][1], y[row][2]);

  fuse_bundle_context_destroy(context);
  fuse_bundle_close(bundle);
  return failed;
}
