//===- DeviceModule.cpp - LLVM IR of device functions ----------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "DeviceModule.h"

#include "../MachineCode/LlvmCode.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Transforms/IPO/Internalize.h"

#include <mutex>

using namespace mlir;
using namespace mlir::fuse;

/// Of CUDA and of HIP: shared memory of a block.
static constexpr unsigned kSharedSpace = 3;
/// What the matrices that wgmma reads there begin at multiples of. The driver gives what a kernel asks for: a block's memory
/// begins with what is dynamic, where nothing is static.
static constexpr unsigned kSharedAlignment = 1024;

static void initializeDeviceTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
    // The code generator reads the instructions of inline assembly.
    LLVMInitializeAMDGPUAsmParser();
  });
}

static const llvm::Target *lookupTarget(StringRef triple) {
  initializeDeviceTargets();
  std::string error;
  return llvm::TargetRegistry::lookupTarget(llvm::Triple(triple), error);
}

SmallVector<std::string> mlir::fuse::listChips(StringRef triple,
                                               llvm::function_ref<bool(StringRef)> isWanted) {
  SmallVector<std::string> names;
  const llvm::Target *target = lookupTarget(triple);
  std::unique_ptr<llvm::MCSubtargetInfo> info(
      target ? target->createMCSubtargetInfo(llvm::Triple(triple), "", "") : nullptr);
  if (!info)
    return names;
  for (const llvm::SubtargetSubTypeKV &processor : info->getAllProcessorDescriptions())
    if (isWanted(processor.Key))
      names.push_back(processor.Key);
  llvm::sort(names, [](StringRef a, StringRef b) { return a.compare_numeric(b) < 0; });
  return names;
}

llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
mlir::fuse::makeDeviceMachine(StringRef triple, StringRef chip, StringRef features,
                              llvm::function_ref<bool(StringRef)> isWanted,
                              llvm::Reloc::Model relocation) {
  SmallVector<std::string> known = listChips(triple, isWanted);
  if (!llvm::is_contained(known, chip))
    return llvm::createStringError("unknown chip '" + chip.str() + "': expected one of " +
                                   llvm::join(known, ", "));
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  std::unique_ptr<llvm::TargetMachine> machine(lookupTarget(triple)->createTargetMachine(
      llvm::Triple(triple), chip, features, options, relocation, /*CM=*/std::nullopt,
      llvm::CodeGenOptLevel::Aggressive));
  if (!machine)
    return llvm::createStringError("no code generator for " + triple.str() + " with chip " +
                                   chip.str());
  return machine;
}

bool mlir::fuse::refersTo(const llvm::Module &module, StringRef prefix) {
  return llvm::any_of(module, [&](const llvm::Function &function) {
    return function.isDeclaration() && function.getName().starts_with(prefix);
  });
}

llvm::Error mlir::fuse::linkBitcode(llvm::Module &module, StringRef path) {
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> library =
      llvm::getLazyIRFileModule(path, diagnostic, module.getContext());
  if (!library)
    return llvm::createStringError("cannot read " + path.str() + ": " +
                                   diagnostic.getMessage().str());
  // Libraries are made for a family of chips, and name another triple.
  library->setTargetTriple(module.getTargetTriple());
  library->setDataLayout(module.getDataLayout());
  if (llvm::Linker::linkModules(module, std::move(library), llvm::Linker::Flags::LinkOnlyNeeded))
    return llvm::createStringError("cannot link " + path.str());
  return llvm::Error::success();
}

/// Dynamic shared memory is an array of no bytes. Defined in the module, it would be given a place
/// of its own among the static buffers and overlap what follows; declared, it begins behind them.
/// The driver knows of one such array, so that all of them are one.
static void shareDynamicMemory(llvm::Module &module) {
  SmallVector<llvm::GlobalVariable *> arrays;
  for (llvm::GlobalVariable &global : module.globals())
    if (auto *array = llvm::dyn_cast<llvm::ArrayType>(global.getValueType());
        array && array->getNumElements() == 0 && global.getAddressSpace() == kSharedSpace)
      arrays.push_back(&global);
  if (arrays.empty())
    return;
  llvm::GlobalVariable *all = arrays.front();
  llvm::Align alignment = all->getAlign().valueOrOne();
  for (llvm::GlobalVariable *array : llvm::drop_begin(arrays)) {
    alignment = std::max(alignment, array->getAlign().valueOrOne());
    array->replaceAllUsesWith(all);
    array->eraseFromParent();
  }
  all->setInitializer(nullptr);
  all->setLinkage(llvm::GlobalValue::ExternalLinkage);
  all->setVisibility(llvm::GlobalValue::DefaultVisibility);
  all->setDSOLocal(false);
  if (module.getTargetTriple().isNVPTX())
    alignment = std::max(alignment, llvm::Align(kSharedAlignment));
  all->setAlignment(alignment);
}

static bool isKernel(const llvm::GlobalValue &value) {
  auto *function = llvm::dyn_cast<llvm::Function>(&value);
  return function && (function->getCallingConv() == llvm::CallingConv::PTX_Kernel ||
                      function->getCallingConv() == llvm::CallingConv::AMDGPU_KERNEL);
}

/// Readies a translated module for the pipeline.
static void prepareModule(llvm::Module &module) {
  shareDynamicMemory(module);
  for (llvm::Function &function : module)
    if (!function.isDeclaration()) {
      // Barriers and shuffles, also those in functions called, stay where all threads reach them;
      // the pipeline takes this from functions that have none.
      function.addFnAttr(llvm::Attribute::Convergent);
      function.addFnAttr(llvm::Attribute::NoUnwind);
      // So is assembly: products of warpgroups are asked for by all threads of a warp at once.
      for (llvm::Instruction &instruction : llvm::instructions(function))
        if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction); call && call->isInlineAsm())
          call->setConvergent();
    }
  llvm::internalizeModule(module, isKernel);
}

static llvm::Error checkDefined(const llvm::Module &module, StringRef name) {
  for (const llvm::Function &function : module)
    if (function.isDeclaration() && !function.isIntrinsic() && !function.use_empty())
      return llvm::createStringError("cannot compile " + name.str() + ": it calls '" +
                                     function.getName().str() + "', which nothing defines");
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<llvm::Module>>
mlir::fuse::translateForDevice(StringRef bytecode, StringRef name, StringRef from, StringRef to,
                               const llvm::TargetMachine &machine, llvm::LLVMContext &context) {
  auto module = translateBytecode(bytecode, name, CodeDialects::Device, context);
  if (!module)
    return module.takeError();
  renameFunctions(**module, from, to);
  (*module)->setTargetTriple(machine.getTargetTriple());
  (*module)->setDataLayout(machine.createDataLayout());
  return module;
}

llvm::Expected<SmallString<0>> mlir::fuse::emitDeviceCode(llvm::Module &module, StringRef name,
                                                          llvm::TargetMachine &machine,
                                                          llvm::CodeGenFileType type) {
  prepareModule(module);
  optimizeModule(module, machine, llvm::OptimizationLevel::O3, /*slp=*/false);
  if (llvm::Error error = checkDefined(module, name))
    return error;
  SmallString<0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager emission;
  if (machine.addPassesToEmitFile(emission, stream, nullptr, type))
    return llvm::createStringError("the code generator of " + machine.getTargetCPU().str() +
                                   " cannot emit this kind of file");
  emission.run(module);
  return bytes;
}
