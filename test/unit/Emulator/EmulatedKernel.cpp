//===- EmulatedKernel.cpp - Kernels from text, run on the emulator ------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "EmulatedKernel.h"

#include "MachineCode/NativeCode.h"
#include "Session/RuntimeSymbols.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::test;

struct EmulatedKernel::Code {
  std::unique_ptr<llvm::orc::LLJIT> jit;
  void (*entry)(void *const *) = nullptr;
  int64_t staticShared = 0;

  llvm::Error load(StringRef bytecode, const EmulationOptions &options);
};

llvm::Error EmulatedKernel::Code::load(StringRef bytecode, const EmulationOptions &options) {
  auto object = compileEmulated(bytecode, "k", "", "", {}, options);
  if (!object)
    return object.takeError();
  auto made = llvm::orc::LLJITBuilder().setPlatformSetUp(llvm::orc::setUpInactivePlatform).create();
  if (!made)
    return made.takeError();
  jit = std::move(*made);
  llvm::orc::SymbolMap symbols;
  for (const RuntimeSymbol &symbol : getRuntimeSymbols())
    symbols[jit->mangleAndIntern(symbol.name)] = {llvm::orc::ExecutorAddr::fromPtr(symbol.address),
                                                  llvm::JITSymbolFlags::Exported};
  if (llvm::Error error =
          jit->getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(symbols))))
    return error;
  if (llvm::Error error = jit->addObjectFile(std::move(*object)))
    return error;
  auto kernel = jit->lookup("k");
  if (!kernel)
    return kernel.takeError();
  auto shared = jit->lookup("k_shared");
  if (!shared)
    return shared.takeError();
  entry = kernel->toPtr<void (*)(void *const *)>();
  staticShared = *shared->toPtr<int64_t *>();
  return llvm::Error::success();
}

std::string mlir::fuse::test::inModule(const std::string &body) {
  return "gpu.module @device {\n" + body + "}\n";
}

/// What the gpu.module of the text holds, as bytecode of a module.
static std::string toDeviceBytecode(const std::string &text, std::string &error) {
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    error += diagnostic.str() + "\n";
    return success();
  });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context, "kernel.mlir");
  if (!module)
    return "";
  gpu::GPUModuleOp device = *module->getOps<gpu::GPUModuleOp>().begin();
  if (!device.getOps<gpu::GPUFuncOp>().empty()) {
    PassManager manager(&context);
    manager.addPass(createSCFToControlFlowPass());
    manager.addNestedPass<gpu::GPUModuleOp>(createConvertGpuOpsToNVVMOps());
    manager.addPass(createReconcileUnrealizedCastsPass());
    if (failed(manager.run(*module)))
      return "";
    device = *module->getOps<gpu::GPUModuleOp>().begin();
  }
  // Products of warpgroups are inline assembly to LLVM.
  PassManager assembly(&context, gpu::GPUModuleOp::getOperationName());
  assembly.addPass(createConvertNVVMToLLVMPass());
  if (failed(assembly.run(device)))
    return "";
  OwningOpRef<ModuleOp> alone = ModuleOp::create(device.getLoc());
  alone->getBodyRegion().takeBody(device.getBodyRegion());
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  (void)writeBytecodeToFile(*alone, stream);
  return bytes;
}

EmulatedKernel::EmulatedKernel(const std::string &text, int32_t checks,
                               const EmulationOptions &options)
    : code(std::make_unique<Code>()), device(fuse_emulator_create(checks)) {
  std::string bytecode = toDeviceBytecode(text, error);
  if (error.empty())
    error = llvm::toString(code->load(bytecode, options));
  staticShared = code->staticShared;
}

EmulatedKernel::~EmulatedKernel() {
  closeContext();
  fuse_emulator_destroy(device);
}

void EmulatedKernel::closeContext() {
  if (!context)
    return;
  device->close(device, context);
  fuse_context_destroy(context);
  context = nullptr;
}

static int64_t countNothing(const fuse_buffer *) { return 0; }

std::string EmulatedKernel::launch(std::vector<fuse_buffer> buffers, const LaunchOptions &options) {
  if (!code->entry)
    return "not compiled: " + error;
  std::vector<fuse_device_param> params;
  for (size_t i = 0; i < buffers.size(); ++i)
    params.push_back({static_cast<int32_t>(i), -1});
  params.push_back({-1, FUSE_DEVICE_BLOCKS});
  params.push_back({-1, FUSE_DEVICE_SCRATCH});
  fuse_device_kernel onDevice = {};
  onDevice.entry = "k";
  onDevice.emulated = code->entry;
  onDevice.threads = options.threads;
  onDevice.shared_bytes = options.sharedBytes;
  onDevice.most_blocks = options.mostBlocks;
  onDevice.params = params.data();
  onDevice.num_params = static_cast<int64_t>(params.size());
  fuse_kernel kernel = {};
  kernel.name = "k";
  kernel.count = countNothing;
  kernel.scratch_bytes = options.scratchBytes;
  kernel.device = &onDevice;

  if (context && context->threads != options.workers)
    closeContext();
  if (!context) {
    context = fuse_context_create(options.workers);
    if (device->open(device, context))
      return fuse_context_error(context);
  }
  if (fuse_context_set_kernels(context, &kernel, 1) ||
      device->launch(device, context, &kernel, buffers.data(), options.blocks) ||
      device->wait(device, context))
    return fuse_context_error(context);
  return "";
}
