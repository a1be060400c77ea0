//===- Recording.h - What happened in timed runs ------------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_DRIVER_RECORDING_H
#define FUSE_DRIVER_RECORDING_H

#include "fuse/Driver/Reports.h"

namespace mlir::fuse {

/// One run of a program. Times are nanoseconds of std::chrono::steady_clock.
struct RecordedRun {
  int64_t beginNs = 0, endNs = 0;
  std::vector<fuse_event> events;
  int64_t lost = 0; ///< events that found no room
};

/// Takes the events of the last run of a session whose context records, and forgets them there.
RecordedRun takeRun(const Session &session);

/// For each event: the kernels of the report that it may be a launch of, by their place there; none
/// for copies. Of a straight program there is one for each launch and host call. Where control flow
/// decides what is launched, a kernel that several launches share is all of theirs.
std::vector<SmallVector<size_t, 1>> matchEvents(const FunctionReport &report,
                                                ArrayRef<LaunchedKernel> launches,
                                                ArrayRef<fuse_event> events);

/// Fills in, for each kernel and host op, the median and the least wall-clock time of its launches
/// in these runs, in ms; nothing for what was not launched.
void addTimes(FunctionReport &report, ArrayRef<LaunchedKernel> launches,
              ArrayRef<RecordedRun> runs);

/// The middle of some values, at least one; of an even number the mean of the middle two.
double getMedian(std::vector<double> values);

} // namespace mlir::fuse

#endif // FUSE_DRIVER_RECORDING_H
