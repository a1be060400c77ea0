//===- Compile.h - Compiling programs from C ------------------------------------*- C -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What libfuse-compiler.so exports, beside fuse/Runtime/Program.h, which calls the programs:
//
//   fuse_options *options = fuse_options_create();
//   fuse_options_set(options, "numerics", "exact", error, sizeof error);
//   fuse_source source = {sizeof source, "model.onnx"};
//   fuse_compilation *compilation;
//   if (fuse_compile(&source, options, &compilation))
//     puts(fuse_compilation_text(compilation, FUSE_TEXT_MESSAGES));
//   else
//     program = fuse_compilation_program(compilation);
//
// Nothing is printed, no exception leaves a function, and errors of the compiler come back as messages
// with locations. examples/c-api has whole programs.
//
// Threads: any number of them may compile at once; options and compilations are used by one at a time.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_CAPI_COMPILE_H
#define FUSE_CAPI_COMPILE_H

#include "fuse/Runtime/Program.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The version of fuse, as text: "0.1.0". */
const char *fuse_version(void);

/* How a program is compiled. */
typedef struct fuse_options fuse_options;

/* What fuse-compile does without options; null if memory can't be had. */
fuse_options *fuse_options_create(void);
void fuse_options_destroy(fuse_options *options);

/* Sets the option of this name to what `value` says, as --NAME=VALUE of fuse-compile does: "numerics" "exact",
   "threads" "4", "dim" "batch=1..64,likely=8", "budget" "launches=3". Those that may be repeated add
   to what was there; the value of a switch ("no-fusion") is null. Beside them: "explain", a switch, which collects
   a message for each decision of the planner. Fails on an unknown name and on a value that is none. */
int32_t fuse_options_set(fuse_options *options, const char *name, const char *value, char *error,
                         int64_t capacity);

/* All options with what they mean, as text. */
const char *fuse_options_help(void);

/* The ops of PyTorch that programs of the format "torch" may have, with their overloads ("aten.add.Tensor"), a line each. */
const char *fuse_torch_ops(void);

/* The ops of StableHLO that programs of the format "stablehlo" may have ("stablehlo.add"), a line each. */
const char *fuse_stablehlo_ops(void);

/* Called now and then while a program is compiled, by any thread but one at a time: how much is done, from
   0 to 1, and what is being done ("kernels 3 of 12"). */
typedef void (*fuse_progress_fn)(double part, const char *stage, void *user_data);
void fuse_options_set_progress(fuse_options *options, fuse_progress_fn progress, void *user_data);

typedef struct fuse_named_buffer {
  const char *name;
  fuse_buffer buffer; /* strides may be null for row-major order */
} fuse_named_buffer;

/* What is compiled: a file, or bytes. */
typedef struct fuse_source {
  int64_t struct_bytes; /* sizeof(fuse_source) */
  /* The file; of bytes the name that messages and reports have for them, or null. */
  const char *path;
  /* The bytes in place of a file's; or null. They must stay as they are until the compilation and
     the program are destroyed. */
  const void *data;
  int64_t bytes;
  /* "onnx", "torch" (a .pt2 archive; as bytes the JSON of an exported program, whose weights are below by their names in the
     module), "stablehlo" (text in MLIR's generic form, whose weights are below as well) or "mlir" (text or bytecode: dialects fuse, TOSA, linalg); null or "auto": by the path's name,
     for bytes without a name by how they begin. */
  const char *format;
  /* Arrays for the program's parameters (arguments marked fuse.param; initializers of a model), by name.
     They are part of the program, packed once where its kernels want that, and no inputs. Row-major
     ones are not copied: they must stay as they are until the compilation and the program are destroyed.
     An array that no parameter is named like is an error. Parameters without an array stay inputs, unless the
     model has its own. */
  const fuse_named_buffer *weights;
  int64_t num_weights;
  /* Arrays for inputs of a model: what it leaves open is as in them, and where its ops depend on
     their elements (a shape, an axis), they become part of the program, as with --inputs of fuse-compile. */
  const fuse_named_buffer *inputs;
  int64_t num_inputs;
} fuse_source;

/* A finished compilation: a program with what there is to say of it, or errors. */
typedef struct fuse_compilation fuse_compilation;

/* Compiles. options: null for those of fuse_options_create. Returns 0, or 1 where there is no program: then the messages
   say why. *result is there in either case (null only where memory ended) and must be destroyed. */
int32_t fuse_compile(const fuse_source *source, const fuse_options *options,
                     fuse_compilation **result);
void fuse_compilation_destroy(fuse_compilation *compilation);

enum fuse_text {
  /* Errors, warnings and remarks, a line each: "model.onnx: error: node 'conv1' (Conv): expected …". */
  FUSE_TEXT_MESSAGES = 0,
  /* The same as a JSON array of objects: severity ("error", "warning", "remark"), text, file, line and
     column (of text; else 0), nodes (an array of names), notes (an array of such objects). */
  FUSE_TEXT_MESSAGES_JSON = 1,
  FUSE_TEXT_REPORT = 2,      /* tables for a terminal, as fuse-run --report prints them */
  FUSE_TEXT_REPORT_JSON = 3, /* docs/report.schema.json */
  FUSE_TEXT_LISTING = 4,     /* which node went to which kernel, as fuse-translate --emit listing */
  FUSE_TEXT_DOT = 5,         /* the same as a graph for Graphviz */
  FUSE_TEXT_SVG = 6,         /* the kernels as a picture */
  FUSE_TEXT_PAGE = 7         /* the same as a page of HTML that can be searched and zoomed */
};

/* A text of the compilation, valid until it is destroyed; empty where there is none: of an unknown kind, and
   all but messages without a program. Pictures are laid out when they are first asked for. */
const char *fuse_compilation_text(fuse_compilation *compilation, int32_t what);

/* The program, or null after an error. It is the compilation's: who wants to keep it longer retains it. */
fuse_program *fuse_compilation_program(fuse_compilation *compilation);

/* Writes the program as a bundle: NAME.so, NAME.weights and NAME.h (docs/bundles.md), all or none. The path ends in
   ".so". Fails without a program, without a linker, and on files that cannot be written. */
int32_t fuse_compilation_save(fuse_compilation *compilation, const char *path, char *error,
                              int64_t capacity);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // FUSE_CAPI_COMPILE_H
