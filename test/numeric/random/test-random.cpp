//===- test-random.cpp - Random programs: planned, compiled, compared ---------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
//   test-random [--count N] [--compiled N] [--seed N|today] [--minutes N] [--emulator]
//   test-random --open N [--strict] [--seed N|today] [--minutes N] [--emulator] [--jobs N]
//   test-random --case SEED [--planned|--open [--strict]] [--emulator]
//
// Programs of 10 to 200 ops are planned, formed and evaluated in the interpreter; those of up to 40
// are compiled, too; with --emulator as kernels of a GPU. --minutes: both in turn until the time is
// over. With --open, programs with open dimensions, each called with five vectors of sizes; --strict: another order of a
// float sum is a failure, too. A failure is cut down and printed with the command that repeats it. Exits with 1 after a
// failure, or where fewer than a fifth of the ops were merged.
//
//===----------------------------------------------------------------------------------------===//

#include "Generator.h"
#include "Isolate.h"

#include "fuse/Execution/ObjectCompiler.h"
#include "fuse/InitAll/InitAll.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "llvm/Support/Format.h"

#include <chrono>
#include <ctime>
#include <optional>
#include <unistd.h>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::random;

namespace {
struct Options {
  uint64_t seed = 1;
  size_t count = 2000, compiled = 200, minutes = 0;
  std::optional<uint64_t> only;
  bool isOnlyPlanned = false, isOpen = false, isStrict = false;
  size_t jobs = 1;
  const Backend *backend = &getDefaultBackend();
};

struct Tally {
  size_t programs = 0, compiled = 0, failed = 0;
  int64_t before = 0, after = 0, outputs = 0, reassociated = 0, refused = 0;
};
} // namespace

static bool parseOptions(ArrayRef<const char *> words, Options &options) {
  for (size_t i = 0; i < words.size(); ++i) {
    StringRef word = words[i];
    if (word == "--planned") {
      options.isOnlyPlanned = true;
      continue;
    }
    if (word == "--strict") {
      options.isStrict = true;
      continue;
    }
    if (word == "--emulator") {
      options.backend = findBackend("emulator");
      continue;
    }
    if (word == "--open") {
      options.isOpen = true;
      options.count = 0;
      if (options.only || i + 1 == words.size() || words[i + 1][0] == '-')
        continue;
    }
    if (++i == words.size())
      return false;
    StringRef value = words[i];
    uint64_t number;
    if (word == "--seed" && value == "today") {
      options.seed = static_cast<uint64_t>(time(nullptr)) / (24 * 3600);
      continue;
    }
    if (value.getAsInteger(10, number))
      return false;
    if (word == "--case")
      options.only = number;
    else if (word == "--seed")
      options.seed = number;
    else if (word == "--count")
      options.count = number;
    else if (word == "--compiled" || word == "--open")
      options.compiled = number;
    else if (word == "--jobs")
      options.jobs = number;
    else if (word == "--minutes")
      options.minutes = number;
    else
      return false;
  }
  return true;
}

static Graph makeGraph(const Task &task) {
  GeneratorOptions options;
  if (task.depth == Depth::Compiled)
    options.mostOps = 40;
  if (task.isOpen) {
    options = {2, 12, /*isOpen=*/true, /*hasOpenScans=*/!task.backend->hasDevice()};
    if (task.backend->hasDevice())
      options.mostOps = 8;
  }
  Graph graph = generate(task.seed, options);
  graph.isStrict = task.isStrict;
  return graph;
}

static void report(MLIRContext &context, const Task &task, const Outcome &outcome, int seconds) {
  Graph graph = makeGraph(task);
  llvm::outs() << "FAILED " << outcome.error << "\n  test-random --case " << task.seed
               << (task.isOpen ? (task.isStrict ? " --open --strict" : " --open") : task.depth == Depth::Compiled ? "" : " --planned")
               << (task.backend->hasDevice() ? " --emulator" : "") << "\n";
  llvm::outs().flush();
  Graph small = reduce(context, graph, outcome, task, seconds);
  llvm::outs() << "cut down from " << graph.countOps() << " ops to " << small.countOps() << ":\n"
               << small.print("main");
  if (small.aliases.size() > 1)
    llvm::outs() << "// %" << small.aliases[0] << " and %" << small.aliases[1]
                 << " are one buffer\n";
  llvm::outs().flush();
}

int main(int argc, char **argv) {
  Options options;
  if (!parseOptions(ArrayRef<const char *>(argv, argc).drop_front(argc > 0), options)) {
    llvm::errs() << "usage: test-random [--count N] [--compiled N] [--seed N|today] [--minutes N]\n"
                    "                   [--emulator]\n"
                    "       test-random --open N [--strict] [--seed N|today] [--minutes N] [--emulator]\n"
                    "                   [--jobs N]\n"
                    "       test-random --case SEED [--planned|--open [--strict]] [--emulator]\n";
    return 2;
  }
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerAllFuseDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);

  if (options.only) {
    Task task{*options.only, options.isOnlyPlanned ? Depth::Planned : Depth::Compiled,
              options.backend, options.isOpen, options.isStrict};
    Graph graph = makeGraph(task);
    llvm::outs() << graph.print("main");
    llvm::outs().flush();
    Outcome outcome;
    checkAll(context, {task}, makeGraph, [&](size_t, const Outcome &result) {
      outcome = result;
      return true;
    });
    if (!outcome.error.empty())
      report(context, task, outcome, 60);
    else
      llvm::outs() << "fits; " << outcome.kernelsBefore << " → " << outcome.kernelsAfter
                   << " kernels\n";
    return !outcome.error.empty();
  }

  Tally tally;
  auto end = std::chrono::steady_clock::now() + std::chrono::minutes(options.minutes);
  auto isOver = [&] { return options.minutes > 0 && std::chrono::steady_clock::now() > end; };
  uint64_t seed = options.seed * 1000003;
  do {
    std::vector<Task> tasks;
    for (size_t i = 0; i < options.count; ++i)
      tasks.push_back({seed + i, Depth::Planned, options.backend});
    for (size_t i = 0; i < options.compiled; ++i)
      tasks.push_back({seed + i, Depth::Compiled, options.backend, options.isOpen, options.isStrict});
    seed += std::max(options.count, options.compiled);
    checkAll(context, tasks, makeGraph, [&](size_t i, const Outcome &outcome) {
      ++tally.programs;
      tally.compiled += tasks[i].depth == Depth::Compiled;
      tally.before += outcome.kernelsBefore;
      tally.after += outcome.kernelsAfter;
      tally.outputs += outcome.outputs;
      tally.reassociated += outcome.reassociated;
      tally.refused += outcome.refused;
      if (!outcome.error.empty()) {
        // The first ones are worth the time that cutting them down takes.
        report(context, tasks[i], outcome, ++tally.failed <= 5 ? 20 : 0);
      }
      if (isatty(2))
        llvm::errs() << "\r" << tally.programs << " programs, " << tally.failed << " failed";
      return !isOver();
    }, options.jobs);
  } while (options.minutes > 0 && !isOver());

  double merged = tally.before ? 100.0 * static_cast<double>(tally.before - tally.after) /
                                     static_cast<double>(tally.before)
                               : 0;
  llvm::outs() << "programs: " << tally.programs - tally.compiled << " planned and evaluated, "
               << tally.compiled << " compiled, " << tally.failed << " failed\nops: "
               << tally.before << ", merges: " << tally.before - tally.after << " ("
               << llvm::format("%.0f", merged) << " % of the ops)\noutputs of native code: "
               << tally.outputs << ", fused and unfused equal to the bit: "
               << tally.outputs - tally.reassociated << ", sums in another order: "
               << tally.reassociated << "\n";
  if (options.isOpen)
    llvm::outs() << "calls that were refused: " << tally.refused << "\n";
  if (merged < 20 && !options.isOpen) {
    llvm::outs() << "expected at least 20 % of the ops to be merged\n";
    return 1;
  }
  return tally.failed != 0;
}
