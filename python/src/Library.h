//===- Library.h - The shared library behind the package ------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The module is linked to neither library. It opens the one that it needs, with RTLD_LOCAL: what is in there meets nothing
// that other packages of the process have loaded.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_PYTHON_LIBRARY_H
#define FUSE_PYTHON_LIBRARY_H

#include "fuse/CAPI/Compile.h"

#include <string>

namespace fuse_python {

#define FUSE_PYTHON_RUN_FUNCTIONS(ENTRY)                                                           \
  ENTRY(fuse_api_version) ENTRY(fuse_program_set_openmp) ENTRY(fuse_program_load)                          \
  ENTRY(fuse_program_release) ENTRY(fuse_program_retain) ENTRY(fuse_program_num_inputs)            \
  ENTRY(fuse_program_num_outputs) ENTRY(fuse_program_input) ENTRY(fuse_program_output)             \
  ENTRY(fuse_program_input_dim) ENTRY(fuse_program_output_dim) ENTRY(fuse_program_report)          \
  ENTRY(fuse_program_version) ENTRY(fuse_program_cpus) ENTRY(fuse_program_cpu)                     \
  ENTRY(fuse_program_context_create) ENTRY(fuse_program_context_destroy)                           \
  ENTRY(fuse_program_query) ENTRY(fuse_program_run) ENTRY(fuse_program_error)                      \
  ENTRY(fuse_program_arena_bytes) ENTRY(fuse_program_record) ENTRY(fuse_program_events)

#define FUSE_PYTHON_COMPILE_FUNCTIONS(ENTRY)                                                       \
  ENTRY(fuse_options_create) ENTRY(fuse_options_destroy) ENTRY(fuse_options_set)                   \
  ENTRY(fuse_options_help) ENTRY(fuse_torch_ops) ENTRY(fuse_stablehlo_ops)                         \
  ENTRY(fuse_options_set_progress) ENTRY(fuse_compile)                                             \
  ENTRY(fuse_compilation_destroy) ENTRY(fuse_compilation_text) ENTRY(fuse_compilation_program)     \
  ENTRY(fuse_compilation_save) ENTRY(fuse_version)

/// The functions of one library. A program is given to functions of the library that made it.
struct Library {
#define FUSE_PYTHON_MEMBER(name) decltype(&::name) name = nullptr;
  FUSE_PYTHON_RUN_FUNCTIONS(FUSE_PYTHON_MEMBER)
  FUSE_PYTHON_COMPILE_FUNCTIONS(FUSE_PYTHON_MEMBER)
#undef FUSE_PYTHON_MEMBER
  bool compiles = false;
};

/// Where the libraries lie, and the OpenMP that is taken where the process has none; empty: there is none. Before the first call of
/// the others.
void setPaths(std::string runtime, std::string compiler, std::string openMp);

/// Opened once each, and never closed. Raises fuse.Error where there is none, and where it has another version. Calls to be
/// made with the GIL held.
const Library &getRuntime();
const Library &getCompiler();

/// Makes programs that come from now on use an OpenMP that the process has already, else the package's own. The environment's
/// FUSE_OPENMP comes before both.
void chooseOpenMp(const Library &library);

/// Raises fuse.Error.
fuse_program_context *makeContext(const Library &library, fuse_program *program, int threads);

} // namespace fuse_python

#endif // FUSE_PYTHON_LIBRARY_H
