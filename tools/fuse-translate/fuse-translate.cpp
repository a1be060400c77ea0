//===- fuse-translate.cpp - Programs, plans and listings as text ----------------------===//
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
#include "fuse/Driver/Listing.h"
#include "Options.h"

#include "fuse/Execution/Signature.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Process.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr ToolErrors fail("fuse-translate");

/// The program after planning, before its kernels are formed.
static LogicalResult printPlan(func::FuncOp function, const TranslateOptions &options,
                               raw_ostream &os) {
  StageDump dump;
  dump.stage = "fuse-plan";
  dump.os = &os;
  dump.withLocations = options.locations;
  auto module = function->getParentOfType<ModuleOp>();
  return failure(failed(planFunction(module, function.getSymName(), options,
                                     options.getCompileOptions(), &dump)));
}

static LogicalResult printPlanned(func::FuncOp function, ArrayRef<ModelNode> modelNodes,
                                  const TranslateOptions &options, raw_ostream &os) {
  auto module = function->getParentOfType<ModuleOp>();
  std::string name = function.getSymName().str();
  // Calls become part of the function first: their ops are nodes like others.
  isolateFunction(module, name);
  WrittenNodes nodes(module.lookupSymbol<func::FuncOp>(name), modelNodes);
  FailureOr<PlannedProgram> planned =
      planFunction(module, name, options, options.getCompileOptions());
  if (failed(planned))
    return failure();
  auto plannedFunction = planned->module->lookupSymbol<func::FuncOp>(name);
  FunctionReport report = computeFunctionReport(plannedFunction, options.numerics);
  nodes.place(plannedFunction, report);
  if (options.emission == Emission::Listing)
    printListing(nodes, report, os);
  else
    printGraph(nodes, plannedFunction, report, os);
  return success();
}

static LogicalResult print(const LoadedProgram &program, const TranslateOptions &options,
                           raw_ostream &os) {
  ModuleOp module = *program.module;
  if (options.emission == Emission::Bytecode)
    return writeBytecodeToFile(module, os);
  if (options.emission == Emission::Text) {
    OpPrintingFlags flags;
    if (options.locations)
      flags.enableDebugInfo();
    module->print(os, flags);
    return success();
  }
  FailureOr<func::FuncOp> function = findFunction(module, options.function);
  if (failed(function))
    return failure();
  if (function->isExternal())
    return function->emitError("expected a function with a body, found a declaration");
  if (options.emission == Emission::Plan)
    return printPlan(*function, options, os);
  return printPlanned(*function, program.nodes, options, os);
}

static int run(const TranslateOptions &options) {
  // A terminal could do anything with it.
  bool isShown = options.output.empty() && llvm::sys::Process::StandardOutIsDisplayed();
  if (options.emission == Emission::Bytecode && isShown)
    return fail("--emit bytecode needs -o FILE: standard output is a terminal", WrongUsage);
  std::vector<std::string> read = options.getInputPaths();
  read.push_back(options.program);
  if (llvm::Error error = checkNotRead({options.output, options.weights}, read))
    return fail(std::move(error));
  auto tool = ToolContext::open(options.program);
  if (!tool)
    return fail(tool.takeError());
  auto files = readInputFiles(options);
  if (!files)
    return fail(files.takeError());
  ProgressBar progress((*tool)->getContext());
  progress.enter(ProgressBar::Stage::Import);
  FailureOr<LoadedProgram> program =
      loadProgram(options.program, options, *files, **tool);
  if (failed(program))
    return Failed;
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (options.emission != Emission::Text && options.emission != Emission::Bytecode)
    progress.enter(ProgressBar::Stage::Plan);
  if (failed(print(*program, options, stream)))
    return Failed;
  progress.clear();
  // The weights first: who sees the program finds them.
  if (!options.weights.empty())
    if (llvm::Error error = writeNpz(options.weights, program->parameters))
      return fail(std::move(error));
  llvm::Error error = writeText(options.output.empty() ? "-" : options.output, text);
  return error ? fail(std::move(error)) : Done;
}

static void printVersion(llvm::raw_ostream &os) {
  os << "fuse " << FUSE_VERSION << "\nLLVM " << LLVM_VERSION_STRING << "\n";
}

int main(int argc, char **argv) {
  return runTool(argc, argv, fail, parseOptions, printHelp, printVersion,
                 [](const TranslateOptions &options, ArrayRef<const char *>) { return run(options); });
}
