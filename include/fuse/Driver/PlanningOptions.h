//===- PlanningOptions.h - How programs are planned and compiled -----------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_DRIVER_PLANNINGOPTIONS_H
#define FUSE_DRIVER_PLANNINGOPTIONS_H

#include "fuse/CostModel/Budget.h"
#include "fuse/Driver/CommandLine.h"
#include "fuse/Execution/Backend.h"
#include "fuse/Import/Onnx.h"
#include "fuse/Support/Numerics.h"
#include "fuse/Support/Precision.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <utility>
#include <vector>

namespace mlir::fuse {

/// Which arrays a program is given, and how its kernels are planned and compiled. The options of tools and of the C
/// interface are those that get…Options list.
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
  bool isNumericsGiven = false; // else a precision other than that of the program takes what it needs
  Precision precision = Precision::AsWritten;
  /// Archives of inputs that ranges of activations are measured of, and errors that a precision makes.
  std::vector<std::string> calibrationArchives;
  std::vector<std::string> disabledLabels;
  Budget budget;          // beside the function's own
  std::string costTarget; // empty: the program's own fuse.target, else the default one
  const Backend *backend = &getDefaultBackend();
  std::string shard; // as the option of fuse-distribute; empty: what annotations say
  std::string cpu;  // a name of CpuLevel.h; empty: this one
  /// Of bundles: names of CpuLevel.h, each once, the CPU with most instructions first; empty: this one.
  std::vector<std::string> cpus;
  /// Threads that kernels are run by, and cut for; 0: as many as OpenMP would use, and blocks enough for many.
  int32_t threads = 0;
  std::string chip; // one of the backend's; empty: its default
  bool asyncCopies = true, warpgroups = true; // see LoweringOptions

  /// The files of arrays that are read.
  std::vector<std::string> getInputPaths() const;

  std::string getChip() const { return backend->resolveChip(chip); }

  std::string cacheFolder; // of compiled code; empty: the environment's
  bool usesCache = true;
  std::string schedules; // a file of fuse-tune; empty: none

  CompileOptions getCompileOptions() const;
  LoweringOptions getLoweringOptions() const;
};

/// An error for arrays to calibrate with without a precision, and for a precision without the arrays that it needs.
llvm::Error checkPrecision(const PlanningOptions &options);

/// In the help's order, each with a heading first.
llvm::ArrayRef<OptionSpec<PlanningOptions>> getInputOptions();
llvm::ArrayRef<OptionSpec<PlanningOptions>> getPlanningOptions();
/// Of bundles: the CPUs that they are for, and threads.
llvm::ArrayRef<OptionSpec<PlanningOptions>> getBundleOptions();
/// Of tools that compile to code.
llvm::ArrayRef<OptionSpec<PlanningOptions>> getCacheOptions();
/// Of those that do so for use.
llvm::ArrayRef<OptionSpec<PlanningOptions>> getScheduleOptions();
/// One name of CpuLevel.h, for an option; an error for another text.
llvm::Error readCpu(StringRef text, std::string &cpu);
/// --threads: an integer from 1 to 4096.
llvm::Error readThreads(PlanningOptions &options, llvm::StringRef text);

/// "cpu or cuda": the names of the backends that `isWanted` takes, as --target has them.
std::string nameTargets(llvm::function_ref<bool(const Backend &)> isWanted);

/// An error unless the chip, where one is given, is one of the backend's, and schedules are for a
/// backend that uses them.
llvm::Error checkChip(const PlanningOptions &options);

/// An error unless bundles can be made with these options: of the backend, of the CPUs, and where schedules are for another
/// CPU than was measured.
llvm::Error checkBundle(const PlanningOptions &options);

} // namespace mlir::fuse

#endif // FUSE_DRIVER_PLANNINGOPTIONS_H
