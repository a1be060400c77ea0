//===- Workers.h - Batches of cases in processes of their own -----------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A batch is compiled and run in a forked process, so that a crash ends that process only. Where
// it dies or cannot be compiled, the batch is split until the case is known.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TEST_NUMERIC_DIFFERENTIAL_WORKERS_H
#define FUSE_TEST_NUMERIC_DIFFERENTIAL_WORKERS_H

#include "Runner.h"

namespace mlir::fuse::differential {

struct WorkerOptions {
  RunnerOptions runner;
  /// How many processes run at once.
  unsigned processes = 2;
  /// Functions in one batch.
  size_t batchSize = 96;
  /// After which a process counts as hung.
  unsigned secondsPerBatch = 120;
};

/// What became of the cases; `index` counts in all cases.
class Results {
public:
  virtual ~Results() = default;
  virtual void pass(size_t index, Run run, double worst) = 0;
  virtual void fail(size_t index, Run run, StringRef text) = 0;
  /// The case cannot be compiled; `text` is the diagnostic, or the signal.
  virtual void reject(size_t index, StringRef text) = 0;
  virtual void progress(size_t done, size_t total) = 0;
};

/// Forks: no thread but the caller's may exist. `context` must have threading disabled.
void runInProcesses(MLIRContext &context, ArrayRef<Case> cases, ArrayRef<size_t> selected,
                    const WorkerOptions &options, Results &results);

} // namespace mlir::fuse::differential

#endif // FUSE_TEST_NUMERIC_DIFFERENTIAL_WORKERS_H
