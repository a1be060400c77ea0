//===- PlaceLabels.cpp - Labels that cover nothing --------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Report/Layout.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <cmath>

using namespace mlir::fuse;

namespace {
/// Rectangles by the cells of a grid that they touch.
class Occupancy {
public:
  bool isFree(Point center, double width, double height) const {
    Box box = getBox(center, width, height);
    bool isFree = true;
    forEachCell(box, [&](std::pair<int, int> cell) {
      auto it = cells.find(cell);
      if (it == cells.end())
        return;
      for (const Box &other : it->second)
        isFree &= box.right <= other.left || other.right <= box.left || box.bottom <= other.top ||
                  other.bottom <= box.top;
    });
    return isFree;
  }

  void add(Point center, double width, double height) {
    Box box = getBox(center, width, height);
    forEachCell(box, [&](std::pair<int, int> cell) { cells[cell].push_back(box); });
  }

private:
  struct Box {
    double left, top, right, bottom;
  };
  static constexpr double kCell = 160;

  static Box getBox(Point center, double width, double height) {
    return {center.x - width / 2, center.y - height / 2, center.x + width / 2,
            center.y + height / 2};
  }

  template <typename Fn>
  static void forEachCell(const Box &box, Fn fn) {
    auto toCell = [](double at) { return static_cast<int>(std::floor(at / kCell)); };
    for (int x = toCell(box.left); x <= toCell(box.right); ++x)
      for (int y = toCell(box.top); y <= toCell(box.bottom); ++y)
        fn(std::pair(x, y));
  }

  llvm::DenseMap<std::pair<int, int>, llvm::SmallVector<Box, 4>> cells;
};
} // namespace

static Point evaluate(const Point *curve, double t) {
  double s = 1 - t, a = s * s * s, b = 3 * s * s * t, c = 3 * s * t * t, d = t * t * t;
  return {a * curve[0].x + b * curve[1].x + c * curve[2].x + d * curve[3].x,
          a * curve[0].y + b * curve[1].y + c * curve[2].y + d * curve[3].y};
}

/// The point at the part `t` of all curves of an edge.
static Point evaluate(const std::vector<Point> &curves, double t) {
  size_t count = (curves.size() - 1) / 3;
  double at = t * static_cast<double>(count);
  size_t index = std::min(static_cast<size_t>(at), count - 1);
  return evaluate(&curves[3 * index], at - static_cast<double>(index));
}

std::vector<Label> mlir::fuse::placeLabels(const LayoutGraph &graph, const Layout &layout,
                                           const std::vector<LayoutGraph::Node> &sizes) {
  Occupancy taken;
  for (auto [node, center] : llvm::zip(graph.nodes, layout.centers))
    taken.add(center, node.width, node.height);
  std::vector<Label> labels;
  for (auto [curve, size] : llvm::zip(layout.curves, sizes)) {
    Label &label = labels.emplace_back();
    label.width = size.width;
    label.height = size.height;
    if (curve.size() < 4)
      continue;
    label.center = evaluate(curve, 0.5);
    if (size.width <= 0)
      continue;
    for (double t : {0.5, 0.6, 0.4, 0.7, 0.3, 0.8, 0.2, 0.9, 0.1, 0.95, 0.05}) {
      Point center = evaluate(curve, t);
      if (!taken.isFree(center, size.width, size.height))
        continue;
      label.center = center;
      label.isPlaced = true;
      taken.add(center, size.width, size.height);
      break;
    }
  }
  return labels;
}
