//===- Strategy.cpp - The plan of a block while it grows, and the list of strategies -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Transforms/Strategy.h"
#include "fuse/IR/OpText.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::fuse;

BlockPlan::BlockPlan(const FusionGraph &graph, StringRef functionName,
                     const llvm::StringSet<> &disabledLabels)
    : graph(graph), functionName(functionName), disabledLabels(disabledLabels),
      members(graph.size()), leaders(graph.size()) {
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

static remark::RemarkOpts remarkOpts(StringRef name, StringRef functionName) {
  return remark::RemarkOpts::name(name).category("fuse-plan").function(functionName);
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
  if (!executed) {
    refuse(producer, consumer,
           {Barrier::Fuel, "the merge of " + what + " was not executed",
            "another limit of --mlir-debug-counter"});
    return false;
  }
  int64_t bytes = getByteSize(from->getResult(0).getType());
  remark::passed(to->getLoc(), remarkOpts("fused", functionName))
      << remark::add("fused {0}: saves 1 launch and {1} bytes", what, bytes);
  return true;
}

void BlockPlan::refuse(unsigned producer, unsigned consumer, const Legality &why) {
  Operation *from = graph.getOp(producer), *to = graph.getOp(consumer);
  remark::missed(to->getLoc(), remarkOpts(stringifyBarrier(why.barrier), functionName))
      << remark::add("{0} is not fused with {1}", describeOp(from), describeOp(to))
      << remark::reason("{0}", why.reason) << remark::suggest("{0}", why.needs);
}

std::vector<SmallVector<unsigned>> BlockPlan::getGroups() const {
  std::vector<SmallVector<unsigned>> groups;
  llvm::DenseMap<unsigned, unsigned> places;
  for (unsigned node = 0; node < graph.size(); ++node) {
    if (members[leaders[node]].size() < 2)
      continue;
    auto [it, isNew] = places.try_emplace(leaders[node], groups.size());
    if (isNew)
      groups.emplace_back();
    groups[it->second].push_back(node);
  }
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

static constexpr StringRef kNames[] = {"chains", "none"};

ArrayRef<StringRef> Strategy::getNames() { return kNames; }

std::unique_ptr<Strategy> Strategy::create(StringRef name) {
  if (name == "chains")
    return createChainsStrategy();
  if (name == "none")
    return std::make_unique<NoneStrategy>();
  return nullptr;
}
