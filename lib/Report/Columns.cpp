//===- Columns.cpp - Layers broken into columns -----------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A network is long and narrow, a screen is neither: as text does, its layers go on at the top of
// the next column. Reading order, which is the order of execution, stays what it is.
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Report/Layout.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir::fuse;

/// Between columns, and what each line that goes from one to the next adds to it.
static constexpr double kGutter = 34, kLane = 9;
/// How far lines between columns keep from what is above and below.
static constexpr double kTurn = 14;
/// What is no higher than this is not broken.
static constexpr double kLowEnough = 420;
static constexpr unsigned kMaxColumns = 60;

namespace {
/// The height and width of each layer, gaps included.
struct LayerSizes {
  std::vector<double> heights, widths;

  LayerSizes(const LayoutGraph &graph, llvm::ArrayRef<unsigned> layers) {
    unsigned count = 0;
    for (unsigned layer : layers)
      count = std::max(count, layer + 1);
    heights.assign(count, 0);
    widths.assign(count, 0);
    for (auto [node, layer] : llvm::zip(graph.nodes, layers)) {
      heights[layer] = std::max(heights[layer], node.height + graph.layerGap);
      widths[layer] += node.width + graph.nodeGap;
    }
  }

  /// Fills columns up to a height: the first layer of each.
  std::vector<unsigned> fill(double most) const {
    std::vector<unsigned> starts;
    double height = 0;
    for (auto [layer, own] : llvm::enumerate(heights)) {
      if (starts.empty() || height + own > most) {
        starts.push_back(layer);
        height = 0;
      }
      height += own;
    }
    return starts;
  }

  /// The least height at which `count` columns have room for all.
  double findHeight(unsigned count) const {
    double low = *std::max_element(heights.begin(), heights.end()), high = 0;
    for (double height : heights)
      high += height;
    for (int step = 0; step < 24 && high - low > 1; ++step) {
      double middle = (low + high) / 2;
      (fill(middle).size() <= count ? high : low) = middle;
    }
    return high;
  }

  double getWidth(llvm::ArrayRef<unsigned> starts) const {
    double width = 0;
    for (size_t i = 0; i < starts.size(); ++i) {
      size_t end = i + 1 < starts.size() ? starts[i + 1] : widths.size();
      width += *std::max_element(widths.begin() + starts[i], widths.begin() + end) + kGutter;
    }
    return width;
  }
};
} // namespace

ColumnPlan mlir::fuse::planColumns(const LayoutGraph &graph, const std::vector<bool> &isLeftOut,
                                   unsigned maxSpan, double aspect) {
  ColumnPlan plan;
  plan.layers = findLayers(graph);
  LayerSizes sizes(graph, plan.layers);
  std::vector<unsigned> best{0};
  if (!sizes.heights.empty()) {
    double whole = sizes.findHeight(1);
    double leastCost = std::max(sizes.getWidth(best) / aspect, whole);
    unsigned most = std::min<unsigned>(kMaxColumns, sizes.heights.size());
    for (unsigned count = 2; whole > kLowEnough && count <= most; ++count) {
      double height = sizes.findHeight(count);
      std::vector<unsigned> starts = sizes.fill(height);
      double cost = std::max(sizes.getWidth(starts) / aspect, height);
      if (cost < 0.97 * leastCost) {
        leastCost = cost;
        best = std::move(starts);
      }
    }
  }
  plan.numColumns = best.size();
  for (unsigned layer : plan.layers)
    plan.columns.push_back(llvm::upper_bound(best, layer) - best.begin() - 1);
  auto isEndOf = [&](unsigned column, unsigned layer) {
    return layer + 1 == (column + 1 < best.size() ? best[column + 1] : sizes.heights.size());
  };
  for (auto [i, edge] : llvm::enumerate(graph.edges)) {
    unsigned from = plan.columns[edge.from], to = plan.columns[edge.to];
    unsigned top = plan.layers[edge.from], bottom = plan.layers[edge.to];
    bool isNear = std::max(top, bottom) - std::min(top, bottom) <= maxSpan;
    bool goesOn = to == from + 1 && isEndOf(from, top) && bottom == best[to];
    plan.isDrawn.push_back(!isLeftOut[i] && isNear && (from == to || goesOn));
  }
  return plan;
}

namespace {
/// Curves from point to point; lines turn on their way.
class Route {
public:
  explicit Route(Point start) : points{start} {}
  /// A quarter turn by the corner.
  void turn(Point corner, Point end) { points.insert(points.end(), {corner, corner, end}); }
  void go(Point end) {
    Point last = points.back();
    points.insert(points.end(),
                  {{last.x + (end.x - last.x) / 3, last.y + (end.y - last.y) / 3},
                   {last.x + (end.x - last.x) * 2 / 3, last.y + (end.y - last.y) * 2 / 3},
                   end});
  }
  std::vector<Point> points;
};
} // namespace

Layout mlir::fuse::layoutColumns(const LayoutGraph &graph, const ColumnPlan &plan) {
  Layout layout;
  layout.centers.resize(graph.nodes.size());
  layout.curves.resize(graph.edges.size());
  std::vector<unsigned> numLanes(plan.numColumns, 0);
  for (auto [i, edge] : llvm::enumerate(graph.edges))
    if (plan.isDrawn[i] && plan.columns[edge.from] != plan.columns[edge.to])
      ++numLanes[plan.columns[edge.from]];
  bool hasLanes = llvm::any_of(numLanes, [](unsigned lanes) { return lanes > 0; });
  double left = 0, top = hasLanes ? kTurn : 0;
  std::vector<double> gutters; // where the lanes behind each column begin
  for (unsigned column = 0; column < plan.numColumns; ++column) {
    LayoutGraph part;
    part.nodeGap = graph.nodeGap;
    part.layerGap = graph.layerGap;
    std::vector<unsigned> nodes, numbers(graph.nodes.size()), edges;
    unsigned first = ~0u;
    for (unsigned node = 0; node < graph.nodes.size(); ++node)
      if (plan.columns[node] == column) {
        numbers[node] = nodes.size();
        nodes.push_back(node);
        part.nodes.push_back(graph.nodes[node]);
        first = std::min(first, plan.layers[node]);
      }
    for (unsigned node : nodes)
      part.layers.push_back(plan.layers[node] - first);
    for (auto [i, edge] : llvm::enumerate(graph.edges))
      if (plan.isDrawn[i] && plan.columns[edge.from] == column && plan.columns[edge.to] == column) {
        edges.push_back(i);
        part.edges.push_back({numbers[edge.from], numbers[edge.to]});
      }
    Layout own = layoutInLayers(part);
    auto move = [&](Point point) { return Point{point.x + left, point.y + top}; };
    for (auto [i, node] : llvm::enumerate(nodes))
      layout.centers[node] = move(own.centers[i]);
    for (auto [i, edge] : llvm::enumerate(edges))
      for (Point point : own.curves[i])
        layout.curves[edge].push_back(move(point));
    gutters.push_back(left + own.width + kGutter / 2);
    layout.height = std::max(layout.height, top + own.height);
    layout.width = left + own.width;
    left += own.width + kGutter + kLane * numLanes[column];
  }
  std::fill(numLanes.begin(), numLanes.end(), 0);
  double lowest = layout.height;
  for (auto [i, edge] : llvm::enumerate(graph.edges)) {
    unsigned column = plan.columns[edge.from];
    if (!plan.isDrawn[i] || column == plan.columns[edge.to])
      continue;
    Point from = layout.centers[edge.from], to = layout.centers[edge.to];
    from.y += graph.nodes[edge.from].height / 2;
    to.y -= graph.nodes[edge.to].height / 2;
    double lane = gutters[column] + kLane * numLanes[column]++;
    double low = from.y;
    for (auto [node, other] : llvm::enumerate(plan.layers))
      if (other == plan.layers[edge.from] && plan.columns[node] == column)
        low = std::max(low, layout.centers[node].y + graph.nodes[node].height / 2);
    low += kTurn;
    Route route(from);
    route.turn({from.x, low}, {std::min(from.x + kTurn, lane), low});
    route.go({std::max(lane - kTurn, from.x), low});
    route.turn({lane, low}, {lane, low - kTurn});
    route.go({lane, kTurn});
    route.turn({lane, 0}, {std::min(lane + kTurn, to.x), 0});
    route.go({std::max(to.x - kTurn, lane), 0});
    route.turn({to.x, 0}, to);
    layout.curves[i] = std::move(route.points);
    lowest = std::max(lowest, low);
  }
  layout.height = lowest;
  return layout;
}
