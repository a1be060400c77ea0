//===- EmulateNvvm.cpp - Device code made code of the CPU ---------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Codegen/Emulator/EmulateNvvm.h"

#include "EmulatedFunction.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"

using namespace mlir::fuse;

static bool isKernel(const llvm::Function &function) {
  return function.getCallingConv() == llvm::CallingConv::PTX_Kernel;
}

/// Forgets what is said about the device.
static void dropTarget(llvm::Module &module) {
  module.setTargetTriple(llvm::Triple());
  module.setDataLayout("");
  if (llvm::NamedMDNode *annotations = module.getNamedMetadata("nvvm.annotations"))
    annotations->eraseFromParent();
  for (llvm::Function &function : module) {
    if (function.isIntrinsic())
      continue;
    // What was known of a function's effects counted no waiting for other threads.
    function.setAttributes(function.getAttributes().removeFnAttributes(module.getContext()));
    function.setCallingConv(llvm::CallingConv::C);
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
        call->setCallingConv(llvm::CallingConv::C);
        call->setAttributes(call->getAttributes().removeFnAttributes(module.getContext()));
      }
  }
}

/// Variables and slots of the stack in spaces of the device, but for shared memory, become usual
/// ones.
static void unifySpaces(llvm::Module &module) {
  for (llvm::GlobalVariable &variable : llvm::make_early_inc_range(module.globals())) {
    unsigned space = variable.getAddressSpace();
    if (space == 0 || space == kSharedSpace)
      continue;
    auto *usual = new llvm::GlobalVariable(
        module, variable.getValueType(), variable.isConstant(), variable.getLinkage(),
        variable.hasInitializer() ? variable.getInitializer() : nullptr, "", &variable);
    usual->takeName(&variable);
    usual->setAlignment(variable.getAlign());
    variable.replaceAllUsesWith(llvm::ConstantExpr::getAddrSpaceCast(usual, variable.getType()));
    variable.eraseFromParent();
  }
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction :
         llvm::make_early_inc_range(llvm::instructions(function))) {
      auto *slot = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
      if (!slot || slot->getAddressSpace() == 0)
        continue;
      llvm::IRBuilder<> builder(slot);
      llvm::AllocaInst *usual =
          builder.CreateAlloca(slot->getAllocatedType(), 0u, slot->getArraySize());
      usual->setAlignment(slot->getAlign());
      slot->replaceAllUsesWith(builder.CreateAddrSpaceCast(usual, slot->getType()));
      slot->eraseFromParent();
    }
}

/// A private constant text.
static llvm::Constant *makeText(llvm::Module &module, llvm::StringRef text) {
  llvm::Constant *bytes = llvm::ConstantDataArray::getString(module.getContext(), text);
  auto *variable = new llvm::GlobalVariable(module, bytes->getType(), /*isConstant=*/true,
                                            llvm::GlobalValue::PrivateLinkage, bytes, "text");
  variable->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  return variable;
}

static llvm::Constant *makeTable(llvm::Module &module, llvm::Type *type,
                                 llvm::ArrayRef<llvm::Constant *> entries) {
  llvm::Constant *array =
      llvm::ConstantArray::get(llvm::ArrayType::get(type, entries.size()), entries);
  return new llvm::GlobalVariable(module, array->getType(), /*isConstant=*/true,
                                  llvm::GlobalValue::PrivateLinkage, array, "table");
}

namespace {
/// The module's part of every fuse_emulated_kernel.
struct ModuleTables {
  llvm::Constant *granule, *sites, *numSites, *globals, *numGlobals;
};
} // namespace

static ModuleTables makeTables(llvm::Module &module, const EmulatedSites &sites,
                               llvm::ArrayRef<llvm::GlobalVariable *> variables) {
  llvm::LLVMContext &context = module.getContext();
  llvm::Type *pointer = llvm::PointerType::get(context, 0);
  llvm::Type *number = llvm::Type::getInt64Ty(context);
  llvm::SmallVector<llvm::Constant *> texts, globals;
  for (const std::string &text : sites.getTexts())
    texts.push_back(makeText(module, text));
  auto *entry = llvm::StructType::get(pointer, number);
  for (llvm::GlobalVariable *variable : variables) {
    uint64_t bytes = module.getDataLayout().getTypeAllocSize(variable->getValueType());
    globals.push_back(
        llvm::ConstantStruct::get(entry, {variable, llvm::ConstantInt::get(number, bytes)}));
  }
  return {llvm::ConstantInt::get(number, sites.getGranule()), makeTable(module, pointer, texts),
          llvm::ConstantInt::get(number, texts.size()), makeTable(module, entry, globals),
          llvm::ConstantInt::get(number, globals.size())};
}

/// Puts a function that unpacks the parameters in the kernel's place.
static void wrapKernel(llvm::Function &kernel, int64_t sharedBytes, const ModuleTables &tables) {
  llvm::Module &module = *kernel.getParent();
  llvm::IRBuilder<> builder(module.getContext());
  llvm::Type *pointer = builder.getPtrTy(), *number = builder.getInt64Ty();
  std::string name = kernel.getName().str();
  kernel.setName(name + "_body");
  kernel.setLinkage(llvm::GlobalValue::InternalLinkage);

  llvm::Constant *shared = llvm::ConstantInt::get(number, sharedBytes);
  new llvm::GlobalVariable(module, number, /*isConstant=*/true, llvm::GlobalValue::ExternalLinkage,
                           shared, name + "_shared");
  llvm::Constant *description =
      llvm::ConstantStruct::getAnon({makeText(module, name), shared, tables.granule, tables.sites,
                                     tables.numSites, tables.globals, tables.numGlobals});
  description = new llvm::GlobalVariable(module, description->getType(), /*isConstant=*/true,
                                         llvm::GlobalValue::PrivateLinkage, description, "kernel");

  auto *wrapper = llvm::Function::Create(
      llvm::FunctionType::get(builder.getVoidTy(), {pointer}, /*isVarArg=*/false),
      llvm::GlobalValue::ExternalLinkage, name, module);
  llvm::Value *params = wrapper->getArg(0);
  auto makeBlock = [&] { return llvm::BasicBlock::Create(module.getContext(), "", wrapper); };
  llvm::BasicBlock *entry = makeBlock(), *describe = makeBlock(), *run = makeBlock();
  builder.SetInsertPoint(entry);
  builder.CreateCondBr(builder.CreateIsNull(params), describe, run);
  builder.SetInsertPoint(describe);
  builder.CreateCall(
      module.getOrInsertFunction("fuse_emulated_describe", builder.getVoidTy(), pointer),
      {description});
  builder.CreateRetVoid();
  builder.SetInsertPoint(run);
  llvm::SmallVector<llvm::Value *> arguments;
  for (llvm::Argument &argument : kernel.args()) {
    llvm::Value *place = builder.CreateLoad(
        pointer, builder.CreateConstInBoundsGEP1_32(pointer, params, argument.getArgNo()));
    arguments.push_back(argument.hasByValAttr() ? place
                                                : builder.CreateLoad(argument.getType(), place));
  }
  builder.CreateCall(&kernel, arguments);
  builder.CreateRetVoid();
}

/// Fails on functions that nobody would find.
static llvm::Error checkDeclarations(const llvm::Module &module) {
  for (const llvm::Function &function : module) {
    if (!function.isDeclaration() || function.use_empty())
      continue;
    llvm::StringRef name = function.getName();
    if (name.starts_with("llvm.nvvm.") || name == "vprintf" || name == "malloc" || name == "free")
      return llvm::createStringError("the emulator does not know the function " + name);
  }
  return llvm::Error::success();
}

llvm::Error mlir::fuse::emulateNvvm(llvm::Module &module, const EmulationOptions &options) {
  llvm::SmallVector<llvm::Function *> kernels;
  for (llvm::Function &function : module)
    if (!function.isDeclaration() && isKernel(function))
      kernels.push_back(&function);
  dropTarget(module);
  unifySpaces(module);
  if (llvm::Error error = replaceLibdevice(module))
    return error;

  EmulatedSites sites;
  std::vector<EmulatedFunction> functions;
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      functions.emplace_back(function, sites);
  llvm::SmallVector<llvm::GlobalVariable *> variables;
  for (llvm::GlobalVariable &variable : module.globals())
    if (variable.getAddressSpace() == 0)
      variables.push_back(&variable);

  for (EmulatedFunction &function : functions) {
    if (options.checkAccesses)
      checkAccesses(function);
    if (llvm::Error error = replaceIntrinsics(function))
      return error;
  }
  int64_t sharedBytes = placeSharedMemory(module, functions);
  llvm::StripDebugInfo(module);
  ModuleTables tables = makeTables(module, sites, variables);
  for (llvm::Function *kernel : kernels)
    wrapKernel(*kernel, sharedBytes, tables);
  return checkDeclarations(module);
}
