//===- Graph.h - A function as written, and as its launches stand -----------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What the picture of the report draws, as plain data: names and numbers, no IR. It stays valid
// when the function it was read from is lowered.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_REPORT_GRAPH_H
#define FUSE_REPORT_GRAPH_H

#include "fuse/Report/Report.h"

namespace mlir::fuse {

/// A value in memory.
struct GraphValue {
  std::string name; ///< of an argument or a result of the function; else empty
  std::string type; ///< e.g. 4x8xf32
  std::optional<int64_t> bytes;
  bool isParam = false;
};

/// An op as it was written (a composite is one), an argument that is no parameter, or a result.
struct GraphNode {
  enum class Kind { Op, Host, Foreign, Input, Output };
  Kind kind = Kind::Op;
  std::string text; ///< as reports name the op; the name of an argument or a result
  std::string type; ///< of what it computes
  std::string name; ///< file:line:column, or a model's node; empty where unknown
};

/// Values that one thing computes and another reads, each once: indices of values.
struct GraphEdge {
  unsigned from = 0, to = 0;
  SmallVector<unsigned, 1> values;
};

/// Some or all of a written op, within one launch.
struct GraphMember {
  unsigned node = 0;
  int64_t launch = 0;
};

/// What a launch reads and writes: indices of values.
struct GraphLaunch {
  SmallVector<unsigned> inputs, outputs;
};

/// Where a refused merge is drawn; nothing for what is not in the picture.
struct GraphRefusal {
  std::optional<unsigned> producer, consumer;             ///< nodes
  std::optional<unsigned> producerMember, consumerMember; ///< members
};

/// Nodes and edges are in program order. A *box* is a launch or, behind them, a node that is in
/// none: box `launches.size() + i` is node i.
struct FunctionGraph {
  std::string name;
  std::vector<GraphValue> values;
  std::vector<GraphNode> nodes;
  std::vector<GraphEdge> edges;      ///< between nodes
  std::vector<GraphLaunch> launches; ///< by their ids in the report
  std::vector<GraphMember> members;
  std::vector<GraphEdge> innerEdges; ///< between members of one launch
  std::vector<GraphEdge> boxEdges;   ///< between boxes
  std::vector<GraphRefusal> refused; ///< in the order of the report

  unsigned getBox(unsigned member) const { return members[member].launch; }
  unsigned getNodeBox(unsigned node) const { return launches.size() + node; }
};

/// The graph of a function whose kernels are formed; `report` is of the same function, as it
/// stands. Views, constants and parameters are not drawn: an edge begins where a value was
/// computed.
FunctionGraph buildGraph(FunctionOpInterface function, const FunctionReport &report);
/// The graphs of all functions of the report, in its order.
std::vector<FunctionGraph> buildGraphs(ModuleOp module, const Report &report);

} // namespace mlir::fuse

#endif // FUSE_REPORT_GRAPH_H
