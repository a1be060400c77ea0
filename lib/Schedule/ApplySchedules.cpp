//===- ApplySchedules.cpp - Gives outlined kernels the schedules of a file ----------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/FuseDialect.h"
#include "fuse/Schedule/Passes.h"
#include "fuse/Schedule/ScheduleFile.h"
#include "fuse/Support/Plural.h"
#include "llvm/Support/FileSystem.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEAPPLYSCHEDULES
#include "fuse/Schedule/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {
struct ApplySchedules : fuse::impl::FuseApplySchedulesBase<ApplySchedules> {
  using FuseApplySchedulesBase::FuseApplySchedulesBase;

  void runOnOperation() override {
    if (keys)
      forEachKernel([&](func::FuncOp function) {
        function.emitRemark() << "key " << getKernelKey(function, stream);
      });
    if (file.empty())
      return;
    Location place = getPlace();
    auto read = readScheduleFile(&getContext(), file);
    if (!read) {
      emitError(place) << "schedules " << llvm::toString(read.takeError());
      return signalPassFailure();
    }
    TunedMachine host = device.empty() ? getHostMachine(threads) : getDeviceMachine(device);
    if (!read->machine.fits(host)) {
      emitWarning(place) << "schedules '" << file
                         << "' were measured on another machine and are not used: expected "
                         << host.describe() << ", found " << read->machine.describe();
      return;
    }
    if (!apply(*read) && !read->kernels.empty())
      emitWarning(place) << "schedules '" << file << "': none of its " << pluralize(read->kernels.size(), "kernel")
                         << " is in this program as it is planned";
  }

private:
  Location getPlace() {
    if (!llvm::sys::fs::is_regular_file(file.getValue()))
      return UnknownLoc::get(&getContext());
    return FileLineColLoc::get(&getContext(), file, 1, 1);
  }

  /// Whether the file knows any of the kernels.
  bool apply(const ScheduleFile &schedules) {
    bool isKnown = false;
    forEachKernel([&](func::FuncOp function) {
      const TunedKernel *kernel = schedules.find(getKernelKey(function, stream));
      isKnown |= kernel != nullptr;
      if (!kernel || function->hasAttr(attr::kSchedule))
        return;
      function->setAttr(attr::kSchedule, kernel->schedule);
      function->getParentOp()->setAttr(attr::kTuned,
                                       StringAttr::get(&getContext(), file.getValue()));
    });
    return isKnown;
  }

  void forEachKernel(llvm::function_ref<void(func::FuncOp)> visit) {
    for (auto module : getOperation().getOps<ModuleOp>())
      for (auto function : module.getOps<func::FuncOp>())
        if (!function.isExternal())
          visit(function);
  }
};
} // namespace
