//===- fuse-compile.cpp - Compiles a program to a bundle -------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../common/ProgressBar.h"
#include "../common/ToolContext.h"
#include "../common/ToolMain.h"
#include "../common/WriteText.h"
#include "Options.h"

#include "fuse/Driver/ApplyPrecision.h"
#include "fuse/Driver/CompileWeighted.h"
#include "fuse/Driver/UserCache.h"
#include "fuse/Driver/Weights.h"
#include "fuse/Runtime/Runtime.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr ToolErrors fail("fuse-compile");

/// The one place where a program and its parameters come in. A diagnostic on failure.
static FailureOr<WeightedProgram> loadWeighted(const BundleOptions &options, ToolContext &tool,
                                               ProgressBar &progress) {
  auto files = readInputFiles(options);
  if (!files)
    return fail(files.takeError()), failure();
  progress.enter(ProgressBar::Stage::Import);
  FailureOr<LoadedProgram> loaded = loadProgram(options.program, options, *files, tool, LoadMode::FixesInputs);
  progress.clear();
  if (failed(loaded))
    return failure();
  for (const std::string &name : loaded->fixedInputs)
    llvm::errs() << "fuse-compile: the bundle is for the array that is given for '" << name
                 << "', which is no input of it\n";
  WeightedProgram program;
  program.module = std::move(loaded->module);
  FailureOr<EntryFunction> found = findRankFunction(*program.module, options);
  if (failed(found))
    return failure();
  program.function = found->function;
  std::optional<ArrayRef<std::string>> fixedInputs;
  if (isModelPath(options.program))
    fixedInputs = loaded->fixedInputs;
  auto weights =
      takeWeights(program.function, found->signature, *files, loaded->parameters, fixedInputs);
  if (!weights)
    return fail(weights.takeError()), failure();
  program.weights = std::move(*weights);
  program.nodes = std::move(loaded->nodes);
  if (failed(fixWeightShapes(program)))
    return failure();
  FailureOr<std::vector<PrecisionError>> errors = applyPrecision(program.function, program.weights, options);
  if (failed(errors))
    return failure();
  for (const PrecisionError &error : *errors)
    llvm::errs() << "fuse-compile: " << describeError(error, options.precision) << "\n";
  return program;
}

static LogicalResult compile(const WeightedProgram &program, const BundleOptions &options,
                             ProgressBar &progress) {
  progress.enter(ProgressBar::Stage::Plan);
  auto cache = openCache(options);
  if (!cache)
    return fail(cache.takeError()), failure();
  CompileSteps steps;
  steps.compiler = progress.getCompilerOptions(*options.backend, options.getChip());
  steps.compiler.cache = cache->get();
  steps.planned = [&]() -> LogicalResult {
    if (llvm::Error error = checkBundleFiles(options.output))
      return fail(std::move(error)), failure();
    progress.enter(ProgressBar::Stage::Lower);
    return success();
  };
  FailureOr<CompiledProgram> compiled = compileWeighted(program, options, steps);
  progress.clear();
  reportCache(cache->get(), "fuse-compile");
  if (failed(compiled))
    return failure();
  compiled->contents.report = formatReport(compiled->report);
  llvm::Error error = writeBundle(options.output, std::move(compiled->variants), compiled->contents, steps.compiler);
  return error ? (fail(std::move(error)), failure()) : success();
}

static int run(const BundleOptions &options) {
  std::vector<std::string> read = options.getInputPaths();
  read.push_back(options.program);
  if (llvm::Error error = checkNotRead(options.output, read))
    return fail(std::move(error));
  auto tool = ToolContext::open(options.program);
  if (!tool)
    return fail(tool.takeError());
  ProgressBar progress((*tool)->getContext());
  FailureOr<WeightedProgram> program = loadWeighted(options, **tool, progress);
  if (failed(program))
    return Failed;
  return succeeded(compile(*program, options, progress)) ? Done : Failed;
}

static void printVersion(llvm::raw_ostream &os) {
  os << "fuse " << getBundleVersion() << "\nABI version " << FUSE_ABI_VERSION << "\n";
}

int main(int argc, char **argv) {
  return runTool(argc, argv, fail, parseOptions, printHelp, printVersion,
                 [](const BundleOptions &options, ArrayRef<const char *>) { return run(options); });
}
