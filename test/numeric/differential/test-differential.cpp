//===- test-differential.cpp - Native code against the interpreter, on everything legal --===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
//   test-differential [--filter TEXT]… [--seed N] [--jobs N] [--batch N]
//   test-differential --case ID[@RUN] [--seed N] [--write DIR]
//   test-differential --list | --bounds
//
// A case is a function; a run is one execution of it on inputs full of some special value. Each
// failure is printed with the command that repeats it; with --write that leaves p.mlir and
// inputs.npz for `fuse-run --check`. Prints the table of cells covered; exits with 1 if a run
// failed or a legal cell is empty.
//
//===----------------------------------------------------------------------------------------===//

#include "Coverage.h"
#include "Workers.h"

#include "fuse/Execution/CpuLevel.h"
#include "fuse/Execution/ObjectCompiler.h"
#include "fuse/InitAll/InitAll.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "llvm/Support/FormatVariadic.h"

#include <ctime>
#include <unistd.h>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::differential;

namespace {

struct Options {
  std::vector<std::string> filters;
  std::string caseId, directory;
  bool list = false, bounds = false;
  bool runs = true; // whether this CPU can
  unsigned part = 0, parts = 1;
  WorkerOptions workers;
};

/// Prints failures as they come, and counts.
class Printer : public Results {
public:
  Printer(ArrayRef<Case> cases, Coverage &coverage, uint64_t seed)
      : cases(cases), coverage(coverage), seed(seed) {}

  void pass(size_t index, Run run, double worst) override {
    ++numRuns;
    coverage.add(cases[index], run.set);
  }
  void fail(size_t index, Run run, StringRef text) override {
    ++numRuns;
    ++numFailed;
    coverage.add(cases[index], run.set);
    show(cases[index].getId() + "@" + run.getName(), text);
  }
  void reject(size_t index, StringRef text) override {
    const Case &c = cases[index];
    // Not where the test itself is wrong ("parse"), nor a crash ("compiling").
    StringRef reason = text;
    reason.consume_front("unfused: ");
    if (c.mayRefuse && (reason.starts_with("plan: ") || reason.starts_with("lower: "))) {
      ++numRefused;
      coverage.addRefused(c);
      llvm::outs() << "refused " << c.getId() << ": " << text << "\n";
      return;
    }
    ++numFailed;
    show(c.getId(), text);
  }
  void progress(size_t done, size_t total) override {
    if (isatty(2))
      llvm::errs() << "\r" << done << " of " << total << " functions";
  }

  size_t numRuns = 0, numFailed = 0, numRefused = 0;

private:
  void show(StringRef id, StringRef text) {
    llvm::outs() << "FAILED " << id << ": " << text << "\n  test-differential --case " << id
                 << " --seed " << seed << "\n";
    llvm::outs().flush();
  }

  ArrayRef<Case> cases;
  Coverage &coverage;
  uint64_t seed;
};

/// For one case in this process, where a debugger sees it.
class SingleObserver : public Observer {
public:
  explicit SingleObserver(const Case &c) : c(c) {}
  void begin(size_t, Run run) override {
    llvm::outs() << c.getId() << "@" << run.getName() << ": ";
    llvm::outs().flush();
  }
  void pass(size_t, Run, double worst) override {
    llvm::outs() << "fits, at most " << worst << " ULP\n";
  }
  void fail(size_t, Run, StringRef text) override {
    hasFailed = true;
    llvm::outs() << "FAILED " << text << "\n";
  }
  bool hasFailed = false;

private:
  const Case &c;
};

} // namespace

/// K/N, or day/N: one that changes from day to day.
static bool parsePart(StringRef text, Options &options) {
  auto [part, parts] = text.split('/');
  if (parts.getAsInteger(10, options.parts) || options.parts == 0)
    return false;
  if (part == "day") {
    options.part = static_cast<unsigned>(time(nullptr) / (24 * 3600) % options.parts);
    return true;
  }
  return !part.getAsInteger(10, options.part) && options.part < options.parts;
}

static bool parseOptions(ArrayRef<const char *> words, Options &options) {
  for (size_t i = 0; i < words.size(); ++i) {
    StringRef word = words[i];
    if (word == "--emulator") {
      options.workers.runner.backend = findBackend("emulator");
      continue;
    }
    if (word == "--no-async-copies") {
      options.workers.runner.asyncCopies = false;
      continue;
    }
    if (word == "--list" || word == "--bounds") {
      (word == "--list" ? options.list : options.bounds) = true;
      continue;
    }
    if (++i == words.size())
      return false;
    StringRef value = words[i];
    if (word == "--cpu") {
      std::optional<CpuLevel> level = findCpuLevel(value);
      if (!level)
        return false;
      options.runs = findMissingFeature(*level).empty();
      options.workers.runner.cpu = level->name;
    } else if (word == "--filter")
      options.filters.push_back(value.str());
    else if (word == "--case")
      options.caseId = value.str();
    else if (word == "--part") {
      if (!parsePart(value, options))
        return false;
    } else if (word == "--write")
      options.directory = value.str();
    else if (word != "--seed" && word != "--jobs" && word != "--batch")
      return false;
    else if (word == "--seed" ? value.getAsInteger(10, options.workers.runner.seed)
             : word == "--jobs" ? value.getAsInteger(10, options.workers.processes)
                                : value.getAsInteger(10, options.workers.batchSize))
      return false;
  }
  return options.workers.processes > 0 && options.workers.batchSize > 0;
}

static int runOne(MLIRContext &context, ArrayRef<Case> cases, const Options &options) {
  auto [id, runName] = StringRef(options.caseId).split('@');
  RunnerOptions runner = options.workers.runner;
  if (!runName.empty())
    runner.only = Run::parse(runName);
  const Case *found = llvm::find_if(cases, [&, id = id](const Case &c) { return c.getId() == id; });
  if (found == cases.end() || (!runName.empty() && !runner.only)) {
    llvm::errs() << "no such case: " << options.caseId << "; --list names them\n";
    return 2;
  }
  if (!options.directory.empty()) {
    Run run = runner.only.value_or(Run{ValueSet::Ordinary, 0});
    if (llvm::Error error = writeRun(*found, run, runner, options.directory)) {
      llvm::errs() << llvm::toString(std::move(error)) << "\n";
      return 1;
    }
    llvm::outs() << "fuse-run " << options.directory << "/p.mlir --inputs " << options.directory
                 << "/inputs.npz --check\n";
  }
  llvm::outs() << found->print("main");
  llvm::outs().flush();
  SingleObserver observer(*found);
  std::string error = runCases(context, {found}, runner, observer);
  if (!error.empty())
    llvm::outs() << "FAILED " << error << "\n";
  return observer.hasFailed || !error.empty();
}

int main(int argc, char **argv) {
  Options options;
  if (!parseOptions(ArrayRef<const char *>(argv, argc).drop_front(argc > 0), options)) {
    llvm::errs() << "usage: test-differential [--filter TEXT]... [--case ID[@RUN]] [--write DIR]\n"
                    "       [--seed N] [--jobs N] [--batch N] [--list] [--bounds] [--emulator]\n"
                    "       [--no-async-copies] [--cpu NAME]\n"
                    "       [--part K/N|day/N]\n";
    return 2;
  }
  if (options.bounds) {
    printBounds(llvm::outs());
    return 0;
  }
  if (!options.runs) {
    llvm::outs() << "this CPU cannot run code for " << options.workers.runner.cpu << "\n";
    return 0;
  }
  std::vector<Case> cases;
  addElementwiseCases(cases);
  addReductionCases(cases);
  addMovementCases(cases);
  addContractionCases(cases);
  addWindowCases(cases);
  addWeightCases(cases);
  addCompositeCases(cases);
  addHostCases(cases);
  addChainCases(cases, options.workers.runner.seed);
  auto isSelected = [&](StringRef id) {
    return options.filters.empty() || llvm::any_of(options.filters, [&](StringRef filter) {
      return id.contains(filter);
    });
  };
  std::vector<size_t> selected;
  for (size_t i = 0; i < cases.size(); ++i)
    if (isSelected(cases[i].getId()) && i % options.parts == options.part)
      selected.push_back(i);
  if (options.list) {
    for (size_t index : selected)
      llvm::outs() << cases[index].getId() << "\n";
    return 0;
  }

  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerAllFuseDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  if (!options.caseId.empty())
    return runOne(context, cases, options);

  // A family counts as a whole where a filter is its name and a slash.
  Coverage coverage([&](StringRef family) { return isSelected((family + "/").str()); });
  Printer printer(cases, coverage, options.workers.runner.seed);
  runInProcesses(context, cases, selected, options.workers, printer);
  llvm::outs() << "\n";
  // A part leaves cells empty.
  bool isWhole = options.parts == 1;
  if (isWhole)
    coverage.print(llvm::outs());
  else
    llvm::outs() << "part " << options.part << " of " << options.parts << "\n";
  size_t empty = isWhole ? coverage.countEmpty() : 0;
  if (isWhole)
    llvm::outs() << llvm::formatv("\ncells: {0} of {1} legal ones covered\n",
                                  coverage.getNumCells() - empty, coverage.getNumCells());
  llvm::outs() << llvm::formatv("cases: {0} runs of {1} functions, {2} failed, {3} functions "
                                "refused\n",
                                printer.numRuns, selected.size(), printer.numFailed,
                                printer.numRefused);
  return printer.numFailed != 0 || empty != 0;
}
