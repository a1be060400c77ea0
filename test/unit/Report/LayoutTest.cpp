//===- LayoutTest.cpp - Boxes that do not overlap, lines that meet them ------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Report/Layout.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <chrono>
#include <cmath>

using namespace mlir::fuse;

namespace {

/// `count` nodes of different sizes; every edge leads forward unless `cyclic`.
LayoutGraph makeGraph(unsigned count, bool cyclic) {
  LayoutGraph graph;
  for (unsigned i = 0; i < count; ++i)
    graph.nodes.push_back({static_cast<double>(*rc::gen::inRange(20, 300)),
                           static_cast<double>(*rc::gen::inRange(10, 200))});
  unsigned edges = *rc::gen::inRange(0u, 2 * count + 1);
  for (unsigned i = 0; i < edges; ++i) {
    unsigned from = *rc::gen::inRange(0u, count), to = *rc::gen::inRange(0u, count);
    if (!cyclic && from == to)
      continue;
    graph.edges.push_back(cyclic ? LayoutGraph::Edge{from, to}
                                 : LayoutGraph::Edge{std::min(from, to), std::max(from, to)});
  }
  return graph;
}

void checkLayout(const LayoutGraph &graph, const Layout &layout, bool leadsDown) {
  RC_ASSERT(layout.centers.size() == graph.nodes.size());
  RC_ASSERT(layout.curves.size() == graph.edges.size());
  for (size_t a = 0; a < graph.nodes.size(); ++a) {
    const auto &node = graph.nodes[a];
    Point at = layout.centers[a];
    RC_ASSERT(at.x - node.width / 2 >= -1 && at.x + node.width / 2 <= layout.width + 1);
    RC_ASSERT(at.y - node.height / 2 >= -1 && at.y + node.height / 2 <= layout.height + 1);
    for (size_t b = 0; b < a; ++b) {
      const auto &other = graph.nodes[b];
      bool apart = std::abs(at.x - layout.centers[b].x) >= (node.width + other.width) / 2 - 1 ||
                   std::abs(at.y - layout.centers[b].y) >= (node.height + other.height) / 2 - 1;
      RC_ASSERT(apart);
    }
  }
  for (size_t i = 0; i < graph.edges.size(); ++i) {
    const auto &curve = layout.curves[i];
    RC_ASSERT(curve.size() >= 4 && curve.size() % 3 == 1);
    if (leadsDown)
      RC_ASSERT(layout.centers[graph.edges[i].from].y < layout.centers[graph.edges[i].to].y);
    // Both ends are at the borders of their nodes.
    auto isAt = [&](Point end, unsigned node) {
      return std::abs(end.x - layout.centers[node].x) <= graph.nodes[node].width / 2 + 3 &&
             std::abs(end.y - layout.centers[node].y) <= graph.nodes[node].height / 2 + 3;
    };
    if (graph.edges[i].from != graph.edges[i].to) {
      RC_ASSERT(isAt(curve.front(), graph.edges[i].from));
      RC_ASSERT(isAt(curve.back(), graph.edges[i].to));
    }
  }
}

RC_GTEST_PROP(LayoutTest, Layers, ()) {
  LayoutGraph graph = makeGraph(*rc::gen::inRange(1u, 40u), false);
  checkLayout(graph, layoutInLayers(graph), true);
}

RC_GTEST_PROP(LayoutTest, Cycles, ()) {
  LayoutGraph graph = makeGraph(*rc::gen::inRange(1u, 20u), true);
  checkLayout(graph, layoutInLayers(graph), false);
}

RC_GTEST_PROP(LayoutTest, LabelsCoverNothing, ()) {
  LayoutGraph graph = makeGraph(*rc::gen::inRange(1u, 20u), false);
  Layout layout = layoutInLayers(graph);
  std::vector<LayoutGraph::Node> sizes(graph.edges.size(), {80, 13});
  std::vector<Label> labels = placeLabels(graph, layout, sizes);
  for (size_t i = 0; i < labels.size(); ++i) {
    if (!labels[i].isPlaced)
      continue;
    auto isApart = [&](Point other, double width, double height) {
      return std::abs(labels[i].center.x - other.x) >= (80 + width) / 2 - 1e-6 ||
             std::abs(labels[i].center.y - other.y) >= (13 + height) / 2 - 1e-6;
    };
    for (size_t k = 0; k < i; ++k)
      RC_ASSERT(!labels[k].isPlaced || isApart(labels[k].center, 80, 13));
    for (size_t k = 0; k < graph.nodes.size(); ++k)
      RC_ASSERT(isApart(layout.centers[k], graph.nodes[k].width, graph.nodes[k].height));
  }
}

TEST(LayoutTest, ChainIsStraight) {
  LayoutGraph graph;
  for (double width : {100, 40, 200, 60})
    graph.nodes.push_back({width, 20});
  graph.edges = {{0, 1}, {1, 2}, {2, 3}};
  Layout layout = layoutInLayers(graph);
  for (Point center : layout.centers)
    EXPECT_NEAR(center.x, 100, 1e-6);
  EXPECT_NEAR(layout.height, 4 * 20 + 3 * graph.layerGap, 1e-6);
}

TEST(LayoutTest, Nothing) {
  Layout layout = layoutInLayers(LayoutGraph());
  EXPECT_EQ(layout.width, 0);
  EXPECT_EQ(layout.height, 0);
}

/// 3000 ops, a third of which read what was computed anywhere before.
TEST(LayoutTest, LargeGraphs) {
  LayoutGraph graph;
  uint32_t state = 1;
  for (unsigned i = 0; i < 3000; ++i) {
    graph.nodes.push_back({120, 38});
    state = state * 1664525 + 1013904223;
    if (i > 0)
      graph.edges.push_back({i - 1 - (i > 20 ? state % 20 : 0), i});
    if (i > 0 && state % 3 == 0)
      graph.edges.push_back({(state >> 8) % i, i});
  }
  auto start = std::chrono::steady_clock::now();
  Layout layout = layoutInLayers(graph);
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(layout.centers.size(), 3000u);
  EXPECT_LT(seconds.count(), 60) << "layouts of large graphs are bounded; this one takes 2 s";
}

// Parts that no edge joins stand beside each other, wherever each would be placed for itself.
TEST(LayoutTest, PartsAreNear) {
  LayoutGraph graph;
  for (unsigned i = 0; i < 12; ++i)
    graph.nodes.push_back({100, 20});
  graph.nodes.push_back({900, 20});
  for (unsigned i = 1; i < 12; ++i)
    graph.edges.push_back({i - 1, i});
  graph.layers = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 5};
  Layout layout = layoutInLayers(graph);
  EXPECT_LE(layout.width, 100 + graph.nodeGap + 900 + 1);
}

RC_GTEST_PROP(LayoutTest, Columns, ()) {
  LayoutGraph graph = makeGraph(*rc::gen::inRange(1u, 60u), *rc::gen::arbitrary<bool>());
  std::vector<bool> isLeftOut;
  for (size_t i = 0; i < graph.edges.size(); ++i)
    isLeftOut.push_back(*rc::gen::inRange(0, 4) == 0);
  unsigned maxSpan = *rc::gen::inRange(1u, 5u);
  ColumnPlan plan = planColumns(graph, isLeftOut, maxSpan, 1.35);
  // What grows after it was planned has room as well.
  for (LayoutGraph::Node &node : graph.nodes)
    node.height += *rc::gen::inRange(0, 60);
  Layout layout = layoutColumns(graph, plan);
  RC_ASSERT(plan.columns.size() == graph.nodes.size());
  for (size_t a = 0; a < graph.nodes.size(); ++a) {
    RC_ASSERT(plan.columns[a] < plan.numColumns);
    for (size_t b = 0; b < graph.nodes.size(); ++b) {
      // Columns hold layers as a whole, in their order.
      if (plan.layers[a] <= plan.layers[b])
        RC_ASSERT(plan.columns[a] <= plan.columns[b]);
      if (plan.columns[a] < plan.columns[b])
        RC_ASSERT(layout.centers[a].x + graph.nodes[a].width / 2 <=
                  layout.centers[b].x - graph.nodes[b].width / 2);
    }
  }
  LayoutGraph drawn = graph;
  drawn.edges.clear();
  Layout curves = layout;
  curves.curves.clear();
  for (size_t i = 0; i < graph.edges.size(); ++i) {
    RC_ASSERT(!isLeftOut[i] || !plan.isDrawn[i]);
    if (!plan.isDrawn[i]) {
      RC_ASSERT(layout.curves[i].empty());
      continue;
    }
    unsigned from = plan.columns[graph.edges[i].from], to = plan.columns[graph.edges[i].to];
    RC_ASSERT(to == from || to == from + 1);
    drawn.edges.push_back(graph.edges[i]);
    curves.curves.push_back(layout.curves[i]);
  }
  checkLayout(drawn, curves, false);
}

// A chain of 60 boxes is 60 of them high; in columns it fits a screen.
TEST(LayoutTest, ColumnsFitAScreen) {
  LayoutGraph graph;
  for (unsigned i = 0; i < 60; ++i) {
    graph.nodes.push_back({200, 80});
    if (i > 0)
      graph.edges.push_back({i - 1, i});
  }
  ColumnPlan plan = planColumns(graph, std::vector<bool>(graph.edges.size(), false), 2, 1.35);
  Layout layout = layoutColumns(graph, plan);
  EXPECT_GT(layout.width / layout.height, 0.9);
  EXPECT_LT(layout.width / layout.height, 1.9);
  for (bool isDrawn : plan.isDrawn)
    EXPECT_TRUE(isDrawn);
}

} // namespace
