//===- CompileProgram.cpp - A program and its kernels, each in its thread -------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../MachineCode/NativeCode.h"
#include "CompileKernel.h"
#include "KernelUnits.h"
#include "fuse/Execution/CodeCache.h"
#include "fuse/Execution/FatalErrors.h"
#include "fuse/IR/FuseOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/ThreadPool.h"

#include <atomic>

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// A kernel on its way to code.
struct Kernel {
  OwningOpRef<ModuleOp> module; // as it was outlined, for diagnostics
  std::string name;
  std::string bytecode; // the same without locations
  std::optional<KernelCode> code;
  bool isCached = false;
  std::string error;
};
} // namespace

/// Takes the kernels' modules out of an outlined program, and leaves empty ones in their places.
static std::vector<Kernel> takeKernels(ModuleOp program) {
  llvm::SetVector<StringAttr> names;
  program.walk([&](LaunchOp launch) { names.insert(launch.getKernelAttr().getAttr()); });
  SymbolTable symbols(program);
  std::vector<Kernel> kernels;
  for (StringAttr name : names) {
    auto module = symbols.lookup<ModuleOp>(name);
    OpBuilder builder(module);
    auto place = ModuleOp::create(builder, module.getLoc(), name);
    if (Attribute file = module->getAttr(attr::kTuned))
      place->setAttr(attr::kTuned, file);
    module->remove();
    kernels.push_back({OwningOpRef<ModuleOp>(module), name.str(), {}, {}, false, {}});
  }
  return kernels;
}

/// What the program says of the machine, for kernels that are no longer in it.
static void copyTarget(ModuleOp program, ModuleOp kernel) {
  for (NamedAttribute attribute : program->getDiscardableAttrs())
    if (StringRef name = attribute.getName().strref();
        name == attr::kTarget || name.starts_with("dlti."))
      kernel->setDiscardableAttr(attribute.getName(), attribute.getValue());
}

/// All that decides what the code of a module is, beside the module.
static std::string describeRecipe(const LoweringOptions &lowering,
                                  const ObjectCompilerOptions &options) {
  std::string text;
  llvm::raw_string_ostream os(text);
  FuseToLLVMOptions pipeline;
  setOptions(pipeline, lowering);
  pipeline.print(os);
  bool isHost = options.cpu.empty() && options.features.empty();
  os << "\n"
     << (options.cpu.empty() ? getHostCpu() : options.cpu) << "\n"
     << (isHost ? getHostFeatures() : options.features);
  return text;
}

/// The main module's object. What is lowered is the key to it: lowering takes little.
static llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
compileMain(ModuleOp program, StringRef recipe, const ObjectCompilerOptions &options) {
  auto bytecode = encodeMain(program);
  if (!bytecode)
    return bytecode.takeError();
  std::string key;
  if (options.cache) {
    key = CodeCache::getKey({"program", recipe, *bytecode});
    if (std::optional<std::string> bytes = options.cache->load(key))
      return llvm::MemoryBuffer::getMemBufferCopy(*bytes, "program");
  }
  auto object = compileNative(*bytecode, "program", "", "program", options, CodeEffort::Least);
  if (object && options.cache)
    options.cache->store(key, (*object)->getBuffer());
  return object;
}

/// Lowers the kernel once more where its locations are, so that whatever is wrong is said there.
static LogicalResult diagnose(Kernel &kernel, const LoweringOptions &lowering, Location place) {
  PassManager passes(kernel.module->getContext(), ModuleOp::getOperationName());
  FuseToLLVMOptions pipeline;
  setOptions(pipeline, lowering);
  buildKernelToLLVMPipeline(passes, pipeline);
  if (succeeded(passes.run(*kernel.module)))
    emitError(place) << kernel.error;
  return failure();
}

/// Puts the kernels that the lowered program still launches into the order of the numbers that it
/// calls them by, and leaves at their modules what reports ask for.
static void numberKernels(ModuleOp program, std::vector<Kernel> &kernels, CompiledObjects &result) {
  llvm::StringMap<Kernel *> byName;
  for (Kernel &kernel : kernels)
    byName[kernel.name] = &kernel;
  Builder builder(program.getContext());
  for (auto name : program->getAttrOfType<ArrayAttr>(attr::kKernels).getAsRange<StringAttr>()) {
    Kernel &kernel = *byName.at(name.getValue());
    KernelUnit &unit = result.kernels.emplace_back(std::move(kernel.code->unit));
    unit.symbol = unit.name;
    unit.object = result.objects.size();
    result.objects.push_back(std::move(kernel.code->object));
    result.numCached += kernel.isCached;
    auto module = program.lookupSymbol<ModuleOp>(name);
    module->setAttr(attr::kScratchBytes, builder.getI64IntegerAttr(unit.scratchBytes));
    if (unit.blocks)
      module->setAttr(attr::kBlocks, builder.getI64IntegerAttr(*unit.blocks));
  }
}

/// The kernels' modules as what is compiled and as what their code is kept under: no place in a
/// file, but what the program says of the machine.
static void makeBytecode(ModuleOp program, std::vector<Kernel> &kernels) {
  for (Kernel &kernel : kernels) {
    copyTarget(program, *kernel.module);
    OwningOpRef<ModuleOp> copy = kernel.module->clone();
    dropLocations(*copy);
    (*copy)->removeAttr(attr::kTuned); // where its schedule comes from does not change the code
    kernel.bytecode = toBytecode(*copy);
  }
}

namespace {
/// Compiles kernels by as many threads as call `work`.
class KernelQueue {
public:
  KernelQueue(std::vector<Kernel> &kernels, const DialectRegistry &registry, StringRef recipe,
              const LoweringOptions &lowering, const ObjectCompilerOptions &options)
      : registry(registry), recipe(recipe), lowering(lowering), options(options),
        total(kernels.size() + 1) {
    for (Kernel &kernel : kernels)
      order.push_back(&kernel);
    // The largest first, so that none is left over in the end.
    llvm::sort(order, [](const Kernel *a, const Kernel *b) {
      return std::pair(b->bytecode.size(), a->name) < std::pair(a->bytecode.size(), b->name);
    });
    report(0);
  }

  /// Returns when nobody has to begin another kernel.
  void work() {
    std::optional<KernelCompiler> compiler; // not needed where the cache has all
    for (size_t i = next++; i < order.size(); i = next++) {
      compile(*order[i], compiler);
      report(1);
    }
  }

  /// Of the kernels and, one more, the main module.
  void report(size_t newlyDone) {
    if (!options.progress)
      return;
    std::lock_guard<std::mutex> lock(mutex);
    done += newlyDone;
    options.progress(done, total);
  }

private:
  void compile(Kernel &kernel, std::optional<KernelCompiler> &compiler) {
    std::string key;
    if (options.cache) {
      key = CodeCache::getKey({"kernel", recipe, kernel.bytecode});
      if (std::optional<std::string> bytes = options.cache->load(key)) {
        kernel.code = KernelCode::decode(*bytes, kernel.name);
        kernel.isCached = true;
        return;
      }
    }
    if (!compiler)
      compiler.emplace(registry, lowering, options);
    std::optional<KernelCode> made;
    llvm::Error fatal = catchFatalErrors([&] {
      auto code = compiler->compile(kernel.bytecode, kernel.name);
      if (code)
        made = std::move(*code);
      else
        kernel.error = llvm::toString(code.takeError());
    });
    if (fatal)
      kernel.error = llvm::toString(std::move(fatal));
    if (!made)
      return;
    if (options.cache)
      options.cache->store(key, made->encode());
    kernel.code = std::move(made);
  }

  const DialectRegistry &registry;
  StringRef recipe;
  const LoweringOptions &lowering;
  const ObjectCompilerOptions &options;
  std::vector<Kernel *> order;
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  size_t total, done = 0;
};
} // namespace

static LogicalResult lowerMain(ModuleOp program, const LoweringOptions &lowering) {
  PassManager passes(program.getContext(), ModuleOp::getOperationName());
  FuseToLLVMOptions pipeline;
  setOptions(pipeline, lowering);
  buildProgramToLLVMPipeline(passes, pipeline);
  return passes.run(program);
}

FailureOr<CompiledObjects> mlir::fuse::compileKernelsApart(ModuleOp program,
                                                           const LoweringOptions &lowering,
                                                           const ObjectCompilerOptions &options) {
  Location place = getPublicPlace(program);
  PassManager outline(program.getContext(), ModuleOp::getOperationName());
  FuseToLLVMOptions pipeline;
  setOptions(pipeline, lowering);
  pipeline.schedules = lowering.schedules;
  pipeline.threads = lowering.threads;
  buildOutlinePipeline(outline, pipeline);
  if (failed(outline.run(program)))
    return failure();
  initializeNativeTarget();
  std::vector<Kernel> kernels = takeKernels(program);
  makeBytecode(program, kernels);

  std::string recipe = describeRecipe(lowering, options);
  KernelQueue queue(kernels, program.getContext()->getDialectRegistry(), recipe, lowering, options);
  CompiledObjects result;
  LogicalResult lowered = success();
  std::string error;
  {
    llvm::DefaultThreadPool pool(llvm::hardware_concurrency(options.threads));
    for (size_t i = 0, end = std::min<size_t>(pool.getMaxConcurrency(), kernels.size()); i < end;
         ++i)
      pool.async([&] { queue.work(); });
    lowered = lowerMain(program, lowering);
    if (succeeded(lowered)) {
      auto main = compileMain(program, recipe, options);
      if (main)
        result.objects.push_back(std::move(*main));
      else
        error = llvm::toString(main.takeError());
    }
    queue.report(1);
  }
  if (options.cache)
    options.cache->prune();
  for (Kernel &kernel : kernels)
    if (!kernel.code)
      return diagnose(kernel, lowering, place);
  if (failed(lowered))
    return failure();
  if (!error.empty())
    return emitError(place) << error;
  numberKernels(program, kernels, result);
  return result;
}
