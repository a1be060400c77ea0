//===- CheckPlan.cpp - The pass fuse-check-plan ---------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/KernelMembers.h"
#include "fuse/Analysis/StreamedDim.h"
#include "fuse/Codegen/Kernel/Passes.h"
#include "fuse/IR/FuseDialect.h"
#include "fuse/IR/FuseOps.h"
#include "fuse/Pipelines/Passes.h"
#include "fuse/Pipelines/Pipelines.h"
#include "fuse/Schedule/GroupFacts.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSECHECKPLAN
#include "fuse/Pipelines/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// What the members of a kernel run over: the extent of each shared dim, and of the dim that is streamed
/// where the schedule streams one; ShapedType::kDynamic where unknown.
struct Loops {
  SmallVector<int64_t> extents;
  std::optional<int64_t> streamed;

  bool operator==(const Loops &other) const {
    return extents == other.extents && streamed == other.streamed;
  }
};

Diagnostic &operator<<(Diagnostic &diagnostic, const Loops &loops) {
  auto print = [&](int64_t extent) {
    if (ShapedType::isDynamic(extent))
      diagnostic << "?";
    else
      diagnostic << extent;
  };
  diagnostic << "[";
  llvm::interleave(loops.extents, print, [&] { diagnostic << ", "; });
  diagnostic << "]";
  if (loops.streamed) {
    diagnostic << " and streamed along ";
    print(*loops.streamed);
  }
  return diagnostic;
}

struct CheckPlan : fuse::impl::FuseCheckPlanBase<CheckPlan> {
  using FuseCheckPlanBase::FuseCheckPlanBase;

  /// Those of what runs on the copy.
  void getDependentDialects(DialectRegistry &registry) const override {
    OpPassManager passes(ModuleOp::getOperationName());
    addOutlining(passes);
    addMembers(passes.nest<ModuleOp>());
    passes.getDependentDialects(registry);
  }

  void runOnOperation() override {
    OwningOpRef<ModuleOp> copy = getOperation().clone();
    if (failed(run(*copy, [](PassManager &passes) { addOutlining(passes); })))
      return signalPassFailure();
    llvm::MapVector<StringRef, Loops> planned;
    for (func::FuncOp function : collectKernels(*copy)) {
      if (!function.getOps<ScatterOp>().empty())
        continue;
      FailureOr<KernelFacts> facts = getKernelFacts(function, stream);
      if (failed(facts))
        return signalPassFailure();
      planned[function.getName()] = {facts->extents, facts->streamExtent};
    }
    if (failed(run(*copy, [&](PassManager &passes) { addMembers(passes.nest<ModuleOp>()); })))
      return signalPassFailure();
    for (func::FuncOp function : collectKernels(*copy)) {
      auto found = planned.find(function.getName());
      if (found == planned.end())
        continue;
      FailureOr<KernelMembers> members = KernelMembers::get(function);
      if (failed(members))
        return signalPassFailure();
      Loops expected = found->second, built;
      for (unsigned dim = 0; dim < members->domain().numDims; ++dim)
        built.extents.push_back(members->staticExtent(dim));
      auto schedule = function->getAttrOfType<ScheduleAttr>(attr::kSchedule);
      bool streams = llvm::any_of(schedule.getLevels(), [](LevelAttr level) {
        return level.getMapping() == LevelMapping::Sequential;
      });
      std::string reason;
      if (!streams)
        expected.streamed.reset();
      else if (std::optional<StreamedDim> dim = findStreamedDim(*members, reason))
        built.streamed = dim->extent;
      if (expected == built)
        continue;
      InFlightDiagnostic diagnostic = emitError(function.getLoc());
      *diagnostic.getUnderlyingDiagnostic() << "kernel @" << function.getName() << " is planned over "
                                            << expected << ", built over " << built;
      diagnostic.attachNote() << "schedule: " << schedule;
      signalPassFailure();
    }
  }

private:
  static SmallVector<func::FuncOp> collectKernels(ModuleOp program) {
    SmallVector<func::FuncOp> kernels;
    for (auto kernel : program.getOps<ModuleOp>())
      for (auto function : kernel.getOps<func::FuncOp>())
        if (!function.isExternal())
          kernels.push_back(function);
    return kernels;
  }

  LogicalResult run(ModuleOp program, llvm::function_ref<void(PassManager &)> addPasses) {
    PassManager passes(&getContext());
    addPasses(passes);
    return passes.run(program);
  }

  static void addOutlining(OpPassManager &passes) {
    passes.addPass(createFuseOutlineKernels());
    passes.nest<ModuleOp>().addPass(createFuseStepScans());
  }

  void addMembers(OpPassManager &kernel) const { buildKernelMembersPipeline(kernel, stream, gpu); }
};

} // namespace
