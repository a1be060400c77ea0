//===- PriorityStrategy.cpp - The merge with the best gain first -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Every pair of groups that could share a kernel is a candidate: a producer and its reader, and two
// readers of one value. Candidates wait in a heap by what their merge gains. Gains change as groups
// grow, so a candidate is priced again when it comes up; only one whose price still is the best is
// merged. A refused candidate is asked again after its groups have grown.
//
// Each group is then judged as a whole: a target may ask for a gain that no single merge of a long
// chain brings, but the chain does. At last, what is small and read by several groups is computed by each of them.
//
//===----------------------------------------------------------------------------------------===//

#include "RepeatSmall.h"

#include "fuse/Analysis/ContractionOrder.h"
#include "fuse/CostModel/MergeQuery.h"
#include "fuse/CostModel/SizeConditions.h"
#include "fuse/IR/OpText.h"
#include "fuse/Transforms/Strategy.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Format.h"
#include <queue>

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// How often a refused candidate is asked again.
constexpr unsigned kMostRounds = 4;
/// A pattern that is switched off stops small groups that larger ones would allow, step by step.
constexpr unsigned kMostRoundsOfSwitches = 64;

class PriorityPlanner {
public:
  explicit PriorityPlanner(BlockPlan &plan)
      : plan(plan), graph(plan.getGraph()), table(graph), query(graph, table, plan.getTarget(), plan.getCostModel()),
        conditions(graph, plan.getTarget(), plan.getCostModel()),
        order(graph.size(), collectEdges(graph)), groups(graph.size()) {}

  void run() {
    collectUnits();
    collectCandidates();
    unsigned rounds = plan.hasDisabledLabels() ? kMostRoundsOfSwitches : kMostRounds;
    for (MergeTolerance phase :
         {MergeTolerance::None, MergeTolerance::Epilogues, MergeTolerance::Prologues}) {
      tolerance = phase;
      askAgain([&](const Candidate &candidate) { return candidate.isDear && isJudgedAnew(candidate); });
      for (unsigned round = 0; round < rounds && !heap.empty(); ++round) {
        mergeAll();
        askAgain([&](const Candidate &candidate) { return isStale(candidate); });
      }
    }
    judgeGroups();
    repeatSmallGroups(plan, table, query, memo);
    if (plan.isExplained()) {
      plan.explainEffort(numPriced, numMembersPriced, order.getNumSteps());
      explain();
    }
  }

private:
  struct Group {
    SmallVector<unsigned, 2> nodes; // ascending
    LaunchFacts launch;
    double unitsNs = 0; // what the launches of its units take that it was merged from
    unsigned numUnits = 1, version = 0;
  };
  /// A question whose facts nobody asks for.
  static constexpr unsigned kNoNumber = ~0u;
  /// What the heap moves about; the facts of the merged kernel are kept beside it.
  struct Candidate {
    double gainNs;
    unsigned number; // of equal gains the first one comes first
    unsigned producer, consumer;
    bool isSibling;
    unsigned versions[2];
    bool isDear = false; ///< refused for a price that may be tolerated later
    bool operator<(const Candidate &other) const {
      return std::pair(gainNs, other.number) < std::pair(other.gainNs, number);
    }
  };

  /// Views stand for what they view, so that none is between a kernel's members.
  static std::vector<ContractionOrder::Edge> collectEdges(const FusionGraph &graph) {
    std::vector<ContractionOrder::Edge> edges;
    auto stand = [&](unsigned node) {
      unsigned root = graph.getRoot(node);
      return root == FusionGraph::kNone ? node : root;
    };
    for (unsigned node = 0; node < graph.size(); ++node) {
      if (graph.getKind(node) == NodeKind::Constant)
        continue;
      for (const FusionGraph::Edge &edge : graph.getSuccessors(node)) {
        unsigned from = stand(node), to = stand(edge.to);
        if (from != to)
          edges.push_back({from, to});
      }
    }
    return edges;
  }

  Group &groupOf(unsigned node) { return groups[order.find(node)]; }

  /// The groups that are given: single ops, the primitives of a composite, fuse.together.
  void collectUnits() {
    llvm::DenseMap<unsigned, unsigned> firstOf;
    for (unsigned node = 0; node < graph.size(); ++node) {
      auto [it, isNew] = firstOf.try_emplace(plan.getGroup(node), node);
      groups[node].nodes = {node};
      if (!isNew)
        join(it->second, node);
    }
    for (unsigned node = 0; node < graph.size(); ++node) {
      Group &group = groups[node];
      if (order.find(node) != node || !table[node].isFusable)
        continue;
      group.launch = query.evaluate(group.nodes, memo).facts;
      group.unitsNs = query.getIoModel().estimateNs(group.launch);
      group.numUnits = 1;
    }
  }

  /// Contracts the groups of two nodes and joins their members.
  void join(unsigned a, unsigned b) {
    if (order.find(a) == order.find(b) ||
        order.canContract(a, b) != ContractionOrder::Answer::Yes)
      return;
    Group first = std::move(groupOf(a)), second = std::move(groupOf(b));
    groupOf(a) = {};
    groupOf(b) = {};
    order.contract(a, b);
    Group &group = groupOf(a);
    std::merge(first.nodes.begin(), first.nodes.end(), second.nodes.begin(), second.nodes.end(),
               std::back_inserter(group.nodes));
    group.unitsNs = first.unitsNs + second.unitsNs;
    group.numUnits = first.numUnits + second.numUnits;
    group.version = std::max(first.version, second.version) + 1;
  }

  void collectCandidates() {
    llvm::DenseMap<unsigned, unsigned> lastReader;
    for (unsigned node = 0; node < table.size(); ++node) {
      if (!table[node].isFusable)
        continue;
      for (const MemberRead &read : table[node].reads) {
        if (read.producer != FusionGraph::kNone)
          addCandidate(read.producer, node, /*isSibling=*/false);
        auto [it, isNew] = lastReader.try_emplace(read.value, node);
        if (!isNew && it->second != node && read.bytes > 0)
          addCandidate(it->second, node, /*isSibling=*/true);
        it->second = node;
      }
    }
  }

  void addCandidate(unsigned producer, unsigned consumer, bool isSibling) {
    if (order.find(producer) == order.find(consumer))
      return;
    Candidate candidate{0, static_cast<unsigned>(mergedFacts.size()), producer, consumer, isSibling, {0, 0}};
    mergedFacts.emplace_back();
    if (price(candidate))
      heap.push(candidate);
  }

  /// Refused candidates wait for their turn again.
  void askAgain(llvm::function_ref<bool(const Candidate &)> isAsked) {
    for (const Candidate &candidate : refused)
      if (isAsked(candidate))
        heap.push(candidate);
    llvm::erase_if(refused, isAsked);
  }

  bool isStale(const Candidate &candidate) {
    return candidate.versions[0] != groupOf(candidate.producer).version ||
           candidate.versions[1] != groupOf(candidate.consumer).version;
  }

  /// Whether a merge that was refused for its price may have another one now, or may cost what it does.
  bool isJudgedAnew(const Candidate &candidate) {
    return isStale(candidate) || query.mayTolerateLoss(groupOf(candidate.producer).nodes,
                                                       groupOf(candidate.consumer).nodes, tolerance);
  }

  void noteVersions(Candidate &candidate) {
    candidate.versions[0] = groupOf(candidate.producer).version;
    candidate.versions[1] = groupOf(candidate.consumer).version;
  }

  /// Prices a candidate as its groups are now. With `memo` a refusal's reason may name other ops.
  MergeVerdict evaluate(Candidate &candidate, GroupMemo *memo = nullptr) {
    noteVersions(candidate);
    const Group &a = groupOf(candidate.producer), &b = groupOf(candidate.consumer);
    ++numPriced;
    numMembersPriced += a.nodes.size() + b.nodes.size();
    MergeVerdict verdict = query.evaluateMerge(a.nodes, a.launch, b.nodes, b.launch, tolerance, memo);
    if (verdict.legality && candidate.isSibling && verdict.gainNs <= 0)
      verdict.legality = {Barrier::MinGain, "they share no bytes that would be saved", ""};
    if (verdict.legality && plan.hasDisabledLabels())
      verdict.legality = plan.checkLabel(mergeSorted(a.nodes, b.nodes));
    candidate.isDear =
        !verdict.legality &&
        llvm::is_contained({Barrier::Recomputation, Barrier::Rereading, Barrier::Overlap},
                           verdict.legality.barrier);
    candidate.gainNs = verdict.gainNs;
    if (candidate.number < mergedFacts.size())
      mergedFacts[candidate.number] = verdict.merged.facts;
    return verdict;
  }

  static SmallVector<unsigned> mergeSorted(ArrayRef<unsigned> a, ArrayRef<unsigned> b) {
    SmallVector<unsigned> nodes;
    std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(nodes));
    return nodes;
  }

  /// What stands between two groups.
  Legality checkOrder(unsigned a, unsigned b) {
    switch (order.canContract(a, b)) {
    case ContractionOrder::Answer::Yes:
      return Legality::legal();
    case ContractionOrder::Answer::TooFar:
      return {Barrier::SearchLimit, "looking for a cycle between them would visit more than 1000 ops",
              "ops that stand closer together"};
    case ContractionOrder::Answer::Cycle:
      break;
    }
    unsigned blocker = order.getBlocker();
    ArrayRef<unsigned> nodes = groups[blocker].nodes;
    return {Barrier::Cycle,
            query.describe(nodes.empty() ? blocker : nodes.front()) +
                " needs a member and is needed by one",
            "the op between in the same kernel"};
  }

  void mergeAll() {
    while (!heap.empty()) {
      Candidate candidate = heap.top();
      heap.pop();
      if (order.find(candidate.producer) == order.find(candidate.consumer))
        continue;
      // Looking for a cycle is cheaper than pricing.
      bool isPriced = !isStale(candidate) && !candidate.isDear;
      if (!checkOrder(candidate.producer, candidate.consumer)) {
        noteVersions(candidate);
        refused.push_back(candidate);
        continue;
      }
      double expected = candidate.gainNs;
      if (!isPriced && !price(candidate))
        continue;
      // Growing groups change gains a little; only what fell far waits for its turn again.
      if (candidate.gainNs < expected / 2 && !heap.empty() && candidate < heap.top()) {
        heap.push(candidate);
        continue;
      }
      if (!plan.merge(candidate.producer, candidate.consumer)) {
        notExecuted.insert({candidate.producer, candidate.consumer});
        continue;
      }
      join(candidate.producer, candidate.consumer);
      groupOf(candidate.producer).launch = mergedFacts[candidate.number];
      if (!candidate.isSibling && plan.isExplained())
        mergeGains[{candidate.producer, candidate.consumer}] = candidate.gainNs;
    }
  }

  /// Prices a candidate anew. A refusal is kept where growing groups may undo it.
  bool price(Candidate &candidate) {
    MergeVerdict verdict = evaluate(candidate, &memo);
    if (verdict.legality)
      return true;
    switch (verdict.legality.barrier) {
    case Barrier::TooFewBlocks:
    case Barrier::Recomputation:
    case Barrier::Rereading:
    case Barrier::Overlap:
    case Barrier::TooManyOperands:
    case Barrier::AliasingStore:
    case Barrier::UnknownExtent:
    case Barrier::MinGain:
    case Barrier::Disabled:
      refused.push_back(candidate);
      break;
    default:
      break;
    }
    return false;
  }

  /// Takes groups apart that gain less than the target asks for.
  void judgeGroups() {
    double minGain = plan.getTarget().getFigure("min_gain_ns");
    for (unsigned node = 0; node < graph.size(); ++node) {
      Group &group = groups[node];
      if (order.find(node) != node || group.numUnits < 2)
        continue;
      double gain = group.unitsNs - query.getIoModel().estimateNs(group.launch);
      if (gain >= minGain)
        continue;
      dissolved[node] = gain;
      plan.dissolve(group.nodes);
      // Composites stay whole.
      llvm::MapVector<int64_t, SmallVector<unsigned>> origins;
      for (unsigned member : group.nodes)
        if (std::optional<int64_t> id = getOriginId(graph.getOp(member)))
          origins[*id].push_back(member);
      // And so do kernels that were asked for.
      llvm::MapVector<Attribute, unsigned> labels;
      for (unsigned member : group.nodes)
        if (StringAttr label = table[member].together)
          plan.unite(labels.try_emplace(label, member).first->second, member);
      for (auto &[id, members] : origins)
        if (plan.checkLabel(members))
          for (unsigned member : members)
            plan.unite(members.front(), member);
    }
  }

  //===- Explanations -----------------------------------------------------------------------===//

  void explain() {
    SmallVector<std::pair<unsigned, unsigned>> keptApart;
    for (unsigned consumer = 0; consumer < graph.size(); ++consumer) {
      NodeKind kind = graph.getKind(consumer);
      if (kind == NodeKind::View || kind == NodeKind::Terminator || kind == NodeKind::Constant ||
          computesSizes(graph.getOp(consumer)))
        continue;
      for (unsigned producer : getProducers(graph, consumer)) {
        if (plan.getGroup(producer) != plan.getGroup(consumer)) {
          if (plan.getRepetitions(producer).empty() && !computesSizes(graph.getOp(producer)))
            keptApart.push_back({producer, consumer});
          continue;
        }
        auto it = mergeGains.find({producer, consumer});
        if (it != mergeGains.end())
          plan.explainMerge(producer, consumer, it->second);
      }
    }
    if (!keptApart.empty() && plan.explainNumber(keptApart.size()))
      for (auto [producer, consumer] : keptApart)
        explainRefusal(producer, consumer);
  }

  static std::string formatNs(double ns) {
    std::string text;
    llvm::raw_string_ostream(text) << llvm::format("%.0f ns", ns);
    return text;
  }

  void explainRefusal(unsigned producer, unsigned consumer) {
    unsigned home = order.find(producer);
    if (home == order.find(consumer)) // taken apart at last
      return plan.explainRefusal(producer, consumer,
                                 {Barrier::MinGain,
                                  "the kernel as a whole would gain less than the " +
                                      formatNs(plan.getTarget().getFigure("min_gain_ns")) + " that the target asks for",
                                  "larger values, or a target with a smaller min_gain_ns"},
                                 dissolved.lookup(home));
    if (notExecuted.contains({producer, consumer}))
      return plan.explainRefusal(producer, consumer, plan.getFuelLegality(producer, consumer));
    SmallVector<unsigned> nodes = mergeSorted(producer, consumer);
    Legality legality = query.checkMembers(nodes);
    std::optional<double> gain;
    if (legality) {
      Candidate candidate{0, kNoNumber, producer, consumer, /*isSibling=*/false, {0, 0}};
      MergeVerdict verdict = evaluate(candidate);
      legality = verdict.legality;
      if (verdict.gainNs != 0) // asked for a price at all
        gain = verdict.gainNs;
      if (legality)
        legality = checkOrder(producer, consumer);
      if (legality)
        legality = {Barrier::NotPlanned, "nothing but the plan keeps them apart", "another plan"};
    }
    plan.explainRefusal(producer, consumer, legality, gain, [&](Legality &refused) {
      conditions.addTo(refused, groupOf(producer).nodes, groupOf(consumer).nodes);
    });
  }

  BlockPlan &plan;
  const FusionGraph &graph;
  MemberTable table;
  MergeQuery query;
  SizeConditions conditions;
  GroupMemo memo;
  ContractionOrder order;
  std::vector<Group> groups;
  MergeTolerance tolerance = MergeTolerance::None;
  std::priority_queue<Candidate> heap;
  std::vector<Candidate> refused;
  std::vector<LaunchFacts> mergedFacts; // of the kernel that each candidate would be, by its number
  uint64_t numPriced = 0, numMembersPriced = 0;
  llvm::DenseSet<std::pair<unsigned, unsigned>> notExecuted;
  llvm::DenseMap<std::pair<unsigned, unsigned>, double> mergeGains;
  llvm::DenseMap<unsigned, double> dissolved;
};

struct PriorityStrategy : Strategy {
  StringRef getName() const override { return "priority"; }
  void plan(BlockPlan &plan) const override { PriorityPlanner(plan).run(); }
};

} // namespace

std::unique_ptr<Strategy> mlir::fuse::createPriorityStrategy() {
  return std::make_unique<PriorityStrategy>();
}
