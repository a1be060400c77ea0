//===- CallTime.cpp - What a call of a function takes by a cost model ----------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/CostModel/CallTime.h"

#include "fuse/CostModel/Collectives.h"
#include "fuse/CostModel/LaunchBlocks.h"
#include "fuse/IR/CollectiveShapes.h"
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

/// What a collective takes beside the kernels that run in the meantime.
static double getTimeAlone(TargetAttr target, Operation *collective) {
  auto hidden = collective->getAttrOfType<IntegerAttr>(kOverlapNs);
  return std::max(0.0, collectiveTime(target, collective) - (hidden ? static_cast<double>(hidden.getInt()) : 0.0));
}

/// Calls `act` with the id of each launch and how long it takes, in ns; with nothing where that is unknown.
static void forEachTime(FunctionOpInterface formed, Numerics numerics, TargetAttr timed, ArrayRef<ArgumentSize> sizes,
                        llvm::function_ref<void(int64_t, std::optional<double>)> act) {
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
  forEachLaunch([&](const LaunchBlock &block, int64_t launch) {
    if (getCollectiveKind(launches[launch]))
      return act(launch, getTimeAlone(timed ? timed : target, launches[launch]));
    std::optional<LaunchFacts> facts = block.getFacts(launch);
    act(launch, facts ? std::optional(timeModel->estimateNs(*facts)) : std::nullopt);
  });
}

SmallVector<double> mlir::fuse::estimateLaunches(FunctionOpInterface formed, Numerics numerics, TargetAttr timed) {
  SmallVector<double> times(collectLaunches(formed).size());
  forEachTime(formed, numerics, timed, {}, [&](int64_t launch, std::optional<double> ns) { times[launch] = ns.value_or(0); });
  return times;
}

CallTime mlir::fuse::estimateCall(FunctionOpInterface formed, Numerics numerics, TargetAttr timed,
                                  ArrayRef<ArgumentSize> sizes) {
  CallTime time;
  forEachTime(formed, numerics, timed, sizes, [&](int64_t, std::optional<double> ns) {
    time.isWhole &= ns.has_value();
    time.ns += ns.value_or(0);
  });
  return time;
}
