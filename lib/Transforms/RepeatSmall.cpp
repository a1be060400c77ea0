//===- RepeatSmall.cpp - Small kernels that their readers compute for themselves -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "RepeatSmall.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::fuse;

/// Larger values take longer than a launch where many blocks compute them, and prices of that are not exact.
static constexpr int64_t kMostBytes = 1 << 16;

namespace {

class SmallGroups {
public:
  SmallGroups(BlockPlan &plan, const MemberTable &table, const MergeQuery &query, GroupMemo &memo)
      : plan(plan), graph(plan.getGraph()), table(table), query(query), memo(memo) {}

  void repeat() {
    llvm::MapVector<unsigned, SmallVector<unsigned>> groups;
    for (unsigned node = 0; node < table.size(); ++node)
      if (table[node].isFusable)
        groups[plan.getGroup(node)].push_back(node);
    for (auto &[leader, nodes] : groups)
      membersOf[leader] = nodes;
    // Readers first: what they compute for themselves, they read for themselves.
    SmallVector<unsigned> leaders = llvm::map_to_vector(groups, [](auto &entry) { return entry.first; });
    llvm::sort(leaders, [&](unsigned a, unsigned b) { return groups[a].back() > groups[b].back(); });
    for (unsigned leader : leaders)
      if (isSmall(groups[leader]))
        repeat(groups[leader]);
  }

private:
  bool isSmall(ArrayRef<unsigned> nodes) const {
    return llvm::all_of(nodes, [&](unsigned node) {
      const Member &member = table[node];
      Operation *op = graph.getOp(node);
      auto fusable = dyn_cast<FusableOpInterface>(op);
      return fusable && fusable.isBitStable() && isMemoryEffectFree(op) && !member.isAlone && !member.together &&
             !member.escapes && member.copies.empty() && member.hasResult && !member.readers.empty() &&
             member.resultBytes <= kMostBytes;
    });
  }

  /// A node of each group that reads one of `nodes`; empty where what is no member of a kernel reads one.
  SmallVector<unsigned> getReaders(ArrayRef<unsigned> nodes) const {
    llvm::SetVector<unsigned> readers;
    for (unsigned node : nodes)
      for (unsigned reader : table[node].readers) {
        if (!table[reader].isFusable)
          return {};
        if (llvm::is_contained(nodes, reader))
          continue;
        ArrayRef<unsigned> repeated = plan.getRepetitions(reader);
        if (repeated.empty())
          readers.insert(plan.getGroup(reader));
        for (unsigned other : repeated)
          readers.insert(plan.getGroup(other));
      }
    return readers.takeVector();
  }

  /// Those of `nodes` that `members`, which read some of them, need.
  SmallVector<unsigned> getNeeded(ArrayRef<unsigned> nodes, ArrayRef<unsigned> members) const {
    SmallVector<unsigned> needed;
    for (unsigned node : llvm::reverse(nodes))
      if (llvm::any_of(table[node].readers, [&](unsigned reader) {
            return llvm::is_contained(needed, reader) || std::binary_search(members.begin(), members.end(), reader);
          }))
        needed.push_back(node);
    return llvm::to_vector(llvm::reverse(needed));
  }

  static SmallVector<unsigned> merge(ArrayRef<unsigned> a, ArrayRef<unsigned> b) {
    SmallVector<unsigned> all;
    std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
    return all;
  }

  SmallVector<unsigned> getRepeated(ArrayRef<unsigned> members) const {
    return llvm::filter_to_vector(members, [&](unsigned node) { return !plan.getRepetitions(node).empty(); });
  }

  void repeat(ArrayRef<unsigned> nodes) {
    SmallVector<unsigned> readers = getReaders(nodes);
    if (readers.size() < 2)
      return;
    const CostModel &io = query.getIoModel(), &time = plan.getCostModel();
    LaunchFacts own = query.evaluate(nodes, memo).facts;
    double savedNs = io.estimateNs(own), savedTimeNs = time.estimateNs(own);
    SmallVector<BlockPlan::Repetition> repetitions;
    for (unsigned node : nodes)
      repetitions.push_back({node, {}});
    SmallVector<SmallVector<unsigned>> merged;
    for (unsigned reader : readers) {
      ArrayRef<unsigned> before = membersOf[reader];
      SmallVector<unsigned> needed = getNeeded(nodes, before), repeated = getRepeated(before);
      merged.push_back(merge(before, needed));
      if (!query.checkMembers(merged.back()) || !plan.checkLabel(merged.back()))
        return;
      GroupVerdict with = query.evaluate(merged.back(), memo, merge(repeated, needed));
      if (!with.legality)
        return;
      LaunchFacts without = query.evaluate(before, memo, repeated).facts;
      savedNs += io.estimateNs(without) - io.estimateNs(with.facts);
      savedTimeNs += time.estimateNs(without) - time.estimateNs(with.facts);
      for (BlockPlan::Repetition &repetition : repetitions)
        if (std::binary_search(needed.begin(), needed.end(), repetition.node))
          repetition.groups.push_back(reader);
    }
    if (savedNs <= 0 || savedTimeNs <= 0 || !plan.repeat(repetitions))
      return;
    for (auto [reader, members] : llvm::zip_equal(readers, merged))
      membersOf[reader] = members;
    if (plan.isExplained())
      plan.explainRepetition(nodes.back(), readers, savedNs);
  }

  BlockPlan &plan;
  const FusionGraph &graph;
  const MemberTable &table;
  const MergeQuery &query;
  GroupMemo &memo;
  /// The members of each group, those included that other groups compute as well.
  llvm::DenseMap<unsigned, SmallVector<unsigned>> membersOf;
};

} // namespace

void mlir::fuse::repeatSmallGroups(BlockPlan &plan, const MemberTable &table, const MergeQuery &query, GroupMemo &memo) {
  SmallGroups(plan, table, query, memo).repeat();
}
