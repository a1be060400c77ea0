//===- Propose.cpp - Plans for what is asked for --------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Distribute/Distribute.h"

using namespace mlir;
using namespace mlir::fuse;

SmallVector<SmallVector<int64_t>> mlir::fuse::listGrids(int64_t ranks) {
  SmallVector<SmallVector<int64_t>> grids{{ranks}};
  for (int64_t outer = 2; outer <= ranks / 2; ++outer)
    if (ranks % outer == 0)
      grids.push_back({outer, ranks / outer});
  return grids;
}

static std::shared_ptr<Problem> makeProblem(func::FuncOp function, const Annotations &annotations,
                                            Grid grid, ArrayRef<AxisRole> roles, bool scatters,
                                            TargetAttr target) {
  auto problem = std::make_shared<Problem>(function, grid, target);
  problem->roles.assign(roles.begin(), roles.end());
  problem->scatters = scatters;
  problem->fixed = annotations.cuts;
  problem->finish();
  return problem;
}

/// The first axis of more than one rank that no placement uses.
static std::optional<unsigned> findIdleAxis(const Proposal &proposal) {
  const DistributionPlan &plan = proposal.plan;
  for (unsigned axis = 0; axis < plan.grid.size(); ++axis)
    if (plan.grid[axis] > 1 && llvm::none_of(plan.placements, [&](const Placement &placement) {
          return placement.loops[axis] >= 0;
        }))
      return axis;
  return std::nullopt;
}

FailureOr<std::vector<Proposal>> mlir::fuse::propose(func::FuncOp function,
                                                     const Annotations &annotations,
                                                     std::optional<ShardRequest> request,
                                                     TargetAttr target, int64_t memoryBytes,
                                                     unsigned count) {
  SearchOptions options;
  options.count = count;
  options.memoryBytes = memoryBytes;
  std::vector<Proposal> proposals;
  auto add = [&](Grid grid, ArrayRef<AxisRole> roles) {
    std::shared_ptr<Problem> problem = makeProblem(
        function, annotations, grid, roles, /*scatters=*/request && request->automatic, target);
    for (DistributionPlan &plan : searchPlans(*problem, options))
      proposals.push_back({problem, std::move(plan)});
  };
  if (!request) {
    SmallVector<AxisRole> roles;
    for (bool used : annotations.used)
      roles.push_back(used ? AxisRole::Any : AxisRole::Unused);
    add(annotations.grid, roles);
  } else if (request->automatic) {
    for (ArrayRef<int64_t> grid : listGrids(request->automatic))
      add(grid, SmallVector<AxisRole>(grid.size(), AxisRole::Any));
  } else {
    SmallVector<int64_t> grid;
    SmallVector<AxisRole> roles;
    if (request->data > 1 || request->tensor == 1) {
      grid.push_back(request->data);
      roles.push_back(AxisRole::Data);
    }
    if (request->tensor > 1) {
      grid.push_back(request->tensor);
      roles.push_back(AxisRole::Tensor);
    }
    add(grid, roles);
  }
  if (proposals.empty())
    return emitError(function.getLoc()) << "no way to divide '" << function.getName() << "' fits "
                                << memoryBytes << " bytes for each rank: allow more, or more ranks";
  llvm::stable_sort(proposals, [](const Proposal &a, const Proposal &b) {
    return a.plan.getCost() < b.plan.getCost();
  });
  if (proposals.size() > count)
    proposals.resize(count);
  if (request && !request->automatic)
    if (std::optional<unsigned> axis = findIdleAxis(proposals.front())) {
      int64_t extent = proposals.front().plan.grid[*axis];
      bool isData = proposals.front().problem->roles[*axis] == AxisRole::Data;
      return emitError(function.getLoc())
             << (isData ? "data=" : "tensor=") << extent << ": expected "
             << (isData ? "an argument that is no parameter and whose leading dimension"
                        : "products with weights, of which a dimension")
             << " divides into " << extent << " equal parts, found none";
    }
  return proposals;
}
