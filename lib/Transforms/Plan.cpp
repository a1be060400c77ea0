//===- Plan.cpp - The pass fuse-plan -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ReadNumerics.h"

#include "fuse/Analysis/Labels.h"
#include "fuse/IR/FuseOps.h"
#include "fuse/Transforms/Passes.h"
#include "fuse/Transforms/Strategy.h"
#include "fuse/Transforms/Transforms.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEPLAN
#include "fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {

struct Plan : fuse::impl::FusePlanBase<Plan> {
  using FusePlanBase::FusePlanBase;

  void runOnOperation() override {
    if (!enable)
      return markAllAnalysesPreserved();
    std::unique_ptr<Strategy> finder = Strategy::create(strategy);
    if (!finder) {
      getOperation().emitError() << "unknown strategy '" << strategy << "', expected one of: "
                                 << llvm::join(Strategy::getNames(), ", ");
      return signalPassFailure();
    }
    PlanOptions options;
    if (!llvm::is_contained(getCostModelNames(), costModel)) {
      getOperation().emitError() << "unknown cost model '" << costModel << "', expected one of: "
                                 << llvm::join(getCostModelNames(), ", ");
      return signalPassFailure();
    }
    options.costModel = costModel;
    std::optional<Numerics> allowed = readNumerics(getOperation(), numerics);
    if (!allowed)
      return signalPassFailure();
    options.numerics = *allowed;
    for (const std::string &label : disable) {
      if (!llvm::is_contained(getLabelNames(), label)) {
        getOperation().emitError() << "unknown label '" << label << "', expected one of: "
                                   << llvm::join(getLabelNames(), ", ");
        return signalPassFailure();
      }
      options.disabledLabels.push_back(label);
    }
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      if (failed(planFunction(function, *finder, options)))
        return signalPassFailure();
  }
};

} // namespace
