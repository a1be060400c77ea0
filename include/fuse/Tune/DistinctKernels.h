//===- DistinctKernels.h - The kernels of a program that can be tuned -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TUNE_DISTINCTKERNELS_H
#define FUSE_TUNE_DISTINCTKERNELS_H

#include "fuse/Execution/Compile.h"
#include "fuse/Schedule/KernelSchedule.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::fuse {

/// A kernel alone. Kernels that code is built once for are one.
struct DistinctKernel {
  static constexpr llvm::StringLiteral kFunction = "main";

  std::string key;        ///< see getKernelKey
  std::string name;       ///< for people, as the report has it
  int64_t launches = 0;   ///< places that launch it
  double predictedMs = 0; ///< of one launch; 0 where that is not known
  OwningOpRef<ModuleOp>
      module;            ///< a function `kFunction` of the kernel's inputs, and the kernel in it
  ScheduleAttr schedule; ///< the one that the compiler gives it
  KernelFacts facts;     ///< that it is made from
  std::vector<std::optional<int64_t>> indexExtents; ///< of each input: values are below it
};

struct DistinctKernels {
  std::vector<DistinctKernel> kernels; ///< in launch order
  /// Launches that are left out: with a schedule of the program's own, of unknown shapes, and with
  /// scatters or reads at indices that the kernel computes.
  int64_t written = 0, dynamic = 0, indirect = 0;
};

/// Those of `function`, in a planned program that is laid out. Diagnostics on failure.
FailureOr<DistinctKernels> findDistinctKernels(func::FuncOp function,
                                               const LoweringOptions &lowering);

} // namespace mlir::fuse

#endif // FUSE_TUNE_DISTINCTKERNELS_H
