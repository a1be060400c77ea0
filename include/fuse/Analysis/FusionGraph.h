//===- FusionGraph.h - The ops of a block, and what orders them -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_FUSIONGRAPH_H
#define FUSE_ANALYSIS_FUSIONGRAPH_H

#include "fuse/Analysis/Legality.h"
#include "fuse/IR/FuseOps.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::fuse {

/// What planning sees in an op.
enum class NodeKind {
  Device,    ///< one launch, unless it is fused
  Host,      ///< runs on the host, waits for the device
  View,      ///< metadata: absorbed by the kernels that read it
  Constant,  ///< a parameter
  Kernel,    ///< a kernel that was formed before
  Terminator,
  Foreign,   ///< any other op, control flow included
};
NodeKind classifyNode(Operation *op);

/// What a device op computes, read off its domain.
enum class OpPattern { Elementwise, Reduction, Contraction, Window, Movement, Memory, Composite };
OpPattern classifyPattern(Operation *op);

/// The written op that `op` belongs to: the id of its `fuse.origin`, or nothing where `op` itself
/// was written.
std::optional<int64_t> getOriginId(Operation *op);

/// Who reads a value, looking through views.
struct Consumers {
  static constexpr unsigned kNone = ~0u;
  /// The two first distinct consumers, in order of position.
  unsigned first = kNone, second = kNone;
  bool escapes = false;     ///< read by the block's terminator
  bool throughView = false; ///< some reader sees it through a view
  bool inRegion = false;    ///< read within a region of some op

  void add(unsigned node);
  void add(const Consumers &other);
};

/// The dependence graph of one block. Nodes are its ops, numbered in order; every edge leads to a
/// higher number. Edges are SSA uses (those within regions included, as uses by the op of this
/// block around them) and memory order among ops that may touch one buffer, at least one of them
/// writing. Built in near-linear time: accesses of one buffer make a sparse chain, not all pairs.
///
/// Buffers: results of allocations alias nothing else; function arguments may alias each other;
/// any other buffer, and an unknown effect, may alias everything.
class FusionGraph {
public:
  enum class EdgeKind { Data, Memory };
  struct Edge {
    unsigned to;
    EdgeKind kind;
  };
  static constexpr unsigned kNone = Consumers::kNone;

  explicit FusionGraph(Block &block);

  Block &getBlock() const { return *block; }
  unsigned size() const { return nodes.size(); }
  Operation *getOp(unsigned node) const { return nodes[node].op; }
  NodeKind getKind(unsigned node) const { return nodes[node].kind; }
  ArrayRef<Edge> getSuccessors(unsigned node) const { return nodes[node].successors; }
  const Consumers &getConsumers(unsigned node) const { return nodes[node].consumers; }
  /// The node that `op`, or the op of this block around it, is; kNone outside the block.
  unsigned lookup(Operation *op) const;
  /// The node that defines `value`, kNone for arguments and values of other blocks.
  unsigned lookup(Value value) const;
  /// The node at the source of a chain of views, `node` itself where it is no view; kNone where
  /// the source lies outside the block.
  unsigned getRoot(unsigned node) const { return nodes[node].root; }

private:
  struct Node {
    Operation *op;
    NodeKind kind;
    unsigned root;
    Consumers consumers;
    SmallVector<Edge, 2> successors;
  };
  void addDataEdges();
  void addMemoryEdges();
  void collectConsumers();

  Block *block;
  std::vector<Node> nodes;
  DenseMap<Operation *, unsigned> numbers;
};

/// Whether an op computes numbers from extents and other numbers on the host, as `tensor.dim` and `affine.apply` do: no
/// elements pass between it and a kernel.
bool computesSizes(Operation *op);

/// The value at the end of a chain of views, and of kernel arguments where `value` is inside one.
Value getViewSource(Value value);

/// The launches (device, host and foreign ops, kernels) of the block whose results `node` reads,
/// through views or not; distinct, in the order of its operands.
SmallVector<unsigned> getProducers(const FusionGraph &graph, unsigned node);

/// Whether `members`, in ascending order, can be one kernel: device ops only, and no path leaves
/// the set and comes back (views between members are absorbed, so they are no way out).
/// Costs time in the interval of the members only.
Legality checkGroup(const FusionGraph &graph, ArrayRef<unsigned> members);

/// An order of units in which every edge leads forward. `unitOf[node]` names the unit of each node;
/// of the units that are ready, the one whose last node comes first is taken first, so that a block
/// which needs no change keeps its order. Fails on a cycle: `order` then lacks its units.
LogicalResult sortUnits(const FusionGraph &graph, ArrayRef<unsigned> unitOf, unsigned numUnits,
                        SmallVectorImpl<unsigned> &order);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_FUSIONGRAPH_H
