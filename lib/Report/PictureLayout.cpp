//===- PictureLayout.cpp - The two views of a function, placed --------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "PictureText.h"
#include "fuse/CostModel/Profile.h"
#include "fuse/Report/Picture.h"

using namespace mlir;
using namespace mlir::fuse;

// Pixels; page/style.css has the fonts that go with them.
static constexpr double kNodeHeight = 38, kMemberHeight = 26, kHeaderHeight = 28, kPadding = 12;
static constexpr double kTextWidth = 7.7, kTypeWidth = 6.6, kTitleWidth = 7.8, kLabelWidth = 6.1;
static constexpr double kLabelHeight = 13;

/// "1x64xf32 · 16.0 KB", or how many values there are and what they take together.
static std::string describeEdge(const FunctionGraph &graph, const GraphEdge &edge) {
  int64_t total = 0;
  bool isKnown = true;
  for (unsigned value : edge.values) {
    isKnown &= graph.values[value].bytes.has_value();
    total = addSaturating(total, graph.values[value].bytes.value_or(0));
  }
  std::string text = edge.values.size() == 1
                         ? shortenText(graph.values[edge.values.front()].type, 28)
                         : std::to_string(edge.values.size()) + " values";
  return isKnown ? text + " \xC2\xB7 " + formatBytes(total) : text;
}

static LayoutGraph::Node getNodeSize(const GraphNode &node) {
  double width = std::max(kTextWidth * countColumns(shortenText(node.text, kMaxTextColumns)),
                          kTypeWidth * countColumns(shortenText(node.type, kMaxTextColumns)));
  return {std::max(60.0, width + 2 * kPadding), kNodeHeight};
}

static LayoutGraph::Node getMemberSize(const GraphNode &node) {
  double width = kTextWidth * countColumns(shortenText(node.text, kMaxTextColumns)) +
                 kTypeWidth * countColumns(shortenText(node.type, kMaxTextColumns));
  return {width + 3 * kPadding, kMemberHeight};
}

/// Graphviz, or our own layout where that does not work.
static Layout layoutAny(const LayoutGraph &graph, const PictureOptions &options,
                        std::string &engine) {
  if (options.dot.empty()) {
    engine = "own layers";
    return layoutInLayers(graph);
  }
  llvm::Expected<Layout> layout = layoutWithDot(graph, options.dot, options.secondsPerView);
  if (layout) {
    engine = "Graphviz dot";
    return std::move(*layout);
  }
  engine = "own layers (Graphviz dot: " + llvm::toString(layout.takeError()) + ")";
  return layoutInLayers(graph);
}

/// Lays out `boxes` with `edges` between them; a box without a width is left out.
static PictureView layoutBoxes(const FunctionGraph &graph, ArrayRef<LayoutGraph::Node> boxes,
                               ArrayRef<GraphEdge> edges, const PictureOptions &options) {
  PictureView view;
  LayoutGraph layoutGraph;
  layoutGraph.nodeGap = 26;
  layoutGraph.layerGap = 46;
  std::vector<unsigned> numbers(boxes.size(), 0);
  for (auto [i, box] : llvm::enumerate(boxes)) {
    numbers[i] = layoutGraph.nodes.size();
    if (box.width > 0)
      layoutGraph.nodes.push_back(box);
  }
  std::vector<LayoutGraph::Node> sizes;
  for (const GraphEdge &edge : edges) {
    layoutGraph.edges.push_back({numbers[edge.from], numbers[edge.to]});
    PictureView::Line &line = view.lines.emplace_back();
    line.text = describeEdge(graph, edge);
    sizes.push_back({kLabelWidth * countColumns(line.text) + 4, kLabelHeight});
  }
  Layout layout = layoutAny(layoutGraph, options, view.engine);
  view.width = layout.width;
  view.height = layout.height;
  std::vector<Label> labels = placeLabels(layoutGraph, layout, sizes);
  for (auto [i, box] : llvm::enumerate(boxes))
    view.boxes.push_back(
        {box.width > 0 ? layout.centers[numbers[i]] : Point(), box.width, box.height});
  for (size_t i = 0; i < view.lines.size(); ++i) {
    view.lines[i].curve = std::move(layout.curves[i]);
    view.lines[i].label = labels[i];
  }
  return view;
}

PictureView mlir::fuse::layoutBefore(const FunctionGraph &graph, const PictureOptions &options) {
  std::vector<LayoutGraph::Node> sizes;
  for (const GraphNode &node : graph.nodes)
    sizes.push_back(getNodeSize(node));
  return layoutBoxes(graph, sizes, graph.edges, options);
}

PictureView mlir::fuse::layoutAfter(const FunctionGraph &graph, const FunctionReport &report,
                                    const PictureOptions &options) {
  // What a box holds comes first, for that makes its size. Members get numbers within their launch.
  std::vector<LayoutGraph> inside(graph.launches.size());
  std::vector<unsigned> numbers;
  std::vector<bool> isMember(graph.nodes.size(), false);
  for (const GraphMember &member : graph.members) {
    LayoutGraph &box = inside[member.launch];
    numbers.push_back(box.nodes.size());
    box.nodes.push_back(getMemberSize(graph.nodes[member.node]));
    isMember[member.node] = true;
  }
  std::vector<unsigned> innerNumbers;
  for (const GraphEdge &edge : graph.innerEdges) {
    LayoutGraph &box = inside[graph.getBox(edge.from)];
    innerNumbers.push_back(box.edges.size());
    box.edges.push_back({numbers[edge.from], numbers[edge.to]});
  }
  std::vector<Layout> layouts;
  std::vector<LayoutGraph::Node> sizes;
  for (auto [launch, box] : llvm::enumerate(inside)) {
    box.nodeGap = 14;
    box.layerGap = 14;
    layouts.push_back(layoutInLayers(box));
    double title = kTitleWidth * countColumns(report.kernels[launch].label) + 150;
    sizes.push_back({std::max(layouts.back().width, title) + 2 * kPadding,
                     layouts.back().height + kHeaderHeight + 2 * kPadding});
  }
  for (auto [i, node] : llvm::enumerate(graph.nodes))
    sizes.push_back(isMember[i] ? LayoutGraph::Node() : getNodeSize(node));

  PictureView view = layoutBoxes(graph, sizes, graph.boxEdges, options);
  auto getOrigin = [&](unsigned launch) {
    const PictureView::Box &box = view.boxes[launch];
    return Point{box.center.x - layouts[launch].width / 2,
                 box.center.y - box.height / 2 + kHeaderHeight + kPadding};
  };
  for (auto [i, member] : llvm::enumerate(graph.members)) {
    Point origin = getOrigin(member.launch), center = layouts[member.launch].centers[numbers[i]];
    const LayoutGraph::Node &size = inside[member.launch].nodes[numbers[i]];
    view.members.push_back({{origin.x + center.x, origin.y + center.y}, size.width, size.height});
  }
  for (auto [i, edge] : llvm::enumerate(graph.innerEdges)) {
    unsigned launch = graph.getBox(edge.from);
    Point origin = getOrigin(launch);
    std::vector<Point> curve = layouts[launch].curves[innerNumbers[i]];
    for (Point &point : curve)
      point = {point.x + origin.x, point.y + origin.y};
    view.innerCurves.push_back(std::move(curve));
  }
  return view;
}
