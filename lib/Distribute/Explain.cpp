//===- Explain.cpp - What plans take, and what decided ---------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Distribute/Distribute.h"
#include "fuse/IR/FuseDialect.h"
#include "fuse/IR/OpText.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::fuse;

static std::string formatGrid(Grid grid) {
  std::string text;
  for (int64_t extent : grid)
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text;
}

static void printPlan(raw_ostream &os, const DistributionPlan &plan) {
  os << llvm::formatv("grid {0}, {1:F1} us ({2:F1} computing, {3:F1} in {4} collectives), {5} bytes sent, "
                      "{6} bytes of memory for each rank",
                      formatGrid(plan.grid), plan.getNs() / 1000, plan.computeNs / 1000,
                      plan.collectiveNs / 1000, plan.collectives.size(), plan.bytesSent,
                      plan.memoryBytes);
}

/// Arguments that are cut, by name.
static void printArguments(raw_ostream &os, const Proposal &proposal) {
  func::FuncOp function = proposal.problem->function;
  constexpr unsigned kMost = 8;
  unsigned count = 0;
  for (BlockArgument argument : function.getArguments()) {
    auto it = proposal.plan.arguments.find(argument);
    if (it == proposal.plan.arguments.end() || it->second.isNothing())
      continue;
    if (++count > kMost)
      continue;
    auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), attr::kName);
    os << "\n    " << (name ? name.str() : "argument " + std::to_string(argument.getArgNumber())) << ": "
       << describe(cast<RankedTensorType>(argument.getType()).getRank(), it->second);
  }
  if (count > kMost)
    os << "\n    and " << count - kMost << " more arguments are cut";
}

/// The op in which the first plan gains most over the other one.
static void printDecision(raw_ostream &os, const Proposal &first, const Proposal &other) {
  if (first.problem->steps.size() != other.problem->steps.size()) {
    os << "; decided by products that are read in parts: split or not";
    return;
  }
  double most = 0;
  size_t at = 0;
  for (size_t i = 0; i < first.plan.stepNs.size(); ++i)
    if (double gain = other.plan.stepNs[i] - first.plan.stepNs[i]; gain > most) {
      most = gain;
      at = i;
    }
  if (most == 0) {
    os << "; no op takes longer";
    return;
  }
  os << "; decided by " << describeOp(first.problem->steps[at].op)
     << llvm::formatv(": {0:F1} us instead of {1:F1}", other.plan.stepNs[at] / 1000,
                      first.plan.stepNs[at] / 1000);
}

std::string mlir::fuse::explain(ArrayRef<Proposal> proposals) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (auto [number, proposal] : llvm::enumerate(proposals)) {
    os << (number == 0 ? "chosen: " : "\n  next: ");
    printPlan(os, proposal.plan);
    if (number > 0)
      printDecision(os, proposals.front(), proposal);
    printArguments(os, proposal);
    if (number > 0)
      continue;
    constexpr size_t kMost = 12;
    for (const PlannedCollective &one : ArrayRef(proposal.plan.collectives).take_front(kMost))
      os << llvm::formatv("\n    {0:F1} us, {1} bytes: ", one.ns / 1000, one.bytes)
         << describeOp(one.cause) << ": " << one.what;
    if (proposal.plan.collectives.size() > kMost)
      os << "\n    and " << proposal.plan.collectives.size() - kMost << " more collectives";
  }
  return text;
}
