//===- fuse-run.cpp - Plans, compiles and runs a program -------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../common/ToolContext.h"
#include "Driver.h"
#include "Options.h"
#include "RunBundle.h"

#include "fuse/Execution/CrashReproducer.h"
#include "fuse/Execution/ObjectCompiler.h"
#include "fuse/Runtime/Cpu.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace mlir::fuse;

/// Exit statuses; see the help.
enum Status { Done = 0, Failed = 1, WrongUsage = 2 };

static int fail(const Twine &text, Status status) {
  llvm::WithColor::error(llvm::errs(), "fuse-run") << text << "\n";
  if (status == WrongUsage)
    llvm::errs() << "fuse-run --help lists the options\n";
  return status;
}

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

static int runBundle(const RunOptions &options) {
  llvm::Error error = fuse::runBundle(options, llvm::outs());
  llvm::outs().flush();
  return error ? fail(llvm::toString(std::move(error)), Failed) : Done;
}

static int runProgram(const RunOptions &options, ArrayRef<const char *> commandLine) {
  auto tool = ToolContext::open(options.program);
  if (!tool)
    return fail(llvm::toString(tool.takeError()), Failed);
  if (!isOnnxPath(options.program)) {
    SmallVector<StringRef> words(commandLine);
    installCrashReproducer(options.program, (*tool)->getText(), words);
  }
  auto files = readInputFiles(options);
  if (!files)
    return fail(llvm::toString(files.takeError()), Failed);
  // Dumps and lists are written while the bar would be there.
  ProgressBar progress((*tool)->getContext(), options.dumpAfter.empty() && !options.dumpKernel &&
                                    !options.listMerges);
  progress.enter(ProgressBar::Stage::Import);
  FailureOr<LoadedProgram> program = loadProgram(options.program, options, *files, **tool);
  if (failed(program))
    return Failed;
  progress.clear();
  if (options.explain && failed(enableRemarks((*tool)->getContext())))
    return fail("remarks cannot be enabled", Failed);
  LogicalResult result = Driver(options, *program, *files, progress, llvm::outs()).run();
  llvm::outs().flush();
  return succeeded(result) ? Done : Failed;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::setBugReportMsg("");
  ArrayRef<const char *> commandLine(argv, static_cast<size_t>(argc));
  auto options = parseOptions(commandLine.drop_front(argc > 0));
  if (!options)
    return fail(llvm::toString(options.takeError()), WrongUsage);
  if (options->help)
    printHelp(llvm::outs());
  if (options->version)
    printVersion(llvm::outs());
  if (options->help || options->version)
    return Done;
  return options->isBundle ? runBundle(*options) : runProgram(*options, commandLine);
}
