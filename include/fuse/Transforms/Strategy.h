//===- Strategy.h - How merges are found -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TRANSFORMS_STRATEGY_H
#define FUSE_TRANSFORMS_STRATEGY_H

#include "fuse/Analysis/FusionGraph.h"
#include "fuse/CostModel/CostModel.h"
#include "llvm/ADT/StringSet.h"
#include "mlir/IR/Action.h"
#include <memory>

namespace mlir::fuse {

/// One merge of the planner; `--mlir-debug-counter` counts these.
class MergeAction : public tracing::ActionImpl<MergeAction> {
public:
  using Base = tracing::ActionImpl<MergeAction>;
  static constexpr StringLiteral tag = "fuse-merge";
  MergeAction(ArrayRef<IRUnit> units, StringRef what) : Base(units), what(what) {}
  void print(raw_ostream &os) const override { os << tag << ": " << what; }

private:
  StringRef what;
};

/// The plan of one block while it grows: which nodes share a kernel. Explains each step by remarks
/// of category `fuse-plan`.
class BlockPlan {
public:
  BlockPlan(const FusionGraph &graph, StringRef functionName, TargetAttr target,
            const CostModel &costModel, const llvm::StringSet<> &disabledLabels);

  const FusionGraph &getGraph() const { return graph; }
  TargetAttr getTarget() const { return target; }
  const CostModel &getCostModel() const { return costModel; }
  bool isDisabled(StringRef label) const { return disabledLabels.contains(label); }
  bool hasDisabledLabels() const { return !disabledLabels.empty(); }
  /// A number that the nodes of one group, and only they, share.
  unsigned getGroup(unsigned node) const { return leaders[node]; }

  /// Puts two nodes into one group without further question (composites, fuse.together).
  void unite(unsigned a, unsigned b);
  /// Merges the groups of a producer and its consumer, as one action. False where the action was
  /// not executed.
  bool merge(unsigned producer, unsigned consumer);
  /// A node that several groups compute for themselves, and a node of each of these groups.
  struct Repetition {
    unsigned node;
    SmallVector<unsigned> groups;
  };
  /// Lets the groups that read a group compute its nodes, `repeated`, for themselves: the nodes leave their group. As one
  /// action; false where it was not executed. Nothing is merged afterwards.
  bool repeat(ArrayRef<Repetition> repeated);
  /// The groups that compute a node for themselves, as nodes of them; empty where the node is in one group.
  ArrayRef<unsigned> getRepetitions(unsigned node) const;
  /// Takes each of `nodes` out of its group.
  void dissolve(ArrayRef<unsigned> nodes);
  /// Why an unexecuted merge keeps a producer and its consumer apart.
  Legality getFuelLegality(unsigned producer, unsigned consumer) const;

  /// Whether a kernel of `nodes`, ascending, would be a pattern that is switched off.
  Legality checkLabel(ArrayRef<unsigned> nodes) const;

  /// Whether somebody listens to remarks.
  bool isExplained() const;
  /// Says how many pairs of a producer and its consumer are kept apart. False where nobody wants to hear why: then nobody
  /// needs to ask.
  bool explainNumber(uint64_t keptApart);
  /// Explains that a producer and its consumer share a kernel, and what the merge saves: what the
  /// consumer's launch would have cost, and the bytes of the value between.
  void explainMerge(unsigned producer, unsigned consumer, std::optional<double> gainNs = {});
  /// Explains that the groups of `readers` compute a node for themselves, and what they gain.
  void explainRepetition(unsigned node, ArrayRef<unsigned> readers, double gainNs);
  /// Explains why a producer and its consumer stay apart, and what sharing a kernel would gain. `addNeeds` adds to what would
  /// allow it where that takes long to find: it is called where somebody wants such remarks.
  void explainRefusal(unsigned producer, unsigned consumer, Legality why, std::optional<double> gainNs = {},
                      llvm::function_ref<void(Legality &)> addNeeds = nullptr);
  /// Says how much work planning was, as an analysis remark of category `planning-effort`: merges
  /// that were priced, the members looked at for that, and the edges that searches went along.
  void explainEffort(uint64_t priced, uint64_t membersPriced, uint64_t edgesVisited);
  /// The groups of two nodes at least, each ascending, ordered by their first node.
  std::vector<SmallVector<unsigned>> getGroups() const;

private:
  const FusionGraph &graph;
  StringRef functionName;
  TargetAttr target;
  const CostModel &costModel;
  const llvm::StringSet<> &disabledLabels;
  std::vector<SmallVector<unsigned, 1>> members;
  std::vector<unsigned> leaders;
  /// Of each node that several groups compute, a node of each of these groups.
  llvm::DenseMap<unsigned, SmallVector<unsigned>> repetitions;
};

/// A way to find merges. Strategies are stateless.
class Strategy {
public:
  virtual ~Strategy() = default;
  virtual StringRef getName() const = 0;
  virtual void plan(BlockPlan &plan) const = 0;

  /// The strategy of a name, null where there is none.
  static std::unique_ptr<Strategy> create(StringRef name);
  /// All names, in the order in which messages list them.
  static ArrayRef<StringRef> getNames();
};

/// Element-wise chains only.
std::unique_ptr<Strategy> createChainsStrategy();
/// A convolution with its batch norm and relu only; see `fuse-conv-bn-relu`.
std::unique_ptr<Strategy> createConvBnReluStrategy();
/// The merge with the best gain first, over all that are legal.
std::unique_ptr<Strategy> createPriorityStrategy();

} // namespace mlir::fuse

#endif // FUSE_TRANSFORMS_STRATEGY_H
