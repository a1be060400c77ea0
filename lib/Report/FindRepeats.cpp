//===- FindRepeats.cpp - Layers that repeat ---------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Report/Picture.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::fuse;

/// How many launches a round may have, and how many a repeat hides to be worth a frame.
static constexpr unsigned kMaxPeriod = 64, kLeastHidden = 3;

/// How many names of the model's tree all launches from `first` share.
static size_t countSharedNames(ArrayRef<KernelReport> kernels) {
  SmallVector<StringRef> shared;
  StringRef(kernels.front().layer).split(shared, '/', -1, false);
  for (const KernelReport &kernel : kernels.drop_front()) {
    SmallVector<StringRef> names;
    StringRef(kernel.layer).split(names, '/', -1, false);
    size_t same = 0;
    while (same < std::min(shared.size(), names.size()) && shared[same] == names[same])
      ++same;
    shared.truncate(same);
  }
  return shared.size();
}

std::vector<Repeat> mlir::fuse::findRepeats(const FunctionReport &report) {
  std::vector<int64_t> kinds(report.kernels.size());
  for (auto [number, group] : llvm::enumerate(report.groupKernels()))
    for (const KernelReport *kernel : group.kernels)
      kinds[kernel->id] = number;
  unsigned size = kinds.size();
  std::vector<Repeat> repeats;
  for (unsigned first = 0; first < size;) {
    // From here on, what hides most launches; of the same, the shortest round.
    Repeat best{first, 1, 1};
    unsigned mostHidden = 0, bestRun = 0;
    for (unsigned period = 1; period <= std::min(kMaxPeriod, (size - first) / 2); ++period) {
      unsigned run = 0; // how many launches are like the one a round before
      while (first + period + run < size && kinds[first + run] == kinds[first + period + run])
        ++run;
      unsigned hidden = run / period * period;
      if (hidden > mostHidden) {
        best = {first, period, run / period + 1};
        mostHidden = hidden;
        bestRun = run;
      }
    }
    if (mostHidden < kLeastHidden) {
      ++first;
      continue;
    }
    // Rounds may begin later as long as there are as many of them.
    size_t mostShared = 0;
    for (unsigned shift = 0; shift <= bestRun - mostHidden; ++shift) {
      size_t shared = countSharedNames(ArrayRef(report.kernels).slice(first + shift, best.period));
      if (shift == 0 || shared > mostShared) {
        best.first = first + shift;
        mostShared = shared;
      }
    }
    repeats.push_back(best);
    first = best.first + best.period * best.count;
  }
  return repeats;
}
