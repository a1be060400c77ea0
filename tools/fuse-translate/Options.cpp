//===- Options.cpp - The command line of fuse-translate -------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Options.h"

#include "fuse/Driver/LoadProgram.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir::fuse;
using llvm::StringRef;

static llvm::Error ok() { return llvm::Error::success(); }

static llvm::Error readEmission(TranslateOptions &options, StringRef text) {
  auto emission = llvm::StringSwitch<std::optional<Emission>>(text)
                      .Case("text", Emission::Text)
                      .Case("bytecode", Emission::Bytecode)
                      .Case("plan", Emission::Plan)
                      .Case("listing", Emission::Listing)
                      .Case("graph", Emission::Graph)
                      .Default(std::nullopt);
  if (!emission)
    return expected("text, bytecode, plan, listing or graph", text);
  options.emission = *emission;
  return ok();
}

static llvm::Error readWeights(TranslateOptions &options, StringRef text) {
  if (!text.ends_with(".npz"))
    return expected("a file's name that ends in .npz", text);
  return readPath(text, options.weights);
}

static const OptionSpec<TranslateOptions> outputSpecs[] = {
    {{nullptr, nullptr, "Output"}, nullptr},
    {{"output", "FILE", "or -o FILE (default: standard output)"},
     [](TranslateOptions &o, StringRef v) { return readPath(v, o.output); }},
    {{"emit", "FORM", "text (default) or bytecode: the program in the dialect;\n"
                      "plan: that with its plan (fuse.group), which can be edited and replayed;\n"
                      "listing: which kernel each node went to; graph: the same for Graphviz"},
     readEmission},
    {{"weights", "F.npz", "writes a model's initializers too: for --inputs of fuse-run"},
     readWeights},
    {{"locations", nullptr, "prints locations in texts and plans: of a model, the nodes' names"},
     [](TranslateOptions &o, StringRef) { o.locations = true; return ok(); }},
};

static OptionParser makeParser(TranslateOptions &options) {
  OptionParser parser;
  parser.add(options, llvm::ArrayRef(outputSpecs));
  addAllOptions(parser, options);
  return parser;
}

void mlir::fuse::printHelp(llvm::raw_ostream &os) {
  TranslateOptions options;
  os << "usage: fuse-translate PROGRAM [-o FILE] [options]\n\n"
        "Prints a program (.onnx, .pt2, .stablehlo, .mlir, .mlirbc or - for standard input) in the dialect, or how it\n"
        "is planned. Initializers of a model become arguments marked fuse.param, small ones\n"
        "constants.\n";
  makeParser(options).printOptions(os);
  os << "\nExit status: 0 done, 1 an error, 2 wrong usage. Diagnostics go to stderr. After an\n"
        "error no file is written.\n";
}

/// What is asked for must be of use for what is printed.
static llvm::Error checkCombinations(const TranslateOptions &options,
                                     llvm::ArrayRef<std::string> given) {
  bool isProgram = options.emission == Emission::Text || options.emission == Emission::Bytecode;
  for (const std::string &name : given)
    for (const OptionText &option : getPlanningOptions())
      if (isProgram && option.name && name == option.name)
        return llvm::createStringError("--" + name + " needs --emit plan, listing or graph");
  if (options.emission == Emission::Plan && !options.fusion)
    return llvm::createStringError("--emit plan needs a plan, which --no-fusion makes none of");
  if (options.locations && options.emission != Emission::Text &&
      options.emission != Emission::Plan)
    return llvm::createStringError("--locations needs --emit text or plan");
  if (!options.weights.empty() && !isModelPath(options.program))
    return llvm::createStringError("--weights needs a model (.onnx, .pt2 or .stablehlo), found '" + options.program +
                                   "'");
  if (!options.weights.empty() && options.weights == options.output)
    return llvm::createStringError("--weights and --output: expected two files, found '" +
                                   options.output + "' for both");
  return ok();
}

llvm::Expected<TranslateOptions>
mlir::fuse::parseOptions(llvm::ArrayRef<const char *> arguments) {
  TranslateOptions options;
  OptionParser parser = makeParser(options);
  auto setProgram = [&](StringRef value) { return readProgram(value, options.program); };
  if (llvm::Error error = parser.parse(arguments, setProgram))
    return error;
  if (options.help || options.version)
    return options;
  if (llvm::Error error = checkProgram(options.program, options))
    return error;
  if (llvm::Error error = checkCombinations(options, parser.getGiven()))
    return error;
  return options;
}
