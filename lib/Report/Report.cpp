//===- Report.cpp - What fusion did, in numbers -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Report/Report.h"
#include "LocationText.h"
#include "Refusals.h"
#include "VariantGains.h"
#include "fuse/Analysis/FusionGraph.h"
#include "fuse/Analysis/Labels.h"
#include "fuse/CostModel/Collectives.h"
#include "fuse/CostModel/IoCost.h"
#include "fuse/Support/Saturating.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "fuse/IR/CollectiveShapes.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// The written op of a primitive: its origin's id, or the op.
using WrittenOp = std::pair<int64_t, Operation *>;
WrittenOp getWritten(Operation *op) {
  if (std::optional<int64_t> id = getOriginId(op))
    return {*id, nullptr};
  return {-1, op};
}

/// Whether another written op of the kernel reads `value`, and nobody outside does.
bool isElided(Value value) {
  WrittenOp own = getWritten(value.getDefiningOp());
  bool crosses = false;
  SmallVector<Value> work{value};
  while (!work.empty())
    for (Operation *user : work.pop_back_val().getUsers()) {
      if (isa<YieldOp>(user))
        return false;
      if (classifyNode(user) == NodeKind::View)
        work.push_back(user->getResult(0));
      else
        crosses |= getWritten(user) != own;
    }
  return crosses;
}

std::string makeName(ArrayRef<std::string> ops) {
  std::string name;
  for (StringRef text : ops.take_front(4)) {
    if (!name.empty())
      name += '_';
    for (char c : text.take_until([](char c) { return c == '('; }))
      name += llvm::isAlnum(c) ? c : '_';
  }
  return ops.size() > 4 ? name + "_etc" : name;
}

int64_t countInputs(ValueRange operands) {
  llvm::SmallSetVector<Value, 8> sources;
  for (Value operand : operands)
    sources.insert(getViewSource(operand));
  return sources.size();
}

/// How often the loops around an op run it, as far as that is known; saturates.
int64_t countRuns(Operation *op) {
  int64_t runs = 1;
  for (Operation *parent = op->getParentOp(); parent; parent = parent->getParentOp())
    runs = mulSaturating(runs, getStaticTrips(parent).value_or(1));
  return runs;
}

KernelReport describeKernel(KernelOp kernel, ValueSizes &sizes) {
  KernelReport report;
  report.ops = describeWrittenOps(kernel);
  for (Operation &op : kernel.getBlock()->without_terminator()) {
    if (classifyNode(&op) != NodeKind::Device)
      continue;
    addLocations(op.getLoc(), report.locations);
    for (Value result : op.getResults())
      if (isElided(result)) {
        ++report.valuesElided;
        report.memorySavedBytes =
            addSaturating(report.memorySavedBytes, sizes.getBytes(result).count);
      }
  }
  report.label = getLabel(kernel).str();
  report.inputs = countInputs(kernel.getInputs());
  llvm::SmallSetVector<Value, 4> outputs;
  for (Value output : kernel.getYield().getResults())
    outputs.insert(output);
  report.outputs = outputs.size();
  report.buffersEliminated =
      std::max<int64_t>(0, report.ops.size() - (report.inputs + report.outputs));
  return report;
}

KernelReport describeLoneOp(Operation *op, NodeKind kind) {
  KernelReport report;
  report.ops = describeWrittenOps(op);
  addLocations(op->getLoc(), report.locations);
  report.label = kind == NodeKind::Host ? "host" : "other";
  report.inputs = countInputs(op->getOperands());
  report.outputs = op->getNumResults();
  return report;
}

bool isUnknownOp(Operation *op) {
  auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
  return classifyNode(op) == NodeKind::Foreign && !isa<RegionBranchOpInterface>(op) &&
         (llvm::any_of(op->getOperandTypes(), isTensor) ||
          llvm::any_of(op->getResultTypes(), isTensor));
}

/// The target that somebody chose; the default serves where figures are needed, not prices.
TargetAttr getPricedTarget(Operation *op) {
  while (op && !op->hasAttr(attr::kTarget))
    op = op->getParentOp();
  return op ? TargetAttr::lookup(op) : TargetAttr();
}

/// Asks the planner again: what launches cost, and why they are not one.
void addPlanning(FunctionOpInterface function, Numerics numerics, TargetAttr timed,
                 FunctionReport &report) {
  TargetAttr target = TargetAttr::lookup(function);
  std::unique_ptr<CostModel> costModel = createCostModel("roofline", target, numerics);
  std::unique_ptr<CostModel> timeModel =
      createCostModel("roofline", timed ? timed : target, numerics);
  bool onlyChains = areOnlyChains(function);
  InlinedFunction inlined(function);
  inlined.getFunction()->walk<WalkOrder::PreOrder>([&](Block *body) {
    LaunchBlock block(*body, inlined, target, *costModel);
    for (int64_t launch : block.getLaunches()) {
      KernelReport &kernel = report.kernels[launch];
      kernel.isScheduled = kernel.op->hasAttr(attr::kSchedule);
      if (getCollectiveKind(kernel.op) && hasStaticSizes(kernel.op)) {
        kernel.predictedMs = collectiveTime(timed ? timed : target, kernel.op) * 1e-6;
        continue;
      }
      std::optional<LaunchFacts> facts = block.getFacts(launch);
      if (!facts || !hasStaticSizes(kernel.op))
        continue;
      kernel.predictedMs = timeModel->estimateNs(*facts) * 1e-6;
      kernel.flops = facts->flops;
      if (facts->warpgroupFlops > 0)
        kernel.warpgroupFlops = facts->warpgroupFlops;
      if (facts->blocks)
        kernel.plannedBlocks = facts->blocks;
      llvm::raw_string_ostream(kernel.plannedSchedule) << block.getSchedule(launch);
    }
    collectRefusals(block, inlined, target, *costModel, onlyChains, report.refused);
  });
}

} // namespace

FunctionReport mlir::fuse::computeFunctionReport(FunctionOpInterface function, Numerics numerics,
                                                 TargetAttr timed) {
  FunctionReport report;
  report.name = function.getName().str();
  report.after = computeProfile(function);
  report.before = computeWrittenProfile(function);
  report.target = (timed ? timed : TargetAttr::lookup(function)).getName();
  if (TargetAttr target = getPricedTarget(function))
    report.scoreNs =
        computeScore(computeBenefit(report.before, report.after), getIoFigures(target));
  report.originalKernels = report.before.kernelLaunches;
  report.fusedKernels = report.after.kernelLaunches;
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    report.unknownOps += isUnknownOp(op);
    return isLaunch(op) ? WalkResult::skip() : WalkResult::advance();
  });
  ValueSizes sizes;
  for (Operation *op : collectLaunches(function)) {
    KernelReport kernel = isa<KernelOp>(op) ? describeKernel(cast<KernelOp>(op), sizes)
                                            : describeLoneOp(op, classifyNode(op));
    kernel.op = op;
    kernel.id = report.kernels.size();
    kernel.name = makeName(kernel.ops);
    kernel.layer = findLayer(kernel.locations);
    kernel.trafficBytes = computeTrafficBytes(op, sizes);
    if (getCollectiveKind(op)) {
      ProcessGroupAttr group = getProcessGroup(op);
      report.grid.assign(group.getGrid().begin(), group.getGrid().end());
      kernel.collectiveBytes = getCollectiveBytesSent(op);
    }
    report.memorySavedBytes = addSaturating(report.memorySavedBytes,
                                            mulSaturating(kernel.memorySavedBytes, countRuns(op)));
    report.kernels.push_back(std::move(kernel));
  }
  addPlanning(function, numerics, timed, report);
  report.variants = describeVariants(function, numerics, timed);
  return report;
}

Report mlir::fuse::computeReport(ModuleOp module, Numerics numerics, TargetAttr timed) {
  Report report;
  for (auto function : module.getOps<FunctionOpInterface>())
    if (!function.isExternal())
      report.functions.push_back(computeFunctionReport(function, numerics, timed));
  return report;
}
