//===- Runner.h - Compiles, runs and compares some cases ----------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TEST_NUMERIC_DIFFERENTIAL_RUNNER_H
#define FUSE_TEST_NUMERIC_DIFFERENTIAL_RUNNER_H

#include "Case.h"

#include "fuse/Execution/Backend.h"
#include "fuse/Support/Npz.h"
#include "mlir/IR/MLIRContext.h"

#include <optional>

namespace mlir::fuse::differential {

/// One execution of a case: what its inputs hold, and which of its extents they have.
struct Run {
  ValueSet set;
  unsigned extents;

  /// "nan", or "nan+2" for extents other than the first.
  std::string getName() const;
  static std::optional<Run> parse(StringRef name);
};

/// All runs of a case: each set that changes an input, each of the extents at least once.
std::vector<Run> getRuns(const Case &c);

/// The inputs of a run, named arg0, arg1, ….
std::vector<NamedArray> makeInputs(const Case &c, Run run, uint64_t seed);

/// What happens to the cases of a batch, in order; `index` counts within the batch.
class Observer {
public:
  virtual ~Observer() = default;
  /// Before a run.
  virtual void begin(size_t index, Run run) = 0;
  /// It fits; `worst`: the largest distance in ULPs.
  virtual void pass(size_t index, Run run, double worst) = 0;
  virtual void fail(size_t index, Run run, StringRef text) = 0;
};

struct RunnerOptions {
  uint64_t seed = 1;
  const Backend *backend = &getDefaultBackend();
  bool asyncCopies = true;
  std::string cpu; // a name of CpuLevel.h; empty: this one
  /// Only this run of each case.
  std::optional<Run> only;
};

/// Compiles all cases as one program and does all their runs. Returns an empty text, or why they
/// cannot be compiled: then nothing has run.
std::string runCases(MLIRContext &context, ArrayRef<const Case *> cases,
                     const RunnerOptions &options, Observer &observer);

/// Writes p.mlir and inputs.npz for a run to a directory: what fuse-run takes.
llvm::Error writeRun(const Case &c, Run run, const RunnerOptions &options,
                     StringRef directory);

} // namespace mlir::fuse::differential

#endif // FUSE_TEST_NUMERIC_DIFFERENTIAL_RUNNER_H
