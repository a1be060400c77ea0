//===- Trace.h - Compilation and runs on a time axis ---------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_COMMON_TRACE_H
#define FUSE_TOOLS_COMMON_TRACE_H

#include "fuse/Driver/Recording.h"
#include "fuse/Support/Clock.h"

namespace mlir::fuse {

/// A part of the work before the first run. Times as getSteadyNs gives them.
struct TracedStage {
  std::string name;
  int64_t beginNs = 0, endNs = 0;
};

struct TraceContents {
  std::string program; ///< the file's name
  int32_t threads = 1;
  ArrayRef<TracedStage> stages;
  const FunctionReport &report;
  ArrayRef<LaunchedKernel> launches;
  /// The first run, which touches all memory for the first time, and the timed ones. Runs are left
  /// out from the end where there would be more events than viewers take.
  ArrayRef<RecordedRun> runs;
};

/// In Chrome's trace event format, which chrome://tracing and Perfetto show: stages, runs and, in
/// these, launches, host calls and copies. docs/times.md has the fields.
std::string makeTrace(const TraceContents &contents);

} // namespace mlir::fuse

#endif // FUSE_TOOLS_COMMON_TRACE_H
