//===- Layout.h - Where boxes and the lines between them are drawn ----------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Lengths are in pixels, y grows downwards, edges lead downwards where there is no cycle.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_REPORT_LAYOUT_H
#define FUSE_REPORT_LAYOUT_H

#include <string>
#include <vector>

namespace mlir::fuse {

struct Point {
  double x = 0, y = 0;
};

struct LayoutGraph {
  struct Node {
    double width = 0, height = 0;
  };
  struct Edge {
    unsigned from = 0, to = 0;
  };
  std::vector<Node> nodes;
  std::vector<Edge> edges;
  /// Of each node, if they are known: edges lead to higher ones. Empty: longest paths make them.
  std::vector<unsigned> layers;
  /// Least distances: between neighbors of one layer, and between layers.
  double nodeGap = 24, layerGap = 44;
};

struct Layout {
  std::vector<Point> centers; ///< of nodes
  /// Per edge cubic Bézier curves from border to border: a point, then three for each curve.
  std::vector<std::vector<Point>> curves;
  double width = 0, height = 0;
};

/// As Graphviz's dot places them. Some thousand nodes take some seconds, the fewer layers edges go
/// over the fewer. Works for any graph.
Layout layoutInLayers(const LayoutGraph &graph);

/// The layers that layoutInLayers makes.
std::vector<unsigned> findLayers(const LayoutGraph &graph);

/// How layers are broken into columns beside one another.
struct ColumnPlan {
  std::vector<unsigned> layers, columns; ///< of nodes
  unsigned numColumns = 1;
  /// Of edges: neither long, nor asked to be left out, nor between columns, unless from the end of
  /// one to the beginning of the next.
  std::vector<bool> isDrawn;
};

/// Makes all of it about `aspect` times as wide as it is high. An edge over more than `maxSpan`
/// layers is long; `isLeftOut`: of edges.
ColumnPlan planColumns(const LayoutGraph &graph, const std::vector<bool> &isLeftOut,
                       unsigned maxSpan, double aspect);

/// Each column by layoutInLayers; edges that are not drawn have no curve. The graph's nodes may
/// have grown since it was planned.
Layout layoutColumns(const LayoutGraph &graph, const ColumnPlan &plan);

/// A box that a label may take: its center and its size.
struct Label {
  Point center;
  double width = 0, height = 0;
  bool isPlaced = false;
};

/// Places labels of the given sizes (width, height; 0 for none), one for each edge, on the curves
/// so that they cover neither nodes nor one another; what finds no room stays unplaced, at the
/// middle.
std::vector<Label> placeLabels(const LayoutGraph &graph, const Layout &layout,
                               const std::vector<LayoutGraph::Node> &sizes);

} // namespace mlir::fuse

#endif // FUSE_REPORT_LAYOUT_H
