//===- Compile.cpp - From a program to code ready to load ------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Execution/Compile.h"

#include "fuse/Execution/Backend.h"
#include "fuse/Execution/CpuLevel.h"
#include "fuse/IR/FuseAttributes.h"
#include "fuse/IR/FuseDialect.h"
#include "fuse/IR/Variants.h"
#include "fuse/Pipelines/Pipelines.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// Prints what a pass leaves. Printing verifies on the context's threads, which may start another
/// function's pass within: the context must have none.
class DumpInstrumentation : public PassInstrumentation {
public:
  explicit DumpInstrumentation(StageDump &dump) : dump(dump) {}

  void runAfterPass(Pass *pass, Operation *op) override {
    StringRef stage = pass->getArgument();
    if (stage.empty())
      return;
    if (!llvm::is_contained(dump.seen, stage))
      dump.seen.push_back(stage.str());
    if (dump.stage != stage || (dump.done && printed.contains(op)))
      return;
    dump.done = true;
    printed.insert(op);
    OpPrintingFlags flags;
    if (dump.withLocations)
      flags.enableDebugInfo();
    op->print(*dump.os, flags);
    *dump.os << "\n";
  }

private:
  StageDump &dump;
  llvm::DenseSet<Operation *> printed;
};
} // namespace

static LogicalResult runPasses(PassManager &passes, ModuleOp module, StageDump *dump) {
  if (!dump || dump->stage.empty())
    return passes.run(module);
  passes.addInstrumentation(std::make_unique<DumpInstrumentation>(*dump));
  MLIRContext *context = module->getContext();
  bool isThreaded = context->isMultithreadingEnabled();
  context->disableMultithreading();
  LogicalResult result = passes.run(module);
  context->disableMultithreading(!isThreaded);
  return result;
}

LogicalResult mlir::fuse::planProgram(ModuleOp module, const CompileOptions &options,
                                      StageDump *dump) {
  // Without fusion every op is a kernel of its own, whatever plan the program brings.
  if (!options.fusion)
    module.walk([](Operation *op) { op->removeDiscardableAttr(attr::kGroup); });
  PassManager passes(module->getContext(), ModuleOp::getOperationName());
  FusePipelineOptions pipeline;
  pipeline.strategy = options.strategy;
  pipeline.costModel = options.costModel;
  pipeline.fusion = options.fusion;
  pipeline.numerics = getNumericsName(options.numerics).str();
  pipeline.precision = getPrecisionName(options.precision).str();
  pipeline.bf16Tiles = options.bf16Tiles;
  pipeline.disable = options.disabledLabels;
  bool choosesVariants = options.automaticVariants && options.variants.empty() && options.fusion;
  pipeline.specialize = choosesVariants ? kAutomaticVariants.str() : formatVariants(options.variants);
  // Folding alone computes on parameters; filters of transposed convolutions are turned around.
  pipeline.prepare = options.numerics >= Numerics::Folds;
  pipeline.prepareMoves = true;
  pipeline.layouts = options.backend->assignsLayouts() &&
                     TargetAttr::lookup(module).getKind() == TargetKind::Cpu;
  buildFusePipeline(passes, pipeline);
  return runPasses(passes, module, dump);
}

void mlir::fuse::setCpu(ObjectCompilerOptions &compiler, const LoweringOptions &lowering) {
  if (lowering.cpu.empty() || lowering.cpu == kNativeCpu)
    return;
  CpuLevel level = *findCpuLevel(lowering.cpu);
  compiler.cpu = level.cpu;
  compiler.features = level.features;
}

LogicalResult mlir::fuse::lowerProgram(ModuleOp module, const LoweringOptions &options,
                                       StageDump *dump) {
  PassManager passes(module->getContext(), ModuleOp::getOperationName());
  options.backend->buildLoweringPipeline(passes, TargetAttr::lookup(module), options);
  return passes.empty() ? success() : runPasses(passes, module, dump);
}

FailureOr<CompiledObjects> mlir::fuse::compileProgram(ModuleOp program,
                                                      const LoweringOptions &lowering,
                                                      const ObjectCompilerOptions &given) {
  ObjectCompilerOptions options = given;
  options.backend = lowering.backend;
  setCpu(options, lowering);
  return lowering.backend->compileProgram(program, lowering, options);
}

void mlir::fuse::isolateFunction(ModuleOp module, StringRef name) {
  llvm::SmallDenseSet<StringAttr> kept = {StringAttr::get(module->getContext(), name)};
  auto keepPreparation = [&](func::FuncOp function) {
    if (auto symbol = function->getAttrOfType<FlatSymbolRefAttr>(attr::kPrepare))
      kept.insert(symbol.getAttr());
  };
  if (auto function = module.lookupSymbol<func::FuncOp>(name)) {
    keepPreparation(function);
    if (auto variants = function->getAttrOfType<ArrayAttr>(attr::kVariants))
      for (auto symbol : variants.getAsRange<FlatSymbolRefAttr>()) {
        kept.insert(symbol.getAttr());
        if (auto variant = module.lookupSymbol<func::FuncOp>(symbol.getValue()))
          keepPreparation(variant);
      }
  }
  for (auto func : module.getOps<func::FuncOp>())
    if (func.isPublic() && !kept.contains(func.getSymNameAttr()))
      func.setPrivate();
  // Nothing in a function can refer to a function of a nested module.
  for (ModuleOp nested : llvm::make_early_inc_range(module.getOps<ModuleOp>()))
    nested.erase();
  // Calls are planned and compiled as part of their caller; the inliner leaves the rest as written.
  PassManager passes(module->getContext(), ModuleOp::getOperationName());
  passes.addPass(createInlinerPass({}, [](OpPassManager &) {}));
  passes.addPass(createSymbolDCEPass());
  // Neither can fail: what cannot be inlined stays a call.
  (void)passes.run(module);
}
