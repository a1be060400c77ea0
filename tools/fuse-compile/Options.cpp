//===- Options.cpp - The command line of fuse-compile ----------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Options.h"
#include "../common/LoadProgram.h"
#include "fuse/Execution/CpuLevel.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::fuse;
using llvm::StringRef;


static llvm::Error readOutput(BundleOptions &options, StringRef text) {
  if (!text.ends_with(".so") || text == ".so" || text.ends_with("/.so"))
    return expected("a file's name that ends in .so", text);
  return readPath(text, options.output);
}

static llvm::Error readCpus(BundleOptions &options, StringRef text) {
  llvm::SmallVector<StringRef> names;
  text.split(names, ',');
  std::vector<std::string> found;
  for (StringRef name : names) {
    std::string cpu;
    if (llvm::Error error = readCpu(name, cpu))
      return error;
    if (llvm::is_contained(found, cpu))
      return expected("each CPU once", text);
    found.push_back(cpu);
  }
  options.cpus.clear();
  for (StringRef name : getCpuLevelNames())
    if (llvm::is_contained(found, name))
      options.cpus.push_back(name.str());
  return llvm::Error::success();
}

static const OptionSpec<BundleOptions> outputSpecs[] = {
    {{nullptr, nullptr, "Output"}, nullptr},
    {{"output", "BUNDLE.so",
      "or -o BUNDLE.so: the shared library; BUNDLE.weights and BUNDLE.h are\n"
      "written beside it"},
     readOutput},
    {{"cpu", "LIST",
      "the CPUs that code is compiled for: native (default; this one), x86-64-v4,\n"
      "x86-64-v3, x86-64-v2 and x86-64, or elsewhere generic, with commas between\n"
      "them; where the bundle is opened, the best that is there is taken"},
     readCpus},
    {{"threads", "N",
      "cuts kernels for so many threads (default: for any number); the bundle runs\nwith any number"},
     [](BundleOptions &o, StringRef v) { return readThreads(o, v); }},
};

static OptionParser makeParser(BundleOptions &options) {
  OptionParser parser;
  parser.add(options, llvm::ArrayRef(outputSpecs));
  PlanningOptions &planning = options;
  parser.add(planning, getCacheOptions());
  parser.add(planning, getScheduleOptions());
  addAllOptions(parser, options);
  return parser;
}

void mlir::fuse::printHelp(llvm::raw_ostream &os) {
  BundleOptions options;
  os << "usage: fuse-compile PROGRAM -o BUNDLE.so [options]\n\n"
        "Plans a program (.onnx, .mlir, .mlirbc or - for standard input) into kernels and compiles "
        "them for\n"
        "this CPU, or a GPU, to a bundle: a shared library that needs libc, libm and on the CPU "
        "libomp\n"
        "only, a file of weights that it maps, and a C header. Arrays given for parameters "
        "(fuse.param) become\n"
        "weights; parameters without one stay inputs.\n";
  makeParser(options).printOptions(os);
  os << "\nExit status: 0 done, 1 an error, 2 wrong usage. Diagnostics go to stderr. After an error\n"
        "no file is written.\n";
}

llvm::Expected<BundleOptions>
mlir::fuse::parseOptions(llvm::ArrayRef<const char *> arguments) {
  BundleOptions options;
  OptionParser parser = makeParser(options);
  auto setProgram = [&](StringRef value) { return readProgram(value, options.program); };
  if (llvm::Error error = parser.parse(arguments, setProgram))
    return error;
  if (options.help || options.version)
    return options;
  if (llvm::Error error = checkProgram(options.program, options))
    return error;
  if (!options.backend->canBundle())
    return llvm::createStringError("--target: expected " +
                                   nameTargets(std::mem_fn(&Backend::canBundle)) +
                                   " for a bundle, found " + options.backend->getName());
  if (!options.cpus.empty() && !options.backend->usesCpuLevels())
    return llvm::createStringError("--cpu needs --target " +
                                   nameTargets(std::mem_fn(&Backend::usesCpuLevels)));
  if (!options.schedules.empty() && !options.cpus.empty() &&
      !llvm::is_contained(options.cpus, kNativeCpu))
    return llvm::createStringError("--schedules needs --cpu native, which they were measured on");
  if (options.output.empty())
    return llvm::createStringError("expected -o BUNDLE.so, found no output");
  return options;
}
