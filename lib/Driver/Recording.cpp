//===- Recording.cpp - What happened in timed runs --------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Driver/Recording.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::fuse;

RecordedRun mlir::fuse::takeRun(const Session &session) {
  fuse_context *context = session.getContext();
  RecordedRun run;
  run.beginNs = session.getLastRunBegin();
  run.endNs = run.beginNs + session.getLastRunNanoseconds();
  run.events.assign(context->events, context->events + context->num_events);
  run.lost = context->events_lost;
  fuse_context_clear_events(context);
  return run;
}

std::vector<SmallVector<size_t, 1>> mlir::fuse::matchEvents(const FunctionReport &report,
                                                            ArrayRef<LaunchedKernel> launches,
                                                            ArrayRef<fuse_event> events) {
  SmallVector<size_t> kernels, hosts, launched, called;
  for (auto [place, kernel] : llvm::enumerate(report.kernels))
    (kernel.label == "host" ? hosts : kernels).push_back(place);
  for (auto [place, event] : llvm::enumerate(events))
    if (event.kind != FUSE_EVENT_COPY)
      (event.kind == FUSE_EVENT_LAUNCH ? launched : called).push_back(place);

  std::vector<SmallVector<size_t, 1>> matches(events.size());
  size_t sites = std::min(kernels.size(), launches.size());
  bool isStraight = launched.size() == sites && llvm::all_of(llvm::seq(sites), [&](size_t i) {
                      return events[launched[i]].kernel == launches[i].kernel;
                    });
  for (size_t i = 0; i < launched.size(); ++i) {
    if (isStraight) {
      matches[launched[i]].push_back(kernels[i]);
      continue;
    }
    for (size_t site = 0; site < sites; ++site)
      if (launches[site].kernel == events[launched[i]].kernel)
        matches[launched[i]].push_back(kernels[site]);
  }
  if (called.size() == hosts.size())
    for (auto [event, host] : llvm::zip_equal(called, hosts))
      matches[event].push_back(host);
  return matches;
}

double mlir::fuse::getMedian(std::vector<double> values) {
  llvm::sort(values);
  size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

void mlir::fuse::addTimes(FunctionReport &report, ArrayRef<LaunchedKernel> launches,
                          ArrayRef<RecordedRun> runs) {
  std::vector<std::vector<double>> times(report.kernels.size());
  for (const RecordedRun &run : runs)
    for (auto [event, places] :
         llvm::zip_equal(run.events, matchEvents(report, launches, run.events)))
      for (size_t place : places)
        times[place].push_back(static_cast<double>(event.end_ns - event.begin_ns) * 1e-6);
  for (auto [kernel, values] : llvm::zip_equal(report.kernels, times)) {
    if (values.empty())
      continue;
    kernel.ms = getMedian(values);
    kernel.leastMs = *llvm::min_element(values);
  }
}
