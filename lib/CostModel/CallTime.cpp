//===- CallTime.cpp - What a call of a function takes by a cost model ----------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/CostModel/CallTime.h"

#include "fuse/CostModel/Collectives.h"
#include "fuse/CostModel/LaunchBlocks.h"
#include "fuse/IR/FuseDialect.h"
#include "fuse/IR/StatedExtents.h"

using namespace mlir;
using namespace mlir::fuse;

SmallVector<ArgumentSize> mlir::fuse::getLikelySizes(func::FuncOp variant, ArrayRef<VariantDim> dims) {
  return llvm::map_to_vector(dims, [&](const VariantDim &at) {
    bool isRange = at.least < at.most;
    int64_t size = isRange ? getPlannedExtent(variant, at.argument, at.dim).value_or(at.most) : at.most;
    return ArgumentSize{at.argument, at.dim, size};
  });
}

CallTime mlir::fuse::estimateCall(FunctionOpInterface formed, Numerics numerics, TargetAttr timed,
                                  ArrayRef<ArgumentSize> sizes) {
  TargetAttr target = TargetAttr::lookup(formed);
  std::unique_ptr<CostModel> costModel = createCostModel("roofline", target, numerics);
  std::unique_ptr<CostModel> timeModel = createCostModel("roofline", timed ? timed : target, numerics);
  InlinedFunction inlined(formed);
  auto forEachLaunch = [&](llvm::function_ref<void(const LaunchBlock &, int64_t)> act) {
    inlined.getFunction()->walk<WalkOrder::PreOrder>([&](Block *body) {
      LaunchBlock block(*body, inlined, target, *costModel);
      for (int64_t launch : block.getLaunches())
        act(block, launch);
    });
  };
  if (!sizes.empty()) {
    // The tiles are those that the function has, whatever the sizes.
    forEachLaunch([&](const LaunchBlock &block, int64_t launch) {
      if (ScheduleAttr schedule = block.getSchedule(launch))
        inlined.setSchedule(launch, schedule);
    });
    for (auto [argument, dim, size] : sizes)
      writeExtent(inlined.getFunction(), argument, attr::kDimHints, dim, size);
  }
  SmallVector<Operation *> launches = collectLaunches(formed);
  CallTime time;
  forEachLaunch([&](const LaunchBlock &block, int64_t launch) {
    if (getCollectiveKind(launches[launch])) {
      time.ns += collectiveTime(timed ? timed : target, launches[launch]);
      return;
    }
    std::optional<LaunchFacts> facts = block.getFacts(launch);
    time.isWhole &= facts.has_value();
    time.ns += facts ? timeModel->estimateNs(*facts) : 0;
  });
  return time;
}
