//===- Reports.cpp - What lowering and running add to a report --------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Driver/Reports.h"

#include "fuse/Analysis/FusionGraph.h"
#include "fuse/Analysis/ReadBack.h"
#include "fuse/CostModel/IoCost.h"
#include "fuse/Execution/Occupancy.h"
#include "fuse/IR/Variants.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::fuse;

/// The address space of shared memory in NVVM.
static constexpr unsigned kSharedSpace = 3;

/// Of a block of a GPU: what its module has, and what launches ask for beside it.
static int64_t countSharedBytes(ModuleOp kernel) {
  int64_t bytes = 0;
  if (auto dynamic = kernel->getAttrOfType<IntegerAttr>(attr::kSharedBytes))
    bytes = dynamic.getInt();
  DataLayout layout(kernel);
  kernel.walk([&](LLVM::GlobalOp global) {
    if (global.getAddrSpace() == kSharedSpace)
      bytes += static_cast<int64_t>(layout.getTypeSize(global.getGlobalType()));
  });
  return bytes;
}

Report mlir::fuse::reportPlanned(const PlannedProgram &planned, ModuleOp module, Numerics numerics,
                                 int32_t threads) {
  Report report =
      computeReport(module, numerics, planned.getTimedTarget(module.getContext(), threads));
  if (planned.timed)
    for (FunctionReport &function : report.functions)
      function.scoreNs = computeScore(computeBenefit(function.before, function.after),
                                      getIoFigures(planned.timed));
  return report;
}

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
      launch.isTuned = kernel->hasAttr(attr::kTuned);
      if (auto threads = kernel->getAttrOfType<IntegerAttr>(attr::kThreads)) {
        launch.threads = threads.getInt();
        launch.sharedBytes = countSharedBytes(kernel);
      }
    }
  }
  return launches;
}

std::optional<PlannedCounts> mlir::fuse::countPlanned(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return std::nullopt;
  // A kernel that only passes its operands on costs nothing by its profile, but is launched.
  int64_t idleKernels = 0;
  for (Operation &op : function.getBody().front()) {
    NodeKind kind = classifyNode(&op);
    if (kind == NodeKind::Foreign && (op.getNumRegions() > 0 || isa<CallOpInterface>(op)))
      return std::nullopt;
    // What nobody needs is dropped on the way to code.
    if (isOpTriviallyDead(&op))
      return std::nullopt;
    if (auto kernel = dyn_cast<KernelOp>(op))
      idleKernels += llvm::none_of(*kernel.getBlock(), [](Operation &member) {
        return classifyNode(&member) == NodeKind::Device;
      });
  }
  Profile profile = computeProfile(function);
  PlannedCounts counts;
  counts.hostCalls = profile.syncPoints;
  counts.launches = profile.kernelLaunches - counts.hostCalls + idleKernels;
  ValueRange returned = function.getBody().front().getTerminator()->getOperands();
  counts.waits = profile.syncPoints + computeReadBack(returned).waits;
  auto isStatic = [](Type type) { return cast<ShapedType>(type).hasStaticShape(); };
  if (llvm::all_of(function.getResultTypes(), isStatic))
    counts.readBackBytes = profile.hostOutputBytes;
  return counts;
}

func::FuncOp mlir::fuse::findVariant(func::FuncOp function, ArrayRef<NamedArray> inputs) {
  FailureOr<SmallVector<func::FuncOp>> variants = getVariants(function);
  if (failed(variants) || inputs.empty())
    return function;
  for (func::FuncOp variant : *variants) {
    FailureOr<SmallVector<VariantDim>> dims = getVariantDims(variant);
    if (succeeded(dims) && llvm::all_of(*dims, [&](const VariantDim &each) {
          int64_t size = inputs[each.argument].array.getShape()[static_cast<size_t>(each.dim)];
          return size >= each.least && size <= each.most;
        }))
      return variant;
  }
  return function;
}

llvm::Error mlir::fuse::checkCounters(const PlannedCounts &planned, const RunCounters &counters) {
  struct Count {
    const char *what;
    int64_t planned, counted;
  };
  for (Count count :
       {Count{"launches, one for each kernel", planned.launches, counters.launches},
        Count{"calls of host ops", planned.hostCalls, counters.hostCalls},
        Count{"waits for the device", planned.waits, counters.waits},
        Count{"bytes read back", planned.readBackBytes.value_or(counters.readBackBytes),
              counters.readBackBytes}})
    if (count.planned != count.counted)
      return llvm::createStringError("expected " + std::to_string(count.planned) + " " +
                                     count.what + ", found " + std::to_string(count.counted) +
                                     " counted by the runtime");
  return llvm::Error::success();
}

RunCounters mlir::fuse::getCounters(const fuse_counters &counters) {
  return {counters.launches, counters.host_calls, counters.waits, counters.copies,
          counters.readback_bytes};
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
    kernel.isTuned = launches[i].isTuned;
    kernel.threads = launches[i].threads;
    kernel.sharedBytes = launches[i].sharedBytes;
  });
}

void mlir::fuse::addResources(FunctionReport &report, ArrayRef<LaunchedKernel> launches,
                              const CompiledObjects &compiled, StringRef chip) {
  std::optional<MultiprocessorLimits> limits = getMultiprocessorLimits(chip);
  forEachLaunch(report, launches.size(), [&](KernelReport &kernel, size_t i) {
    const KernelUnit &unit = compiled.kernels[launches[i].kernel];
    auto image = compiled.images.find(unit.object);
    if (image == compiled.images.end() || image->second.binary.empty())
      return;
    const DeviceResources &resources = image->second.resources;
    kernel.sharedBytes = resources.sharedBytes + unit.device->sharedBytes;
    kernel.registers = resources.registers;
    kernel.spillBytes = resources.spillStores + resources.spillLoads;
    if (limits)
      kernel.occupancy =
          computeOccupancy(*limits, unit.device->threads, resources.registers, *kernel.sharedBytes)
              .getRatio();
  });
}

void mlir::fuse::addAccesses(FunctionReport &report, ArrayRef<LaunchedKernel> launches,
                             ArrayRef<fuse_kernel> kernels, ArrayRef<MemoryRequests> requests) {
  forEachLaunch(report, launches.size(), [&](KernelReport &kernel, size_t i) {
    StringRef name = kernels[launches[i].kernel].name;
    for (const MemoryRequests &counted : requests) {
      if (counted.kernel != name)
        continue;
      // Code that is written once may be several instructions.
      auto known = llvm::find_if(kernel.accesses, [&](const AccessReport &access) {
        return access.location == counted.site && access.writes == counted.writes;
      });
      if (known == kernel.accesses.end())
        known = kernel.accesses.insert(known, {counted.site, counted.writes});
      known->requests += counted.requests;
      known->sectors += counted.sectors;
      known->idealSectors += counted.idealSectors;
      known->rounds += counted.rounds;
      known->idealRounds += counted.idealRounds;
    }
  });
}
