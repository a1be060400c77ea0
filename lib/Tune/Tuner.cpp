//===- Tuner.cpp - Looks for better schedules of a program's kernels -------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Tune/Tuner.h"
#include "KernelTrial.h"
#include "fuse/Execution/Backend.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <tuple>

using namespace mlir;
using namespace mlir::fuse;
using Clock = std::chrono::steady_clock;

/// The share of the time that finding out what kernels take may use.
static constexpr double kFirstLook = 0.3;
/// What confirming and the last compilation take, of the deadline.
/// Bytes that neighbouring threads of a device take at once.
static constexpr int64_t kDeviceAccess = 128;
static constexpr auto kReserve = std::chrono::milliseconds(100);

namespace {
class Tuner {
public:
  Tuner(DistinctKernels &distinct, TargetAttr target, const TuneOptions &options)
      : distinct(distinct), options(options), begin(Clock::now()),
        deadline(std::max(begin, options.deadline - kReserve)),
        vectorBytes(static_cast<int64_t>(target.getFigure("vector_bytes"))),
        trial{options.lowering, options.threads, options.seed, static_cast<int64_t>(target.getFigure("l2_bytes"))},
        scratchBytes(trial.l2Bytes) {
    if (options.lowering.backend->hasDevice()) {
      // What a launch finds in the device's caches is what the one before has left there.
      trial.l2Bytes = 0;
      scratchBytes = static_cast<int64_t>(target.getFigure("shared_memory_bytes"));
      vectorBytes = kDeviceAccess;
    }
    trial.lowering.schedules.clear();
    result.written = distinct.written;
    result.dynamic = distinct.dynamic;
    result.indirect = distinct.indirect;
  }

  llvm::Expected<TuneResult> run() {
    look();
    double rest = 0;
    for (const Seen &kernel : seen)
      rest += kernel.getShare();
    for (const Seen &kernel : seen) {
      auto left = deadline - Clock::now();
      double share = rest > 0 ? kernel.getShare() / rest : 1;
      rest -= kernel.getShare();
      if (llvm::Error error = tune(
              kernel, Clock::now() + std::chrono::duration_cast<Clock::duration>(left * share)))
        return std::move(error);
    }
    result.isInterrupted = isInterrupted();
    return std::move(result);
  }

private:
  struct Seen {
    const DistinctKernel *kernel;
    double ns;
    double getShare() const { return ns * static_cast<double>(kernel->launches); }
  };

  bool isInterrupted() const { return options.isInterrupted && options.isInterrupted(); }
  bool isOver(Clock::time_point limit) const { return Clock::now() >= limit || isInterrupted(); }

  void show(const llvm::Twine &text) const {
    double whole = std::chrono::duration<double>(deadline - begin).count();
    double part = std::chrono::duration<double>(Clock::now() - begin).count();
    if (options.progress)
      options.progress(whole > 0 ? std::clamp(part / whole, 0.0, 1.0) : 1, text);
  }

  /// Measures what kernels take, as far as the time goes: those first that are predicted to take
  /// most.
  void look() {
    std::vector<const DistinctKernel *> order;
    for (const DistinctKernel &kernel : distinct.kernels)
      order.push_back(&kernel);
    auto getPredicted = [](const DistinctKernel *kernel) {
      return kernel->predictedMs * static_cast<double>(kernel->launches);
    };
    llvm::stable_sort(order, [&](const DistinctKernel *a, const DistinctKernel *b) {
      return getPredicted(a) > getPredicted(b);
    });
    Clock::time_point limit =
        begin + std::chrono::duration_cast<Clock::duration>((deadline - begin) * kFirstLook);
    for (auto [i, kernel] : llvm::enumerate(order)) {
      if (isOver(limit) && (i > 0 || isInterrupted())) {
        result.unseen = order.size() - i;
        break;
      }
      show("times of kernels " + llvm::Twine(i + 1) + " of " + llvm::Twine(order.size()));
      auto made = KernelTrial::create(*kernel, trial);
      auto time = made ? (*made)->measure(limit) : made.takeError();
      if (time)
        seen.push_back({kernel, *time});
      else
        result.failures.push_back(llvm::toString(time.takeError()));
    }
    llvm::stable_sort(seen,
                      [](const Seen &a, const Seen &b) { return a.getShare() > b.getShare(); });
  }

  llvm::Error tune(const Seen &entry, Clock::time_point limit) {
    const DistinctKernel &kernel = *entry.kernel;
    TunedReport report;
    report.name = kernel.name;
    report.launches = kernel.launches;
    report.beforeNs = report.afterNs = entry.ns;
    report.before = report.after = kernel.schedule;
    std::optional<Candidate> start = Candidate::get(kernel.schedule, kernel.facts.extents.size());
    if (start && !isOver(limit))
      if (llvm::Error error = search(kernel, *start, limit, report))
        return error;
    result.kernels.push_back(std::move(report));
    return llvm::Error::success();
  }

  llvm::Error search(const DistinctKernel &kernel, Candidate start, Clock::time_point limit,
                     TunedReport &report) {
    auto made = KernelTrial::create(kernel, trial);
    if (!made) { // it was run before
      result.failures.push_back(llvm::toString(made.takeError()));
      return llvm::Error::success();
    }
    KernelTrial &runs = **made;
    if (const TunedKernel *known = options.known ? options.known->find(kernel.key) : nullptr) {
      std::optional<Candidate> place = Candidate::get(known->schedule, kernel.facts.extents.size());
      if (place && runs.judge(known->schedule) == Judgement::Better)
        start = *place;
      else if (llvm::Error error = drop(*known))
        return error;
    }
    SearchSpace space(kernel.facts, start, scratchBytes,
                      vectorBytes / std::max<int64_t>(1, kernel.facts.elementBytes));
    SearchResult found = searchSchedules(
        space, options.seed ^ llvm::xxh3_64bits(kernel.key),
        [&](const Candidate &candidate) {
          show(kernel.name + ", " + llvm::Twine(++candidates) + " schedules");
          return runs.judge(candidate.makeSchedule(kernel.schedule));
        },
        [&] { return isOver(limit); });
    report.measured = found.measured;
    report.refused = found.refused;
    report.differing = found.differing;
    report.isExhausted = found.isExhausted;
    auto times = runs.confirm();
    if (!times)
      return times.takeError();
    std::tie(report.beforeNs, report.afterNs) = *times;
    if (report.afterNs >= report.beforeNs)
      return llvm::Error::success();
    report.after = found.best.makeSchedule(kernel.schedule);
    if (!options.found)
      return llvm::Error::success();
    return options.found({kernel.key, kernel.name, report.after,
                          static_cast<int64_t>(report.beforeNs),
                          static_cast<int64_t>(report.afterNs), found.measured});
  }

  /// A schedule of the file that is no better, or none for this kernel.
  llvm::Error drop(const TunedKernel &known) {
    ++result.dropped;
    return options.dropped ? options.dropped(known) : llvm::Error::success();
  }

  DistinctKernels &distinct;
  const TuneOptions &options;
  Clock::time_point begin, deadline;
  int64_t vectorBytes;
  TrialOptions trial;
  int64_t scratchBytes; ///< of a block
  std::vector<Seen> seen;
  TuneResult result;
  int64_t candidates = 0;
};
} // namespace

llvm::Expected<TuneResult> mlir::fuse::tuneKernels(func::FuncOp function,
                                                   const TuneOptions &options) {
  FailureOr<DistinctKernels> distinct = findDistinctKernels(function, options.lowering);
  if (failed(distinct))
    return llvm::createStringError("the kernels cannot be tuned");
  return Tuner(*distinct, TargetAttr::lookup(function), options).run();
}
