//===- DistinctKernels.cpp - The kernels of a program that can be tuned ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Tune/DistinctKernels.h"
#include "fuse/Execution/RandomInputs.h"
#include "fuse/Codegen/Kernel/Passes.h"
#include "fuse/Execution/Backend.h"
#include "fuse/IR/FuseDialect.h"
#include "fuse/IR/FuseOps.h"
#include "fuse/Pipelines/Pipelines.h"
#include "fuse/Report/Report.h"
#include "fuse/Schedule/GroupFacts.h"
#include "fuse/Schedule/ScheduleFile.h"
#include "fuse/Support/Numerics.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::fuse;

static bool isStatic(KernelOp kernel) {
  auto isKnown = [](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    return !shaped || shaped.hasStaticShape();
  };
  return llvm::all_of(kernel->getOperandTypes(), isKnown) &&
         llvm::all_of(kernel->getResultTypes(), isKnown) &&
         !kernel.getBody()
              .walk([&](Operation *op) {
                return llvm::all_of(op->getResultTypes(), isKnown) ? WalkResult::advance()
                                                                   : WalkResult::interrupt();
              })
              .wasInterrupted();
}

/// Whether what a gather reads at can be made up: an input, maybe seen otherwise. The tiles of a
/// kernel that scatters are not those of shared dims, which are all that a tuner changes.
static bool hasKnownIndices(KernelOp kernel) {
  bool isKnown = kernel.getBody().getOps<ScatterOp>().empty();
  kernel.walk([&](GatherOp gather) {
    Value indices = gather.getIndices();
    while (Operation *def = indices.getDefiningOp()) {
      if (!handsOnIndices(def)) {
        isKnown &= def->hasTrait<OpTrait::ConstantLike>();
        break;
      }
      indices = def->getOperand(0);
    }
  });
  return isKnown;
}

/// A module whose one function is the kernel.
static OwningOpRef<ModuleOp> isolate(KernelOp kernel) {
  auto program = kernel->getParentOfType<ModuleOp>();
  OwningOpRef<ModuleOp> module = ModuleOp::create(kernel.getLoc());
  for (NamedAttribute attribute : program->getDiscardableAttrs())
    if (StringRef name = attribute.getName().strref();
        name == attr::kTarget || name.starts_with("dlti."))
      (*module)->setDiscardableAttr(attribute.getName(), attribute.getValue());
  auto builder = OpBuilder::atBlockEnd(module->getBody());
  auto function = func::FuncOp::create(
      builder, kernel.getLoc(), DistinctKernel::kFunction,
      builder.getFunctionType(kernel->getOperandTypes(), kernel->getResultTypes()));
  builder.setInsertionPointToStart(function.addEntryBlock());
  Operation *clone = builder.clone(*kernel);
  clone->setOperands(function.getArguments());
  func::ReturnOp::create(builder, kernel.getLoc(), clone->getResults());
  return module;
}

/// Fills in what lowering decides of the kernel.
static LogicalResult describe(DistinctKernel &kernel, const LoweringOptions &lowering) {
  FuseToLLVMOptions options;
  options.stream = lowering.numerics != Numerics::Exact;
  OwningOpRef<ModuleOp> outlined = kernel.module->clone();
  PassManager outline(outlined->getContext(), ModuleOp::getOperationName());
  buildOutlinePipeline(outline, options);
  if (failed(outline.run(*outlined)))
    return failure();
  auto function = [&] {
    return *(*outlined->getOps<ModuleOp>().begin()).getOps<func::FuncOp>().begin();
  };
  kernel.key = getKernelKey(function(), options.stream);
  PassManager steps(outlined->getContext(), ModuleOp::getOperationName());
  steps.nest<ModuleOp>().addPass(createFuseStepScans());
  if (failed(steps.run(*outlined)))
    return failure();
  FailureOr<ScheduleAttr> schedule =
      computeKernelSchedule(function(), options.stream, lowering.backend->hasDevice());
  FailureOr<KernelFacts> facts = getKernelFacts(function(), options.stream);
  if (failed(schedule) || failed(facts))
    return failure();
  kernel.schedule = *schedule;
  kernel.facts = *facts;
  return success();
}

FailureOr<DistinctKernels> mlir::fuse::findDistinctKernels(func::FuncOp function,
                                                           const LoweringOptions &lowering) {
  DistinctKernels found;
  llvm::StringMap<size_t> byKey;
  FunctionReport report = computeFunctionReport(function, lowering.numerics);
  llvm::DenseMap<Operation *, const KernelReport *> reports;
  for (const KernelReport &kernel : report.kernels)
    reports[kernel.op] = &kernel;
  WalkResult result = function.walk([&](KernelOp kernel) {
    if (kernel->hasAttr(attr::kSchedule)) {
      ++found.written;
      return WalkResult::advance();
    }
    if (!isStatic(kernel)) {
      ++found.dynamic;
      return WalkResult::advance();
    }
    if (!hasKnownIndices(kernel)) {
      ++found.indirect;
      return WalkResult::advance();
    }
    DistinctKernel entry;
    entry.module = isolate(kernel);
    if (failed(describe(entry, lowering)))
      return WalkResult::interrupt();
    auto [slot, isNew] = byKey.try_emplace(entry.key, found.kernels.size());
    if (isNew) {
      if (const KernelReport *known = reports.lookup(kernel)) {
        entry.name = known->name;
        entry.predictedMs = known->predictedMs.value_or(0);
      }
      for (BlockArgument argument : kernel.getBody().getArguments())
        entry.indexExtents.push_back(getIndexExtent(argument));
      found.kernels.push_back(std::move(entry));
    }
    ++found.kernels[slot->second].launches;
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return std::move(found);
}
