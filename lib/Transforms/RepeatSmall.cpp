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

  /// A node of each group that reads one of `nodes`, ascending by these groups' last nodes.
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

  void repeat(ArrayRef<unsigned> nodes) {
    SmallVector<unsigned> readers = getReaders(nodes);
    if (readers.size() < 2)
      return;
    const CostModel &io = query.getIoModel(), &time = plan.getCostModel();
    LaunchFacts own = query.evaluate(nodes, memo).facts;
    double savedNs = io.estimateNs(own), savedTimeNs = time.estimateNs(own);
    for (unsigned reader : readers) {
      ArrayRef<unsigned> before = membersOf[reader];
      SmallVector<unsigned> after, repeatedBefore, repeatedAfter;
      std::merge(before.begin(), before.end(), nodes.begin(), nodes.end(), std::back_inserter(after));
      for (unsigned node : after) {
        bool isOwn = llvm::is_contained(nodes, node);
        if (isOwn || !plan.getRepetitions(node).empty())
          repeatedAfter.push_back(node);
        if (!isOwn && !plan.getRepetitions(node).empty())
          repeatedBefore.push_back(node);
      }
      if (!query.checkMembers(after) || !plan.checkLabel(after))
        return;
      GroupVerdict with = query.evaluate(after, memo, repeatedAfter);
      if (!with.legality)
        return;
      LaunchFacts without = query.evaluate(before, memo, repeatedBefore).facts;
      savedNs += io.estimateNs(without) - io.estimateNs(with.facts);
      savedTimeNs += time.estimateNs(without) - time.estimateNs(with.facts);
    }
    if (savedNs <= 0 || savedTimeNs <= 0 || !plan.repeat(nodes, readers))
      return;
    for (unsigned reader : readers) {
      SmallVector<unsigned> &members = membersOf[reader];
      SmallVector<unsigned> before = std::move(members);
      members.clear();
      std::merge(before.begin(), before.end(), nodes.begin(), nodes.end(), std::back_inserter(members));
    }
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
