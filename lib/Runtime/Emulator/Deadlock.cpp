//===- Deadlock.cpp - Threads that wait for each other ------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Worker.h"

#include <cstdio>

using namespace mlir::fuse::emulator;

namespace {
/// The threads at one place.
struct Group {
  const Thread *first;
  int32_t count;
};

bool areAtOnePlace(const Thread &a, const Thread &b) {
  if (a.wait != b.wait)
    return false;
  if (a.wait == Wait::Barrier)
    return a.barrierSite == b.barrierSite && a.barrier == b.barrier;
  return a.wait == Wait::Ended || (a.call.site == b.call.site && a.call.mask == b.call.mask);
}
} // namespace

void Worker::failDeadlock() {
  constexpr int kMost = 4; // more would not be read
  Group groups[kMost];
  int count = 0;
  for (int32_t i = 0; i < launch->threads; ++i) {
    int g = 0;
    while (g < count && !areAtOnePlace(*groups[g].first, threads[i]))
      ++g;
    if (g < count)
      ++groups[g].count;
    else if (count < kMost)
      groups[count++] = {&threads[i], 1};
  }
  char text[FUSE_ERROR_CAPACITY] = "";
  size_t used = 0;
  bool atBarrier = false;
  for (int g = 0; g < count && used < sizeof text; ++g) {
    const Thread &thread = *groups[g].first;
    const char *separator = g == 0 ? "" : "; ";
    int32_t more = groups[g].count - 1;
    char who[64];
    if (more)
      snprintf(who, sizeof who, "thread %d and %d more", thread.index, more);
    else
      snprintf(who, sizeof who, "thread %d", thread.index);
    if (thread.wait == Wait::Ended)
      used += snprintf(text + used, sizeof text - used, "%s%s: ended", separator, who);
    else if (thread.wait == Wait::Barrier)
      used += snprintf(text + used, sizeof text - used, "%s%s: at barrier %d, %s", separator, who,
                       thread.barrier, launch->locate(thread.barrierSite));
    else
      used +=
          snprintf(text + used, sizeof text - used, "%s%s: at the %s with mask 0x%x, %s", separator,
                   who, thread.call.what, thread.call.mask, launch->locate(thread.call.site));
    atBarrier |= thread.wait == Wait::Barrier;
  }
  fail("%s: threads wait for each other: %s", atBarrier ? "divergent barrier" : "deadlock", text);
}
