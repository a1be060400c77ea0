//===- fuse-run.cpp - Plans, compiles and runs a program -------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../common/ToolContext.h"
#include "../common/ToolMain.h"
#include "../common/WriteText.h"
#include "Driver.h"
#include "Info.h"
#include "Options.h"
#include "Ranks.h"
#include "RunBundle.h"

#include "fuse/Execution/CrashReproducer.h"
#include "fuse/Execution/ObjectCompiler.h"
#include "fuse/Runtime/Cpu.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Config/llvm-config.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr ToolErrors fail("fuse-run");

static void printVersion(llvm::raw_ostream &os) {
  os << "fuse " << FUSE_VERSION << "\nLLVM " << LLVM_VERSION_STRING << "\nCPU " << fuse_cpu_name()
     << " (" << getHostCpu() << ")\n";
}

static LogicalResult enableRemarks(MLIRContext &context) {
  remark::RemarkCategories categories;
  // `all` alone enables no kind of remark.
  categories.passed = categories.missed = categories.analysis = categories.failed = "fuse-.*";
  return remark::enableOptimizationRemarks(
      context, nullptr, std::make_unique<remark::RemarkEmittingPolicyAll>(), categories,
      /*printAsEmitRemarks=*/true);
}

static int runBundle(const RunOptions &options, std::unique_ptr<Job> &job) {
  llvm::Error error = options.info ? printBundleInfo(options, llvm::outs())
                                   : fuse::runBundle(options, job, llvm::outs());
  llvm::outs().flush();
  return error ? fail(llvm::toString(std::move(error)), Failed) : Done;
}

static int runProgram(const RunOptions &options, std::unique_ptr<Job> &job,
                      ArrayRef<const char *> commandLine) {
  auto tool = ToolContext::open(options.program);
  if (!tool)
    return fail(tool.takeError());
  if (!isModelPath(options.program)) {
    SmallVector<StringRef> words(commandLine);
    installCrashReproducer(options.program, (*tool)->getText(), words);
  }
  auto files = readInputFiles(options);
  if (!files)
    return fail(files.takeError());
  if (options.info) {
    LogicalResult printed = printInfo(options, *files, **tool, llvm::outs());
    llvm::outs().flush();
    return succeeded(printed) ? Done : Failed;
  }
  // Dumps and lists are written while the bar would be there.
  ProgressBar progress((*tool)->getContext(),
                       options.dumpAfter.empty() && !options.dumpKernel && !options.listMerges);
  progress.enter(ProgressBar::Stage::Import);
  int64_t start = getSteadyNs();
  // Who gives arrays says the extents by them.
  LoadMode mode = files->empty() ? LoadMode::AssumesExtents : LoadMode::AsGiven;
  FailureOr<LoadedProgram> program = loadProgram(options.program, options, *files, **tool, mode);
  if (failed(program))
    return Failed;
  progress.clear();
  if (options.explain && failed(enableRemarks((*tool)->getContext())))
    return fail("remarks cannot be enabled", Failed);
  auto drive = [&](const LoadedProgram &loaded, llvm::raw_ostream &os) {
    Driver driver(options, loaded, *files, job, progress, os);
    driver.addStage("import", start);
    return driver.run();
  };
  // Some programs with open extents are imported and cannot be compiled.
  bool mayAssume = isOnnxPath(options.program) && files->empty() && options.onlyReports();
  if (mayAssume && program->assumed.empty()) {
    std::string text;
    llvm::raw_string_ostream os(text);
    HeldDiagnostics held((*tool)->getContext());
    if (succeeded(drive(*program, os))) {
      held.show();
      llvm::outs() << text;
      llvm::outs().flush();
      return Done;
    }
    FailureOr<LoadedProgram> likely =
        loadProgram(options.program, options, *files, **tool, LoadMode::LikelyExtents);
    if (failed(likely) || likely->assumed.empty()) {
      held.show();
      return Failed;
    }
    program = std::move(likely);
  }
  if (!program->assumed.empty())
    llvm::errs() << "fuse-run: assumed " << describeAssumed(program->assumed) << "\n";
  LogicalResult result = drive(*program, llvm::outs());
  llvm::outs().flush();
  return succeeded(result) ? Done : Failed;
}

int main(int argc, char **argv) {
  return runTool(argc, argv, fail, parseOptions, printHelp, printVersion,
                 [](const RunOptions &options, ArrayRef<const char *> commandLine) {
                   std::vector<std::string> read = options.getInputPaths();
                   llvm::append_range(read, ArrayRef<std::string>{options.program, options.expect});
                   llvm::Error error = checkNotRead(
                       {options.outputs, options.reportJson, options.trace, options.graph}, read);
                   if (error)
                     return fail(std::move(error));
                   std::unique_ptr<Job> job; // of a program for several processes
                   RunOptions ranked = options;
                   if (namesRanks(options)) {
                     if (llvm::Error error = openJob(job))
                       return fail(std::move(error));
                     nameFiles(ranked, job->getRank());
                   }
                   int status = options.isBundle ? runBundle(ranked, job)
                                                 : runProgram(ranked, job, commandLine);
                   return finishJob(job.get(), status);
                 });
}
