//===- Driver.cpp - What fuse-run does with a program ----------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Driver.h"

#include "Arrays.h"
#include "Output.h"
#include "fuse/Execution/RandomInputs.h"
#include "fuse/IR/FuseOps.h"
#include "fuse/Interpreter/Interpreter.h"
#include "fuse/Report/Picture.h"
#include "fuse/Transforms/Strategy.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/WithColor.h"

#include <chrono>

using namespace mlir;
using namespace mlir::fuse;

static double toMs(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

LogicalResult Driver::fail(llvm::Error error, Operation *op) {
  std::string text = llvm::toString(std::move(error));
  progress.clear();
  if (op)
    return op->emitError(text);
  llvm::WithColor::error(llvm::errs(), "fuse-run") << text << "\n";
  return failure();
}

bool Driver::onlyExplains() const {
  bool explains = options.report || !options.reportJson.empty() || !options.graph.empty() ||
                  options.explain || options.listMerges || !options.dumpAfter.empty() || options.dumpKernel;
  bool runs = options.hasInputs() || options.check || options.timedRuns ||
              !options.expect.empty() || !options.outputs.empty();
  return explains && !runs && !signature.inputs.empty();
}

LogicalResult Driver::run() {
  FailureOr<func::FuncOp> found = findFunction(module, options.function);
  if (failed(found))
    return failure();
  func = *found;
  FailureOr<Signature> described = Signature::get(func);
  if (failed(described))
    return failure();
  signature = std::move(*described);

  if (!onlyExplains()) {
    auto gathered = gatherInputs(signature, options, files, parameters, getIndexExtents(func));
    if (!gathered)
      return fail(gathered.takeError());
    inputs = std::move(*gathered);
    if (!options.expect.empty()) {
      auto wanted = readExpected(options.expect, signature);
      if (!wanted)
        return fail(wanted.takeError());
      expected = std::move(*wanted);
    }
  }
  if (options.mode != RunMode::Interpret && failed(compile()))
    return failure();
  progress.clear();
  if (onlyExplains()) {
    printReports();
    return writeFiles();
  }
  if (failed(execute()))
    return failure();
  if (options.outputs.empty())
    for (const NamedArray &output : outputs)
      printSummary(output, os);
  printReports();
  printTimes();
  if (failed(compare()))
    return failure();
  return writeFiles();
}

namespace {
/// Executes the merges that the options ask for, and lists them.
class MergeCounter {
public:
  explicit MergeCounter(const RunOptions &options) : options(options) {}

  void operator()(llvm::function_ref<void()> execute, const tracing::Action &action) {
    if (action.getTag() != MergeAction::tag)
      return execute();
    int64_t number = next++;
    RunOptions::MergeWindow window = options.merges.value_or(RunOptions::MergeWindow());
    bool isExecuted = number >= window.skip &&
                      (window.count < 0 || number - window.skip < window.count);
    if (options.listMerges) {
      llvm::errs() << "merge " << number << (isExecuted ? ": " : " not made: ");
      action.print(llvm::errs());
      llvm::errs() << "\n";
    }
    if (isExecuted)
      execute();
  }

private:
  const RunOptions &options;
  int64_t next = 0;
};
} // namespace

LogicalResult Driver::compile() {
  auto start = std::chrono::steady_clock::now();
  CompileOptions compileOptions = options.getCompileOptions();
  compileOptions.fusion = options.mode == RunMode::Fused;
  MergeCounter merges(options);
  if (options.merges || options.listMerges)
    module->getContext()->registerActionHandler(
        [&](llvm::function_ref<void()> execute, const tracing::Action &action) {
          merges(execute, action);
        });
  StageDump dump{options.dumpAfter, &os, false, {}};
  progress.enter(ProgressBar::Stage::Plan);
  FailureOr<PlannedProgram> made =
      planFunction(module, signature.function, options, compileOptions, &dump);
  if (failed(made))
    return failure();
  planned = std::move(made->module);
  compileMs = toMs(std::chrono::steady_clock::now() - start);
  module->getContext()->registerActionHandler(nullptr);
  if (failed(explain()))
    return failure();
  report = computeReport(*planned);
  if (!options.graph.empty())
    graphs = buildGraphs(*planned, report);
  // The plan may have given the function parameters that the program computes itself.
  auto plannedFunc = planned->lookupSymbol<func::FuncOp>(signature.function);
  FailureOr<Signature> described = Signature::get(plannedFunc);
  if (failed(described))
    return failure();
  Signature compiled = std::move(*described);
  plannedLaunches = countPlannedLaunches(plannedFunc);
  made->restoreTarget(*planned);

  bool dumps = !options.dumpAfter.empty();
  bool reports = options.report || !options.reportJson.empty();
  if (onlyExplains() && !reports && (!dumps || dump.done))
    return success();
  start = std::chrono::steady_clock::now();
  progress.enter(ProgressBar::Stage::Lower);
  if (failed(lowerProgram(*planned, &dump, options.numerics != "exact")))
    return failure();
  if (dumps && !dump.done)
    return fail(llvm::createStringError("--dump-after: expected one of " +
                                        llvm::join(dump.seen, ", ") + ", found '" +
                                        options.dumpAfter + "'"));
  launches = getLaunches(*planned);
  addLaunches(getFunctionReport(), launches);
  if (onlyExplains())
    return success();
  auto program = Program::load(*planned, compiled, progress.getCompilerOptions());
  if (!program)
    return fail(program.takeError(), func);
  compileMs += toMs(std::chrono::steady_clock::now() - start);
  auto started = Session::create(*program, signature.function, options.threads);
  if (!started)
    return fail(started.takeError());
  session = std::move(*started);
  return success();
}

FunctionReport &Driver::getFunctionReport() {
  return *llvm::find_if(report.functions, [&](const FunctionReport &function) {
    return function.name == signature.function;
  });
}

LogicalResult Driver::explain() {
  if (!options.dumpKernel)
    return success();
  int64_t count = 0;
  planned->walk([&](KernelOp kernel) {
    if (count++ == *options.dumpKernel) {
      kernel.print(os);
      os << "\n";
    }
  });
  if (*options.dumpKernel < count)
    return success();
  return fail(llvm::createStringError("--dump-kernel: expected an id below " +
                                      std::to_string(count) + ", found " +
                                      std::to_string(*options.dumpKernel)));
}

LogicalResult Driver::interpret(std::vector<NamedArray> &results) {
  std::vector<HostArray> arguments;
  for (auto [info, input] : llvm::zip_equal(signature.inputs, inputs))
    arguments.push_back(info.isMemref ? input.array.clone() : input.array);
  if (auto symbol = func->getAttrOfType<FlatSymbolRefAttr>(attr::kPrepare)) {
    auto prepare = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(func, symbol);
    if (!prepare)
      return fail(llvm::createStringError("expected the function @" + symbol.getValue() +
                                          ", which '" + attr::kPrepare + "' names"),
                  func);
    std::vector<HostArray> parameters;
    for (auto [info, argument] : llvm::zip_equal(signature.inputs, arguments))
      if (info.isParam)
        parameters.push_back(argument);
    auto prepared = fuse::interpret(prepare, parameters);
    if (failed(prepared))
      return failure();
    llvm::append_range(arguments, *prepared);
  }
  auto values = fuse::interpret(func, arguments);
  if (failed(values))
    return failure();
  results.clear();
  for (auto [info, value] : llvm::zip_equal(signature.results, *values))
    results.push_back({info.name, value});
  for (auto [info, argument] : llvm::zip(signature.inputs, arguments))
    if (info.isMemref)
      results.push_back({info.name, argument});
  return success();
}

/// A kernel is one launch: what the runtime counted in the first run is what was planned.
LogicalResult Driver::checkLaunches() {
  int64_t counted = session->getContext()->counters.launches;
  if (!plannedLaunches || counted == *plannedLaunches)
    return success();
  return fail(llvm::createStringError("expected " + std::to_string(*plannedLaunches) +
                                      " launches, one for each kernel, found " +
                                      std::to_string(counted) + " counted by the runtime"),
              func);
}

LogicalResult Driver::execute() {
  if (session)
    if (llvm::Error error = session->bind(inputs))
      return fail(std::move(error), func);
  for (int64_t i = 0; i <= options.timedRuns; ++i) {
    if (!session) {
      auto start = std::chrono::steady_clock::now();
      if (failed(interpret(outputs)))
        return failure();
      runMs.push_back(toMs(std::chrono::steady_clock::now() - start));
      continue;
    }
    if (llvm::Error error = session->run())
      return fail(std::move(error), func);
    runMs.push_back(static_cast<double>(session->getLastRunNanoseconds()) * 1e-6);
    if (i == 0 && failed(checkLaunches()))
      return failure();
    // The first run is not like the others: it touches all memory for the first time.
    if (i == 0 && options.timedRuns && fuse_context_set_timing(session->getContext(), 1))
      return fail(llvm::createStringError(fuse_context_error(session->getContext())));
  }
  if (!session)
    return success();
  outputs = session->getOutputs().vec();
  if (options.timedRuns)
    addTimes(getFunctionReport(), launches, *session->getContext(), options.timedRuns);
  return success();
}

void Driver::printReports() {
  if (options.report)
    printReport(report, os);
}

void Driver::printTimes() {
  if (options.timedRuns && session)
    fuse::printTimes(session->getContext()->threads, compileMs, runMs, os);
  else if (options.timedRuns)
    fuse::printTimes(std::nullopt, std::nullopt, runMs, os);
}

LogicalResult Driver::compare() {
  // Both are compared before either fails.
  LogicalResult result = success();
  if (!expected.empty())
    if (llvm::Error error = compareOutputs(outputs, expected, options, options.expect, os))
      result = fail(std::move(error));
  if (options.check) {
    std::vector<NamedArray> wanted;
    if (failed(interpret(wanted)))
      return failure();
    if (llvm::Error error = compareOutputs(outputs, wanted, options, "the interpreter", os))
      result = fail(std::move(error));
  }
  return result;
}

LogicalResult Driver::writeFiles() {
  std::string json, page;
  if (!options.reportJson.empty())
    json = llvm::formatv("{0:2}\n", toJson(report)).str();
  if (!options.graph.empty())
    page = makePicture(graphs, report);
  if (llvm::Error error = fuse::writeFiles(options, outputs, json, page))
    return fail(std::move(error));
  return success();
}
