//===- PlanFunction.h - A program planned for its target ----------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_DRIVER_PLANFUNCTION_H
#define FUSE_DRIVER_PLANFUNCTION_H

#include "fuse/Driver/PlanningOptions.h"
#include "fuse/Execution/Signature.h"

#include "mlir/IR/OwningOpRef.h"

namespace mlir::fuse {

/// A program whose kernels are formed.
struct PlannedProgram {
  OwningOpRef<ModuleOp> module;
  /// What code is built for: the program's own target, else the default one with what was measured
  /// of stores on this machine; may be null.
  Attribute ownTarget;
  /// What was measured of this machine, where neither the program nor the options name a target;
  /// may be null.
  TargetAttr timed;
  bool isForHost = false; ///< nobody named a target, and this CPU runs it

  /// What times are predicted for with so many threads: what was measured, else what follows from
  /// the CPU's facts. Null where a target was named, and where FUSE_TARGET_FILE is set to nothing.
  TargetAttr getTimedTarget(MLIRContext *context, int32_t threads) const;

  /// From here on `program`, which was `module`, is for this machine, whatever was priced.
  void restoreTarget(ModuleOp program) const;
};

/// The function that the options name. Where `--shard` or annotations ask for it, it is made the program of one rank first, in
/// place, and is the only one left: its arguments and results are one rank's parts then. Diagnostics on failure.
FailureOr<EntryFunction> findRankFunction(ModuleOp module, const PlanningOptions &options);

/// Plans a copy of `module` in which only the function `function` is left. Where neither the
/// program nor the options name a target, the default decides. Diagnostics on failure.
FailureOr<PlannedProgram> planFunction(ModuleOp module, StringRef function,
                                       const PlanningOptions &options,
                                       const CompileOptions &compileOptions,
                                       StageDump *dump = nullptr);

} // namespace mlir::fuse

#endif // FUSE_DRIVER_PLANFUNCTION_H
