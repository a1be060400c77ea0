//===- Output.cpp - What a run leaves --------------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Output.h"

#include "fuse/Driver/Recording.h"
#include "../common/WriteText.h"
#include "fuse/Runtime/Cpu.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

#include <cmath>
#include <numeric>

using namespace mlir;
using namespace mlir::fuse;

void mlir::fuse::printTimes(std::optional<int32_t> threads, std::optional<double> compileMs,
                            ArrayRef<double> runMs, llvm::raw_ostream &os) {
  os << "cpu: " << fuse_cpu_name();
  if (threads)
    os << ", threads: " << *threads;
  if (compileMs)
    os << llvm::format("\ncompile: %.3f ms", *compileMs);
  os << llvm::format("\nfirst run: %.3f ms\n", runMs.front());
  ArrayRef<double> runs = runMs.drop_front();
  os << llvm::format("run: median %.3f ms, least %.3f ms of %zu\n", getMedian(runs.vec()),
                     *llvm::min_element(runs), runs.size());
  std::vector<double> sorted = runs.vec();
  llvm::sort(sorted);
  // The least time that the given part of the runs do not exceed.
  auto getPercentile = [&](double part) {
    size_t rank = static_cast<size_t>(std::ceil(part * static_cast<double>(sorted.size())));
    return sorted[std::max<size_t>(rank, 1) - 1];
  };
  // A percentile of fewer runs is the largest of them.
  if (sorted.size() >= 10)
    os << llvm::format("percentiles: p50 %.3f ms, p90 %.3f ms", getPercentile(0.5),
                       getPercentile(0.9));
  if (sorted.size() >= 100)
    os << llvm::format(", p99 %.3f ms", getPercentile(0.99));
  if (sorted.size() >= 10)
    os << "\n";
  double total = std::accumulate(sorted.begin(), sorted.end(), 0.0);
  if (total > 0)
    os << llvm::format("throughput: %.2f runs/s", 1e3 * static_cast<double>(sorted.size()) / total);
  else
    os << "throughput: unknown";
  os << ", warm-up: 1 run\n";
}

bool RunCounter::next() {
  ++number;
  if (number == 0)
    return true;
  if (number == 1)
    start = std::chrono::steady_clock::now();
  if (options.timedSeconds == 0)
    return number <= options.timedRuns;
  std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  return number == 1 || (elapsed.count() < options.timedSeconds && number <= options.kMaxTimedRuns);
}

llvm::Error mlir::fuse::writeFiles(const RunOptions &options, ArrayRef<NamedArray> outputs,
                                   ArrayRef<std::pair<StringRef, StringRef>> texts) {
  if (llvm::Error error = finishOutput())
    return error;
  if (!options.outputs.empty())
    if (llvm::Error error = writeNpz(options.outputs, outputs))
      return error;
  for (auto [path, text] : texts)
    if (!path.empty())
      if (llvm::Error error = writeText(path, text))
        return error;
  return llvm::Error::success();
}
