//===- test-views.cpp - Views and their readers: compiled, compared -----------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
//   test-views [--part K/N|day/N] [--filter TEXT] [--seed N|today] [--jobs N] [--emulator]
//              [--schedules]
//   test-views --case NAME [--seed N|today] [--emulator] [--schedules]
//
// Each program of the grid (ViewGrid.h) is planned, evaluated in the interpreter, compiled, and run
// fused and unfused; with --emulator as kernels of a GPU. With --schedules nothing is compiled: each kernel is
// to be built with the schedule that it is priced with. A failure is cut down and printed with
// the command that repeats it. Exits with 1 after a failure.
//
//===----------------------------------------------------------------------------------------===//

#include "Isolate.h"
#include "ViewGrid.h"

#include "fuse/InitAll/InitAll.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"

#include <ctime>
#include <unistd.h>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::random;

namespace {
struct Options {
  uint64_t seed = 1;
  size_t part = 0, parts = 1, jobs = 1;
  std::string only, filter;
  const Backend *backend = &getDefaultBackend();
  Depth depth = Depth::Compiled;
};
} // namespace

static uint64_t getDay() { return static_cast<uint64_t>(time(nullptr)) / (24 * 3600); }

static bool parseOptions(ArrayRef<const char *> words, Options &options) {
  for (size_t i = 0; i < words.size(); ++i) {
    StringRef word = words[i];
    if (word == "--emulator") {
      options.backend = findBackend("emulator");
      continue;
    }
    if (word == "--schedules") {
      options.depth = Depth::Scheduled;
      continue;
    }
    if (++i == words.size())
      return false;
    StringRef value = words[i];
    if (word == "--case") {
      options.only = value.str();
    } else if (word == "--filter") {
      options.filter = value.str();
    } else if (word == "--seed" && value == "today") {
      options.seed = getDay();
    } else if (word == "--part") {
      auto [part, parts] = value.split('/');
      if (parts.getAsInteger(10, options.parts) || options.parts == 0)
        return false;
      if (part == "day")
        options.part = getDay() % options.parts;
      else if (part.getAsInteger(10, options.part) || options.part >= options.parts)
        return false;
    } else if (word == "--seed" ? value.getAsInteger(10, options.seed)
                                : word != "--jobs" || value.getAsInteger(10, options.jobs)) {
      return false;
    }
  }
  return options.jobs > 0;
}

int main(int argc, char **argv) {
  Options options;
  if (!parseOptions(ArrayRef<const char *>(argv, argc).drop_front(argc > 0), options)) {
    llvm::errs() << "usage: test-views [--part K/N|day/N] [--filter TEXT] [--seed N|today]\n"
                    "                  [--jobs N] [--emulator] [--schedules]\n"
                    "       test-views --case NAME [--seed N|today] [--emulator] [--schedules]\n";
    return 2;
  }
  std::vector<ViewCell> cells = getViewCells();
  std::vector<Task> tasks;
  // The seed of a program names its cell, too.
  for (size_t i = 0; i < cells.size(); ++i) {
    bool isWanted = options.only.empty() ? i % options.parts == options.part &&
                                               StringRef(getName(cells[i])).contains(options.filter)
                                         : getName(cells[i]) == options.only;
    if (isWanted)
      tasks.push_back({options.seed * cells.size() + i, options.depth, options.backend});
  }
  if (tasks.empty()) {
    llvm::errs() << "no program of the grid is called that\n";
    return 2;
  }
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerAllFuseDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);

  auto generate = [&](const Task &task) {
    return generateViews(cells[task.seed % cells.size()], task.seed);
  };
  if (!options.only.empty()) {
    llvm::outs() << generate(tasks.front()).print("main");
    llvm::outs().flush();
  }
  size_t programs = 0, failed = 0;
  checkAll(
      context, tasks, generate,
      [&](size_t i, const Outcome &outcome) {
        ++programs;
        if (!outcome.error.empty()) {
          llvm::outs() << "FAILED " << outcome.error << "\n  test-views --case "
                       << getName(cells[tasks[i].seed % cells.size()]) << " --seed " << options.seed
                       << (options.backend->hasDevice() ? " --emulator" : "")
                       << (options.depth == Depth::Scheduled ? " --schedules" : "") << "\n";
          llvm::outs().flush();
          // The first ones are worth the time that cutting them down takes.
          int seconds = ++failed <= 5 || !options.only.empty() ? 20 : 0;
          if (seconds > 0)
            llvm::outs()
                << reduce(context, generate(tasks[i]), outcome, tasks[i], seconds).print("main");
          llvm::outs().flush();
        }
        // The whole grid takes an hour.
        if (isatty(2) || programs % 1000 == 0)
          llvm::errs() << (isatty(2) ? "\r" : "") << programs << " of " << tasks.size()
                       << " programs, " << failed << " failed" << (isatty(2) ? "" : "\n");
        return true;
      },
      options.jobs);
  llvm::outs() << "programs: " << programs << " of a grid of " << cells.size() << ", " << failed
               << " failed\n";
  return failed != 0;
}
