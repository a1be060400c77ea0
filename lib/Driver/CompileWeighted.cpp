//===- CompileWeighted.cpp - A program with its weights, compiled ----------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Driver/CompileWeighted.h"

#include "fuse/Driver/Listing.h"
#include "fuse/Execution/CpuLevel.h"
#include "fuse/Execution/RandomInputs.h"
#include "fuse/IR/DimNames.h"
#include "fuse/IR/RefineShapes.h"
#include "fuse/IR/SymbolicShapes.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::fuse;

LogicalResult mlir::fuse::fixWeightShapes(WeightedProgram &program) {
  // Parameters without an array have lost their mark.
  FailureOr<Signature> signature = Signature::get(program.function);
  if (failed(signature))
    return failure();
  SmallVector<Type> types(program.function.getArgumentTypes());
  for (auto [info, type] : llvm::zip(signature->inputs, types))
    for (const NamedArray &weight : program.weights)
      if (auto shaped = dyn_cast<ShapedType>(type);
          shaped && weight.name == info.name && !shaped.hasStaticShape())
        type = shaped.clone(weight.array.getShape());
  if (TypeRange(types) != program.function.getArgumentTypes()) {
    if (failed(refineShapes(program.function, types)) || failed(mlir::verify(program.function)))
      return failure();
    signature = Signature::get(program.function);
    if (failed(signature))
      return failure();
  }
  program.signature = std::move(*signature);
  return success();
}

/// The laid-out program's code for each CPU that it is wanted for; `module` is left lowered for the
/// first. Kernels that a file has schedules for have them on the CPU that those were measured on.
static FailureOr<std::vector<BundleVariant>>
compileVariants(ModuleOp module, const PlanningOptions &options,
                const ObjectCompilerOptions &compiler) {
  std::vector<std::string> cpus = options.cpus;
  // Where a device computes, what is left to the CPU is little, and a bundle runs beside any that
  // has the device.
  if (cpus.empty())
    cpus.push_back(options.backend->usesCpuLevels() ? kNativeCpu.str()
                                                    : getCpuLevelNames().back().str());
  SmallVector<OwningOpRef<ModuleOp>> copies;
  for (size_t i = 1; i < cpus.size(); ++i)
    copies.push_back(module.clone());
  std::vector<BundleVariant> variants;
  for (auto [i, cpu] : llvm::enumerate(cpus)) {
    LoweringOptions lowering = options.getLoweringOptions();
    lowering.cpu = cpu;
    // A file of schedules was measured on this CPU, or on a device whatever the host's CPU is.
    if (options.backend->usesCpuLevels() && cpu != kNativeCpu)
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

FailureOr<CompiledProgram> mlir::fuse::compileWeighted(const WeightedProgram &program,
                                                       const PlanningOptions &options,
                                                       const CompileSteps &steps) {
  StringRef name = program.signature.function;
  std::optional<WrittenNodes> nodes;
  if (steps.texts) {
    // Calls become part of the function first: their ops are nodes like others.
    isolateFunction(*program.module, name);
    nodes.emplace(program.function, program.nodes);
  }
  FailureOr<PlannedProgram> planned =
      planFunction(*program.module, name, options, options.getCompileOptions());
  if (failed(planned))
    return failure();
  ModuleOp module = *planned->module;
  auto function = module.lookupSymbol<func::FuncOp>(name);
  CompiledProgram compiled;
  compiled.report =
      reportPlanned(*planned, module, options.numerics, countThreads(options.threads));
  FunctionReport &report = *llvm::find_if(
      compiled.report.functions, [&](const FunctionReport &each) { return each.name == name; });
  if (steps.texts) {
    steps.texts->graphs = buildGraphs(module, compiled.report);
    nodes->place(function, report);
    llvm::raw_string_ostream listing(steps.texts->listing), dot(steps.texts->dot);
    printListing(*nodes, report, listing);
    printGraph(*nodes, function, report, dot);
  }
  planned->restoreTarget(module);
  // Planning may have given the function parameters that the program computes itself.
  FailureOr<Signature> signature = Signature::get(function);
  if (failed(signature))
    return failure();
  nameResultDims(program, *signature);
  if (failed(steps.planned()))
    return failure();
  ObjectCompilerOptions compiler = steps.compiler;
  compiler.backend = options.backend;
  compiler.chip = options.getChip();
  FailureOr<std::vector<BundleVariant>> variants = compileVariants(module, options, compiler);
  if (failed(variants))
    return failure();
  addLaunches(report, getLaunches(module));
  compiled.variants = std::move(*variants);
  compiled.contents.signature = std::move(*signature);
  compiled.contents.indexExtents = getIndexExtents(program.function);
  compiled.contents.weights = program.weights;
  // They point into a program that is gone.
  for (FunctionReport &each : compiled.report.functions) {
    for (KernelReport &kernel : each.kernels)
      kernel.op = nullptr;
    for (RefusedReport &refused : each.refused)
      refused.producerOp = refused.consumerOp = nullptr;
  }
  return std::move(compiled);
}

std::string mlir::fuse::formatReport(const Report &report) {
  return llvm::formatv("{0:2}\n", toJson(report)).str();
}
