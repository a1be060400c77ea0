/* Compiles a program, runs it, and saves it for programs without a compiler:
 *   cc compile.c -lfuse-compiler -o compile && ./compile mlp.so */
#include "fuse/CAPI/Compile.h"

#include <stdio.h>

static const char text[] =
    "func.func @mlp(%x: tensor<?x4xf32> {fuse.name = \"x\", fuse.dim_names = [\"rows\", \"\"]},\n"
    "               %w: tensor<4x3xf32> {fuse.param, fuse.name = \"w\"})\n"
    "    -> (tensor<?x3xf32> {fuse.name = \"y\"}) {\n"
    "  %0 = fuse.matmul %x, %w : (tensor<?x4xf32>, tensor<4x3xf32>) -> tensor<?x3xf32>\n"
    "  %1 = fuse.softmax %0 dimension = 1 : tensor<?x3xf32>\n"
    "  return %1 : tensor<?x3xf32>\n"
    "}\n";

static int run(fuse_program *program) {
  char error[1024];
  fuse_program_context *context;
  if (fuse_program_context_create(program, /*threads=*/1, &context, error, sizeof error)) {
    fprintf(stderr, "%s\n", error);
    return 1;
  }
  float x[2][4] = {{1, 2, 3, 4}, {-1, 0, 1, 0}}, y[2][3];
  int64_t sizes[] = {2, 4}; /* the rows are not known beforehand */
  fuse_buffer in = {x, sizes, NULL, 2, FUSE_F32}, out = {y, NULL, NULL, 2, FUSE_F32};
  int failed = fuse_program_run(context, &in, &out);
  if (failed)
    fprintf(stderr, "%s\n", fuse_program_error(context));
  for (int row = 0; row < 2 && !failed; ++row)
    printf("%.6f %.6f %.6f\n", y[row][0], y[row][1], y[row][2]);
  fuse_program_context_destroy(context);
  return failed;
}

int main(int argc, char **argv) {
  if (fuse_api_version() != FUSE_API_VERSION || argc != 2)
    return 2;
  char error[1024];
  fuse_options *options = fuse_options_create();
  if (!options || fuse_options_set(options, "numerics", "exact", error, sizeof error))
    return 2;

  float w[4][3] = {{0.5f, 0, -0.5f}, {0.25f, 0, 0}, {0, -0.25f, 0}, {0, 0, 0.125f}};
  int64_t sizes[] = {4, 3};
  fuse_named_buffer weights[] = {{"w", {w, sizes, NULL, 2, FUSE_F32}}};
  fuse_source source = {.struct_bytes = sizeof source, .path = "mlp.mlir", .data = text,
                        .bytes = sizeof text - 1, .weights = weights, .num_weights = 1};
  fuse_compilation *compilation;
  int failed = fuse_compile(&source, options, &compilation);
  if (compilation)
    fputs(fuse_compilation_text(compilation, failed ? FUSE_TEXT_MESSAGES : FUSE_TEXT_REPORT), stdout);
  failed = failed || run(fuse_compilation_program(compilation));

  /* The same from its files. */
  fuse_program *loaded = NULL;
  if (!failed && (fuse_compilation_save(compilation, argv[1], error, sizeof error) ||
                  fuse_program_load(argv[1], NULL, &loaded, error, sizeof error))) {
    fprintf(stderr, "%s\n", error);
    failed = 1;
  }
  failed = failed || run(loaded);
  fuse_program_release(loaded);
  fuse_compilation_destroy(compilation);
  fuse_options_destroy(options);
  return failed;
}
