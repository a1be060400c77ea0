//===- KernelTrial.cpp - One kernel with one schedule after another -------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "KernelTrial.h"
#include "fuse/Execution/Compare.h"
#include "fuse/Execution/RandomInputs.h"
#include "fuse/IR/FuseDialect.h"
#include "fuse/IR/FuseOps.h"
#include "fuse/Support/Numerics.h"
#include "mlir/IR/Diagnostics.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace mlir::fuse;
using Clock = std::chrono::steady_clock;

/// Pairs of samples in one comparison.
static constexpr int64_t kPairs = 9;
/// After so many a candidate that is clearly slower is given up, and after more one that is not
/// faster.
static constexpr int64_t kFirstPairs = 2, kSecondPairs = 4;
static constexpr double kHopeless = 1.5;
/// What is less than this share faster is noise.
static constexpr double kLeastGain = 0.03;
/// A sample lasts so long at least, in ns, and has so many launches at most: clocks and calls cost.
static constexpr double kSampleNs = 50000;
static constexpr int64_t kMostLaunches = 64;
static constexpr size_t kLineBytes = 64;

static double getMedian(std::vector<double> values) {
  auto middle = values.begin() + values.size() / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

llvm::Expected<std::unique_ptr<KernelTrial>> KernelTrial::create(const DistinctKernel &kernel,
                                                                 const TrialOptions &options) {
  std::unique_ptr<KernelTrial> trial(new KernelTrial(kernel, options));
  auto function = kernel.module.get().lookupSymbol<func::FuncOp>(DistinctKernel::kFunction);
  FailureOr<Signature> signature = Signature::get(function);
  if (failed(signature))
    return llvm::createStringError("kernel '" + kernel.name + "' has no arrays for inputs");
  for (auto [info, extent] : llvm::zip_equal(signature->inputs, kernel.indexExtents)) {
    auto array = makeRandomInput(info, options.seed, extent);
    if (!array)
      return array.takeError();
    trial->inputs.push_back({info.name, std::move(*array)});
  }
  auto session = trial->build(nullptr);
  if (!session)
    return session.takeError();
  trial->start = std::move(*session);
  for (const NamedArray &output : trial->start->getOutputs())
    trial->expected.push_back({output.name, output.array.clone()});
  auto time = trial->sample(*trial->start);
  if (!time)
    return time.takeError();
  trial->launchesPerSample =
      std::clamp<int64_t>(static_cast<int64_t>(kSampleNs / std::max(1.0, *time)), 1, kMostLaunches);
  return std::move(trial);
}

llvm::Expected<std::unique_ptr<Session>> KernelTrial::build(ScheduleAttr schedule) {
  OwningOpRef<ModuleOp> module = kernel.module.get().clone();
  auto function = module->lookupSymbol<func::FuncOp>(DistinctKernel::kFunction);
  if (schedule)
    function.walk([&](KernelOp op) { op->setAttr(attr::kSchedule, schedule); });
  FailureOr<Signature> signature = Signature::get(function);
  std::string reason;
  FailureOr<CompiledObjects> objects = failure();
  {
    ScopedDiagnosticHandler handler(module->getContext(), [&](Diagnostic &diagnostic) {
      reason += (reason.empty() ? "" : "; ") + diagnostic.str();
      return success();
    });
    ObjectCompilerOptions compiler;
    compiler.chip = options.lowering.chip;
    objects = compileProgram(*module, options.lowering, compiler);
  }
  if (failed(objects) || failed(signature))
    return llvm::createStringError("kernel '" + kernel.name + "': " + reason);
  auto program = Program::load(std::move(*objects), *signature);
  if (!program)
    return program.takeError();
  auto session = Session::create(*program, DistinctKernel::kFunction, options.threads);
  if (!session)
    return session.takeError();
  if (llvm::Error error = (*session)->bind(inputs))
    return error;
  // Buffers written in place start anew in each run, so that the first one's results tell.
  if (llvm::Error error = (*session)->run())
    return error;
  return std::move(*session);
}

llvm::Expected<double> KernelTrial::sample(Session &session) {
  for (size_t i = 0; i < evicting.size(); i += kLineBytes)
    ++const_cast<volatile char &>(evicting[i]);
  return session.time(launchesPerSample);
}

llvm::Expected<double> KernelTrial::measure(Clock::time_point limit) {
  Session &session = best ? *best : *start;
  std::vector<double> times;
  for (int64_t i = 0; i < kSecondPairs && (i == 0 || Clock::now() < limit); ++i) {
    auto time = sample(session);
    if (!time)
      return time.takeError();
    times.push_back(*time);
  }
  return *llvm::min_element(times);
}

llvm::Expected<std::optional<KernelTrial::Times>> KernelTrial::pair(Session &before, Session &after,
                                                                    bool mayGiveUp) {
  std::vector<double> first, second;
  Times times = {};
  for (int64_t i = 0; i < kPairs; ++i) {
    // Neither always runs behind the other.
    for (bool isAfter : {i % 2 != 0, i % 2 == 0}) {
      auto time = sample(isAfter ? after : before);
      if (!time)
        return time.takeError();
      (isAfter ? second : first).push_back(*time);
    }
    times.before = getMedian(first);
    times.after = getMedian(second);
    times.medianRatio = times.after / times.before;
    times.bestRatio = *llvm::min_element(second) / *llvm::min_element(first);
    bool isBad = (i + 1 == kFirstPairs && times.bestRatio > kHopeless) ||
                 (i + 1 == kSecondPairs && times.bestRatio > 1 && times.medianRatio > 1);
    if (mayGiveUp && isBad)
      return std::nullopt;
  }
  return times;
}

/// Sums of another order differ by what is little beside the whole result, not beside each element.
static Tolerance getTolerance(const HostArray &want) {
  Tolerance tolerance = getDefaultTolerance(want.getElementType());
  if (!isFloatElement(want.getElementType()) || want.getNumElements() == 0)
    return tolerance;
  double squares = 0;
  for (int64_t i = 0, end = want.getNumElements(); i < end; ++i)
    if (double value = want.getFloat(i); std::isfinite(value))
      squares += value * value;
  double mean = std::sqrt(squares / static_cast<double>(want.getNumElements()));
  tolerance.atol = std::max(tolerance.atol, tolerance.rtol * mean);
  return tolerance;
}

llvm::Expected<bool> KernelTrial::agrees(Session &session) const {
  bool isExact = options.lowering.numerics == Numerics::Exact;
  for (auto [got, want] : llvm::zip_equal(session.getOutputs(), expected)) {
    auto comparison =
        compareArrays(got.array, want.array, isExact ? Tolerance{0, 0} : getTolerance(want.array));
    if (!comparison)
      return comparison.takeError();
    if (!comparison->fits())
      return false;
  }
  return true;
}

Judgement KernelTrial::judge(ScheduleAttr schedule) {
  auto refuse = [](llvm::Error error) {
    llvm::consumeError(std::move(error));
    return Judgement::Refused;
  };
  auto session = build(schedule);
  if (!session)
    return refuse(session.takeError());
  auto isRight = agrees(**session);
  if (!isRight)
    return refuse(isRight.takeError());
  if (!*isRight)
    return Judgement::Differs;
  for (bool isFirst : {true, false}) {
    auto times = pair(best ? *best : *start, **session, isFirst);
    if (!times)
      return refuse(times.takeError());
    if (!*times || (*times)->medianRatio > 1 - kLeastGain || (*times)->bestRatio > 1 - kLeastGain)
      return Judgement::NotBetter;
  }
  best = std::move(*session);
  return Judgement::Better;
}

llvm::Expected<std::pair<double, double>> KernelTrial::confirm() {
  if (!best) {
    auto time = measure();
    if (!time)
      return time.takeError();
    return std::pair(*time, *time);
  }
  auto times = pair(*start, *best, /*mayGiveUp=*/false);
  if (!times)
    return times.takeError();
  if ((*times)->medianRatio > 1 - kLeastGain)
    return std::pair((*times)->before, (*times)->before);
  return std::pair((*times)->before, (*times)->after);
}
