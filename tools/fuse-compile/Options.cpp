//===- Options.cpp - The command line of fuse-compile ----------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Options.h"
#include "fuse/Driver/LoadProgram.h"

using namespace mlir::fuse;
using llvm::StringRef;

static llvm::Error readOutput(BundleOptions &options, StringRef text) {
  if (!text.ends_with(".so") || text == ".so" || text.ends_with("/.so"))
    return expected("a file's name that ends in .so", text);
  return readPath(text, options.output);
}

static const OptionSpec<BundleOptions> outputSpecs[] = {
    {{nullptr, nullptr, "Output"}, nullptr},
    {{"output", "BUNDLE.so",
      "or -o BUNDLE.so: the shared library; BUNDLE.weights and BUNDLE.h are\n"
      "written beside it"},
     readOutput},
};

static OptionParser makeParser(BundleOptions &options) {
  OptionParser parser;
  parser.add(options, llvm::ArrayRef(outputSpecs));
  PlanningOptions &planning = options;
  parser.add(planning, getBundleOptions());
  parser.add(planning, getCacheOptions());
  parser.add(planning, getScheduleOptions());
  addAllOptions(parser, options);
  return parser;
}

void mlir::fuse::printHelp(llvm::raw_ostream &os) {
  BundleOptions options;
  os << "usage: fuse-compile PROGRAM -o BUNDLE.so [options]\n\n"
        "Plans a program (.onnx, .pt2, .stablehlo, .mlir, .mlirbc or - for standard input) into kernels and compiles "
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
  if (llvm::Error error = checkBundle(options))
    return error;
  if (options.output.empty())
    return llvm::createStringError("expected -o BUNDLE.so, found no output");
  return options;
}
