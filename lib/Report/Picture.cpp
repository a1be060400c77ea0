//===- Picture.cpp - The report as a page for a browser ---------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The page is lib/Report/page, put together when the project is built, with one JSON value in it.
// Strings stand in one table there and are named by number: shapes and reasons repeat.
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Report/Picture.h"
#include "JsonValues.h"
#include "PageFiles.h"
#include "Text.h"
#include "llvm/ADT/StringMap.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;
namespace json = llvm::json;

namespace {

json::Value round(double at) { return static_cast<int64_t>(std::llround(at)); }

class PictureWriter {
public:
  json::Object write(const FunctionGraph &graph, const FunctionReport &report) {
    json::Object object{{"name", intern(report.name)},
                        {"summary", intern(report.getSummary())},
                        {"target", intern(report.target)},
                        {"original", report.originalKernels},
                        {"fused", report.fusedKernels},
                        {"saved", report.memorySavedBytes},
                        {"run", orNull(report.runMs)},
                        {"grid", toArray(report.grid)},
                        {"traffic", json::Array{report.before.deviceTrafficBytes,
                                                report.after.deviceTrafficBytes}}};
    json::Array values, nodes, kernels, members, refused;
    for (const GraphValue &value : graph.values)
      values.push_back(json::Array{intern(value.name), intern(value.type), orNull(value.bytes),
                                   static_cast<int>(value.isParam)});
    for (const GraphNode &node : graph.nodes)
      nodes.push_back(json::Array{static_cast<int>(node.kind), intern(node.text), intern(node.type),
                                  intern(node.name)});
    std::vector<int64_t> like(report.kernels.size());
    for (const KernelGroup &group : report.groupKernels())
      for (const KernelReport *kernel : group.kernels)
        like[kernel->id] = group.getFirst().id;
    for (auto [kernel, launch] : llvm::zip_equal(report.kernels, graph.launches))
      kernels.push_back(toJson(kernel, launch, like[kernel.id]));
    for (const GraphMember &member : graph.members)
      members.push_back(json::Array{member.node, member.launch});
    for (auto [edge, place] : llvm::zip_equal(report.refused, graph.refused))
      refused.push_back(toJson(edge, place));
    object["values"] = std::move(values);
    object["nodes"] = std::move(nodes);
    object["kernels"] = std::move(kernels);
    object["members"] = std::move(members);
    object["refused"] = std::move(refused);
    object["before"] = toJson(layoutBefore(graph), {});
    object["after"] = toJson(layoutAfter(graph, report), graph.innerEdges);
    object["overview"] = toJson(layoutOverview(graph, report), {});
    return object;
  }

  json::Array takeStrings() { return std::move(strings); }

  int64_t intern(StringRef text) {
    // Names in models may be any bytes.
    std::string valid = json::isUTF8(text) ? text.str() : json::fixUTF8(text);
    auto [it, isNew] = numbers.try_emplace(valid, strings.size());
    if (isNew)
      strings.push_back(valid);
    return it->second;
  }

private:
  template <typename Range>
  json::Array toArray(const Range &range) {
    json::Array array;
    for (auto number : range)
      array.push_back(number);
    return array;
  }

  // In the order of kernelFields in page/data.js.
  json::Array toJson(const KernelReport &kernel, const GraphLaunch &launch, int64_t like) {
    json::Array ops;
    for (const std::string &op : kernel.ops)
      ops.push_back(intern(op));
    return json::Array{intern(kernel.name),
                       intern(kernel.label),
                       std::move(ops),
                       toArray(launch.inputs),
                       toArray(launch.outputs),
                       kernel.trafficBytes,
                       kernel.memorySavedBytes,
                       kernel.buffersEliminated,
                       kernel.valuesElided,
                       orNull(kernel.flops),
                       orNull(kernel.blocks ? kernel.blocks : kernel.plannedBlocks),
                       orNull(kernel.scratchBytes),
                       orNull(kernel.predictedMs),
                       orNull(kernel.ms),
                       intern(kernel.layer),
                       like,
                       orNull(kernel.collectiveBytes)};
  }

  // In the order of refusedFields in page/data.js.
  json::Array toJson(const RefusedReport &edge, const GraphRefusal &place) {
    return json::Array{intern(edge.producer),
                       intern(edge.consumer),
                       intern(edge.kind),
                       intern(edge.reason),
                       intern(edge.needs),
                       intern(edge.location),
                       orNull(edge.gainNs),
                       json::Array{orNull(edge.producerKernel), orNull(edge.consumerKernel)},
                       json::Array{orNull(place.producer), orNull(place.consumer)}};
  }

  static json::Value toJson(const PictureView::Box &box) {
    if (box.width <= 0)
      return nullptr;
    return json::Array{round(box.center.x - box.width / 2), round(box.center.y - box.height / 2),
                       round(box.width), round(box.height)};
  }

  static json::Array toJson(ArrayRef<PictureView::Box> boxes) {
    json::Array array;
    for (const PictureView::Box &box : boxes)
      array.push_back(toJson(box));
    return array;
  }

  /// The numbers of a path's points.
  static json::Array toJson(ArrayRef<Point> curve) {
    json::Array array;
    for (Point point : curve) {
      array.push_back(round(point.x));
      array.push_back(round(point.y));
    }
    return array;
  }

  // The rows are read in page/data.js and page/scene.js.
  json::Object toJson(const PictureView &view, ArrayRef<GraphEdge> inner) {
    json::Array lines, curves, tags, texts, frames;
    for (const PictureView::Line &line : view.lines)
      lines.push_back(json::Array{line.from, line.to, toArray(line.values), toJson(line.curve),
                                  intern(line.text), round(line.label.center.x),
                                  round(line.label.center.y),
                                  line.label.isPlaced ? round(line.label.width) : 0});
    for (const PictureView::Tag &tag : view.tags)
      tags.push_back(json::Array{tag.from, tag.to, toArray(tag.values), toJson(tag.place),
                                 intern(tag.text), static_cast<int>(tag.isCarried)});
    for (const PictureView::Text &text : view.texts)
      texts.push_back(json::Array{text.box, static_cast<int>(text.role), intern(text.text),
                                  round(text.at.x), round(text.at.y)});
    for (const PictureView::Frame &frame : view.frames)
      frames.push_back(json::Array{toJson(frame.place), frame.repeat.first, frame.repeat.period,
                                   frame.repeat.count, intern(frame.title)});
    for (auto [edge, curve] : llvm::zip_equal(inner, view.innerCurves))
      curves.push_back(json::Array{edge.from, edge.to, toArray(edge.values), toJson(curve)});
    return json::Object{{"width", round(view.width)},  {"height", round(view.height)},
                        {"boxes", toJson(view.boxes)}, {"members", toJson(view.members)},
                        {"lines", std::move(lines)},   {"inner", std::move(curves)},
                        {"tags", std::move(tags)},     {"texts", std::move(texts)},
                        {"frames", std::move(frames)}};
  }

  json::Array strings;
  llvm::StringMap<int64_t> numbers;
};

} // namespace

std::string mlir::fuse::makePicture(ArrayRef<FunctionGraph> graphs, const Report &report,
                                    const PictureOptions &options) {
  PictureWriter writer;
  json::Array functions;
  for (auto [graph, entry] : llvm::zip_equal(graphs, report.functions))
    functions.push_back(writer.write(graph, entry));
  json::Object data{{"columns", kMaxTextColumns},
                    {"model", writer.intern(options.model)},
                    {"cpu", writer.intern(options.cpu)},
                    {"threads", orNull(options.threads)},
                    {"functions", std::move(functions)}};
  data["strings"] = writer.takeStrings();
  std::string text;
  llvm::raw_string_ostream(text) << json::Value(std::move(data));
  return getPageHead().str() + escapeForScript(text) + getPageTail().str();
}
