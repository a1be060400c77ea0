//===- Output.h - What a run leaves -------------------------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_FUSE_RUN_OUTPUT_H
#define FUSE_TOOLS_FUSE_RUN_OUTPUT_H

#include "Options.h"
#include "fuse/Support/Npz.h"

#include <chrono>

namespace mlir::fuse {

/// Counts the runs of a program: one that is not timed, and those that --time asks for.
class RunCounter {
public:
  explicit RunCounter(const RunOptions &options) : options(options) {}
  /// Whether there is to be another run, which then has the number getNumber().
  bool next();
  int64_t getNumber() const { return number; }

private:
  const RunOptions &options;
  int64_t number = -1;
  std::chrono::steady_clock::time_point start;
};

/// Prints the CPU, times in ms, percentiles where there are enough runs, and how many runs a second
/// has; runMs: the first run, then the timed ones, at least one. threads and compileMs: where there
/// are any.
void printTimes(std::optional<int32_t> threads, std::optional<double> compileMs,
                ArrayRef<double> runMs, llvm::raw_ostream &os);

/// Flushes standard output, where results that nobody could read are an error, and writes the
/// outputs and `texts`, each with the path that an option gives, or an empty one.
llvm::Error writeFiles(const RunOptions &options, ArrayRef<NamedArray> outputs,
                       ArrayRef<std::pair<StringRef, StringRef>> texts);

} // namespace mlir::fuse

#endif // FUSE_TOOLS_FUSE_RUN_OUTPUT_H
