//===- Trace.cpp - Compilation and runs on a time axis -----------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Trace.h"

#include "fuse/Runtime/Cpu.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::fuse;
namespace json = llvm::json;

/// Viewers become slow beyond some hundred thousand.
static constexpr size_t kMostEvents = 200000;
static constexpr int kProcess = 1, kThread = 1;

namespace {

class TraceWriter {
public:
  TraceWriter(const TraceContents &contents, llvm::raw_ostream &os) : contents(contents), out(os) {
    // What the report says of a kernel, in its own words.
    json::Value report = toJson(Report{{contents.report}});
    const json::Value &function = report.getAsObject()->getArray("functions")->front();
    for (const json::Value &kernel : *function.getAsObject()->getArray("kernels"))
      kernels.push_back(*kernel.getAsObject());
    origin =
        contents.stages.empty() ? contents.runs.front().beginNs : contents.stages.front().beginNs;
  }

  void write() {
    size_t shown = 0;
    out.objectBegin();
    out.attribute("displayTimeUnit", "ns");
    out.attributeArray("traceEvents", [&] {
      writeName("process_name", "fuse-run " + contents.program);
      writeName("thread_name", "@" + contents.report.name);
      for (const TracedStage &stage : contents.stages)
        writeEvent(stage.name, "compile", stage.beginNs, stage.endNs, {});
      size_t events = 0;
      for (const RecordedRun &run : contents.runs) {
        events += run.events.size() + 1;
        if (shown > 0 && events > kMostEvents)
          break;
        writeRun(run, shown++);
      }
    });
    int64_t lost = 0;
    for (const RecordedRun &run : contents.runs)
      lost += run.lost;
    out.attributeObject("otherData", [&] {
      out.attribute("cpu", fuse_cpu_name());
      out.attribute("threads", contents.threads);
      out.attribute("runs", contents.runs.size());
      out.attribute("runs_shown", shown);
      out.attribute("events_lost", lost);
    });
    out.objectEnd();
  }

private:
  void writeName(StringRef kind, StringRef name) {
    out.object([&] {
      out.attribute("name", kind);
      out.attribute("ph", "M");
      writePlace();
      out.attributeObject("args", [&] { out.attribute("name", name); });
    });
  }

  void writePlace() {
    out.attribute("pid", kProcess);
    out.attribute("tid", kThread);
  }

  /// Microseconds with all their digits, and no more.
  void writeTime(StringRef key, int64_t ns) {
    out.attributeBegin(key);
    out.rawValue(
        [&](llvm::raw_ostream &os) { os << llvm::format("%.3f", static_cast<double>(ns) * 1e-3); });
    out.attributeEnd();
  }

  void writeEvent(StringRef name, StringRef category, int64_t begin, int64_t end,
                  json::Object args) {
    out.object([&] {
      out.attribute("name", name);
      out.attribute("cat", category);
      out.attribute("ph", "X");
      writeTime("ts", begin - origin);
      writeTime("dur", end - begin);
      writePlace();
      if (!args.empty())
        out.attribute("args", std::move(args));
    });
  }

  /// The bandwidth from `ns` on.
  void writeCounter(int64_t ns, double bandwidth) {
    out.object([&] {
      out.attribute("name", "traffic");
      out.attribute("ph", "C");
      writeTime("ts", ns - origin);
      writePlace();
      out.attributeObject("args", [&] { out.attribute("bytes/ns", bandwidth); });
    });
  }

  void writeRun(const RecordedRun &run, size_t number) {
    int64_t counts[3] = {};
    for (const fuse_event &event : run.events)
      ++counts[event.kind];
    writeEvent(number == 0 ? "first run" : "run " + std::to_string(number), "run", run.beginNs,
               run.endNs,
               json::Object{{"launches", counts[FUSE_EVENT_LAUNCH]},
                            {"host_calls", counts[FUSE_EVENT_HOST_CALL]},
                            {"copies", counts[FUSE_EVENT_COPY]}});
    auto matches = matchEvents(contents.report, contents.launches, run.events);
    for (auto [event, places] : llvm::zip_equal(run.events, matches))
      writeEvent(event, places);
  }

  void writeEvent(const fuse_event &event, ArrayRef<size_t> places) {
    if (event.kind == FUSE_EVENT_COPY)
      return writeEvent("copy", "copy", event.begin_ns, event.end_ns,
                        json::Object{{"bytes", event.bytes}});
    StringRef category = event.kind == FUSE_EVENT_LAUNCH ? "launch" : "host";
    if (places.empty())
      return writeEvent(event.name, category, event.begin_ns, event.end_ns, {});
    // Where several launches run this code and control flow decides, it is one of those.
    json::Object args;
    if (places.size() > 1) {
      json::Array ids;
      for (size_t place : places)
        ids.push_back(contents.report.kernels[place].id);
      args["one_of"] = std::move(ids);
    }
    const json::Object &kernel = kernels[places.front()];
    for (StringRef key : {"id", "label", "ops", "blocks", "traffic_bytes", "predicted_ms"})
      if (const json::Value *value = kernel.get(key))
        if (places.size() == 1 || key != "id")
          args[key] = *value;
    const KernelReport &report = contents.report.kernels[places.front()];
    writeEvent(report.name, category, event.begin_ns, event.end_ns, std::move(args));
    int64_t ns = event.end_ns - event.begin_ns;
    if (event.kind == FUSE_EVENT_LAUNCH && ns > 0 && report.trafficBytes > 0) {
      writeCounter(event.begin_ns,
                   static_cast<double>(report.trafficBytes) / static_cast<double>(ns));
      writeCounter(event.end_ns, 0);
    }
  }

  const TraceContents &contents;
  json::OStream out;
  std::vector<json::Object> kernels;
  int64_t origin;
};

} // namespace

std::string mlir::fuse::makeTrace(const TraceContents &contents) {
  std::string text;
  llvm::raw_string_ostream os(text);
  TraceWriter(contents, os).write();
  os << "\n";
  return text;
}
