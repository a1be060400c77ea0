//===- CheckPlan.cpp - The pass fuse-check-plan ---------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Codegen/Kernel/Passes.h"
#include "fuse/IR/FuseDialect.h"
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

/// A schedule, level by level.
struct Fields {
  explicit Fields(ScheduleAttr schedule) {
    threads = schedule.getThreads();
    lanes = schedule.getLanes();
    for (LevelAttr level : schedule.getLevels()) {
      if (level.getMapping() == LevelMapping::Block)
        for (auto [dim, size] : llvm::zip_equal(level.getDims(), level.getSizes())) {
          order.push_back(dim);
          tiles[dim] = size;
        }
      else if (level.getMapping() == LevelMapping::Sequential)
        streamTile = level.getSizes().front();
      else
        for (auto [dim, size] : llvm::zip_equal(level.getDims(), level.getSizes()))
          subgroups[dim] = size;
    }
  }

  /// The first field that differs from `built`, with both values; empty where none does.
  std::string findDifference(const Fields &built) const {
    std::string text;
    llvm::raw_string_ostream os(text);
    if (order.size() != built.order.size())
      os << "with " << order.size() << " shared dims, built with " << built.order.size();
    for (auto [dim, size] : tiles)
      if (text.empty() && built.tiles.at(dim) != size)
        os << "with tiles of " << size << " along dim " << dim << ", built with tiles of "
           << built.tiles.at(dim);
    if (text.empty() && order != built.order) {
      os << "with blocks in the order of dims [";
      llvm::interleaveComma(order, os);
      os << "], built with [";
      llvm::interleaveComma(built.order, os);
      os << "]";
    }
    auto compare = [&](StringRef what, int64_t own, int64_t other) {
      if (text.empty() && own != other)
        os << "with " << what << " " << own << ", built with " << other;
    };
    compare("a streamed tile of", streamTile, built.streamTile);
    compare("threads =", threads, built.threads);
    compare("lanes =", lanes, built.lanes);
    if (text.empty() && subgroups != built.subgroups)
      os << "with another subgroup level than it is built with";
    return text;
  }

  SmallVector<int64_t> order;
  std::map<int64_t, int64_t> tiles, subgroups;
  int64_t streamTile = 0, threads = 0, lanes = 0; ///< 0: none
};

struct CheckPlan : fuse::impl::FuseCheckPlanBase<CheckPlan> {
  using FuseCheckPlanBase::FuseCheckPlanBase;

  /// Those of what runs on the copy.
  void getDependentDialects(DialectRegistry &registry) const override {
    OpPassManager passes(ModuleOp::getOperationName());
    addOutlining(passes);
    addSchedules(passes.nest<ModuleOp>());
    passes.getDependentDialects(registry);
  }

  void runOnOperation() override {
    OwningOpRef<ModuleOp> copy = getOperation().clone();
    PassManager outlining(&getContext());
    addOutlining(outlining);
    if (failed(outlining.run(*copy)))
      return signalPassFailure();
    llvm::MapVector<StringRef, ScheduleAttr> planned;
    for (auto kernel : copy->getOps<ModuleOp>())
      for (auto function : kernel.getOps<func::FuncOp>()) {
        if (function.isExternal() || function->hasAttr(attr::kSchedule))
          continue;
        if (std::optional<ScheduleAttr> schedule = computePlannedSchedule(function, stream, gpu))
          planned[function.getName()] = *schedule;
      }
    PassManager schedules(&getContext());
    addSchedules(schedules.nest<ModuleOp>());
    if (failed(schedules.run(*copy)))
      return signalPassFailure();
    for (auto kernel : copy->getOps<ModuleOp>())
      for (auto function : kernel.getOps<func::FuncOp>()) {
        ScheduleAttr expected = planned.lookup(function.getName());
        auto built = function->getAttrOfType<ScheduleAttr>(attr::kSchedule);
        if (!expected || !built)
          continue;
        std::string difference = Fields(expected).findDifference(Fields(built));
        if (difference.empty())
          continue;
        InFlightDiagnostic diagnostic = emitError(function.getLoc())
                                        << "kernel @" << function.getName() << " is priced "
                                        << difference;
        diagnostic.attachNote() << "priced: " << expected;
        diagnostic.attachNote() << "built: " << built;
        signalPassFailure();
      }
  }

private:
  static void addOutlining(OpPassManager &passes) {
    passes.addPass(createFuseOutlineKernels());
    passes.nest<ModuleOp>().addPass(createFuseStepScans());
  }

  void addSchedules(OpPassManager &kernel) const { buildKernelSchedulePipeline(kernel, stream, gpu); }
};

} // namespace
