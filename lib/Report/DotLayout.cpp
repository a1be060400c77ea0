//===- DotLayout.cpp - Layers placed by Graphviz ----------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Graphviz's dot (Gansner et al., "A technique for drawing directed graphs") finds layers, the
// order within each, positions and curves. A point of dot is a pixel of ours. Dot has no attribute
// for the layer of a node: nodes of one layer are a subgraph of one rank, and ranks follow each
// other because an edge joins any two that do. Labels would need fonts, so it sees none.
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Report/Layout.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/ErrorHandling.h"

#include <gvc.h>
#include <map>
#include <mutex>
#include <set>

extern "C" gvplugin_library_t gvplugin_dot_layout_LTX_library;

using namespace mlir::fuse;

/// Edges over more layers than this are straight lines, once there are many bends: dot makes a node
/// of each layer that an edge passes.
static constexpr unsigned kMaxSpan = 10, kManyBends = 500;
/// More than this get less of dot's effort each, so that time stays about linear.
static constexpr double kManyNodes = 500;

namespace {
/// A graph of Graphviz, and what it keeps of the layout. Its library has global state.
class DotGraph {
public:
  explicit DotGraph(const LayoutGraph &graph) : lock(mutex) {
    static lt_symlist_t plugins[] = {
        {"gvplugin_dot_layout_LTX_library", &gvplugin_dot_layout_LTX_library}, {nullptr, nullptr}};
    agseterr(AGERR);
    context = gvContextPlugins(plugins, /*demand_loading=*/0);
    root = agopen(const_cast<char *>(""), Agdirected, nullptr);
    for (auto [name, value] : {std::pair("shape", "box"), {"fixedsize", "true"}, {"label", ""}})
      set(root, AGNODE, name, value);
    set(root, AGRAPH, "nodesep", toInches(graph.nodeGap));
    set(root, AGRAPH, "ranksep", toInches(graph.layerGap));
    set(root, AGEDGE, "dir", "none");
    // What improves a layout ends sooner in large graphs.
    if (graph.nodes.size() > kManyNodes)
      for (const char *limit : {"nslimit", "nslimit1", "mclimit"})
        set(root, AGRAPH, limit,
            std::to_string(kManyNodes / static_cast<double>(graph.nodes.size())));
    for (const LayoutGraph::Node &node : graph.nodes) {
      nodes.push_back(agnode(root, nullptr, /*createflag=*/1));
      set(nodes.back(), "width", toInches(node.width));
      set(nodes.back(), "height", toInches(node.height));
    }
  }
  DotGraph(const DotGraph &) = delete;
  DotGraph &operator=(const DotGraph &) = delete;
  ~DotGraph() {
    gvFreeLayout(context, root);
    agclose(root);
    gvFreeContext(context);
  }

  Agedge_t *addEdge(unsigned from, unsigned to) {
    return agedge(root, nodes[from], nodes[to], nullptr, /*createflag=*/1);
  }
  void addRank(llvm::ArrayRef<unsigned> members) {
    Agraph_t *rank = agsubg(root, nullptr, /*cflag=*/1);
    set(rank, "rank", "same");
    for (unsigned node : members)
      agsubnode(rank, nodes[node], /*createflag=*/1);
  }
  void layOut() {
    if (gvLayout(context, root, "dot") != 0)
      llvm::report_fatal_error("Graphviz could not lay out a graph");
  }

  static void set(Agraph_t *graph, int kind, const char *name, const std::string &value) {
    agattr(graph, kind, const_cast<char *>(name), const_cast<char *>(value.c_str()));
  }
  static void set(void *object, const char *name, const std::string &value) {
    agsafeset(object, const_cast<char *>(name), const_cast<char *>(value.c_str()),
              const_cast<char *>(""));
  }

  Agraph_t *root;
  std::vector<Agnode_t *> nodes;

private:
  static std::string toInches(double pixels) { return std::to_string(pixels / 72); }

  static inline std::mutex mutex;
  std::lock_guard<std::mutex> lock;
  GVC_t *context;
};
} // namespace

std::vector<unsigned> mlir::fuse::findLayers(const LayoutGraph &graph) {
  DotGraph dot(graph);
  for (const LayoutGraph::Edge &edge : graph.edges)
    dot.addEdge(edge.from, edge.to);
  DotGraph::set(dot.root, AGRAPH, "phase", "1"); // ranks, and no more
  dot.layOut();
  std::vector<unsigned> layers;
  for (Agnode_t *node : dot.nodes)
    layers.push_back(ND_rank(node));
  return layers;
}

Layout mlir::fuse::layoutInLayers(const LayoutGraph &graph) {
  if (graph.nodes.empty())
    return {};
  std::vector<unsigned> layers = graph.layers.empty() ? findLayers(graph) : graph.layers;
  std::map<unsigned, llvm::SmallVector<unsigned>> members;
  for (auto [node, layer] : llvm::enumerate(layers))
    members[layer].push_back(node);
  DotGraph dot(graph);
  for (auto &[layer, nodes] : members)
    dot.addRank(nodes);
  std::vector<Agedge_t *> edges;
  std::set<unsigned> joined; // layers with an edge to the next one
  size_t numBends = 0;
  for (auto [from, to] : graph.edges) {
    // Edges that close a cycle lead upwards: dot gets them turned round.
    auto [top, bottom] = std::minmax(layers[from], layers[to]);
    bool isLong = bottom - top > kMaxSpan && numBends > kManyBends;
    numBends += isLong ? 0 : bottom - top;
    Agedge_t *edge = isLong                ? nullptr
                     : top == layers[from] ? dot.addEdge(from, to)
                                           : dot.addEdge(to, from);
    if (bottom == top + 1)
      joined.insert(top);
    if (edge && top != bottom) {
      DotGraph::set(edge, "tailport", "s");
      DotGraph::set(edge, "headport", "n");
    }
    edges.push_back(edge);
  }
  for (auto it = members.begin(), next = std::next(it); next != members.end(); it = next++)
    if (!joined.count(it->first))
      DotGraph::set(dot.addEdge(it->second.front(), next->second.front()), "style", "invis");
  dot.layOut();

  Layout layout;
  boxf bounds = GD_bb(dot.root);
  layout.width = bounds.UR.x - bounds.LL.x;
  layout.height = bounds.UR.y - bounds.LL.y;
  auto toPoint = [&](pointf at) { return Point{at.x - bounds.LL.x, bounds.UR.y - at.y}; };
  for (Agnode_t *node : dot.nodes)
    layout.centers.push_back(toPoint(ND_coord(node)));
  for (auto [ends, edge] : llvm::zip_equal(graph.edges, edges)) {
    std::vector<Point> &curve = layout.curves.emplace_back();
    if (edge && ED_spl(edge) && ED_spl(edge)->size > 0) {
      const bezier &spline = ED_spl(edge)->list[0];
      for (const pointf &point : llvm::ArrayRef(spline.list, spline.size))
        curve.push_back(toPoint(point));
      if (layers[ends.from] > layers[ends.to])
        std::reverse(curve.begin(), curve.end());
      continue;
    }
    double down = layers[ends.from] < layers[ends.to] ? 0.5 : -0.5;
    Point from = layout.centers[ends.from], to = layout.centers[ends.to];
    from.y += down * graph.nodes[ends.from].height;
    to.y -= down * graph.nodes[ends.to].height;
    curve = {from, {from.x, (from.y + to.y) / 2}, {to.x, (from.y + to.y) / 2}, to};
  }
  return layout;
}
