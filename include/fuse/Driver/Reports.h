//===- Reports.h - What lowering and running add to a report -------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_DRIVER_REPORTS_H
#define FUSE_DRIVER_REPORTS_H

#include "fuse/Driver/PlanFunction.h"
#include "fuse/Execution/Session.h"
#include "fuse/Report/Report.h"

namespace mlir::fuse {

/// The report of `module`, which `planned` gave: times are predicted for so many threads of this
/// machine, and a measured machine has a score, where nobody named a target.
Report reportPlanned(const PlannedProgram &planned, ModuleOp module, Numerics numerics,
                     int32_t threads);

/// Which code each launch of a function runs, in launch order: host ops are no launches here.
struct LaunchedKernel {
  int64_t kernel = 0;            ///< index in the program's kernel table; equal kernels share one
  std::optional<int64_t> blocks; ///< where the shapes are static
  int64_t scratchBytes = 0;      ///< per thread
  bool isTuned = false;          ///< with a schedule of fuse-tune
  std::optional<int64_t> threads, sharedBytes; ///< of a block of a GPU
};

/// Of a lowered module with one public function.
std::vector<LaunchedKernel> getLaunches(ModuleOp lowered);

/// What the runtime counts in one run of a formed function; nothing where control flow or calls
/// decide, or where some of it is dead.
struct PlannedCounts {
  int64_t launches = 0;  ///< of kernels
  int64_t hostCalls = 0; ///< together with the launches the profile's `kernel_launches`
  int64_t waits = 0;     ///< `sync_points`, and one more where a kernel's result is returned
  std::optional<int64_t> readBackBytes; ///< `host_output_bytes`, where shapes are static
};
std::optional<PlannedCounts> countPlanned(func::FuncOp function);

/// The variant of `function` (see Variants.h) that a call with these arrays, one for each argument that callers give, runs; the
/// function itself where it is none, and where there are no arrays.
func::FuncOp findVariant(func::FuncOp function, ArrayRef<NamedArray> inputs);

/// An error that names the first count of `counters` that is not as planned.
llvm::Error checkCounters(const PlannedCounts &planned, const RunCounters &counters);

/// What a context counted.
RunCounters getCounters(const fuse_counters &counters);

/// Fills in blocks, scratch, and of a GPU's kernels threads and shared memory.
void addLaunches(FunctionReport &report, ArrayRef<LaunchedKernel> launches);

/// Fills in what the assembler says of code of an NVIDIA GPU, and how full the chip is with it.
void addResources(FunctionReport &report, ArrayRef<LaunchedKernel> launches,
                  const CompiledObjects &compiled, StringRef chip);

/// Fills in what was counted of the program's kernels, whose names are in launch order.
void addAccesses(FunctionReport &report, ArrayRef<LaunchedKernel> launches,
                 ArrayRef<fuse_kernel> kernels, ArrayRef<MemoryRequests> requests);

} // namespace mlir::fuse

#endif // FUSE_DRIVER_REPORTS_H
