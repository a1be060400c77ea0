//===- PricePlan.cpp - What a plan takes, collective by collective ------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Distribute/Partition.h"
#include "fuse/IR/FuseInterfaces.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

class Pricing {
public:
  Pricing(const Problem &problem, DistributionPlan &plan)
      : problem(problem), plan(plan), grid(plan.grid) {}

  void run() {
    plan.computeNs = plan.collectiveNs = plan.resultNs = 0;
    plan.bytesSent = 0;
    plan.collectives.clear();
    plan.stepNs.clear();
    findLastUses();
    int64_t fixedBytes = 0;
    for (BlockArgument argument : problem.function.getArguments())
      if (isa<RankedTensorType>(argument.getType())) {
        const Cut &cut = plan.arguments.find(argument)->second;
        versions[argument] = {{cut, 0}};
        fixedBytes += bytesOf(argument, cut);
      }
    problem.function.walk([&](Operation *op) {
      if (op->getNumResults() == 1 && problem.isConstant(op->getResult(0)) &&
          !problem.isSplat(op->getResult(0)))
        fixedBytes += getByteSize(op->getResult(0).getType());
    });
    for (auto [number, pair] : llvm::enumerate(llvm::zip_equal(problem.steps, plan.placements)))
      addStep(number, std::get<0>(pair), std::get<1>(pair));
    plan.memoryBytes = fixedBytes + mostLive;
  }

private:
  int64_t bytesOf(Value value, const Cut &cut) {
    return getByteSize(value.getType()) / std::max<int64_t>(cut.getParts(grid), 1);
  }

  void findLastUses() {
    for (auto [number, step] : llvm::enumerate(problem.steps))
      for (Value operand : step.op->getOperands())
        lastUse[operand] = number;
  }

  void addCollective(Operation *cause, std::string what, double ns, int64_t bytes) {
    if (ns == 0) // once, before the first call
      return;
    plan.collectiveNs += ns;
    plan.bytesSent += bytes;
    plan.collectives.push_back({cause, std::move(what), ns, bytes});
  }

  void addStep(unsigned number, const Step &step, const Placement &placement) {
    double before = plan.getNs();
    for (auto [i, operand] : llvm::enumerate(step.op->getOperands())) {
      auto type = dyn_cast<RankedTensorType>(operand.getType());
      if (!type || problem.isSplat(operand))
        continue;
      auto &there = versions[operand];
      if (there.empty())
        there.push_back({Cut(), 0}); // a constant
      Cut wanted = getOperandCut(step, placement, grid, i);
      if (llvm::any_of(there, [&](const auto &version) { return version.first == wanted; }))
        continue;
      Cut from = findNearest(there, type, grid, wanted, problem.target)->first;
      addCollective(step.op,
                    llvm::formatv("operand {0} from {1} to {2}", i, describe(type.getRank(), from),
                                  describe(type.getRank(), wanted)),
                    problem.getMoveTime(operand, from, wanted),
                    moveBytes(type, grid, from, wanted));
      there.push_back({wanted, 0});
      if (!isa<BlockArgument>(operand) || !step.isPrepared)
        live += bytesOf(operand, wanted);
    }
    plan.computeNs += computeTime(step, placement, grid, problem.target);
    plan.resultNs += joinTime(step, placement, grid, problem.target);
    if (int64_t bytes = combineBytes(step, placement, grid))
      addCollective(step.op, "parts of the result are combined",
                    combineTime(step, placement, grid, problem.target), bytes);
    auto cost = dyn_cast<CostOpInterface>(step.op);
    bool isView = cost && cost.isMetadata();
    for (auto [i, result] : llvm::enumerate(step.op->getResults()))
      if (isa<RankedTensorType>(result.getType())) {
        Cut cut = getResultCut(step, placement, grid, i);
        versions[result] = {{cut, 0}};
        if (!isView)
          live += bytesOf(result, cut);
      }
    mostLive = std::max(mostLive, live);
    for (Value operand : llvm::SmallPtrSet<Value, 4>(step.op->operand_begin(), step.op->operand_end()))
      if (auto use = lastUse.find(operand); use != lastUse.end() && use->second == number)
        release(operand);
    plan.stepNs.push_back(plan.getNs() - before);
  }

  void release(Value value) {
    auto cost = value.getDefiningOp<CostOpInterface>();
    auto &there = versions[value];
    bool isHeld = isa<BlockArgument>(value) || problem.isConstant(value) || (cost && cost.isMetadata());
    for (auto [number, version] : llvm::enumerate(there))
      if (number > 0 || !isHeld)
        live -= bytesOf(value, version.first);
    there.clear();
  }

  const Problem &problem;
  DistributionPlan &plan;
  Grid grid;
  llvm::DenseMap<Value, SmallVector<std::pair<Cut, int>, 2>> versions;
  llvm::DenseMap<Value, unsigned> lastUse;
  int64_t live = 0, mostLive = 0;
};

} // namespace

void mlir::fuse::pricePlan(const Problem &problem, DistributionPlan &plan) {
  Pricing(problem, plan).run();
}
