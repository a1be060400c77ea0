//===- LaunchBlocks.cpp - What the planner knows of launches that are formed -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/CostModel/LaunchBlocks.h"

#include "fuse/IR/FuseDialect.h"
#include "fuse/IR/OpText.h"

using namespace mlir;
using namespace mlir::fuse;

bool mlir::fuse::isLaunch(Operation *op) {
  NodeKind kind = classifyNode(op);
  return kind == NodeKind::Kernel || kind == NodeKind::Host || kind == NodeKind::Device;
}

SmallVector<Operation *> mlir::fuse::collectLaunches(FunctionOpInterface function) {
  SmallVector<Operation *> launches;
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isLaunch(op))
      return WalkResult::advance();
    launches.push_back(op);
    return WalkResult::skip();
  });
  return launches;
}

std::vector<std::string> mlir::fuse::describeWrittenOps(Operation *launch) {
  std::vector<std::string> texts;
  auto kernel = dyn_cast<KernelOp>(launch);
  if (!kernel) {
    texts.push_back(describeOp(launch));
    return texts;
  }
  llvm::SmallDenseSet<int64_t> composites;
  for (Operation &op : kernel.getBlock()->without_terminator()) {
    if (classifyNode(&op) != NodeKind::Device)
      continue;
    std::optional<int64_t> id = getOriginId(&op);
    if (!id || composites.insert(*id).second)
      texts.push_back(describeOp(&op));
  }
  return texts;
}

bool mlir::fuse::hasStaticSizes(Operation *launch) {
  auto isStatic = [](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    return !shaped || shaped.hasStaticShape();
  };
  return !launch
              ->walk([&](Operation *op) {
                bool known = llvm::all_of(op->getOperandTypes(), isStatic) &&
                             llvm::all_of(op->getResultTypes(), isStatic);
                return known ? WalkResult::advance() : WalkResult::interrupt();
              })
              .wasInterrupted();
}

InlinedFunction::InlinedFunction(FunctionOpInterface formed) {
  IRMapping mapping;
  copy = cast<FunctionOpInterface>(formed->clone(mapping));
  for (auto [original, op] : mapping.getOperationMap())
    originals[op] = original;
  for (auto [id, op] : llvm::enumerate(collectLaunches(*copy))) {
    auto kernel = dyn_cast<KernelOp>(op);
    if (!kernel) {
      launches[op] = id;
      continue;
    }
    if (auto schedule = kernel->getAttrOfType<ScheduleAttr>(attr::kSchedule))
      schedules[id] = schedule;
    Block *body = kernel.getBlock();
    for (auto [argument, input] : llvm::zip(body->getArguments(), kernel.getInputs()))
      argument.replaceAllUsesWith(input);
    YieldOp yield = kernel.getYield();
    for (auto [result, value] : llvm::zip(kernel.getResults(), yield.getResults()))
      result.replaceAllUsesWith(value);
    yield.erase();
    for (Operation &member : llvm::make_early_inc_range(*body)) {
      launches[&member] = id;
      member.moveBefore(kernel);
    }
    kernel.erase();
  }
}

std::optional<int64_t> InlinedFunction::getLaunch(Operation *op) const {
  auto it = launches.find(op);
  return it == launches.end() ? std::nullopt : std::optional(it->second);
}

LaunchBlock::LaunchBlock(Block &block, const InlinedFunction &function, TargetAttr target,
                         const CostModel &costModel)
    : graph(block), table(graph), query(graph, table, target, costModel) {
  for (unsigned node = 0; node < graph.size(); ++node) {
    std::optional<int64_t> launch;
    if (NodeKind kind = graph.getKind(node); kind == NodeKind::Device || kind == NodeKind::Host)
      launch = function.getLaunch(graph.getOp(node));
    launchOf.push_back(launch ? *launch : -1 - static_cast<int64_t>(node));
    SmallVector<unsigned> &group = groups[launchOf.back()];
    if (launch && group.empty()) {
      launches.push_back(*launch);
      schedules[*launch] = function.getSchedule(*launch);
    }
    group.push_back(node);
  }
}

ArrayRef<unsigned> LaunchBlock::getNodes(int64_t launch) const {
  auto it = groups.find(launch);
  return it == groups.end() ? ArrayRef<unsigned>() : ArrayRef<unsigned>(it->second);
}

const GroupVerdict *LaunchBlock::evaluate(int64_t launch) const {
  ArrayRef<unsigned> nodes = getNodes(launch);
  if (nodes.empty() || !llvm::all_of(nodes, [&](unsigned node) { return table[node].isFusable; }))
    return nullptr;
  auto [it, isNew] = verdicts.try_emplace(launch);
  if (isNew)
    it->second = query.evaluate(nodes, schedules.lookup(launch));
  return &it->second;
}

std::optional<LaunchFacts> LaunchBlock::getFacts(int64_t launch) const {
  const GroupVerdict *verdict = evaluate(launch);
  return verdict ? std::optional(verdict->facts) : std::nullopt;
}

ScheduleAttr LaunchBlock::getSchedule(int64_t launch) const {
  const GroupVerdict *verdict = evaluate(launch);
  return verdict ? verdict->schedule : ScheduleAttr();
}
