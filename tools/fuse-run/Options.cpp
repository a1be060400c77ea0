//===- Options.cpp - The command line of fuse-run --------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Options.h"

#include "fuse/Analysis/Labels.h"
#include "fuse/Target/Targets.h"
#include "fuse/Transforms/Transforms.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <limits>

using namespace mlir::fuse;
using llvm::StringRef;

namespace {

using Setter = llvm::Error (*)(RunOptions &, StringRef value);

struct OptionSpec {
  const char *name;
  const char *value; // what stands for the value in the help; null for a switch
  const char *help;  // lines after the first are indented
  Setter set;
};

} // namespace

static llvm::Error ok() { return llvm::Error::success(); }

/// Named by the caller: "--threads: " + this.
static llvm::Error expected(const llvm::Twine &what, StringRef found) {
  return llvm::createStringError("expected " + what + ", found '" + found.str() + "'");
}

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

static llvm::Error readPath(StringRef text, std::string &path) {
  if (text.empty())
    return expected("a name", text);
  if (!path.empty())
    return llvm::createStringError("given twice: '" + path + "' and '" + text.str() + "'");
  path = text.str();
  return ok();
}

static llvm::Error readInputs(RunOptions &options, StringRef path) {
  if (!path.ends_with(".npz"))
    return expected("a file's name that ends in .npz", path);
  options.inputArchives.push_back(path.str());
  return ok();
}

static llvm::Error readInput(RunOptions &options, StringRef text) {
  auto [name, path] = text.split('=');
  if (name.empty() || !path.ends_with(".npy"))
    return expected("NAME=F.npy", text);
  options.inputFiles.push_back({name.str(), path.str()});
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

static llvm::Error readStrategy(RunOptions &options, StringRef text) {
  if (text != "chains" && text != "priority")
    return expected("chains or priority", text);
  options.strategy = text.str();
  return ok();
}

static llvm::Error readCostModel(RunOptions &options, StringRef text) {
  if (text != "io" && text != "roofline")
    return expected("io or roofline", text);
  options.costModel = text.str();
  return ok();
}

static llvm::Error readNumerics(RunOptions &options, StringRef text) {
  if (!llvm::is_contained(getNumericsNames(), text))
    return expected("exact, reassociates or changes-rounding", text);
  options.numerics = text.str();
  return ok();
}

static llvm::Error readDisabled(RunOptions &options, StringRef text) {
  if (!llvm::is_contained(getLabelNames(), text))
    return expected("one of " + llvm::join(getLabelNames(), ", "), text);
  options.disabledLabels.push_back(text.str());
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

static llvm::Error readCostTarget(RunOptions &options, StringRef text) {
  if (!llvm::is_contained(getTargetNames(), text))
    return expected(describeTargetNames(), text);
  options.costTarget = text.str();
  return ok();
}

static llvm::Error readSeed(RunOptions &options, StringRef text) {
  uint64_t seed = 0;
  llvm::Error error =
      readInteger<uint64_t>(text, 0, std::numeric_limits<uint64_t>::max(), seed);
  options.randomSeed = seed;
  return error;
}

static llvm::Error readKernel(RunOptions &options, StringRef text) {
  int64_t id = 0;
  llvm::Error error = readInteger<int64_t>(text, 0, std::numeric_limits<int32_t>::max(), id);
  options.dumpKernel = id;
  return error;
}

// In the help's order; headings have no name.
static const OptionSpec specs[] = {
    {nullptr, nullptr, "Inputs", nullptr},
    {"inputs", "F.npz", "arrays by the inputs' names, weights too; repeatable.\n"
                        "Arrays that no input is named like are not used", readInputs},
    {"input", "NAME=F.npy", "one input; repeatable", readInput},
    {"random-inputs", "SEED", "makes up the inputs not given: floats normal(0, 1), integers -8..8\n"
                              "(unsigned 0..16), indices within their extent, unknown dimensions 13",
     readSeed},
    {nullptr, nullptr, "Outputs", nullptr},
    {"outputs", "F.npz", "writes all outputs, once everything else has succeeded",
     [](RunOptions &o, StringRef v) { return readArchiveName(v, o.outputs); }},
    {"expect", "F.npz", "compares the outputs that F.npz names; fails beyond the tolerance",
     [](RunOptions &o, StringRef v) { return readArchiveName(v, o.expect); }},
    {"check", nullptr, "compares all outputs with the interpreter's",
     [](RunOptions &o, StringRef) { o.check = true; return ok(); }},
    {"rtol", "X", "|got - want| <= atol + rtol * max(|want|, rms(want)); default for\n"
                  "f64 1e-10, f32 1e-4, f16 5e-3, bf16 4e-2; integers must be equal",
     [](RunOptions &o, StringRef v) { return readTolerance(v, o.rtol); }},
    {"atol", "X", "default for f64 1e-12, f32 1e-5, f16 1e-3, bf16 1e-2",
     [](RunOptions &o, StringRef v) { return readTolerance(v, o.atol); }},
    {nullptr, nullptr, "Execution", nullptr},
    {"function", "NAME", "the function to run (default: main, else the only public one)",
     [](RunOptions &o, StringRef v) { return readPath(v, o.function); }},
    {"mode", "MODE", "fused (default), unfused (every op a kernel of its own) or interpret",
     readMode},
    {"strategy", "NAME", "how kernels are planned: priority (default; the merge that gains most\n"
                         "first) or chains (element-wise chains only)", readStrategy},
    {"cost-model", "NAME", "what may speak against a merge: roofline (default) or io (launches\n"
                           "and traffic alone)", readCostModel},
    {"no-fusion", nullptr, "the same as --mode unfused",
     [](RunOptions &o, StringRef) { o.fusion = false; return ok(); }},
    {"disable", "LABEL", "keeps the planner from this pattern; repeatable", readDisabled},
    {"numerics", "CLASS", "how far numbers may change: exact, reassociates (default; the order of\n"
                          "float sums) or changes-rounding (batch norms folded into weights)",
     readNumerics},
    {"cost-target", "NAME", "the device that is planned and priced for, e.g. metal (default: the program's\n"
                            "fuse.target); code is built for this CPU all the same",
     readCostTarget},
    {"threads", "N", "threads per kernel (default: OMP_NUM_THREADS, else all CPUs)",
     [](RunOptions &o, StringRef v) { return readInteger<int32_t>(v, 1, 4096, o.threads); }},
    {"time", "N", "prints the time to compile, of the first run, and the median and least of N\n"
                  "further runs, in ms",
     [](RunOptions &o, StringRef v) { return readInteger<int64_t>(v, 1, 1000000, o.timedRuns); }},
    {nullptr, nullptr, "Explanations (without any inputs these print and do not run)", nullptr},
    {"report", nullptr, "prints the kernels and what fusion saves",
     [](RunOptions &o, StringRef) { o.report = true; return ok(); }},
    {"report-json", "F", "writes the same as JSON",
     [](RunOptions &o, StringRef v) { return readPath(v, o.reportJson); }},
    {"explain", nullptr, "remarks at each op on stderr: what was fused, what was refused and why",
     [](RunOptions &o, StringRef) { o.explain = true; return ok(); }},
    {"list-merges", nullptr, "numbers the planner's merges, on stderr",
     [](RunOptions &o, StringRef) { o.listMerges = true; return ok(); }},
    {"mlir-debug-counter", "WINDOW", "fuse-merge-skip=N,fuse-merge-count=N: makes N merges after\n"
                                     "the first N; utils/bisect-merges.py finds a wrong one",
     readMerges},
    {"dump-after", "STAGE", "prints the program after the pass of that name",
     [](RunOptions &o, StringRef v) { return readPath(v, o.dumpAfter); }},
    {"dump-kernel", "ID", "prints one kernel; ids are the launch order, from 0", readKernel},
    {nullptr, nullptr, "Other", nullptr},
    {"version", nullptr, "prints the versions of fuse and LLVM, and the CPU",
     [](RunOptions &o, StringRef) { o.version = true; return ok(); }},
    {"help", nullptr, "prints this",
     [](RunOptions &o, StringRef) { o.help = true; return ok(); }},
};

void mlir::fuse::printHelp(llvm::raw_ostream &os) {
  os << "usage: fuse-run PROGRAM [options]\n\n"
        "Plans a program (.mlir, .mlirbc or - for standard input) into kernels, compiles them for\n"
        "this CPU, and runs them.\n";
  for (const OptionSpec &spec : specs) {
    if (!spec.name) {
      os << "\n" << spec.help << ":\n";
      continue;
    }
    std::string left = std::string("--") + spec.name;
    if (spec.value)
      left += std::string(" ") + spec.value;
    StringRef help = spec.help;
    while (!help.empty()) {
      auto [line, rest] = help.split('\n');
      os.indent(2) << left;
      os.indent(left.size() < 22 ? 22 - left.size() : 1) << line << "\n";
      left.clear();
      help = rest;
    }
  }
  os << "\nExit status: 0 done, 1 an error, 2 wrong usage. Results go to stdout, diagnostics to\n"
        "stderr. After an error no output file is written.\n";
}

static const OptionSpec *findSpec(StringRef name) {
  for (const OptionSpec &spec : specs)
    if (spec.name && name == spec.name)
      return &spec;
  return nullptr;
}

static llvm::Error checkCombinations(const RunOptions &options) {
  if (options.program.empty())
    return llvm::createStringError("expected a program, found none");
  StringRef program = options.program;
  if (program != "-" && !program.ends_with(".mlir") && !program.ends_with(".mlirbc"))
    return llvm::createStringError("expected a program that ends in .mlir or .mlirbc, found '" +
                                   options.program + "'");
  if ((options.rtol || options.atol) && options.expect.empty() && !options.check)
    return llvm::createStringError("--rtol and --atol need --expect or --check");
  if (!options.outputs.empty() && options.outputs == options.reportJson)
    return llvm::createStringError("--outputs and --report-json: expected two files, found '" +
                                   options.outputs + "' for both");
  if (options.mode != RunMode::Interpret)
    return ok();
  for (auto [given, name] : {std::pair(options.check, "--check"), {options.report, "--report"},
                             {!options.reportJson.empty(), "--report-json"},
                             {options.explain, "--explain"},
                             {!options.costTarget.empty(), "--cost-target"},
                             {!options.dumpAfter.empty(), "--dump-after"},
                             {options.listMerges, "--list-merges"},
                             {options.merges.has_value(), "--mlir-debug-counter"},
                             {options.dumpKernel.has_value(), "--dump-kernel"}})
    if (given)
      return llvm::createStringError(std::string(name) +
                                     " needs compiled code, which --mode interpret has none of");
  return ok();
}

llvm::Expected<RunOptions> mlir::fuse::parseOptions(llvm::ArrayRef<const char *> arguments) {
  RunOptions options;
  bool onlyFiles = false; // after "--"
  for (size_t i = 0; i < arguments.size(); ++i) {
    StringRef argument = arguments[i];
    if (onlyFiles || argument == "-" || !argument.starts_with("-")) {
      if (!options.program.empty())
        return llvm::createStringError("expected one program, found '" + options.program +
                                       "' and '" + argument.str() + "'");
      options.program = argument.str();
      continue;
    }
    if (argument == "--") {
      onlyFiles = true;
      continue;
    }
    if (argument == "-h")
      argument = "--help";
    auto [name, value] = argument.split('=');
    const OptionSpec *spec = name.consume_front("--") ? findSpec(name) : nullptr;
    if (!spec)
      return llvm::createStringError("unknown option '" + argument.split('=').first.str() + "'");
    bool hasValue = argument.contains('=');
    std::string label = "--" + name.str();
    if (!spec->value && hasValue)
      return llvm::createStringError(label + ": expected no value, found '" + value.str() + "'");
    if (spec->value && !hasValue) {
      if (++i == arguments.size())
        return llvm::createStringError(label + ": expected " + spec->value + ", found nothing");
      value = arguments[i];
    }
    if (llvm::Error error = spec->set(options, value))
      return llvm::createStringError(label + ": " + llvm::toString(std::move(error)));
  }
  if (options.help || options.version)
    return options;
  if (llvm::Error error = checkCombinations(options))
    return error;
  if (!options.fusion && options.mode == RunMode::Fused)
    options.mode = RunMode::Unfused;
  return options;
}
