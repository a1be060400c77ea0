//===- Driver.h - What fuse-run does with a program ---------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_FUSE_RUN_DRIVER_H
#define FUSE_TOOLS_FUSE_RUN_DRIVER_H

#include "fuse/Driver/LoadProgram.h"
#include "../common/ProgressBar.h"
#include "fuse/Driver/Recording.h"
#include "fuse/Driver/Reports.h"
#include "fuse/Driver/UserCache.h"
#include "../common/Trace.h"
#include "Options.h"
#include "Ranks.h"
#include "fuse/Execution/Compile.h"
#include "fuse/Execution/Session.h"
#include "fuse/Report/Picture.h"
#include "mlir/IR/OwningOpRef.h"

#include <optional>

namespace mlir::fuse {

/// One program from its text to its outputs. Files are written last, after everything else has
/// succeeded.
class Driver {
public:
  /// `program` is as written, `files` what the options name; `progress` is cleared before anything
  /// is printed. job: of a program for several processes, which is opened where it is not yet.
  Driver(const RunOptions &options, const LoadedProgram &program, ArrayRef<InputFile> files,
         std::unique_ptr<Job> &job, ProgressBar &progress, llvm::raw_ostream &os)
      : options(options), module(*program.module), parameters(program.parameters), files(files),
        job(job), progress(progress), os(os) {}

  /// On failure the reason is on stderr, as a diagnostic with a location where there is one.
  LogicalResult run();

  /// Something that was done before; for --trace.
  void addStage(StringRef name, int64_t beginNs) {
    stages.push_back({name.str(), beginNs, getSteadyNs()});
  }

private:
  LogicalResult fail(llvm::Error error, Operation *op = nullptr);
  /// Joins the other processes that a program is for.
  LogicalResult startJob();
  /// Makes the outputs those of all ranks together, unless each writes its own.
  LogicalResult joinRanks();
  /// Takes ranges of --calibrate into the program, and prints the error that the precision makes of them.
  LogicalResult calibrate();
  LogicalResult compile();
  /// Whether code for the CPU of --cpu runs here.
  LogicalResult checkCpu();
  /// Lowers and compiles `planned`, of which `compiled` is the signature, and loads it.
  LogicalResult compileAtOnce(const Signature &compiled, int64_t start);
  /// Loads code whose stage began at `start`, in ns.
  LogicalResult load(CompiledObjects objects, const Signature &compiled, int64_t start);
  /// How many kernels the cache had, where there is one.
  void printCached();
  /// The code of `planned`, which was lowered.
  llvm::Expected<CompiledObjects> compileLowered();
  /// For devices that nothing here drives; an error where the program was to run.
  LogicalResult buildOnly();
  /// Of all kernels, in the order in which they are first launched.
  LogicalResult dumpText();
  /// Whether what warps ask of memory is part of the report.
  bool countsRequests() const;
  FunctionReport &getFunctionReport();
  LogicalResult explain();
  LogicalResult execute();
  LogicalResult checkCounts();
  LogicalResult startRecording(int64_t events);
  /// The inputs, memrefs copied, and the parameters that `function` wants prepared.
  LogicalResult makeArguments(func::FuncOp function, std::vector<HostArray> &arguments);
  InterpreterOptions getInterpreterOptions() const;
  LogicalResult interpret(std::vector<NamedArray> &results);
  LogicalResult compare();
  void keepPlanned();
  /// The planned program with the results of all kernels as outputs, which was run once more.
  struct KeptRun;
  FailureOr<KeptRun> runKept();
  LogicalResult locate(ArrayRef<NamedArray> wanted, bool agrees);
  /// Whether outputs beyond the tolerance are the fault of nobody: each kernel is right on the operands
  /// that it was given. Says so, or which kernel is not. `wanted` as for `locate`, `error`: what is
  /// wrong with the outputs.
  LogicalResult excuse(ArrayRef<NamedArray> wanted, llvm::Error error);
  LogicalResult excuse(KeptRun &kept, ArrayRef<NamedArray> wanted, llvm::Error error);
  LogicalResult writeFiles();
  /// What the picture says of the program and the machine.
  PictureOptions getPictureOptions() const;
  void printTimes();
  void printReports();
  bool onlyExplains() const;

  const RunOptions &options;
  ModuleOp module;
  ArrayRef<NamedArray> parameters;
  ArrayRef<InputFile> files;
  std::unique_ptr<Job> &job; // null: of one process
  ProgressBar &progress;
  llvm::raw_ostream &os;

  func::FuncOp func; // in `module`
  Signature signature;
  std::vector<NamedArray> inputs, expected, outputs;
  std::vector<NamedArray> ownOutputs; // of this rank
  int32_t threads = 0;                // of a launch
  OwningOpRef<ModuleOp> planned; // kernels formed; later lowered
  OwningOpRef<ModuleOp> located; // for --check: the same, as it was before that
  llvm::DenseMap<Operation *, size_t> locatedKernels; // in `located`, to their place in the report
  Report report;                                      // of `planned`
  std::vector<FunctionGraph> graphs;                  // of the report's functions, for --graph
  std::vector<LaunchedKernel> launches;
  std::optional<PlannedCounts> plannedCounts;
  std::unique_ptr<CodeCache> cache; // null: none
  struct CodeCounts {
    size_t kernels = 0, cached = 0; // distinct ones
  };
  std::optional<CodeCounts> codeCounts;
  std::unique_ptr<Session> session;
  std::vector<double> runMs; // the first run comes first
  std::vector<RecordedRun>
      runs; // the timed ones, as far as they are kept; for --trace the first too
  std::vector<TracedStage> stages; // in order
};

} // namespace mlir::fuse

#endif // FUSE_TOOLS_FUSE_RUN_DRIVER_H
