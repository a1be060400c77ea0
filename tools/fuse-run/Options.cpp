//===- Options.cpp - The command line of fuse-run --------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Options.h"
#include "fuse/Driver/LoadProgram.h"
#include "fuse/Execution/CpuLevel.h"
#include "fuse/Execution/LoadedBundle.h"
#include "fuse/Execution/Session.h"
#include "fuse/Import/Onnx.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cmath>
#include <limits>

using namespace mlir::fuse;
using llvm::ArrayRef;
using llvm::StringRef;

static llvm::Error ok() { return llvm::Error::success(); }

template <typename Int>
static llvm::Error readInteger(StringRef text, Int least, Int most, Int &value) {
  if (text.getAsInteger(10, value) || value < least || value > most)
    return expected("an integer from " + std::to_string(least) + " to " + std::to_string(most),
                    text);
  return ok();
}

static llvm::Error readTolerance(StringRef text, std::optional<double> &tolerance) {
  double value;
  if (text.getAsDouble(value) || !std::isfinite(value) || value < 0)
    return expected("a number of at least 0", text);
  tolerance = value;
  return ok();
}

static llvm::Error readArchiveName(StringRef text, std::string &path) {
  if (!text.ends_with(".npz"))
    return expected("a file's name that ends in .npz", text);
  return readPath(text, path);
}

static llvm::Error readMode(RunOptions &options, StringRef text) {
  if (text == "fused")
    options.mode = RunMode::Fused;
  else if (text == "unfused")
    options.mode = RunMode::Unfused;
  else if (text == "interpret")
    options.mode = RunMode::Interpret;
  else
    return expected("fused, unfused or interpret", text);
  return ok();
}

/// fuse-merge-skip=N,fuse-merge-count=M, as mlir-opt spells it; either may be left out.
static llvm::Error readMerges(RunOptions &options, StringRef text) {
  RunOptions::MergeWindow window;
  for (StringRef rest = text; !rest.empty();) {
    auto [part, after] = rest.split(',');
    rest = after;
    bool isSkip = part.consume_front("fuse-merge-skip=");
    if ((!isSkip && !part.consume_front("fuse-merge-count=")) ||
        part.getAsInteger(10, isSkip ? window.skip : window.count) ||
        (isSkip ? window.skip : window.count) < 0)
      return expected("fuse-merge-skip=N,fuse-merge-count=N", text);
  }
  if (text.empty())
    return expected("fuse-merge-skip=N,fuse-merge-count=N", text);
  options.merges = window;
  return ok();
}

/// A number of runs, or of seconds: `20` or `2.5s`.
static llvm::Error readTime(RunOptions &options, StringRef text) {
  StringRef seconds = text;
  if (!seconds.consume_back("s")) {
    options.timedSeconds = 0;
    if (text.getAsInteger(10, options.timedRuns) || options.timedRuns < 1 ||
        options.timedRuns > RunOptions::kMaxTimedRuns)
      return expected("a number of runs from 1 to " + std::to_string(RunOptions::kMaxTimedRuns) +
                          ", or seconds as in 0.5s",
                      text);
    return ok();
  }
  options.timedRuns = 0;
  if (seconds.getAsDouble(options.timedSeconds) || !(options.timedSeconds > 0) ||
      options.timedSeconds > 86400)
    return expected("seconds above 0 and up to 86400 before the 's'", text);
  return ok();
}

static llvm::Error readSeed(RunOptions &options, StringRef text) {
  uint64_t seed = 0;
  llvm::Error error = readInteger<uint64_t>(text, 0, std::numeric_limits<uint64_t>::max(), seed);
  options.randomSeed = seed;
  return error;
}

static llvm::Error readKernel(RunOptions &options, StringRef text) {
  int64_t id = 0;
  llvm::Error error = readInteger<int64_t>(text, 0, std::numeric_limits<int32_t>::max(), id);
  options.dumpKernel = id;
  return error;
}

// In the help's order; headings have no name. Those that other tools have too stand elsewhere.
static const OptionSpec<RunOptions> inputSpecs[] = {
    {{"random-inputs", "SEED",
      "makes up the inputs not given: floats normal(0, 1), integers -8..8\n"
      "(unsigned 0..16), indices within their extent, unknown dimensions 13"},
     readSeed},
};

static const OptionSpec<RunOptions> specs[] = {
    {{nullptr, nullptr, "Outputs"}, nullptr},
    {{"outputs", "F.npz", "writes all outputs, once everything else has succeeded"},
     [](RunOptions &o, StringRef v) { return readArchiveName(v, o.outputs); }},
    {{"expect", "F.npz", "compares the outputs that F.npz names; fails beyond the tolerance"},
     [](RunOptions &o, StringRef v) { return readArchiveName(v, o.expect); }},
    {{"check", nullptr,
      "compares all outputs with the interpreter's; beyond the tolerance, each\n"
      "kernel is compared on the operands it was given, and fails or not"},
     [](RunOptions &o, StringRef) {
       o.check = true;
       return ok();
     }},
    {{"locate", nullptr,
      "with --check: names the first kernel whose results are beyond the tolerance"},
     [](RunOptions &o, StringRef) {
       o.locate = true;
       return ok();
     }},
    {{"rtol", "X",
      "|got - want| <= atol + rtol * max(|want|, rms(want)); default for\n"
      "f64 1e-10, f32 1e-4, f16 5e-3, bf16 4e-2; integers must be equal"},
     [](RunOptions &o, StringRef v) { return readTolerance(v, o.rtol); }},
    {{"atol", "X", "default for f64 1e-12, f32 1e-5, f16 1e-3, bf16 1e-2"},
     [](RunOptions &o, StringRef v) { return readTolerance(v, o.atol); }},
    {{nullptr, nullptr, "Execution"}, nullptr},
    {{"mode", "MODE", "fused (default), unfused (as --no-fusion) or interpret"}, readMode},
    {{"cpu", "NAME",
      "the CPU that code is compiled for: native (default; this one), x86-64-v4,\n"
      "x86-64-v3, x86-64-v2 or x86-64, where this one can run it, elsewhere\n"
      "generic; of a bundle, the code of these that is run"},
     [](RunOptions &o, StringRef v) { return readCpu(v, o.cpu); }},
    {{"threads", "N", "threads per kernel, which are cut for so many (default: OMP_NUM_THREADS, else all\nCPUs, cut for any number)"},
     [](RunOptions &o, StringRef v) { return readThreads(o, v); }},
    {{"time", "N|Ts",
      "prints the time to compile, of the first run, and the median, the least and\n"
      "percentiles of N further runs, or of runs for T seconds, in ms; reports\n"
      "then have the median and least time of each kernel"},
     readTime},
    {{"trace", "F.json",
      "writes when each stage, run and launch began and ended, in Chrome's trace\n"
      "format (chrome://tracing, ui.perfetto.dev); with --time its runs too"},
     [](RunOptions &o, StringRef v) { return readPath(v, o.trace); }},
    {{nullptr, nullptr, "Explanations (without any inputs these print and do not run)"}, nullptr},
    {{"info", nullptr,
      "prints inputs and outputs, open dimensions and what depends on them, operators\n"
      "and parameters; nothing is compiled"},
     [](RunOptions &o, StringRef) {
       o.info = true;
       return ok();
     }},
    {{"report", nullptr,
      "prints the kernels and what fusion saves; extents that a model must know and\n"
      "nobody gives are assumed and named on stderr"},
     [](RunOptions &o, StringRef) {
       o.report = true;
       return ok();
     }},
    {{"report-json", "F", "writes the same as JSON"},
     [](RunOptions &o, StringRef v) { return readPath(v, o.reportJson); }},
    {{"graph", "F.html",
      "writes a page that shows the graph before and after in a browser; with --time\n"
      "kernels have measured times"},
     [](RunOptions &o, StringRef v) { return readPath(v, o.graph); }},
    {{"explain", nullptr, "remarks at each op on stderr: what was fused, what was refused and why"},
     [](RunOptions &o, StringRef) {
       o.explain = true;
       return ok();
     }},
    {{"list-merges", nullptr, "numbers the planner's merges, on stderr"},
     [](RunOptions &o, StringRef) {
       o.listMerges = true;
       return ok();
     }},
    {{"mlir-debug-counter", "WINDOW",
      "fuse-merge-skip=N,fuse-merge-count=N: makes N merges after\n"
      "the first N; utils/bisect-merges.py finds a wrong one"},
     readMerges},
    {{"dump-after", "STAGE", "prints the program after the pass of that name"},
     [](RunOptions &o, StringRef v) { return readPath(v, o.dumpAfter); }},
    {{"dump-kernel", "ID", "prints one kernel; ids are the launch order, from 0"}, readKernel},
};

static OptionParser makeParser(RunOptions &options) {
  OptionParser parser;
  PlanningOptions &planning = options;
  parser.add(planning, getInputOptions());
  parser.add(options, ArrayRef(inputSpecs));
  parser.add(planning, getPlanningOptions());
  parser.add(planning, getCacheOptions());
  parser.add(planning, getScheduleOptions());
  parser.add(options, ArrayRef(specs));
  ToolOptions &common = options;
  parser.add(common, getHelpOptions());
  return parser;
}

LoweringOptions RunOptions::getLoweringOptions() const {
  LoweringOptions lowering = PlanningOptions::getLoweringOptions();
  if (!schedules.empty())
    lowering.threads = countThreads(threads);
  return lowering;
}

void mlir::fuse::printHelp(llvm::raw_ostream &os) {
  os << "usage: fuse-run PROGRAM [options]\n\n"
        "Plans a program (.onnx, .pt2, .stablehlo, .mlir, .mlirbc or - for standard input) into kernels, compiles "
        "them\n"
        "for this CPU, and runs them; or runs a bundle (.so) that fuse-compile made.\n";
  RunOptions options;
  makeParser(options).printOptions(os);
  os << "\nExit status: 0 done, 1 an error, 2 wrong usage. Results go to stdout, diagnostics to\n"
        "stderr. After an error no output file is written.\n";
}

/// What only a program as written can answer.
static llvm::Error checkBundle(const RunOptions &options, ArrayRef<std::string> given) {
  for (const std::string &name : given)
    if (!llvm::is_contained({"inputs", "input", "random-inputs", "outputs", "expect", "rtol",
                             "atol", "cpu", "threads", "time", "report-json", "info"},
                            name))
      return llvm::createStringError("--" + name + " needs a program, which the bundle '" +
                                     options.program + "' no longer has");
  return ok();
}

/// Whether two paths are one file, however they are spelled.
static bool isSameFile(StringRef a, StringRef b) {
  llvm::SmallString<128> first(a), second(b);
  for (llvm::SmallString<128> *path : {&first, &second}) {
    llvm::sys::fs::make_absolute(*path);
    llvm::sys::path::remove_dots(*path, /*remove_dot_dot=*/true);
  }
  return a == b || (a != "-" && b != "-" && (first == second || llvm::sys::fs::equivalent(a, b)));
}

static llvm::Error checkCombinations(RunOptions &options, ArrayRef<std::string> given) {
  if (options.program.empty())
    return llvm::createStringError("expected a program, found none");
  StringRef program = options.program;
  options.isBundle = isBundle(program) || program.ends_with(".so");
  if (!options.isBundle && !isProgramName(program))
    return llvm::createStringError("expected a program that ends in " + describeProgramNames() +
                                   ", or a bundle, found '" + options.program + "'");
  bool hasDims = !options.dims.empty() || !options.ranges.empty();
  if (llvm::Error error = checkModelOptions(program, hasDims, !options.boundFiles.empty()))
    return error;
  if (options.info)
    for (const std::string &name : given)
      if (!llvm::is_contained({"info", "inputs", "input", "dim", "bind", "function"}, name))
        return llvm::createStringError("--info and --" + name +
                                       ": expected one of them, since --info compiles nothing");
  if ((options.rtol || options.atol) && options.expect.empty() && !options.check)
    return llvm::createStringError("--rtol and --atol need --expect or --check");
  if (options.locate && !options.check)
    return llvm::createStringError("--locate needs --check");
  std::pair<const char *, StringRef> written[] = {{"--outputs", options.outputs},
                                                  {"--report-json", options.reportJson},
                                                  {"--trace", options.trace},
                                                  {"--graph", options.graph}};
  for (auto [i, file] : llvm::enumerate(written))
    for (auto [name, path] : ArrayRef(written).drop_front(i + 1))
      if (!path.empty() && isSameFile(path, file.second))
        return llvm::createStringError(std::string(file.first) + " and " + name +
                                       ": expected two files, found '" + path.str() + "' for both");
  for (auto [name, path] : written)
    if (!path.empty() && path != "-" && isSameFile(path, options.program))
      return llvm::createStringError(std::string(name) +
                                     ": expected another file than the program, found '" +
                                     path.str() + "'");
  if (options.isBundle)
    return checkBundle(options, given);
  if (llvm::Error error = checkChip(options))
    return error;
  if (llvm::Error error = checkPrecision(options))
    return error;
  if (!options.cpu.empty() && !options.backend->usesCpuLevels())
    return llvm::createStringError("--cpu needs --target " +
                                   nameTargets(std::mem_fn(&Backend::usesCpuLevels)));
  if (!options.schedules.empty() && !options.cpu.empty() && options.cpu != kNativeCpu)
    return llvm::createStringError("--schedules needs --cpu native, which they were measured on");
  if (options.mode != RunMode::Interpret)
    return ok();
  for (auto [isGiven, name] : {std::pair(options.check, "--check"),
                               {options.report, "--report"},
                               {!options.reportJson.empty(), "--report-json"},
                               {!options.trace.empty(), "--trace"},
                               {!options.graph.empty(), "--graph"},
                               {options.explain, "--explain"},
                               {!options.cpu.empty(), "--cpu"},
                               {!options.costTarget.empty(), "--cost-target"},
                               {!options.budget.isEmpty(), "--budget"},
                               {!options.dumpAfter.empty(), "--dump-after"},
                               {options.listMerges, "--list-merges"},
                               {options.merges.has_value(), "--mlir-debug-counter"},
                               {options.dumpKernel.has_value(), "--dump-kernel"}})
    if (isGiven)
      return llvm::createStringError(std::string(name) +
                                     " needs compiled code, which --mode interpret has none of");
  return ok();
}

llvm::Expected<RunOptions> mlir::fuse::parseOptions(llvm::ArrayRef<const char *> arguments) {
  RunOptions options;
  OptionParser parser = makeParser(options);
  auto setProgram = [&](StringRef value) { return readProgram(value, options.program); };
  if (llvm::Error error = parser.parse(arguments, setProgram))
    return error;
  if (options.help || options.version)
    return options;
  if (llvm::Error error = checkCombinations(options, parser.getGiven()))
    return error;
  if (!options.fusion && options.mode == RunMode::Fused)
    options.mode = RunMode::Unfused;
  return options;
}
