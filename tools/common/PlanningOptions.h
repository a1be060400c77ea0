//===- PlanningOptions.h - What tools that compile have in common -------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_COMMON_PLANNINGOPTIONS_H
#define FUSE_TOOLS_COMMON_PLANNINGOPTIONS_H

#include "CommandLine.h"
#include "fuse/CostModel/Budget.h"
#include "fuse/Execution/Backend.h"
#include "fuse/Import/Onnx.h"
#include "fuse/Support/Numerics.h"

#include "mlir/IR/OwningOpRef.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <utility>
#include <vector>

namespace mlir::fuse {

/// Which arrays a program is given, how its kernels are planned, and what every tool answers.
struct PlanningOptions {
  std::string function;

  std::vector<std::string> inputArchives;
  std::vector<std::pair<std::string, std::string>> inputFiles; // name, path
  std::vector<std::pair<std::string, std::string>> boundFiles; // name, path
  std::vector<std::pair<std::string, int64_t>> dims;           // of a model, by name
  std::vector<std::pair<std::string, DimRange>> ranges;        // of those that stay open
  SmallVector<VariantSizes> variants;                          // sizes of these that get code of their own
  bool automaticVariants = false;                              // without any, they are chosen by price

  std::string strategy = "priority";
  std::string costModel = "roofline";
  bool fusion = true;
  Numerics numerics = Numerics::Folds;
  std::vector<std::string> disabledLabels;
  Budget budget;          // beside the function's own
  std::string costTarget; // empty: the program's own fuse.target, else that of fuse-calibrate
  const Backend *backend = &getDefaultBackend();
  std::string cpu;  // a name of CpuLevel.h; empty: this one
  /// Threads that kernels are run by, and cut for; 0: as many as OpenMP would use, and blocks enough for many.
  int32_t threads = 0;
  std::string chip; // one of the backend's; empty: its default

  /// The files of arrays that are read.
  std::vector<std::string> getInputPaths() const;

  std::string getChip() const { return backend->resolveChip(chip); }

  std::string cacheFolder; // of compiled code; empty: the environment's
  bool usesCache = true;
  std::string schedules; // a file of fuse-tune; empty: none

  bool help = false;
  bool version = false;

  CompileOptions getCompileOptions() const;
  LoweringOptions getLoweringOptions() const;
};

/// In the help's order, each with a heading first.
llvm::ArrayRef<OptionSpec<PlanningOptions>> getInputOptions();
llvm::ArrayRef<OptionSpec<PlanningOptions>> getPlanningOptions();
llvm::ArrayRef<OptionSpec<PlanningOptions>> getHelpOptions();
/// Of tools that compile to code.
llvm::ArrayRef<OptionSpec<PlanningOptions>> getCacheOptions();
/// Of those that do so for use.
llvm::ArrayRef<OptionSpec<PlanningOptions>> getScheduleOptions();
/// Adds all of them but those of code.
void addAllOptions(OptionParser &parser, PlanningOptions &options);

/// One name of CpuLevel.h, for an option; an error for another text.
llvm::Error readCpu(StringRef text, std::string &cpu);
/// --threads: an integer from 1 to 4096.
llvm::Error readThreads(PlanningOptions &options, llvm::StringRef text);

/// "cpu or cuda": the names of the backends that `isWanted` takes, as --target has them.
std::string nameTargets(llvm::function_ref<bool(const Backend &)> isWanted);

/// An error unless the chip, where one is given, is one of the backend's, and schedules are for a
/// backend that uses them.
llvm::Error checkChip(const PlanningOptions &options);

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

/// Plans a copy of `module` in which only the function `function` is left. Where neither the
/// program nor the options name a target, the default decides. Diagnostics on failure.
FailureOr<PlannedProgram> planFunction(ModuleOp module, StringRef function,
                                       const PlanningOptions &options,
                                       const CompileOptions &compileOptions,
                                       StageDump *dump = nullptr);

} // namespace mlir::fuse

#endif // FUSE_TOOLS_COMMON_PLANNINGOPTIONS_H
