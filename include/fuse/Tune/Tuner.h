//===- Tuner.h - Looks for better schedules of a program's kernels -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TUNE_TUNER_H
#define FUSE_TUNE_TUNER_H

#include "fuse/Execution/Compile.h"
#include "fuse/Schedule/ScheduleFile.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <chrono>

namespace mlir::fuse {

struct TuneOptions {
  LoweringOptions lowering;
  int32_t threads = 0; ///< per launch; 0: as many as OpenMP would use
  uint64_t seed = 0;
  std::chrono::steady_clock::time_point deadline;
  /// Schedules to begin with, where they are better than the compiler's; may be null.
  const ScheduleFile *known = nullptr;
  /// How much of the time is over or of the work done, from 0 to 1, and what is looked at.
  std::function<void(double part, const llvm::Twine &text)> progress;
  /// Whether the user wants no more; may be null.
  std::function<bool()> isInterrupted;
  /// Called at once for each kernel that has a better schedule; may be null.
  std::function<llvm::Error(const TunedKernel &)> found;
  /// Told of each of `known` that was run and is no faster than the compiler's, or does not fit.
  std::function<llvm::Error(const TunedKernel &)> dropped;
};

/// What became of one kernel.
struct TunedReport {
  std::string name;
  int64_t launches = 0;
  double beforeNs = 0, afterNs = 0; ///< of one launch; equal where nothing better was found
  ScheduleAttr before, after;
  int64_t measured = 0, refused = 0, differing = 0; ///< candidates
  bool isExhausted = false;                         ///< there was nothing left to try
};

struct TuneResult {
  std::vector<TunedReport> kernels;               ///< those that took most of the time first
  int64_t unseen = 0;                             ///< distinct kernels that there was no time for
  int64_t written = 0, dynamic = 0, indirect = 0; ///< see DistinctKernels
  int64_t dropped = 0;                            ///< schedules that were known and are no better
  std::vector<std::string> failures;              ///< of kernels that could not be run alone
  bool isInterrupted = false;
};

/// Tunes the kernels of `function`, in a planned program that is laid out. The time is shared by
/// what kernels take of a run; what one leaves is the others'. Diagnostics, or the error of
/// `found` or `dropped`, on failure.
llvm::Expected<TuneResult> tuneKernels(func::FuncOp function, const TuneOptions &options);

} // namespace mlir::fuse

#endif // FUSE_TUNE_TUNER_H
