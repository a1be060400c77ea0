//===- PictureLayout.cpp - The views of a function, placed ------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "PictureBoxes.h"
#include "Text.h"
#include "TextTable.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::fuse;

// Pixels; page/style.css has the fonts that go with them.
static constexpr double kNodeHeight = 38, kMemberHeight = 26, kHeaderHeight = 26, kPadding = 12;
static constexpr double kTextWidth = 7.7, kTypeWidth = 7.5, kTitleWidth = 7.8;
/// "kernel 123", its time, and what is between.
static constexpr double kTitleRoom = 168;
/// A line of text in a box of the overview, and what a box of it has room for.
static constexpr double kRow = 15, kRowWidth = 7.3, kRowSide = 10;
static constexpr unsigned kRowColumns = 34;
static constexpr size_t kMaxBoxOpsText = 150;

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

static BoxContent makeNodeBox(const GraphNode &node) {
  LayoutGraph::Node size = getNodeSize(node);
  return {size.width, size.height, size.height - 4, {}};
}

static std::string getLaunchName(const KernelReport &kernel) {
  return (kernel.label == "host" ? "host " : "kernel ") + std::to_string(kernel.id);
}

static std::vector<BoxEdge> toBoxEdges(ArrayRef<GraphEdge> edges) {
  std::vector<BoxEdge> result;
  for (const GraphEdge &edge : edges)
    result.push_back({edge.from, edge.to, edge.values});
  return result;
}

PictureView mlir::fuse::layoutBefore(const FunctionGraph &graph) {
  ViewPlan plan;
  for (const GraphNode &node : graph.nodes) {
    plan.boxes.push_back(makeNodeBox(node));
    plan.names.push_back(node.text);
  }
  plan.edges = toBoxEdges(graph.edges);
  plan.layerGap = 34;
  return placeBoxes(graph, plan);
}

/// Boxes of launches come from `makeLaunchBox`; behind them stand the nodes that are in none.
static ViewPlan planLaunches(const FunctionGraph &graph, const FunctionReport &report,
                             llvm::function_ref<BoxContent(unsigned)> makeLaunchBox) {
  ViewPlan plan;
  for (unsigned launch = 0; launch < graph.launches.size(); ++launch) {
    plan.boxes.push_back(makeLaunchBox(launch));
    plan.names.push_back(getLaunchName(report.kernels[launch]));
  }
  std::vector<bool> isMember(graph.nodes.size(), false);
  for (const GraphMember &member : graph.members)
    isMember[member.node] = true;
  for (auto [i, node] : llvm::enumerate(graph.nodes)) {
    plan.boxes.push_back(isMember[i] ? BoxContent() : makeNodeBox(node));
    plan.names.push_back(node.text);
  }
  plan.edges = toBoxEdges(graph.boxEdges);
  return plan;
}

/// Adds lines of text below what a box has.
static void addTexts(BoxContent &box, PictureView::Text::Role role, ArrayRef<std::string> lines) {
  for (const std::string &line : lines) {
    box.height += kRow;
    box.width = std::max(box.width, kRowWidth * countColumns(line) + 2 * kRowSide);
    box.texts.push_back({0, role, line, {kRowSide, box.height - 3}});
  }
}

PictureView mlir::fuse::layoutAfter(const FunctionGraph &graph, const FunctionReport &report) {
  // What a box holds comes first, for that makes its size. Members get numbers within their launch.
  std::vector<LayoutGraph> inside(graph.launches.size());
  std::vector<unsigned> numbers, innerNumbers;
  for (const GraphMember &member : graph.members) {
    LayoutGraph &box = inside[member.launch];
    numbers.push_back(box.nodes.size());
    box.nodes.push_back(getMemberSize(graph.nodes[member.node]));
  }
  for (const GraphEdge &edge : graph.innerEdges) {
    LayoutGraph &box = inside[graph.getBox(edge.from)];
    innerNumbers.push_back(box.edges.size());
    box.edges.push_back({numbers[edge.from], numbers[edge.to]});
  }
  std::vector<Layout> layouts;
  ViewPlan plan = planLaunches(graph, report, [&](unsigned launch) {
    const KernelReport &kernel = report.kernels[launch];
    inside[launch].nodeGap = inside[launch].layerGap = 14;
    layouts.push_back(layoutInLayers(inside[launch]));
    BoxContent box{kTitleWidth * countColumns(kernel.label) + kTitleRoom, kHeaderHeight, 0, {}};
    addTexts(box, PictureView::Text::Role::Layer, wrapPath(kernel.layer, kRowColumns));
    box.tagTop = box.height + 4;
    box.width = std::max(box.width, layouts.back().width + 2 * kPadding);
    box.height += layouts.back().height + 2 * kPadding;
    return box;
  });
  PictureView view = placeBoxes(graph, plan);
  auto getOrigin = [&](unsigned launch) {
    const PictureView::Box &box = view.boxes[launch];
    return Point{box.center.x - layouts[launch].width / 2,
                 box.center.y + box.height / 2 - kPadding - layouts[launch].height};
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

/// "encoder/layer.1 to encoder/layer.11, 11 ×"
static std::string makeTitle(const FunctionReport &report, const Repeat &repeat) {
  auto getLayer = [&](unsigned round) {
    std::string shared = report.kernels[repeat.first + round * repeat.period].layer;
    for (unsigned k = 1; k < repeat.period; ++k) {
      StringRef other = report.kernels[repeat.first + round * repeat.period + k].layer;
      while (!shared.empty() && other != shared && !other.starts_with(shared + "/"))
        shared.resize(StringRef(shared).rfind('/') == StringRef::npos ? 0 : shared.rfind('/'));
    }
    return shared;
  };
  std::string first = getLayer(0), last = getLayer(repeat.count - 1);
  std::string title = std::to_string(repeat.count) + " \xC3\x97";
  if (!first.empty())
    title += "  " + first + (last == first || last.empty() ? "" : " \xE2\x80\xA6 " + last);
  return title;
}

PictureView mlir::fuse::layoutOverview(const FunctionGraph &graph, const FunctionReport &report) {
  std::vector<Repeat> repeats = findRepeats(report);
  auto findRepeat = [&](unsigned box) {
    return llvm::find_if(repeats, [&](const Repeat &repeat) { return repeat.contains(box); });
  };
  auto getShown = [&](unsigned box) {
    auto repeat = findRepeat(box);
    return repeat == repeats.end() ? box : repeat->getFirst(box);
  };
  ViewPlan plan = planLaunches(graph, report, [&](unsigned launch) {
    if (getShown(launch) != launch)
      return BoxContent();
    const KernelReport &kernel = report.kernels[launch];
    BoxContent box{kTitleRoom, kHeaderHeight, 0, {}};
    addTexts(box, PictureView::Text::Role::Label, kernel.label);
    addTexts(box, PictureView::Text::Role::Layer, wrapPath(kernel.layer, kRowColumns));
    box.tagTop = box.height + 4;
    box.height += 3;
    addTexts(box, PictureView::Text::Role::Ops,
             wrapText(listOps(kernel.ops, kMaxBoxOpsText), kRowColumns));
    box.height += 6;
    return box;
  });
  plan.layerGap = 28;
  plan.frames = repeats;
  for (const Repeat &repeat : repeats)
    plan.titles.push_back(makeTitle(report, repeat));
  // Edges of all rounds are those of the one that is shown.
  llvm::MapVector<std::tuple<unsigned, unsigned, unsigned>, llvm::SmallSetVector<unsigned, 1>>
      shown;
  for (const BoxEdge &edge : plan.edges) {
    auto repeat = findRepeat(edge.to);
    bool isCarried = repeat != repeats.end() && repeat->contains(edge.from) &&
                     repeat->getRound(edge.from) != repeat->getRound(edge.to);
    auto &values = shown[{getShown(edge.from), getShown(edge.to), isCarried}];
    // One round's values stand for all.
    if (values.empty())
      values.insert_range(edge.values);
  }
  plan.edges.clear();
  for (auto &[ends, values] : shown) {
    auto [from, to, carried] = ends;
    plan.edges.push_back(
        {from, to, SmallVector<unsigned, 1>(values.begin(), values.end()), carried != 0});
  }
  return placeBoxes(graph, plan);
}
