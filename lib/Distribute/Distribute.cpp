//===- Distribute.cpp - The passes fuse-shard-check and fuse-distribute --------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Distribute/Distribute.h"
#include "fuse/Distribute/Partition.h"
#include "fuse/Distribute/Passes.h"
#include "fuse/Distribute/SplitProducts.h"
#include "fuse/IR/FuseDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSESHARDCHECK
#define GEN_PASS_DEF_FUSEDISTRIBUTE
#include "fuse/Distribute/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {

struct ShardCheck : fuse::impl::FuseShardCheckBase<ShardCheck> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      FailureOr<Annotations> annotations = readAnnotations(function);
      if (failed(annotations) ||
          (!annotations->grid.empty() && failed(checkDistributable(function))))
        signalPassFailure();
    }
  }
};

struct Distribute : fuse::impl::FuseDistributeBase<Distribute> {
  using FuseDistributeBase::FuseDistributeBase;

  void runOnOperation() override {
    std::optional<ShardRequest> request;
    if (!shard.empty()) {
      llvm::Expected<ShardRequest> parsed = parseShardRequest(shard);
      if (!parsed) {
        emitError(getOperation().getLoc()) << "shard: " << llvm::toString(parsed.takeError());
        return signalPassFailure();
      }
      request = *parsed;
    }
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && failed(distribute(function, request)))
        return signalPassFailure();
    eraseGrids();
  }

private:
  LogicalResult distribute(func::FuncOp function, std::optional<ShardRequest> request) {
    FailureOr<Annotations> annotations = readAnnotations(function);
    if (failed(annotations))
      return failure();
    if (annotations->grid.empty() && (!request || !function.isPublic()))
      return success();
    if (!annotations->grid.empty() && request)
      return emitError(function.getLoc()) << "expected 'shard' or annotations in the program, found both";
    if (failed(checkDistributable(function)))
      return failure();
    TargetAttr target = TargetAttr::lookup(function);
    int64_t limit = memoryBytes ? memoryBytes.getValue()
                                : static_cast<int64_t>(target.getFigure("rank_memory_bytes"));
    constexpr unsigned kExplained = 4;
    unsigned count = std::max(explain ? kExplained : 1u, plan + 1);
    if (request && request->tensor > 1)
      splitProducts(function);
    // Otherwise it is a question of price whether products are split.
    OwningOpRef<func::FuncOp> split;
    if (request && request->automatic) {
      split = function.clone();
      if (!splitProducts(*split))
        split = {};
    }
    FailureOr<std::vector<Proposal>> proposals =
        propose(function, *annotations, request, target, limit, count);
    if (failed(proposals))
      return failure();
    if (split)
      if (auto more = propose(*split, *annotations, request, target, limit, count); succeeded(more))
        addProposals(*proposals, std::move(*more), count);
    if (proposals->size() <= plan)
      return emitError(function.getLoc()) << "plan " << static_cast<int64_t>(plan) << ": expected one of the "
                                  << proposals->size() << " plans that differ";
    if (explain)
      emitRemark(function.getLoc()) << fuse::explain(*proposals);
    const Proposal &taken = (*proposals)[plan];
    if (taken.problem->function != function) {
      function.getBody().takeBody(taken.problem->function.getBody());
      taken.problem->function = function;
    }
    partition(*taken.problem, taken.plan);
    return success();
  }

  /// The best ones of both, in order.
  static void addProposals(std::vector<Proposal> &proposals, std::vector<Proposal> more, size_t count) {
    for (Proposal &one : more)
      proposals.push_back(std::move(one));
    std::stable_sort(proposals.begin(), proposals.end(), [](const Proposal &a, const Proposal &b) {
      return a.plan.getCost() < b.plan.getCost();
    });
    if (proposals.size() > count)
      proposals.resize(count);
  }

  /// Grids that nobody names any more.
  void eraseGrids() {
    for (auto grid : llvm::make_early_inc_range(getOperation().getOps<shard::GridOp>()))
      if (SymbolTable::symbolKnownUseEmpty(grid, getOperation()))
        grid.erase();
  }
};

} // namespace
