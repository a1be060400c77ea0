//===- Strategy.cpp - The plan of a block while it grows, and the list of strategies -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Transforms/Strategy.h"
#include "fuse/Analysis/Labels.h"
#include "fuse/IR/OpText.h"
#include "fuse/Support/Plural.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::fuse;

BlockPlan::BlockPlan(const FusionGraph &graph, StringRef functionName, TargetAttr target,
                     const CostModel &costModel, const llvm::StringSet<> &disabledLabels)
    : graph(graph), functionName(functionName), target(target), costModel(costModel),
      disabledLabels(disabledLabels), members(graph.size()), leaders(graph.size()) {
  for (unsigned node = 0; node < graph.size(); ++node) {
    leaders[node] = node;
    members[node].push_back(node);
  }
}

// The smaller group is relabelled: n merges cost n·log n.
void BlockPlan::unite(unsigned a, unsigned b) {
  unsigned to = leaders[a], from = leaders[b];
  if (to == from)
    return;
  if (members[to].size() < members[from].size())
    std::swap(to, from);
  for (unsigned node : members[from])
    leaders[node] = to;
  members[to].append(members[from]);
  members[from].clear();
}

bool BlockPlan::merge(unsigned producer, unsigned consumer) {
  Operation *from = graph.getOp(producer), *to = graph.getOp(consumer);
  bool executed = false;
  std::string what = describeOp(from) + " with " + describeOp(to);
  to->getContext()->executeAction<MergeAction>(
      [&] {
        unite(producer, consumer);
        executed = true;
      },
      {IRUnit(from), IRUnit(to)}, StringRef(what));
  return executed;
}

bool BlockPlan::repeat(ArrayRef<Repetition> repeated) {
  Operation *from = graph.getOp(repeated.front().node), *to = graph.getOp(repeated.front().groups.front());
  bool executed = false;
  std::string what = describeOp(from) + " with each of its readers";
  to->getContext()->executeAction<MergeAction>(
      [&] {
        for (const Repetition &repetition : repeated)
          repetitions[repetition.node] = repetition.groups;
        executed = true;
      },
      {IRUnit(from), IRUnit(to)}, StringRef(what));
  return executed;
}

ArrayRef<unsigned> BlockPlan::getRepetitions(unsigned node) const {
  auto it = repetitions.find(node);
  return it == repetitions.end() ? ArrayRef<unsigned>() : ArrayRef<unsigned>(it->second);
}

void BlockPlan::dissolve(ArrayRef<unsigned> nodes) {
  for (unsigned node : nodes)
    members[leaders[node]].clear();
  for (unsigned node : nodes) {
    leaders[node] = node;
    members[node] = {node};
  }
}

//===- Explanations -------------------------------------------------------------------------===//

static remark::RemarkOpts remarkOpts(StringRef name, StringRef functionName) {
  return remark::RemarkOpts::name(name).category("fuse-plan").function(functionName);
}

static std::string formatGain(double ns) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.2f ns", ns);
  return text;
}

Legality BlockPlan::getFuelLegality(unsigned producer, unsigned consumer) const {
  return {Barrier::Fuel,
          "the merge of " + describeOp(graph.getOp(producer)) + " with " +
              describeOp(graph.getOp(consumer)) + " was not executed",
          "another limit of --mlir-debug-counter"};
}

Legality BlockPlan::checkLabel(ArrayRef<unsigned> nodes) const {
  if (disabledLabels.empty() || nodes.size() < 2)
    return Legality::legal();
  SmallVector<Operation *> ops =
      llvm::map_to_vector(nodes, [&](unsigned node) { return graph.getOp(node); });
  StringRef label = getLabel(ops);
  // Attention is switched off in larger kernels too.
  if (isDisabled("attention") && containsAttention(ops))
    label = "attention";
  // What else has products or convolutions is what is left of contractions.
  if (isDisabled("contraction") && (label == "bottleneck" || label == "attention-projection"))
    label = "contraction";
  if (!isDisabled(label))
    return Legality::legal();
  return {Barrier::Disabled, "the pattern " + label.str() + " is switched off",
          "the pattern switched on"};
}

bool BlockPlan::isExplained() const {
  return graph.getBlock().getParentOp()->getContext()->getRemarkEngine() != nullptr;
}

bool BlockPlan::explainNumber(uint64_t keptApart) {
  remark::detail::InFlightRemark remark =
      remark::missed(graph.getBlock().getParentOp()->getLoc(), remarkOpts("kept-apart", functionName));
  remark << remark::add("{0} of neighbours {1} in two kernels", pluralize(keptApart, "pair"),
                        keptApart == 1 ? "stays" : "stay");
  return static_cast<bool>(remark);
}

void BlockPlan::explainMerge(unsigned producer, unsigned consumer, std::optional<double> gainNs) {
  Operation *from = graph.getOp(producer), *to = graph.getOp(consumer);
  int64_t bytes = from->getNumResults() ? getByteSize(from->getResult(0).getType()) : 0;
  std::string what = describeOp(from) + " with " + describeOp(to);
  std::string gain = gainNs ? ", gains " + formatGain(*gainNs) : std::string();
  remark::passed(to->getLoc(), remarkOpts("fused", functionName))
      << remark::add("fused {0}: saves 1 launch and {1}{2}", what, pluralize(bytes, "byte"), gain);
}

void BlockPlan::explainRepetition(unsigned node, ArrayRef<unsigned> readers, double gainNs) {
  Operation *op = graph.getOp(node);
  int64_t bytes = op->getNumResults() ? getByteSize(op->getResult(0).getType()) : 0;
  remark::passed(op->getLoc(), remarkOpts("repeated", functionName))
      << remark::add("{0} is computed by each of the {1} kernels that read it: saves 1 launch and {2}, gains {3}",
                     describeOp(op), readers.size(), pluralize(bytes, "byte"), formatGain(gainNs));
}

void BlockPlan::explainRefusal(unsigned producer, unsigned consumer, Legality why, std::optional<double> gainNs,
                               llvm::function_ref<void(Legality &)> addNeeds) {
  Operation *from = graph.getOp(producer), *to = graph.getOp(consumer);
  std::string gain = gainNs ? ", would gain " + formatGain(*gainNs) : std::string();
  remark::detail::InFlightRemark remark =
      remark::missed(to->getLoc(), remarkOpts(stringifyBarrier(why.barrier), functionName));
  if (remark && addNeeds)
    addNeeds(why);
  remark << remark::add("{0} is not fused with {1}{2}", describeOp(from), describeOp(to), gain)
      << remark::reason("{0}", why.reason) << remark::suggest("{0}", why.needs)
      << remark::metric("Kind", getBarrierKind(why.barrier));
}

void BlockPlan::explainEffort(uint64_t priced, uint64_t membersPriced, uint64_t edgesVisited) {
  remark::analysis(graph.getBlock().getParentOp()->getLoc(),
                   remark::RemarkOpts::name("effort").category("planning-effort").function(
                       functionName))
      << remark::add("{0}: {1} priced, {2} looked at, {3} visited", pluralize(graph.size(), "node"),
                     pluralize(priced, "merge"), pluralize(membersPriced, "member"), pluralize(edgesVisited, "edge"));
}

std::vector<SmallVector<unsigned>> BlockPlan::getGroups() const {
  std::vector<SmallVector<unsigned>> groups;
  llvm::DenseMap<unsigned, unsigned> places;
  auto add = [&](unsigned node, unsigned leader) {
    auto [it, isNew] = places.try_emplace(leader, groups.size());
    if (isNew)
      groups.emplace_back();
    groups[it->second].push_back(node);
  };
  for (unsigned node = 0; node < graph.size(); ++node) {
    ArrayRef<unsigned> readers = getRepetitions(node);
    if (readers.empty())
      add(node, leaders[node]);
    for (unsigned reader : readers)
      add(node, leaders[reader]);
  }
  llvm::erase_if(groups, [](ArrayRef<unsigned> group) { return group.size() < 2; });
  return groups;
}

//===- The list of strategies ---------------------------------------------------------------===//

namespace {
/// Merges nothing: each written op is a kernel.
struct NoneStrategy : Strategy {
  StringRef getName() const override { return "none"; }
  void plan(BlockPlan &) const override {}
};
} // namespace

static constexpr StringRef kNames[] = {"chains", "none", "priority"};

ArrayRef<StringRef> Strategy::getNames() { return kNames; }

std::unique_ptr<Strategy> Strategy::create(StringRef name) {
  if (name == "chains")
    return createChainsStrategy();
  if (name == "priority")
    return createPriorityStrategy();
  if (name == "none")
    return std::make_unique<NoneStrategy>();
  return nullptr;
}
