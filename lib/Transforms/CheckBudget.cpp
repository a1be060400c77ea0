//===- CheckBudget.cpp - Whether functions cost what they may -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ReadNumerics.h"

#include "fuse/Analysis/Labels.h"
#include "fuse/Analysis/ReadBack.h"
#include "fuse/CostModel/Budget.h"
#include "fuse/CostModel/Collectives.h"
#include "fuse/CostModel/LaunchBlocks.h"
#include "fuse/Support/Plural.h"
#include "fuse/Transforms/Passes.h"
#include "fuse/Transforms/Transforms.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSECHECKBUDGET
#include "fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// How many kernels, host ops, results or arguments an error names.
constexpr size_t kMostNamed = 3;
/// How many of a kernel's ops a note lists.
constexpr size_t kMostNamedOps = 8;

/// What a note says of a launch.
struct LaunchCost {
  Operation *op;
  int64_t id; ///< as in reports
  int64_t trafficBytes;
  std::optional<double> predictedNs;
};

std::vector<LaunchCost> computeCosts(FunctionOpInterface function, Numerics numerics) {
  std::vector<LaunchCost> costs;
  ValueSizes sizes;
  for (auto [id, op] : llvm::enumerate(collectLaunches(function)))
    costs.push_back({op, static_cast<int64_t>(id), computeTrafficBytes(op, sizes), std::nullopt});
  TargetAttr target = TargetAttr::lookup(function);
  std::unique_ptr<CostModel> model = createCostModel("roofline", target, numerics);
  InlinedFunction inlined(function);
  inlined.getFunction()->walk<WalkOrder::PreOrder>([&](Block *body) {
    LaunchBlock block(*body, inlined, target, *model);
    for (int64_t launch : block.getLaunches())
      if (std::optional<LaunchFacts> facts = block.getFacts(launch);
          facts && hasStaticSizes(costs[launch].op))
        costs[launch].predictedNs = model->estimateNs(*facts);
  });
  return costs;
}

std::string listOps(Operation *launch) {
  std::vector<std::string> ops = describeWrittenOps(launch);
  std::string text = llvm::join(ArrayRef(ops).take_front(kMostNamedOps), ", ");
  return ops.size() > kMostNamedOps ? text + ", …" : text;
}

std::string nameValue(FunctionOpInterface function, bool isResult, unsigned number) {
  auto name = isResult ? function.getResultAttrOfType<StringAttr>(number, attr::kName)
                       : function.getArgAttrOfType<StringAttr>(number, attr::kName);
  std::string text = (isResult ? "result " : "argument ") + std::to_string(number);
  return name ? text + " '" + name.getValue().str() + "'" : text;
}

/// The first op within `function` for which `predicate` holds.
Operation *findOp(FunctionOpInterface function, llvm::function_ref<bool(Operation *)> predicate) {
  Operation *found = nullptr;
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != function && predicate(op))
      found = op;
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

/// Checks one function.
class BudgetCheck {
public:
  BudgetCheck(FunctionOpInterface function, const Budget &budget, Numerics numerics)
      : function(function), budget(budget), numerics(numerics), profile(computeProfile(function)) {}

  LogicalResult run() {
    SmallVector<const BudgetLimit *> exceeded, open;
    for (const BudgetLimit &each : getBudgetLimits()) {
      if (!(budget.*each.limit))
        continue;
      if (profile.*each.count > *(budget.*each.limit))
        exceeded.push_back(&each);
      else if (isOpen(each))
        open.push_back(&each);
    }
    if (!exceeded.empty())
      reportExceeded(exceeded);
    if (!open.empty())
      reportOpen(open);
    return success(exceeded.empty() && open.empty());
  }

private:
  static bool is(const BudgetLimit &limit, int64_t Profile::*count) { return limit.count == count; }

  /// A loop without a static trip count around launches, or around host ops.
  Operation *findOpenLoop(bool onlyHost) {
    return findOp(function, [&](Operation *op) {
      auto loop = dyn_cast<LoopLikeOpInterface>(op);
      if (!loop || loop.getStaticTripCount())
        return false;
      return op
          ->walk([&](Operation *inner) {
            bool counts = onlyHost ? classifyNode(inner) == NodeKind::Host : isLaunch(inner);
            return counts ? WalkResult::interrupt() : WalkResult::advance();
          })
          .wasInterrupted();
    });
  }

  /// A collective that sends bytes of unknown number.
  Operation *findOpenCollective() {
    return findOp(function, [](Operation *op) {
      return getCollectiveKind(op) && !cast<ShapedType>(op->getOperand(0).getType()).hasStaticShape();
    });
  }

  Operation *findCall() {
    return findOp(function, [](Operation *op) { return isa<CallOpInterface>(op); });
  }

  /// Whether a run may cost more than the profile says.
  bool isOpen(const BudgetLimit &limit) {
    if (is(limit, &Profile::hostOutputBytes))
      return profile.unknownOutputs > 0;
    if (is(limit, &Profile::collectiveBytes) && findOpenCollective())
      return true;
    if (is(limit, &Profile::deviceTrafficBytes) && profile.unknownValues > 0)
      return true;
    return findOpenLoop(is(limit, &Profile::syncPoints)) || findCall();
  }

  void reportExceeded(ArrayRef<const BudgetLimit *> exceeded) {
    InFlightDiagnostic error = emitError(function->getLoc());
    error << "@" << function.getName() << " exceeds its budget: ";
    llvm::interleave(
        exceeded,
        [&](const BudgetLimit *each) {
          error << each->name << " of at most " << *(budget.*each->limit) << ", found "
                << profile.*each->count;
        },
        [&] { error << "; "; });
    bool countsBytes = llvm::any_of(exceeded, [](const BudgetLimit *each) {
      return is(*each, &Profile::hostOutputBytes) || is(*each, &Profile::deviceTrafficBytes);
    });
    if (countsBytes && profile.hintValues > 0)
      error << " (" << pluralize(profile.hintValues, "value")
            << (profile.hintValues == 1 ? " is" : " are") << " sized by hints)";
    if (llvm::any_of(exceeded, [](auto *each) { return is(*each, &Profile::syncPoints); }))
      nameHostOps(error);
    if (llvm::any_of(exceeded, [](auto *each) { return is(*each, &Profile::hostOutputBytes); }))
      nameResults(error);
    if (llvm::any_of(exceeded, [](auto *each) { return is(*each, &Profile::collectiveBytes); }))
      nameCollectives(error);
    if (exceeded.size() == 1 && is(*exceeded.front(), &Profile::collectiveBytes))
      return;
    bool byTraffic = exceeded.size() == 1 && is(*exceeded.front(), &Profile::deviceTrafficBytes);
    nameKernels(error, byTraffic);
  }

  void nameHostOps(InFlightDiagnostic &error) {
    size_t named = 0;
    for (auto [id, op] : llvm::enumerate(collectLaunches(function)))
      if (classifyNode(op) == NodeKind::Host && named++ < kMostNamed)
        error.attachNote(op->getLoc()) << "host op " << id << " waits: " << listOps(op);
  }

  /// Those that send most.
  void nameCollectives(InFlightDiagnostic &error) {
    SmallVector<std::pair<int64_t, Operation *>> collectives;
    for (Operation *op : collectLaunches(function))
      if (getCollectiveKind(op))
        collectives.push_back({getCollectiveBytesSent(op), op});
    llvm::stable_sort(collectives, [](auto &a, auto &b) { return a.first > b.first; });
    for (auto [bytes, op] : ArrayRef(collectives).take_front(kMostNamed))
      error.attachNote(op->getLoc()) << listOps(op) << " sends " << pluralize(bytes, "byte");
  }

  void nameResults(InFlightDiagnostic &error) {
    ValueSizes sizes;
    Operation *terminator = function.getFunctionBody().back().getTerminator();
    std::vector<std::pair<int64_t, int64_t>> results; // bytes, index
    for (int64_t result : computeReadBack(terminator->getOperands()).results)
      results.push_back({sizes.getBytes(terminator->getOperand(result)).count, result});
    llvm::sort(results, [](auto &a, auto &b) {
      return std::pair(-a.first, a.second) < std::pair(-b.first, b.second);
    });
    for (auto [bytes, result] : ArrayRef(results).take_front(kMostNamed))
      error.attachNote(terminator->getLoc()) << nameValue(function, /*isResult=*/true, result)
                                             << " is read back: " << pluralize(bytes, "byte");
  }

  void nameKernels(InFlightDiagnostic &error, bool byTraffic) {
    std::vector<LaunchCost> costs = computeCosts(function, numerics);
    llvm::erase_if(costs,
                   [](const LaunchCost &cost) { return classifyNode(cost.op) == NodeKind::Host; });
    llvm::stable_sort(costs, [&](const LaunchCost &a, const LaunchCost &b) {
      double first = byTraffic ? 0 : a.predictedNs.value_or(0);
      double second = byTraffic ? 0 : b.predictedNs.value_or(0);
      return std::pair(first, a.trafficBytes) > std::pair(second, b.trafficBytes);
    });
    for (const LaunchCost &cost : ArrayRef(costs).take_front(kMostNamed)) {
      auto kernel = dyn_cast<KernelOp>(cost.op);
      Diagnostic &note = error.attachNote(cost.op->getLoc());
      note << "kernel " << cost.id << " (" << (kernel ? getLabel(kernel) : StringRef("other"))
           << ")";
      if (cost.predictedNs) {
        std::string ms;
        llvm::raw_string_ostream(ms) << llvm::format("%.4f", *cost.predictedNs * 1e-6);
        note << ", predicted " << ms << " ms";
      }
      note << ", " << pluralize(cost.trafficBytes, "byte") << " of traffic: " << listOps(cost.op);
    }
  }

  void reportOpen(ArrayRef<const BudgetLimit *> open) {
    InFlightDiagnostic error = emitError(function->getLoc());
    error << "the budget of @" << function.getName() << " cannot be checked: ";
    llvm::interleave(
        open,
        [&](const BudgetLimit *each) {
          error << each->name << " of at most " << *(budget.*each->limit) << ", found at least "
                << profile.*each->count;
        },
        [&] { error << "; "; });
    bool onBytes = llvm::any_of(open, [&](const BudgetLimit *each) {
      return is(*each, &Profile::hostOutputBytes) || is(*each, &Profile::deviceTrafficBytes);
    });
    if (onBytes && profile.unknownValues > 0) {
      error << "; " << pluralize(profile.unknownValues, "value")
            << (profile.unknownValues == 1 ? " is" : " are") << " of unknown size, needs '" << attr::kDimBounds
            << "' on arguments";
      nameArguments(error);
    }
    if (llvm::all_of(open, [](auto *each) { return is(*each, &Profile::hostOutputBytes); }))
      return;
    bool onlySyncs = llvm::all_of(open, [](auto *each) {
      return is(*each, &Profile::syncPoints) || is(*each, &Profile::hostOutputBytes);
    });
    if (Operation *loop = findOpenLoop(onlySyncs))
      error.attachNote(loop->getLoc()) << "a loop of unknown length, counted once; needs constant "
                                          "bounds";
    if (Operation *collective = findOpenCollective())
      if (llvm::any_of(open, [](auto *each) { return is(*each, &Profile::collectiveBytes); }))
        error.attachNote(collective->getLoc()) << "sends bytes of unknown number; needs static extents";
    if (Operation *call = findCall())
      error.attachNote(call->getLoc()) << "what is called is not counted; needs to be inlined";
  }

  void nameArguments(InFlightDiagnostic &error) {
    ValueSizes sizes;
    size_t named = 0;
    for (BlockArgument argument : function.getArguments()) {
      auto type = dyn_cast<ShapedType>(argument.getType());
      if (!type || !type.hasRank())
        continue;
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        if (!sizes.getExtent(argument, dim).isKnown() && named++ < kMostNamed)
          error.attachNote(argument.getLoc())
              << "dimension " << dim << " of "
              << nameValue(function, /*isResult=*/false, argument.getArgNumber())
              << " has no bound";
    }
  }

  FunctionOpInterface function;
  const Budget &budget;
  Numerics numerics;
  Profile profile;
};

struct CheckBudgetPass : fuse::impl::FuseCheckBudgetBase<CheckBudgetPass> {
  using FuseCheckBudgetBase::FuseCheckBudgetBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    ModuleOp module = getOperation();
    Budget all;
    if (!budget.empty()) {
      auto parsed = parseBudget(budget);
      if (!parsed) {
        module.emitError() << "option 'budget': " << llvm::toString(parsed.takeError());
        return signalPassFailure();
      }
      all = *parsed;
    }
    std::optional<Numerics> allowed = readNumerics(module, numerics);
    if (!allowed)
      return signalPassFailure();
    llvm::DenseSet<StringAttr> prepares;
    for (auto function : module.getOps<FunctionOpInterface>())
      if (auto prepare = function->getAttrOfType<FlatSymbolRefAttr>(attr::kPrepare))
        prepares.insert(prepare.getAttr());
    bool failed = false;
    for (auto function : module.getOps<FunctionOpInterface>()) {
      if (function.isExternal())
        continue;
      Budget limits = prepares.contains(function.getNameAttr()) ? Budget() : all;
      if (auto own = function->getAttrOfType<BudgetAttr>(attr::kBudget))
        limits = limits & Budget::fromAttr(own);
      if (!limits.isEmpty())
        failed |= mlir::failed(checkBudget(function, limits, *allowed));
    }
    if (failed)
      signalPassFailure();
  }
};

} // namespace

LogicalResult mlir::fuse::checkBudget(FunctionOpInterface function, const Budget &budget,
                                      Numerics numerics) {
  return BudgetCheck(function, budget, numerics).run();
}
