//===- Driver.cpp - What fuse-run does with a program ----------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Driver.h"

#include "Arrays.h"
#include "Output.h"
#include "fuse/Driver/ApplyPrecision.h"
#include "fuse/Execution/CpuLevel.h"
#include "fuse/Execution/RandomInputs.h"
#include "fuse/IR/FuseOps.h"
#include "fuse/Interpreter/Interpreter.h"
#include "fuse/Report/Picture.h"
#include "fuse/Runtime/Cpu.h"
#include "fuse/Transforms/Strategy.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_sha1_ostream.h"
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
                  options.explain || options.listMerges || !options.dumpAfter.empty() ||
                  options.dumpKernel || !options.budget.isEmpty();
  bool runs = options.hasInputs() || options.check || options.isTimed() ||
              !options.expect.empty() || !options.outputs.empty() || !options.trace.empty();
  return explains && !runs && !signature.inputs.empty();
}

LogicalResult Driver::run() {
  FailureOr<EntryFunction> found = findRankFunction(module, options);
  if (failed(found))
    return failure();
  func = found->function;
  signature = std::move(found->signature);

  threads = options.threads;
  if (!onlyExplains()) {
    if (failed(startJob()))
      return failure();
    auto gathered =
        gatherInputs(signature, options, files, parameters, getIndexExtents(func), job.get());
    if (!gathered)
      return fail(gathered.takeError());
    inputs = std::move(*gathered);
    if (!options.expect.empty()) {
      bool isFull = job && !options.outputsPerRank;
      auto wanted = readExpected(options.expect, isFull ? signature.getFull() : signature);
      if (!wanted)
        return fail(wanted.takeError());
      expected = std::move(*wanted);
    }
  }
  if (options.mode != RunMode::Interpret && (failed(calibrate()) || failed(compile())))
    return failure();
  progress.clear();
  if (onlyExplains()) {
    printReports();
    return writeFiles();
  }
  if (failed(execute()) || failed(joinRanks()))
    return failure();
  if (options.outputs.empty())
    for (const NamedArray &output : outputs)
      printSummary(output, os);
  printReports();
  printTimes();
  if (job && options.isTimed())
    if (llvm::Error error = printRankTimes(*job, runMs, os))
      return fail(std::move(error));
  if (failed(compare()))
    return failure();
  return writeFiles();
}

LogicalResult Driver::startJob() {
  // Ranks that have one program call the same collectives.
  llvm::raw_sha1_ostream hash;
  if (countRanks(signature.grid) > 1)
    module.print(hash);
  if (llvm::Error error = openJob(job, signature.grid, llvm::toHex(hash.sha1())))
    return fail(std::move(error));
  if (!job)
    return success();
  if (options.locate || options.precision != Precision::AsWritten)
    return fail(llvm::createStringError(
        std::string(options.locate ? "--locate" : "--precision") +
        ": expected a program of one process, found a grid of " + formatGrid(signature.grid)));
  auto chosen = chooseThreads(*job, options.threads);
  if (!chosen)
    return fail(chosen.takeError());
  threads = *chosen;
  return success();
}

LogicalResult Driver::joinRanks() {
  ownOutputs = outputs;
  if (!job || options.outputsPerRank)
    return success();
  auto joined = joinOutputs(signature, outputs, *job);
  if (!joined)
    return fail(joined.takeError(), func);
  outputs = std::move(*joined);
  return success();
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
    bool isExecuted =
        number >= window.skip && (window.count < 0 || number - window.skip < window.count);
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

LogicalResult Driver::calibrate() {
  std::vector<NamedArray> fixed(parameters.begin(), parameters.end());
  for (auto [info, input] : llvm::zip(signature.inputs, inputs))
    if (info.isParam)
      fixed.push_back(input);
  FailureOr<std::vector<PrecisionError>> errors = applyPrecision(func, fixed, options);
  if (failed(errors))
    return failure();
  if (!errors->empty())
    progress.clear();
  for (const PrecisionError &error : *errors)
    os << describeError(error, options.precision) << "\n";
  return success();
}

LogicalResult Driver::checkCpu() {
  if (options.cpu.empty())
    return success();
  std::string missing = findMissingFeature(*findCpuLevel(options.cpu));
  if (missing.empty())
    return success();
  return fail(llvm::createStringError("--cpu: " + options.cpu + " has " + missing +
                                      ", which this CPU, " + fuse_cpu_name() + ", lacks"));
}

LogicalResult Driver::compile() {
  int64_t start = getSteadyNs();
  if (failed(checkCpu()))
    return failure();
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
  addStage("plan", start);
  module->getContext()->registerActionHandler(nullptr);
  if (failed(explain()))
    return failure();
  report = reportPlanned(*made, *planned, options.numerics, countThreads(options.threads));
  if (!options.graph.empty())
    graphs = buildGraphs(*planned, report);
  auto plannedFunc = planned->lookupSymbol<func::FuncOp>(signature.function);
  plannedCounts = countPlanned(findVariant(plannedFunc, inputs));
  made->restoreTarget(*planned);
  start = getSteadyNs();
  // Planning may have given the function parameters that the program computes itself.
  FailureOr<Signature> described = Signature::get(plannedFunc);
  if (failed(described))
    return failure();
  Signature compiled = std::move(*described);
  if (options.check)
    keepPlanned();

  bool dumps = !options.dumpAfter.empty();
  const Backend &backend = *options.backend;
  StringRef textStage = backend.getTextStage();
  bool dumpsText = !textStage.empty() && options.dumpAfter == textStage;
  bool reports = options.report || !options.reportJson.empty();
  if (onlyExplains() && !reports && (!dumps || dump.done))
    return success();
  progress.enter(ProgressBar::Stage::Lower);
  // What is to be seen of the steps in between is not there where they are one.
  if (backend.cachesCode() && !dumps && !onlyExplains())
    return compileAtOnce(compiled, start);
  if (failed(lowerProgram(*planned, options.getLoweringOptions(), &dump)))
    return failure();
  if (dumpsText && failed(dumpText()))
    return failure();
  if (backend.getRunPlace() == RunPlace::Nowhere && failed(buildOnly()))
    return failure();
  if (dumps && !dump.done && !dumpsText) {
    if (!textStage.empty())
      dump.seen.push_back(textStage.str());
    return fail(llvm::createStringError("--dump-after: expected one of " +
                                        llvm::join(dump.seen, ", ") + ", found '" +
                                        options.dumpAfter + "'"));
  }
  addStage("lower", start);
  launches = getLaunches(*planned);
  addLaunches(getFunctionReport(), launches);
  // What the assembler says of kernels is part of the report.
  if (onlyExplains() && !(reports && backend.measuresResources()))
    return success();
  start = getSteadyNs();
  auto objects = compileLowered();
  if (!objects)
    return fail(objects.takeError(), func);
  addResources(getFunctionReport(), launches, *objects, options.getChip());
  if (onlyExplains())
    return success();
  return load(std::move(*objects), compiled, start);
}

LogicalResult Driver::compileAtOnce(const Signature &compiled, int64_t start) {
  auto opened = openCache(options);
  if (!opened)
    return fail(opened.takeError());
  cache = std::move(*opened);
  ObjectCompilerOptions compiler = progress.getCompilerOptions(*options.backend, options.getChip());
  compiler.cache = cache.get();
  FailureOr<CompiledObjects> objects =
      compileProgram(*planned, options.getLoweringOptions(), compiler);
  progress.clear();
  reportCache(cache.get(), "fuse-run");
  if (failed(objects))
    return failure();
  launches = getLaunches(*planned);
  addLaunches(getFunctionReport(), launches);
  return load(std::move(*objects), compiled, start);
}

LogicalResult Driver::load(CompiledObjects objects, const Signature &compiled, int64_t start) {
  if (cache)
    codeCounts = CodeCounts{objects.objects.size() - 1, objects.numCached};
  auto program = Program::load(std::move(objects), compiled);
  if (!program)
    return fail(program.takeError(), func);
  addStage("compile", start);
  auto started = Session::create(*program, signature.function,
                                 SessionOptions{threads, countsRequests(), job ? job->get() : nullptr});
  if (!started)
    return fail(started.takeError());
  session = std::move(*started);
  return success();
}

llvm::Expected<CompiledObjects> Driver::compileLowered() {
  ObjectCompilerOptions compiler = progress.getCompilerOptions(*options.backend, options.getChip());
  setCpu(compiler, options.getLoweringOptions());
  return compileObjects(*planned, compiler);
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

InterpreterOptions Driver::getInterpreterOptions() const {
  InterpreterOptions interpreter;
  if (job)
    interpreter.onCollective = job->getCollectiveFunction();
  return interpreter;
}

LogicalResult Driver::makeArguments(func::FuncOp function, std::vector<HostArray> &arguments) {
  for (auto [info, input] : llvm::zip_equal(signature.inputs, inputs))
    arguments.push_back(info.isMemref ? input.array.clone() : input.array);
  auto symbol = function->getAttrOfType<FlatSymbolRefAttr>(attr::kPrepare);
  if (!symbol)
    return success();
  auto prepare = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(function, symbol);
  if (!prepare)
    return fail(llvm::createStringError("expected the function @" + symbol.getValue() +
                                        ", which '" + attr::kPrepare + "' names"),
                function);
  std::vector<HostArray> parameters;
  for (auto [info, argument] : llvm::zip_equal(signature.inputs, arguments))
    if (info.isParam)
      parameters.push_back(argument);
  auto prepared = fuse::interpret(prepare, parameters, getInterpreterOptions());
  if (failed(prepared))
    return failure();
  llvm::append_range(arguments, *prepared);
  return success();
}

LogicalResult Driver::interpret(std::vector<NamedArray> &results) {
  std::vector<HostArray> arguments;
  if (failed(makeArguments(func, arguments)))
    return failure();
  auto values = fuse::interpret(func, arguments, getInterpreterOptions());
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

/// A kernel is one launch, a host op one call and one wait: what the runtime counted in the first
/// run is what was planned.
LogicalResult Driver::checkCounts() {
  RunCounters counters = getCounters(session->getContext()->counters);
  getFunctionReport().counters = counters;
  addAccesses(getFunctionReport(), launches, session->getKernels(), session->takeRequests());
  if (plannedCounts)
    if (llvm::Error error = checkCounters(*plannedCounts, counters))
      return fail(std::move(error), func);
  return success();
}

/// Events for which there is room in all: some 160 MB. Runs beyond them are timed as a whole.
static constexpr int64_t kMostEvents = 4000000;
static constexpr int64_t kFirstEvents = 65536;

LogicalResult Driver::startRecording(int64_t events) {
  fuse_context *context = session->getContext();
  if (fuse_context_set_recording(context, std::min(events, kMostEvents)))
    return fail(llvm::createStringError(fuse_context_error(context)));
  return success();
}

LogicalResult Driver::execute() {
  if (session)
    if (llvm::Error error = session->bind(inputs))
      return fail(std::move(error), func);
  // How many events the first run makes is not known before; it is timed for --trace only, since it
  // touches all memory for the first time.
  bool isTraced = !options.trace.empty();
  if (isTraced && failed(startRecording(kFirstEvents)))
    return failure();
  int64_t numEvents = 0;
  for (RunCounter counter(options); counter.next();) {
    int64_t i = counter.getNumber();
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
    if (i == 0 && failed(checkCounts()))
      return failure();
    if ((i > 0 || isTraced) && numEvents < kMostEvents) {
      runs.push_back(takeRun(*session));
      numEvents += runs.back().events.size();
    }
    const fuse_counters &counters = session->getContext()->counters;
    if (i == 0 && options.isTimed() &&
        failed(startRecording(counters.launches + counters.host_calls + counters.copies + 1)))
      return failure();
  }
  if (!session)
    return success();
  outputs = session->getOutputs().vec();
  if (options.isTimed()) {
    addTimes(getFunctionReport(), launches, ArrayRef(runs).drop_front(isTraced));
    getFunctionReport().runMs = getMedian(std::vector<double>(runMs.begin() + 1, runMs.end()));
  }
  return success();
}
