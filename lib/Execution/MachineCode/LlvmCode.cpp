//===- LlvmCode.cpp - Modules of the LLVM dialect as LLVM IR ---------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "LlvmCode.h"
#include "FunctionRewrites.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/ROCDL/ROCDLToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/InstSimplifyPass.h"
#include "llvm/Transforms/Scalar/SROA.h"

using namespace mlir;
using namespace mlir::fuse;

void mlir::fuse::registerHostTranslation(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

static void loadDialects(MLIRContext &context, CodeDialects dialects) {
  DialectRegistry registry;
  registerHostTranslation(registry);
  context.appendDialectRegistry(registry);
  context.loadDialect<LLVM::LLVMDialect>();
  if (dialects == CodeDialects::Host)
    return;
  registerGPUDialectTranslation(context);
  registerNVVMDialectTranslation(context);
  registerROCDLDialectTranslation(context);
  context.loadDialect<gpu::GPUDialect, NVVM::NVVMDialect, ROCDL::ROCDLDialect>();
}

llvm::Expected<std::unique_ptr<llvm::Module>>
mlir::fuse::translateBytecode(StringRef bytecode, StringRef name, CodeDialects dialects,
                              llvm::LLVMContext &llvmContext) {
  // Modules are compiled side by side already.
  MLIRContext context(MLIRContext::Threading::DISABLED);
  loadDialects(context, dialects);
  std::string errors;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      errors += (errors.empty() ? "" : "; ") + diagnostic.str();
    return success();
  });
  auto fail = [&] {
    return llvm::createStringError("cannot compile " + name.str() + ": " + errors);
  };
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(bytecode, ParserConfig(&context, /*verifyAfterParse=*/false));
  if (!module)
    return fail();
  Operation *root = *module;
  if (dialects == CodeDialects::Emulated) {
    // Locations of the module get into LLVM IR as those of functions that have a scope.
    PassManager manager(&context);
    manager.addPass(LLVM::createDIScopeForLLVMFuncOpPass());
    if (failed(manager.run(*module)))
      return fail();
  }
  if (dialects != CodeDialects::Host)
    for (auto device : module->getOps<gpu::GPUModuleOp>())
      root = device;
  std::unique_ptr<llvm::Module> code = translateModuleToLLVMIR(root, llvmContext, name);
  if (!code)
    return fail();
  return code;
}

void mlir::fuse::renameFunctions(llvm::Module &module, StringRef from, StringRef to) {
  if (from.empty())
    return;
  for (llvm::Function &function : module)
    if (function.getName().starts_with(from))
      function.setName(Twine(to) + function.getName().drop_front(from.size()));
}

namespace {
/// Runs passes of LLVM on a module, with the analyses they ask for.
class ModulePasses {
public:
  ModulePasses(llvm::TargetMachine &machine, const llvm::PipelineTuningOptions &tuning)
      : builder(&machine, tuning) {
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(sccs);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, sccs, modules);
  }

  llvm::PassBuilder &getBuilder() { return builder; }
  void run(llvm::Module &module, llvm::ModulePassManager passes) { passes.run(module, modules); }

private:
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
};
} // namespace

void mlir::fuse::optimizeModule(llvm::Module &module, llvm::TargetMachine &machine,
                                llvm::OptimizationLevel level, bool slp) {
  for (llvm::Function &function : module)
    keepZeroSigns(function);
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = true;
  tuning.SLPVectorization = slp;
  // All of a kernel lies in the loop over its blocks: what is known of that loop's parts is
  // forgotten with every loop that is unrolled in it, faster all at once than one by one.
  tuning.ForgetAllSCEVInLoopUnroll = true;
  ModulePasses passes(machine, tuning);
  passes.run(module, passes.getBuilder().buildPerModuleDefaultPipeline(level));
}

void mlir::fuse::simplifyModule(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::FunctionPassManager functions;
  functions.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  functions.addPass(llvm::EarlyCSEPass());
  functions.addPass(llvm::InstSimplifyPass());
  functions.addPass(llvm::ADCEPass());
  llvm::ModulePassManager all;
  all.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(functions)));
  ModulePasses(machine, {}).run(module, std::move(all));
}
