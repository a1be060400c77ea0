//===- AssignSchedules.cpp - Gives each outlined kernel its schedule ----------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/Decompose.h"
#include "fuse/IR/FuseDialect.h"
#include "fuse/Schedule/GroupFacts.h"
#include "fuse/Schedule/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEASSIGNSCHEDULES
#include "fuse/Schedule/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {
struct AssignSchedules : fuse::impl::FuseAssignSchedulesBase<AssignSchedules> {
  using FuseAssignSchedulesBase::FuseAssignSchedulesBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal() || function->hasAttr(attr::kSchedule))
        continue;
      decomposeAll(function);
      FailureOr<ScheduleAttr> schedule = computeKernelSchedule(function, stream, gpu);
      if (failed(schedule))
        return signalPassFailure();
      function->setAttr(attr::kSchedule, *schedule);
    }
  }
};
} // namespace
