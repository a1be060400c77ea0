//===- fuse-tune.cpp - Looks for faster schedules of a program's kernels -------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Driver/PlanFunction.h"
#include "../common/ProgressBar.h"
#include "../common/ToolContext.h"
#include "../common/ToolMain.h"
#include "../common/WriteText.h"
#include "Options.h"
#include "Table.h"

#include "fuse/Execution/Backend.h"
#include "fuse/Execution/Session.h"
#include "fuse/Execution/Signature.h"
#include "fuse/Runtime/Cpu.h"
#include "fuse/Support/Plural.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Signals.h"

#include <atomic>

using namespace mlir;
using namespace mlir::fuse;
using Clock = std::chrono::steady_clock;

static constexpr ToolErrors fail("fuse-tune");

/// A handler of signals has nowhere else to write to.
static std::atomic<bool> isInterrupted = false;

namespace {
/// A program as fuse-run and fuse-compile would lower it.
struct Planned {
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
};
} // namespace

/// A diagnostic on failure.
static FailureOr<Planned> plan(const TuneToolOptions &options, ToolContext &tool,
                               ProgressBar &progress) {
  auto files = readInputFiles(options);
  if (!files)
    return fail(files.takeError()), failure();
  progress.enter(ProgressBar::Stage::Import);
  FailureOr<LoadedProgram> loaded = loadProgram(options.program, options, *files, tool);
  if (failed(loaded))
    return failure();
  FailureOr<func::FuncOp> found = findFunction(*loaded->module, options.function);
  if (failed(found))
    return failure();
  std::string name = found->getSymName().str();
  progress.enter(ProgressBar::Stage::Plan);
  FailureOr<PlannedProgram> planned =
      planFunction(*loaded->module, name, options, options.getCompileOptions());
  if (failed(planned))
    return failure();
  planned->restoreTarget(*planned->module);
  auto function = planned->module->lookupSymbol<func::FuncOp>(name);
  return Planned{std::move(planned->module), function};
}

/// What is known of this machine: the file of --schedules, or an empty one.
static llvm::Expected<ScheduleFile> readKnown(const TuneToolOptions &options,
                                              MLIRContext *context) {
  ScheduleFile file;
  std::string device = options.backend->getMeasuredName(options.getChip());
  file.machine = device.empty() ? getHostMachine(countThreads(options.threads)) : getDeviceMachine(device);
  if (options.schedules.empty())
    return file;
  auto known = readScheduleFile(context, options.schedules);
  if (!known)
    return known.takeError();
  if (known->machine.fits(file.machine))
    file.kernels = std::move(known->kernels);
  else
    llvm::WithColor::warning(llvm::errs(), "fuse-tune")
        << "'" << options.schedules
        << "' was measured on another machine and is not used: expected " << file.machine.describe()
        << ", found " << known->machine.describe() << "\n";
  return file;
}

static int run(const TuneToolOptions &options) {
  Clock::time_point begin = Clock::now();
  auto tool = ToolContext::open(options.program);
  if (!tool)
    return fail(tool.takeError());
  ProgressBar progress((*tool)->getContext());
  auto known = readKnown(options, &(*tool)->getContext());
  if (!known)
    return fail("schedules " + llvm::toString(known.takeError()));
  // One device for all candidates, and nothing is planned where there is none.
  std::shared_ptr<fuse_device> device;
  if (options.backend->hasDevice()) {
    auto opened = options.backend->openDevice({});
    if (!opened)
      return fail("--target " + options.backend->getName().str() + ": " + llvm::toString(opened.takeError()));
    device = std::move(*opened);
  }
  FailureOr<Planned> planned = plan(options, **tool, progress);
  if (failed(planned))
    return Failed;
  llvm::sys::SetInterruptFunction([] { isInterrupted = true; });
  // Whether the file can be written is known before time is spent; and what is known is in it then.
  // (A pipe would be waited for.)
  llvm::sys::fs::file_status status;
  if (!llvm::sys::fs::status(options.output, status) && !llvm::sys::fs::is_regular_file(status))
    return fail("'" + options.output + "': cannot write: expected a regular file");
  ScheduleFile file = *known;
  if (llvm::Error error = writeText(options.output, file.toJson()))
    return fail(std::move(error));

  TuneOptions tuning;
  tuning.lowering = options.getLoweringOptions();
  tuning.threads = options.threads;
  tuning.seed = options.seed;
  tuning.deadline = begin + std::chrono::duration_cast<Clock::duration>(
                                std::chrono::duration<double>(options.seconds));
  tuning.known = &*known;
  tuning.progress = [&](double part, const llvm::Twine &text) { progress.show(part, text); };
  tuning.isInterrupted = [] { return isInterrupted.load(); };
  tuning.found = [&](const TunedKernel &kernel) {
    file.add(kernel);
    return writeText(options.output, file.toJson());
  };
  tuning.dropped = [&](const TunedKernel &kernel) {
    file.remove(kernel.key);
    return writeText(options.output, file.toJson());
  };
  auto result = tuneKernels(planned->function, tuning);
  llvm::sys::SetInterruptFunction(nullptr);
  progress.clear();
  if (!result)
    return fail(result.takeError());
  if (result->kernels.empty() && !result->failures.empty())
    return fail("no kernel could be run: " + result->failures.front());
  printTable(*result, llvm::outs());
  llvm::outs() << (result->isInterrupted ? "interrupted; " : "") << pluralize(file.kernels.size(), "schedule")
               << " written to " << options.output << "\n";
  if (llvm::Error error = finishOutput())
    return fail(std::move(error));
  return Done;
}

static void printVersion(llvm::raw_ostream &os) {
  os << "fuse " << FUSE_VERSION << "\nCPU " << fuse_cpu_name() << "\n";
}

int main(int argc, char **argv) {
  return runTool(
      argc, argv, fail, parseOptions, printHelp, printVersion,
      [](const TuneToolOptions &options, ArrayRef<const char *>) { return run(options); });
}
