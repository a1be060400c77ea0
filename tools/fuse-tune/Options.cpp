//===- Options.cpp - The command line of fuse-tune -------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Options.h"
#include "fuse/Driver/LoadProgram.h"

using namespace mlir::fuse;
using llvm::StringRef;

static llvm::Error readOutput(TuneToolOptions &options, StringRef text) {
  if (!text.ends_with(".json"))
    return expected("a file's name that ends in .json", text);
  return readPath(text, options.output);
}

static llvm::Error readSeconds(TuneToolOptions &options, StringRef text) {
  constexpr double kWeek = 7 * 24 * 3600;
  if (text.getAsDouble(options.seconds) || !(options.seconds > 0) || options.seconds > kWeek)
    return expected("a number of seconds above 0 and up to 604800", text);
  return llvm::Error::success();
}

static llvm::Error readSeed(TuneToolOptions &options, StringRef text) {
  if (text.getAsInteger(10, options.seed))
    return expected("an integer of at least 0", text);
  return llvm::Error::success();
}

static const OptionSpec<TuneToolOptions> searchSpecs[] = {
    {{nullptr, nullptr, "Search"}, nullptr},
    {{"output", "F.json",
      "or -o F.json: the schedules, for --schedules of fuse-run and fuse-compile"},
     readOutput},
    {{"time-limit", "SECONDS",
      "how long it takes in all (default: 60); less where nothing is left to try"},
     readSeconds},
    {{"threads", "N", "threads per kernel (default: OMP_NUM_THREADS, else all CPUs)"},
     [](TuneToolOptions &o, StringRef v) { return readThreads(o, v); }},
    {{"seed", "N", "the order in which schedules are tried (default: 0)"}, readSeed},
};

static OptionParser makeParser(TuneToolOptions &options) {
  OptionParser parser;
  parser.add(options, llvm::ArrayRef(searchSpecs));
  PlanningOptions &planning = options;
  parser.add(planning, getScheduleOptions());
  addAllOptions(parser, options);
  return parser;
}

void mlir::fuse::printHelp(llvm::raw_ostream &os) {
  TuneToolOptions options;
  os << "usage: fuse-tune PROGRAM -o F.json [options]\n\n"
        "Plans a program (.onnx, .pt2, .stablehlo, .mlir, .mlirbc or - for standard input) into kernels as fuse-run\n"
        "does, and looks for schedules of its distinct kernels that are faster on this CPU, or "
        "with\n"
        "--target cuda on this GPU, than those that the compiler gives them. The file keeps what was found; what a file of --schedules "
        "has for\n"
        "this machine is where the search begins, and is kept. Ctrl-C ends it early. Nothing else "
        "should be\n"
        "running.\n";
  makeParser(options).printOptions(os);
  os << "\nExit status: 0 done, 1 an error, 2 wrong usage. Diagnostics go to stderr.\n";
}

llvm::Expected<TuneToolOptions> mlir::fuse::parseOptions(llvm::ArrayRef<const char *> arguments) {
  TuneToolOptions options;
  OptionParser parser = makeParser(options);
  auto setProgram = [&](StringRef value) { return readProgram(value, options.program); };
  if (llvm::Error error = parser.parse(arguments, setProgram))
    return error;
  if (options.help || options.version)
    return options;
  auto isTuned = [](const Backend &backend) { return backend.usesSchedules() && backend.getRunPlace() != RunPlace::Nowhere; };
  if (!isTuned(*options.backend))
    return llvm::createStringError("--target: expected " + nameTargets(isTuned) +
                                   ", which is what can be tuned for");
  if (llvm::Error error = checkProgram(options.program, options))
    return error;
  if (options.output.empty())
    return llvm::createStringError("expected -o F.json, found no output");
  return options;
}
