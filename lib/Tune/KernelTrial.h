//===- KernelTrial.h - One kernel with one schedule after another -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_TUNE_KERNELTRIAL_H
#define FUSE_LIB_TUNE_KERNELTRIAL_H

#include "fuse/Execution/Session.h"
#include "fuse/Tune/DistinctKernels.h"
#include "fuse/Tune/Search.h"

#include <chrono>

namespace mlir::fuse {

struct TrialOptions {
  LoweringOptions lowering;
  int32_t threads = 0;
  uint64_t seed = 0;
  int64_t l2Bytes = 0; ///< of a core
};

/// Launches one kernel on made-up inputs. Other work on the machine comes and goes, so times are
/// compared in pairs, one launch with each schedule in turn, and what was better must be so twice.
class KernelTrial {
public:
  /// With the schedule that the compiler gives. Errors: what compiling and running say.
  static llvm::Expected<std::unique_ptr<KernelTrial>> create(const DistinctKernel &kernel,
                                                             const TrialOptions &options);

  /// Of one launch with the best schedule so far, in ns.
  llvm::Expected<double> measure(
      std::chrono::steady_clock::time_point limit = std::chrono::steady_clock::time_point::max());
  /// Compares with the best schedule so far, whose place a better one takes.
  Judgement judge(ScheduleAttr schedule);
  /// Compares the best with the compiler's once more; times in ns. Equal ones where it is the
  /// compiler's or is no better than that after all.
  llvm::Expected<std::pair<double, double>> confirm();

private:
  KernelTrial(const DistinctKernel &kernel, const TrialOptions &options)
      : kernel(kernel), options(options), evicting(static_cast<size_t>(2 * options.l2Bytes)) {}

  llvm::Expected<std::unique_ptr<Session>> build(ScheduleAttr schedule);
  /// One sample: the time of a launch, in ns, with what a core keeps for itself taken by others.
  llvm::Expected<double> sample(Session &session);
  struct Times {
    double before, after;
    double bestRatio, medianRatio; ///< after by before
  };
  /// Nothing where the second is clearly worse, and `mayGiveUp`.
  llvm::Expected<std::optional<Times>> pair(Session &before, Session &after, bool mayGiveUp);
  llvm::Expected<bool> agrees(Session &session) const;

  const DistinctKernel &kernel;
  TrialOptions options;
  std::vector<char> evicting;
  std::vector<NamedArray> inputs;
  std::vector<NamedArray> expected;     // with the compiler's schedule
  std::unique_ptr<Session> start, best; // no best: the start is
  int64_t launchesPerSample = 1;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_TUNE_KERNELTRIAL_H
