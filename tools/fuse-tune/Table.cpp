//===- Table.cpp - What fuse-tune has found, for people -----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Table.h"
#include "fuse/Support/Plural.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/InterleavedRange.h"

using namespace mlir::fuse;

/// "[0, 1, 2] by [1, 28, 32], streamed by 128".
static std::string describe(ScheduleAttr schedule) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (LevelAttr level : schedule.getLevels()) {
    if (level.getMapping() == LevelMapping::Subgroup) // the same in all
      continue;
    bool isStream = level.getMapping() == LevelMapping::Sequential;
    if (isStream)
      os << ", streamed";
    else
      os << "[" << llvm::interleaved(level.getDims()) << "]";
    os << " by ";
    if (isStream)
      os << level.getSizes().front();
    else
      os << "[" << llvm::interleaved(level.getSizes()) << "]";
  }
  for (auto [count, what] : {std::pair(schedule.getThreads(), " threads"), {schedule.getLanes(), " lanes"}})
    if (count > 0)
      os << ", " << count << what;
  return text;
}

static void printCount(int64_t count, llvm::StringRef what, llvm::raw_ostream &os) {
  if (count > 0)
    os << pluralize(count, "kernel") << " " << what << "\n";
}

void mlir::fuse::printTable(const TuneResult &result, llvm::raw_ostream &os) {
  os << " launches  before us   after us  ratio  tried  kernel\n";
  double before = 0, after = 0;
  int64_t measured = 0, refused = 0, differing = 0, better = 0;
  for (const TunedReport &kernel : result.kernels) {
    double count = static_cast<double>(kernel.launches);
    before += kernel.beforeNs * count;
    after += kernel.afterNs * count;
    measured += kernel.measured;
    refused += kernel.refused;
    differing += kernel.differing;
    bool isBetter = kernel.afterNs < kernel.beforeNs;
    better += isBetter;
    os << llvm::format("%9lld %10.1f %10.1f %6.2f %6lld  ", static_cast<long long>(kernel.launches),
                       kernel.beforeNs / 1e3, kernel.afterNs / 1e3,
                       kernel.beforeNs > 0 ? kernel.afterNs / kernel.beforeNs : 1,
                       static_cast<long long>(kernel.measured))
       << kernel.name << (kernel.isExhausted ? "" : " (time was over)") << "\n";
    if (isBetter)
      os << "           " << describe(kernel.before) << " -> " << describe(kernel.after) << "\n";
  }
  os << llvm::format("\none run: %.1f us of kernels before, %.1f us after, %.1f %% less; ",
                     before / 1e3, after / 1e3, before > 0 ? 100 * (1 - after / before) : 0)
     << better << " of " << result.kernels.size() << " kernels better\n"
     << measured << " schedules tried, " << refused << " of them not to be built, " << differing
     << " with other results\n";
  if (result.dropped > 0)
    os << pluralize(result.dropped, "schedule")
       << " of --schedules left out, no better than the compiler's\n";
  printCount(result.unseen, "not looked at, since the time was over", os);
  printCount(result.written, "left out, with a schedule of the program's own", os);
  printCount(result.dynamic, "left out, of unknown shapes (--dim, --inputs)", os);
  printCount(result.indirect, "left out, which scatter or read at indices that they compute", os);
  for (const std::string &failure : result.failures)
    os << "left out: " << failure << "\n";
}
