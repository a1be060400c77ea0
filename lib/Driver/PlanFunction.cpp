//===- PlanFunction.cpp - A program planned for its target ----------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Driver/PlanFunction.h"

#include "fuse/Distribute/Passes.h"
#include "fuse/Driver/CalibratedTarget.h"
#include "fuse/Execution/HostTarget.h"
#include "fuse/IR/FuseDialect.h"
#include "fuse/Target/TargetFile.h"
#include "fuse/Target/Targets.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace mlir::fuse;

void PlannedProgram::restoreTarget(ModuleOp program) const {
  if (ownTarget)
    program->setAttr(attr::kTarget, ownTarget);
  else
    program->removeAttr(attr::kTarget);
}

/// Whether the program itself says what it is for.
static bool namesTarget(ModuleOp module) {
  return module
      ->walk([](Operation *op) {
        return op->hasAttr(attr::kTarget) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The default target, with the size from which results are stored past the caches, which nothing
/// but a measurement tells. Code of it is the same but for that.
static TargetAttr takeStores(TargetAttr base, TargetAttr measured) {
  NamedAttrList figures(base.getFigures());
  if (Attribute bytes = measured.getFigures().get("nontemporal_bytes"))
    figures.set("nontemporal_bytes", bytes);
  return TargetAttr::get(base.getContext(), measured.getName(), base.getKind(),
                         figures.getDictionary(base.getContext()));
}

static TargetAttr withFigure(TargetAttr target, StringRef name, double value) {
  NamedAttrList figures(target.getFigures());
  figures.set(name, Builder(target.getContext()).getF64FloatAttr(value));
  return TargetAttr::get(target.getContext(), target.getName(), target.getKind(),
                         figures.getDictionary(target.getContext()));
}

/// The target with as many blocks as `threads` threads need, so that the last of them ends soon after the others. One thread
/// waits for no other.
static TargetAttr cutFor(TargetAttr target, int32_t threads) {
  constexpr int32_t kBlocksPerThread = 4;
  double wanted = threads == 1 ? 1 : kBlocksPerThread * threads;
  return withFigure(target, "min_blocks", std::min(wanted, target.getFigure("min_blocks")));
}

/// The target with this machine's cache of a core, which says how large tiles may be.
static TargetAttr takeCache(TargetAttr target) {
  int64_t bytes = getCpuFacts(/*threads=*/1).caches.l2;
  return bytes > 0 ? withFigure(target, "l2_bytes", static_cast<double>(bytes)) : target;
}

static std::optional<CpuLevel> findLevel(StringRef cpu) {
  return findCpuLevel(cpu.empty() ? StringRef(kNativeCpu) : cpu);
}

/// The target without an instruction for products of bytes where the CPU that code is for has none.
static TargetAttr takeInstructions(TargetAttr target, StringRef cpu) {
  std::optional<CpuLevel> level = findLevel(cpu);
  return level && !level->vectors.hasInt8Dot ? withFigure(target, "int8_flops_per_ns", 0) : target;
}

TargetAttr PlannedProgram::getTimedTarget(MLIRContext *context, int32_t threads) const {
  if (!isForHost)
    return {};
  if (!timed)
    return isHostNamedNowhere() ? TargetAttr() : makeHostTarget(context, getCpuFacts(threads));
  return withFigure(timed, "max_threads", threads);
}

/// What a program is divided for: the target that is asked for, else its own, else what was measured of this machine; null
/// for the default.
static FailureOr<TargetAttr> findPricedTarget(ModuleOp module, const PlanningOptions &options) {
  MLIRContext *context = module.getContext();
  if (!options.costTarget.empty())
    return resolveTarget(context, options.costTarget, [&] { return module.emitError(); });
  return namesTarget(module) ? FailureOr<TargetAttr>(TargetAttr()) : findCalibratedTarget(context);
}

static LogicalResult distribute(ModuleOp module, const PlanningOptions &options) {
  FailureOr<TargetAttr> priced = findPricedTarget(module, options);
  if (failed(priced))
    return failure();
  Attribute own = module->getAttr(attr::kTarget);
  if (*priced)
    module->setAttr(attr::kTarget, *priced);
  PassManager passes(module.getContext());
  FuseDistributeOptions passOptions;
  passOptions.shard = options.shard;
  passOptions.explain = module.getContext()->getRemarkEngine() != nullptr;
  passes.addPass(createFuseDistribute(passOptions));
  passes.addNestedPass<func::FuncOp>(createFuseFoldCollectives());
  LogicalResult result = passes.run(module);
  module->removeAttr(attr::kTarget);
  if (own)
    module->setAttr(attr::kTarget, own);
  return result;
}

FailureOr<EntryFunction> mlir::fuse::findRankFunction(ModuleOp module, const PlanningOptions &options) {
  FailureOr<EntryFunction> found = findEntryFunction(module, options.function);
  bool isAnnotated = succeeded(found) && module->walk([](shard::ShardOp) { return WalkResult::interrupt(); }).wasInterrupted();
  if (failed(found) || (options.shard.empty() && !isAnnotated))
    return found;
  std::string name = found->signature.function;
  isolateFunction(module, name);
  if (failed(distribute(module, options)))
    return failure();
  return findEntryFunction(module, name);
}

FailureOr<PlannedProgram> mlir::fuse::planFunction(ModuleOp module, StringRef function,
                                                   const PlanningOptions &options,
                                                   const CompileOptions &compileOptions,
                                                   StageDump *dump) {
  PlannedProgram planned;
  // A program of other dialects alone has not loaded it.
  module->getContext()->loadDialect<FuseDialect>();
  planned.module = cast<ModuleOp>(module->clone());
  isolateFunction(*planned.module, function);
  if (!options.budget.isEmpty()) {
    Operation *limited = planned.module->lookupSymbol(function);
    auto own = limited->getAttrOfType<BudgetAttr>(attr::kBudget);
    Budget budget = own ? options.budget & Budget::fromAttr(own) : options.budget;
    limited->setAttr(attr::kBudget, budget.toAttr(module->getContext()));
  }
  planned.ownTarget = (*planned.module)->getAttr(attr::kTarget);
  std::string chip = options.getChip();
  StringRef deviceName = options.backend->getTargetName(chip);
  if (!deviceName.empty()) {
    FailureOr<TargetAttr> target =
        lookupTarget(module->getContext(), deviceName, [&] { return planned.module->emitError(); });
    if (failed(target))
      return failure();
    planned.ownTarget = *target;
    (*planned.module)->setAttr(attr::kTarget, *target);
  }
  // A plan is the same for any machine and any number of threads; its kernels are cut for those that
  // there are.
  bool isForHost = deviceName.empty(), isNamed = namesTarget(*planned.module);
  TargetAttr base = TargetAttr::getDefault(module->getContext());
  auto cut = [&](TargetAttr target) {
    return options.threads > 0 && isForHost ? cutFor(target, options.threads) : target;
  };
  CompileOptions compile = compileOptions;
  if (isForHost && !isNamed) {
    if (options.cpu.empty() && !isHostNamedNowhere())
      base = takeCache(base);
    if (!options.cpu.empty() || !isHostNamedNowhere()) {
      base = takeInstructions(base, options.cpu);
      std::optional<CpuLevel> level = findLevel(options.cpu);
      compile.bf16Tiles = level && level->vectors.hasBf16Tiles;
      // Two facts of a CPU decide plans: products of bytes are slower than those of floats without an instruction for them,
      // and tile registers multiply bf16 faster than any instruction multiplies f32.
      TargetAttr planning = TargetAttr::getDefault(module->getContext());
      if (TargetAttr plain = takeInstructions(planning, options.cpu); plain != planning)
        (*planned.module)->setAttr(attr::kTarget, plain);
    }
    base = cut(base);
    if (base != TargetAttr::getDefault(module->getContext()))
      planned.ownTarget = base;
  }
  if (!options.costTarget.empty()) {
    FailureOr<TargetAttr> target = resolveTarget(module->getContext(), options.costTarget,
                                                 [&] { return planned.module->emitError(); });
    if (failed(target))
      return failure();
    // Prices of a CPU are those of kernels that are cut for so many threads, too.
    (*planned.module)->setAttr(attr::kTarget,
                               target->getKind() == TargetKind::Cpu ? cut(*target) : *target);
  } else if (!isNamed) {
    FailureOr<TargetAttr> target = findCalibratedTarget(module->getContext());
    if (failed(target))
      return failure();
    // What was measured decides no plan and no schedule unless it is asked to: they would change
    // with what else ran while it was measured.
    planned.timed = *target;
    planned.isForHost = isForHost;
    if (*target)
      planned.ownTarget = takeStores(base, *target);
  }
  if (failed(planProgram(*planned.module, compile, dump)))
    return failure();
  return planned;
}
