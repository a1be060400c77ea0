//===- Report.cpp - What fusion did, in numbers -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Report/Report.h"
#include "ProfileText.h"
#include "Refusals.h"
#include "fuse/Analysis/FusionGraph.h"
#include "fuse/Analysis/Labels.h"
#include "fuse/CostModel/IoCost.h"
#include "fuse/IR/OpText.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/SetVector.h"

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

KernelReport describeKernel(KernelOp kernel) {
  KernelReport report;
  llvm::SetVector<WrittenOp> written;
  for (Operation &op : kernel.getBlock()->without_terminator()) {
    if (classifyNode(&op) != NodeKind::Device)
      continue;
    if (written.insert(getWritten(&op)))
      report.ops.push_back(describeOp(&op));
    for (Value result : op.getResults())
      if (isElided(result)) {
        ++report.valuesElided;
        report.memorySavedBytes =
            addSaturating(report.memorySavedBytes, getByteSize(result.getType()));
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
  report.ops.push_back(describeOp(op));
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

std::string formatKilobytes(int64_t bytes) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.1fKB", bytes / 1024.0);
  return text;
}

} // namespace

void mlir::fuse::printProfile(StringRef name, const Profile &profile, raw_ostream &os) {
  os << "  " << name << ": launches " << profile.kernelLaunches << ", syncs " << profile.syncPoints
     << ", readback " << profile.hostOutputBytes << " bytes, traffic "
     << profile.deviceTrafficBytes << " bytes";
  if (profile.unknownValues)
    os << ", values of unknown size " << profile.unknownValues;
  if (profile.partial)
    os << " (a loop of unknown length counted once)";
  os << "\n";
}

double FunctionReport::getKernelReduction() const {
  return originalKernels == 0 ? 0.0 : 1.0 - static_cast<double>(fusedKernels) / originalKernels;
}

std::string FunctionReport::getSummary() const {
  std::string text;
  // A reduction that rounds to nothing is not printed as -0.
  double percent = std::round(100.0 * getKernelReduction()) + 0.0;
  llvm::raw_string_ostream(text)
      << "Fusion: " << originalKernels << " \xE2\x86\x92 " << fusedKernels << " kernels ("
      << llvm::format("%.0f", percent) << "% reduction), " << formatKilobytes(memorySavedBytes)
      << " memory saved";
  return text;
}

FunctionReport mlir::fuse::computeFunctionReport(FunctionOpInterface function) {
  FunctionReport report;
  report.name = function.getName().str();
  report.after = computeProfile(function);
  report.before = computeWrittenProfile(function);
  if (TargetAttr target = getPricedTarget(function)) {
    report.target = target.getName();
    report.scoreNs = computeScore(computeBenefit(report.before, report.after), getIoFigures(target));
  }
  report.originalKernels = report.before.kernelLaunches;
  report.fusedKernels = report.after.kernelLaunches;
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    NodeKind kind = classifyNode(op);
    report.unknownOps += isUnknownOp(op);
    if (kind != NodeKind::Kernel && kind != NodeKind::Host && kind != NodeKind::Device)
      return WalkResult::advance();
    KernelReport kernel = kind == NodeKind::Kernel ? describeKernel(cast<KernelOp>(op))
                                                   : describeLoneOp(op, kind);
    kernel.op = op;
    kernel.id = report.kernels.size();
    kernel.name = makeName(kernel.ops);
    kernel.trafficBytes = computeTrafficBytes(op);
    report.memorySavedBytes = addSaturating(report.memorySavedBytes, kernel.memorySavedBytes);
    report.kernels.push_back(std::move(kernel));
    return WalkResult::skip();
  });
  report.refused = collectRefusals(function);
  return report;
}

Report mlir::fuse::computeReport(ModuleOp module) {
  Report report;
  for (auto function : module.getOps<FunctionOpInterface>())
    if (!function.isExternal())
      report.functions.push_back(computeFunctionReport(function));
  return report;
}

void mlir::fuse::printReport(const Report &report, raw_ostream &os) {
  for (const FunctionReport &function : report.functions) {
    os << "@" << function.name << "\n" << function.getSummary() << "\n";
    printProfile("before", function.before, os);
    printProfile("after", function.after, os);
    if (function.scoreNs)
      os << "  score: " << llvm::format("%.3f", *function.scoreNs) << " ns on " << function.target
         << "\n";
    if (function.unknownOps)
      os << "  ops of other dialects, not planned: " << function.unknownOps << "\n";
    for (const KernelReport &kernel : function.kernels) {
      os << "  kernel " << kernel.id << ": " << kernel.label << ": "
         << llvm::join(kernel.ops, ", ") << "; inputs " << kernel.inputs << ", outputs "
         << kernel.outputs << "; memory_saved " << formatKilobytes(kernel.memorySavedBytes)
         << ", buffers_eliminated " << kernel.buffersEliminated << ", values_elided "
         << kernel.valuesElided;
      if (kernel.blocks)
        os << "; blocks " << *kernel.blocks;
      if (kernel.scratchBytes)
        os << ", scratch " << *kernel.scratchBytes << " bytes";
      if (kernel.ms)
        os << "; " << llvm::format("%.4f", *kernel.ms) << " ms";
      os << "\n";
    }
  }
}
