//===- fuse-compile.cpp - Compiles a program to a bundle -------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../common/ProgressBar.h"
#include "../common/Reports.h"
#include "../common/ToolCache.h"
#include "../common/ToolContext.h"
#include "../common/ToolMain.h"
#include "../common/WriteText.h"
#include "Options.h"
#include "Weights.h"

#include "fuse/IR/SymbolicShapes.h"
#include "fuse/Execution/Bundle.h"
#include "fuse/Execution/CpuLevel.h"
#include "fuse/Execution/RandomInputs.h"
#include "fuse/IR/DimNames.h"
#include "fuse/IR/RefineShapes.h"
#include "fuse/Runtime/Runtime.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr ToolErrors fail("fuse-compile");

namespace {
/// A program with the arrays of its parameters.
struct WeightedProgram {
  OwningOpRef<ModuleOp> module;
  func::FuncOp function; // to be compiled
  Signature signature;   // inputs marked as parameters are those in `weights`
  std::vector<NamedArray> weights;
};
} // namespace

/// A bundle holds arrays of certain shapes: what a parameter's type leaves open is what its array has.
static LogicalResult fixWeightShapes(WeightedProgram &program) {
  SmallVector<Type> types(program.function.getArgumentTypes());
  for (auto [info, type] : llvm::zip(program.signature.inputs, types))
    for (const NamedArray &weight : program.weights)
      if (auto shaped = dyn_cast<ShapedType>(type); shaped && weight.name == info.name && !shaped.hasStaticShape())
        type = shaped.clone(weight.array.getShape());
  if (TypeRange(types) == program.function.getArgumentTypes())
    return success();
  return success(succeeded(refineShapes(program.function, types)) && succeeded(mlir::verify(program.function)));
}

/// The one place where a program and its parameters come in. A diagnostic on failure.
static FailureOr<WeightedProgram> loadWeighted(const BundleOptions &options, ToolContext &tool,
                                               ProgressBar &progress) {
  auto files = readInputFiles(options);
  if (!files)
    return fail(files.takeError()), failure();
  progress.enter(ProgressBar::Stage::Import);
  FailureOr<LoadedProgram> loaded = loadProgram(options.program, options, *files, tool, LoadMode::FixesInputs);
  progress.clear();
  if (failed(loaded))
    return failure();
  for (const std::string &name : loaded->fixedInputs)
    llvm::errs() << "fuse-compile: the bundle is for the array that is given for '" << name
                 << "', which is no input of it\n";
  WeightedProgram program;
  program.module = std::move(loaded->module);
  FailureOr<EntryFunction> found = findEntryFunction(*program.module, options.function);
  if (failed(found))
    return failure();
  program.function = found->function;
  std::optional<ArrayRef<std::string>> fixedInputs;
  if (isOnnxPath(options.program))
    fixedInputs = loaded->fixedInputs;
  auto weights =
      takeWeights(program.function, found->signature, *files, loaded->parameters, fixedInputs);
  if (!weights)
    return fail(weights.takeError()), failure();
  program.weights = std::move(*weights);
  program.signature = *Signature::get(program.function);
  if (failed(fixWeightShapes(program)))
    return failure();
  program.signature = *Signature::get(program.function);
  return program;
}

/// The laid-out program's code for each CPU that it is wanted for; `module` is left lowered for the
/// first. Kernels that a file has schedules for have them on the CPU that those were measured on.
static FailureOr<std::vector<BundleVariant>>
compileVariants(ModuleOp module, const BundleOptions &options,
                const ObjectCompilerOptions &compiler) {
  std::vector<std::string> cpus = options.cpus;
  // Where a device computes, what is left to the CPU is little, and a bundle runs beside any that has the device.
  if (cpus.empty())
    cpus.push_back(options.backend->usesCpuLevels() ? kNativeCpu.str() : getCpuLevelNames().back().str());
  SmallVector<OwningOpRef<ModuleOp>> copies;
  for (size_t i = 1; i < cpus.size(); ++i)
    copies.push_back(module.clone());
  std::vector<BundleVariant> variants;
  for (auto [i, cpu] : llvm::enumerate(cpus)) {
    LoweringOptions lowering = options.getLoweringOptions();
    lowering.cpu = cpu;
    if (cpu != kNativeCpu)
      lowering.schedules.clear();
    FailureOr<CompiledObjects> compiled =
        compileProgram(i == 0 ? module : *copies[i - 1], lowering, compiler);
    if (failed(compiled))
      return failure();
    variants.push_back({std::move(*compiled), cpu, findCpuLevel(cpu)->features});
  }
  return std::move(variants);
}

/// Results' dimensions are called as the inputs' that they come from.
static void nameResultDims(const WeightedProgram &program, Signature &signature) {
  func::FuncOp function = program.function;
  if (!function.getBody().hasOneBlock())
    return;
  SymbolicShapes shapes(function.getContext());
  ValueRange returned = function.getBody().front().getTerminator()->getOperands();
  for (auto [info, value] : llvm::zip_equal(signature.results, returned))
    for (auto [dim, extent] : llvm::enumerate(info.shape)) {
      std::string &name = info.dimNames.emplace_back();
      if (!ShapedType::isDynamic(extent))
        continue;
      std::optional<ExtentSymbol> source = shapes.getSingle(shapes.getExtent(value, dim));
      if (auto argument = source ? dyn_cast<BlockArgument>(source->value) : BlockArgument())
        name = getDimName(function, argument.getArgNumber(), source->dim);
    }
}

static LogicalResult compile(const WeightedProgram &program, const BundleOptions &options,
                             ProgressBar &progress) {
  StringRef name = program.signature.function;
  progress.enter(ProgressBar::Stage::Plan);
  FailureOr<PlannedProgram> planned =
      planFunction(*program.module, name, options, options.getCompileOptions());
  if (failed(planned))
    return failure();
  ModuleOp module = *planned->module;
  Report report = reportPlanned(*planned, module, options.numerics, countThreads(0));
  planned->restoreTarget(module);
  // Planning may have given the function parameters that the program computes itself.
  FailureOr<Signature> signature = Signature::get(module.lookupSymbol<func::FuncOp>(name));
  if (failed(signature))
    return failure();
  nameResultDims(program, *signature);
  if (llvm::Error error = checkBundleFiles(options.output))
    return fail(std::move(error)), failure();
  progress.enter(ProgressBar::Stage::Lower);
  auto cache = openCache(options);
  if (!cache)
    return fail(cache.takeError()), failure();
  ObjectCompilerOptions compiler = progress.getCompilerOptions(*options.backend, options.getChip());
  compiler.cache = cache->get();
  FailureOr<std::vector<BundleVariant>> compiled = compileVariants(module, options, compiler);
  progress.clear();
  reportCache(cache->get(), "fuse-compile");
  if (failed(compiled))
    return failure();
  for (FunctionReport &function : report.functions)
    if (function.name == name)
      addLaunches(function, getLaunches(module));

  BundleContents contents;
  contents.signature = std::move(*signature);
  contents.indexExtents = getIndexExtents(program.function);
  contents.weights = program.weights;
  contents.report = llvm::formatv("{0:2}\n", toJson(report)).str();
  llvm::Error error = writeBundle(options.output, std::move(*compiled), contents, compiler);
  return error ? (fail(std::move(error)), failure()) : success();
}

static int run(const BundleOptions &options) {
  std::vector<std::string> read = options.getInputPaths();
  read.push_back(options.program);
  if (llvm::Error error = checkNotRead(options.output, read))
    return fail(std::move(error));
  auto tool = ToolContext::open(options.program);
  if (!tool)
    return fail(tool.takeError());
  ProgressBar progress((*tool)->getContext());
  FailureOr<WeightedProgram> program = loadWeighted(options, **tool, progress);
  if (failed(program))
    return Failed;
  return succeeded(compile(*program, options, progress)) ? Done : Failed;
}

static void printVersion(llvm::raw_ostream &os) {
  os << "fuse " << getBundleVersion() << "\nABI version " << FUSE_ABI_VERSION << "\n";
}

int main(int argc, char **argv) {
  return runTool(argc, argv, fail, parseOptions, printHelp, printVersion,
                 [](const BundleOptions &options, ArrayRef<const char *>) { return run(options); });
}
