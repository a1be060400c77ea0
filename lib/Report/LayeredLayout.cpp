//===- LayeredLayout.cpp - A layout without other programs ------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// After Sugiyama: layers, an order within each, positions. Where an edge passes a layer it has a
// bend, a node without a size. Positions solve, layer by layer, a least-squares problem: near what
// one is joined to, and in order; pools of neighbors that would overlap are merged (isotonic
// regression).
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Report/Layout.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace mlir::fuse;
using llvm::ArrayRef;
using llvm::SmallVector;

/// Edges over more layers than this get no bends, once there are many bends.
static constexpr unsigned kMaxSpan = 40;
static constexpr size_t kManyBends = 20000;
static constexpr unsigned kSweeps = 8;
/// An odd number: the last sweep goes down, which makes chains straight.
static constexpr unsigned kPlacingSweeps = 25;
/// Bends give way to nodes.
static constexpr double kBendWeight = 0.3;
static constexpr double kBendWidth = 6, kLeastGap = 8;

namespace {
class LayerBuilder {
public:
  explicit LayerBuilder(const LayoutGraph &graph) : graph(graph) {}

  std::vector<unsigned> findLayers() {
    findBackEdges();
    assignLayers();
    std::vector<unsigned> layers;
    for (const Vertex &vertex : vertices)
      layers.push_back(vertex.layer);
    return layers;
  }

  Layout build() {
    findBackEdges();
    assignLayers();
    addBends();
    orderLayers();
    placeAcross();
    return finish();
  }

private:
  struct Vertex {
    double width, x = 0;
    unsigned layer, place = 0; ///< which layer, and which vertex of it
    double weight = 1;
    SmallVector<unsigned, 2> up, down;
  };

  /// Edges that close a cycle point upwards: they count as if they were turned round.
  void findBackEdges() {
    if (!graph.layers.empty()) {
      for (const LayoutGraph::Edge &edge : graph.edges)
        isBack.push_back(graph.layers[edge.from] > graph.layers[edge.to]);
      return;
    }
    std::vector<SmallVector<unsigned, 2>> out(graph.nodes.size());
    for (auto [i, edge] : llvm::enumerate(graph.edges))
      out[edge.from].push_back(i);
    isBack.assign(graph.edges.size(), false);
    enum : char { New, Open, Done };
    std::vector<char> state(graph.nodes.size(), New);
    for (unsigned root = 0; root < graph.nodes.size(); ++root) {
      if (state[root] != New)
        continue;
      std::vector<std::pair<unsigned, unsigned>> stack{{root, 0}};
      state[root] = Open;
      while (!stack.empty()) {
        auto &[node, next] = stack.back();
        if (next == out[node].size()) {
          state[node] = Done;
          finished.push_back(node);
          stack.pop_back();
          continue;
        }
        unsigned edge = out[node][next++], to = graph.edges[edge].to;
        if (state[to] == Open)
          isBack[edge] = true;
        else if (state[to] == New) {
          state[to] = Open;
          stack.push_back({to, 0});
        }
      }
    }
    std::reverse(finished.begin(), finished.end()); // a topological order
  }

  unsigned getTop(size_t edge) const {
    return isBack[edge] ? graph.edges[edge].to : graph.edges[edge].from;
  }
  unsigned getBottom(size_t edge) const {
    return isBack[edge] ? graph.edges[edge].from : graph.edges[edge].to;
  }

  void assignLayers() {
    std::vector<unsigned> layer = graph.layers.empty() ? findLongestPaths() : graph.layers;
    for (auto [i, node] : llvm::enumerate(graph.nodes)) {
      vertices.push_back({node.width, 0, layer[i], 0, 1, {}, {}});
      numLayers = std::max(numLayers, layer[i] + 1);
    }
  }

  std::vector<unsigned> findLongestPaths() const {
    std::vector<SmallVector<unsigned, 2>> out(graph.nodes.size());
    std::vector<bool> hasProducer(graph.nodes.size(), false);
    for (size_t i = 0; i < graph.edges.size(); ++i)
      if (getTop(i) != getBottom(i)) {
        out[getTop(i)].push_back(getBottom(i));
        hasProducer[getBottom(i)] = true;
      }
    std::vector<unsigned> layer(graph.nodes.size(), 0);
    for (unsigned node : finished)
      for (unsigned to : out[node])
        layer[to] = std::max(layer[to], layer[node] + 1);
    // What nothing comes before stands next to what it is for.
    for (unsigned node : finished)
      if (!hasProducer[node] && !out[node].empty()) {
        unsigned least = ~0u;
        for (unsigned to : out[node])
          least = std::min(least, layer[to]);
        layer[node] = least - 1;
      }
    return layer;
  }

  void addBends() {
    paths.resize(graph.edges.size());
    for (size_t i = 0; i < graph.edges.size(); ++i) {
      unsigned from = getTop(i), to = getBottom(i);
      paths[i] = {from};
      if (from == to)
        continue;
      unsigned first = vertices[from].layer, last = vertices[to].layer;
      bool bends = vertices.size() < kManyBends || last - first <= kMaxSpan;
      for (unsigned layer = first + 1; bends && layer < last; ++layer) {
        paths[i].push_back(vertices.size());
        vertices.push_back({kBendWidth, 0, layer, 0, kBendWeight, {}, {}});
      }
      paths[i].push_back(to);
      if (!bends)
        continue;
      for (size_t k = 1; k < paths[i].size(); ++k) {
        vertices[paths[i][k - 1]].down.push_back(paths[i][k]);
        vertices[paths[i][k]].up.push_back(paths[i][k - 1]);
      }
    }
  }

  void orderLayers() {
    layers.resize(numLayers);
    for (unsigned vertex = 0; vertex < vertices.size(); ++vertex)
      layers[vertices[vertex].layer].push_back(vertex);
    for (auto &layer : layers)
      for (auto [i, vertex] : llvm::enumerate(layer))
        vertices[vertex].x = i;
    for (unsigned sweep = 0; sweep < kSweeps; ++sweep)
      for (unsigned k = 0; k < numLayers; ++k) {
        bool isDown = sweep % 2 == 0;
        auto &layer = layers[isDown ? k : numLayers - 1 - k];
        std::vector<std::pair<double, unsigned>> keys;
        for (unsigned vertex : layer)
          keys.push_back({getMean(vertex, isDown, !isDown), vertex});
        std::sort(keys.begin(), keys.end(), [&](auto &a, auto &b) {
          return std::pair(a.first, vertices[a.second].x) <
                 std::pair(b.first, vertices[b.second].x);
        });
        for (auto [i, key] : llvm::enumerate(keys)) {
          layer[i] = key.second;
          vertices[key.second].x = i;
        }
      }
  }

  double getMean(unsigned vertex, bool useUp, bool useDown) const {
    const Vertex &v = vertices[vertex];
    double sum = 0, count = 0;
    auto add = [&](ArrayRef<unsigned> others) {
      for (unsigned other : others)
        sum += vertices[other].x, ++count;
    };
    if (useUp)
      add(v.up);
    if (useDown)
      add(v.down);
    return count > 0 ? sum / count : v.x;
  }

  void placeAcross() {
    for (auto &layer : layers) {
      for (auto [i, vertex] : llvm::enumerate(layer))
        vertices[vertex].place = i;
      double x = 0;
      for (unsigned vertex : layer) {
        vertices[vertex].x = x + vertices[vertex].width / 2;
        x += vertices[vertex].width + graph.nodeGap;
      }
      // Centered.
      for (unsigned vertex : layer)
        vertices[vertex].x -= (x - graph.nodeGap) / 2;
    }
    for (unsigned sweep = 0; sweep < kPlacingSweeps; ++sweep)
      for (unsigned k = 0; k < numLayers; ++k) {
        bool isDown = sweep % 2 == 0;
        placeLayer(layers[isDown ? k : numLayers - 1 - k], isDown, !isDown);
      }
    for (ArrayRef<unsigned> path : paths)
      if (path.size() > 3)
        straighten(path.drop_front().drop_back());
    packParts();
  }

  /// Moves parts that no edge joins next to one another: each is placed for itself, wherever that
  /// is.
  void packParts() {
    llvm::IntEqClasses classes(vertices.size());
    for (ArrayRef<unsigned> path : paths)
      for (unsigned vertex : path.drop_front())
        classes.join(path.front(), vertex);
    classes.compress();
    if (classes.getNumClasses() < 2)
      return;
    std::vector<SmallVector<unsigned>> parts(classes.getNumClasses());
    for (unsigned vertex = 0; vertex < vertices.size(); ++vertex)
      parts[classes[vertex]].push_back(vertex);
    auto getMiddle = [&](ArrayRef<unsigned> part) {
      double sum = 0;
      for (unsigned vertex : part)
        sum += vertices[vertex].x;
      return sum / static_cast<double>(part.size());
    };
    llvm::sort(parts, [&](ArrayRef<unsigned> a, ArrayRef<unsigned> b) {
      return std::pair(getMiddle(a), a.front()) < std::pair(getMiddle(b), b.front());
    });
    // How far each layer is filled.
    std::vector<double> filled(numLayers, 0);
    for (ArrayRef<unsigned> part : parts) {
      double shift = -std::numeric_limits<double>::max();
      for (unsigned vertex : part) {
        const Vertex &v = vertices[vertex];
        shift = std::max(shift, filled[v.layer] - (v.x - v.width / 2));
      }
      for (unsigned vertex : part) {
        Vertex &v = vertices[vertex];
        v.x += shift;
      }
      for (unsigned vertex : part) {
        const Vertex &v = vertices[vertex];
        filled[v.layer] = std::max(filled[v.layer], v.x + v.width / 2 + graph.nodeGap);
      }
    }
  }

  /// The positions nearest to those wanted that keep the order and the gaps.
  void placeLayer(ArrayRef<unsigned> layer, bool useUp, bool useDown) {
    struct Pool {
      double sum, weight;
      size_t count;
      double get() const { return sum / weight; }
    };
    std::vector<Pool> pools;
    std::vector<double> offsets;
    double offset = 0;
    for (size_t i = 0; i < layer.size(); ++i) {
      const Vertex &v = vertices[layer[i]];
      if (i > 0)
        offset += vertices[layer[i - 1]].width / 2 + graph.nodeGap + v.width / 2;
      offsets.push_back(offset);
      Pool pool{(getMean(layer[i], useUp, useDown) - offset) * v.weight, v.weight, 1};
      while (!pools.empty() && pools.back().get() >= pool.get()) {
        pool = {pool.sum + pools.back().sum, pool.weight + pools.back().weight,
                pool.count + pools.back().count};
        pools.pop_back();
      }
      pools.push_back(pool);
    }
    size_t i = 0;
    for (const Pool &pool : pools)
      for (size_t k = 0; k < pool.count; ++k, ++i)
        vertices[layer[i]].x = pool.get() + offsets[i];
  }

  /// Puts the bends of one edge one below the other where nothing is in the way.
  void straighten(ArrayRef<unsigned> bends) {
    double least = vertices[bends.front()].x, most = least;
    for (unsigned bend : bends) {
      least = std::min(least, vertices[bend].x);
      most = std::max(most, vertices[bend].x);
    }
    for (double x : {most, least, (least + most) / 2}) {
      if (!llvm::all_of(bends, [&](unsigned bend) { return isFree(bend, x); }))
        continue;
      for (unsigned bend : bends)
        vertices[bend].x = x;
      return;
    }
  }

  bool isFree(unsigned vertex, double x) const {
    const Vertex &v = vertices[vertex];
    ArrayRef<unsigned> layer = layers[v.layer];
    auto isApart = [&](size_t other) {
      return std::abs(vertices[layer[other]].x - x) >=
             (vertices[layer[other]].width + v.width) / 2 + kLeastGap;
    };
    return (v.place == 0 || (vertices[layer[v.place - 1]].x < x && isApart(v.place - 1))) &&
           (v.place + 1 == layer.size() ||
            (vertices[layer[v.place + 1]].x > x && isApart(v.place + 1)));
  }

  Layout finish() const {
    Layout layout;
    double least = std::numeric_limits<double>::max(), most = -least;
    for (const Vertex &v : vertices) {
      least = std::min(least, v.x - v.width / 2);
      most = std::max(most, v.x + v.width / 2);
    }
    layout.width = vertices.empty() ? 0 : most - least;
    std::vector<double> heights(numLayers, 0), tops;
    for (size_t i = 0; i < graph.nodes.size(); ++i)
      heights[vertices[i].layer] = std::max(heights[vertices[i].layer], graph.nodes[i].height);
    double y = 0;
    for (double height : heights) {
      tops.push_back(y);
      y += height + graph.layerGap;
    }
    layout.height = heights.empty() ? 0 : y - graph.layerGap;
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      unsigned layer = vertices[i].layer;
      layout.centers.push_back({vertices[i].x - least, tops[layer] + heights[layer] / 2});
    }
    for (size_t i = 0; i < graph.edges.size(); ++i)
      layout.curves.push_back(draw(i, layout, tops, heights, least));
    return layout;
  }

  std::vector<Point> draw(size_t edge, const Layout &layout, ArrayRef<double> tops,
                          ArrayRef<double> heights, double least) const {
    ArrayRef<unsigned> path = paths[edge];
    Point from = layout.centers[path.front()];
    from.y += graph.nodes[path.front()].height / 2;
    std::vector<Point> curve{from};
    auto curveTo = [&](Point to) {
      Point last = curve.back();
      double reach = (to.y - last.y) / 2;
      curve.insert(curve.end(), {{last.x, last.y + reach}, {to.x, to.y - reach}, to});
    };
    if (path.size() == 1) { // a loop beside the node
      double x = from.x + graph.nodes[path.front()].width / 2, y = layout.centers[path.front()].y;
      return {{x, y - 6}, {x + 20, y - 6}, {x + 20, y + 6}, {x, y + 6}};
    }
    for (unsigned bend : path.drop_front().drop_back()) {
      double x = vertices[bend].x - least, top = tops[vertices[bend].layer];
      curveTo({x, top});
      curveTo({x, top + heights[vertices[bend].layer]});
    }
    Point to = layout.centers[path.back()];
    curveTo({to.x, to.y - graph.nodes[path.back()].height / 2});
    if (isBack[edge])
      std::reverse(curve.begin(), curve.end());
    return curve;
  }

  const LayoutGraph &graph;
  std::vector<bool> isBack;
  std::vector<unsigned> finished;
  std::vector<Vertex> vertices; // nodes, then bends
  std::vector<std::vector<unsigned>> layers, paths;
  unsigned numLayers = 0;
};
} // namespace

std::vector<unsigned> mlir::fuse::findLayers(const LayoutGraph &graph) {
  return LayerBuilder(graph).findLayers();
}

Layout mlir::fuse::layoutInLayers(const LayoutGraph &graph) { return LayerBuilder(graph).build(); }
