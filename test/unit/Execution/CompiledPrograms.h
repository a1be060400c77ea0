//===- CompiledPrograms.h - Programs from text to loaded code -------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TEST_UNIT_EXECUTION_COMPILEDPROGRAMS_H
#define FUSE_TEST_UNIT_EXECUTION_COMPILEDPROGRAMS_H

#include "fuse/Execution/Session.h"

namespace mlir::fuse::test {

/// A program of one public function, compiled for this machine.
struct Compiled {
  std::shared_ptr<const Program> program;
  std::string function;
  int64_t fusedKernels = 0;  // as the report says
  int64_t hostCalls = 0;     // host ops in the program
  std::vector<NamedArray> inputs;   // made up; unknown extents are 13
  std::vector<NamedArray> expected; // the interpreter's outputs; of a grid of ranks, theirs together
};

/// Throws std::runtime_error, with the diagnostics, where the program can't be run.
Compiled compile(const std::string &source, bool fusion = true);

/// Compiles a file under the source tree.
Compiled compileFile(const std::string &path, bool fusion = true);

/// Runs once; "" or what went wrong, an output beyond the default tolerances included.
std::string runAndCompare(Session &session, const Compiled &compiled);

/// A started and bound session.
std::unique_ptr<Session> start(const Compiled &compiled, int32_t threads);

/// Programs of every kind of launch, by name.
struct NamedSource {
  const char *name;
  const char *text;
};
extern const NamedSource kSources[8];

} // namespace mlir::fuse::test

#endif // FUSE_TEST_UNIT_EXECUTION_COMPILEDPROGRAMS_H
