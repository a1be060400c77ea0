/* Every function of the interface once, and what it says to callers that are wrong (api.mlir, whose
   table holds 0, 1, 2, …). */
#include "api.h"

#include <stdio.h>
#include <stdlib.h>

static fuse_bundle_context *context;

static void show(const char *what, const fuse_bundle_value *value) {
  printf("%s %s: %s [", what, value->name, fuse_dtype_name(value->dtype));
  for (int32_t d = 0; d < value->rank; ++d)
    printf(d ? ", %lld" : "%lld", (long long)value->shape[d]);
  printf("] flags %d indices below %lld\n", (int)value->flags, (long long)value->indices_below);
}

static void run(const char *what, const fuse_buffer *ins, const fuse_buffer *outs) {
  int32_t status = fuse_bundle_run(context, ins, outs);
  printf("%s: %d %s\n", what, (int)status, status ? fuse_bundle_error(context) : "");
}

int main(void) {
  char error[256] = "", tiny[8];
  fuse_bundle *bundle;
  printf("version %s, ABI %d\n", fuse_bundle_version(),
         fuse_bundle_abi_version() == FUSE_ABI_VERSION);
  printf("report %d\n", fuse_bundle_report()[0] == '{');
  int32_t status = fuse_bundle_open(FUSE_ABI_VERSION, "nowhere", &bundle, error, sizeof error);
  printf("open: %d %d %s\n", (int)status, bundle == NULL, error);
  status = fuse_bundle_open(FUSE_ABI_VERSION, "nowhere", &bundle, tiny, sizeof tiny);
  printf("cut: %d %s\n", (int)status, tiny);
  printf("no text: %d\n", (int)fuse_bundle_open(FUSE_ABI_VERSION, "nowhere", &bundle, NULL, 0));
  if (fuse_bundle_open(FUSE_ABI_VERSION, NULL, &bundle, error, sizeof error) ||
      fuse_bundle_context_create(bundle, 1, &context, error, sizeof error)) {
    printf("%s\n", error);
    return 1;
  }
  for (int64_t i = 0; i < fuse_bundle_num_inputs(bundle); ++i)
    show("input", fuse_bundle_input(bundle, i));
  for (int64_t i = 0; i < fuse_bundle_num_outputs(bundle); ++i)
    show("output", fuse_bundle_output(bundle, i));
  printf("beyond: %d %d\n", fuse_bundle_input(bundle, 2) == NULL,
         fuse_bundle_output(bundle, -1) == NULL);

  int64_t ids[6] = {1, 9, 2}, size[1] = {3}, one[1] = {1};
  float total[4] = {100, 200, 300, 400}, sum[4];
  fuse_buffer ins[FUSE_API_NUM_INPUTS] = {{ids, size, NULL, 1, FUSE_I64},
                                          {total, NULL, NULL, 1, FUSE_F32}};
  fuse_buffer outs[FUSE_API_NUM_OUTPUTS] = {{NULL, NULL, NULL, 0, 0}, {NULL, NULL, NULL, 0, 0}};
  if (fuse_bundle_query(context, ins, outs))
    return 1;
  printf("query: rank %d, %lld x %lld, strides %lld and %lld, arena %d\n", (int)outs[0].rank,
         (long long)outs[0].sizes[0], (long long)outs[0].sizes[1], (long long)outs[0].strides[0],
         (long long)outs[0].strides[1], fuse_bundle_arena_bytes(context) >= 0);
  float *rows = malloc(sizeof(float) * (size_t)(outs[0].sizes[0] * outs[0].sizes[1]));
  outs[FUSE_API_OUT_ROWS].data = rows;
  outs[FUSE_API_OUT_SUM].data = sum;
  run("run", ins, outs);
  printf("rows %g %g %g, sum %g %g, total %g %g\n", rows[0], rows[4], rows[11], sum[0], sum[3],
         total[0], total[3]);
  run("again", ins, outs);
  printf("total %g\n", total[0]);

  /* One thing wrong at a time; then right again. */
  ids[1] = 10;
  run("index", ins, outs);
  ids[1] = 9;
  ins[0].dtype = FUSE_F32;
  run("type", ins, outs);
  ins[0].dtype = FUSE_I64;
  ins[0].rank = 2;
  run("rank", ins, outs);
  ins[0].rank = 1;
  ins[0].sizes = NULL;
  run("no sizes", ins, outs);
  ins[0].sizes = size;
  ins[1].sizes = size;
  run("sizes", ins, outs);
  ins[1].sizes = NULL;
  size[0] = -1;
  run("negative", ins, outs);
  size[0] = 3;
  ins[0].data = NULL;
  run("no data", ins, outs);
  ins[0].data = ids;
  outs[1].data = NULL;
  run("no memory", ins, outs);
  outs[1].data = sum;
  outs[1].dtype = FUSE_F64;
  run("output's type", ins, outs);
  outs[1].dtype = FUSE_F32;
  outs[1].sizes = one;
  run("output's sizes", ins, outs);
  outs[1].sizes = NULL;
  int64_t stride[1] = {2};
  ins[0].strides = stride;
  run("strides", ins, outs);
  ins[0].strides = NULL;
  run("right", ins, outs);
  size[0] = 0;
  outs[0] = (fuse_buffer){NULL, NULL, NULL, 2, FUSE_F32};
  run("nothing", ins, outs);
  printf("sum %g\n", sum[3]);

  free(rows);
  fuse_bundle_context_destroy(context);
  fuse_bundle_context_destroy(NULL);
  fuse_bundle_close(bundle);
  fuse_bundle_close(NULL);
  return 0;
}
