//===- Reports.cpp - What lowering and running add to a report --------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Reports.h"

#include "fuse/Analysis/FusionGraph.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::fuse;

std::vector<LaunchedKernel> mlir::fuse::getLaunches(ModuleOp lowered) {
  std::vector<LaunchedKernel> launches;
  auto names = lowered->getAttrOfType<ArrayAttr>(attr::kKernels);
  for (Operation &op : *lowered.getBody()) {
    auto numbers = op.getAttrOfType<DenseI64ArrayAttr>(attr::kLaunches);
    if (!numbers)
      continue;
    for (int64_t number : numbers.asArrayRef()) {
      LaunchedKernel &launch = launches.emplace_back();
      launch.kernel = number;
      auto kernel = lowered.lookupSymbol<ModuleOp>(cast<StringAttr>(names[number]).getValue());
      if (auto blocks = kernel->getAttrOfType<IntegerAttr>(attr::kBlocks))
        launch.blocks = blocks.getInt();
      if (auto scratch = kernel->getAttrOfType<IntegerAttr>(attr::kScratchBytes))
        launch.scratchBytes = scratch.getInt();
    }
  }
  return launches;
}

std::optional<int64_t> mlir::fuse::countPlannedLaunches(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return std::nullopt;
  int64_t count = 0;
  for (Operation &op : function.getBody().front()) {
    NodeKind kind = classifyNode(&op);
    if (kind == NodeKind::Foreign && (op.getNumRegions() > 0 || isa<CallOpInterface>(op)))
      return std::nullopt;
    // What nobody needs is dropped on the way to code.
    if (isOpTriviallyDead(&op))
      return std::nullopt;
    count += kind == NodeKind::Kernel;
  }
  return count;
}

/// Calls `fn` with each launched kernel's report and its place among the launches.
template <typename Fn>
static void forEachLaunch(FunctionReport &report, size_t numLaunches, Fn fn) {
  size_t next = 0;
  for (KernelReport &kernel : report.kernels)
    if (kernel.label != "host" && next < numLaunches)
      fn(kernel, next++);
}

void mlir::fuse::addLaunches(FunctionReport &report, ArrayRef<LaunchedKernel> launches) {
  forEachLaunch(report, launches.size(), [&](KernelReport &kernel, size_t i) {
    kernel.blocks = launches[i].blocks;
    kernel.scratchBytes = launches[i].scratchBytes;
  });
}
