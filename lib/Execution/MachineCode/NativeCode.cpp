//===- NativeCode.cpp - One module to one object ---------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "NativeCode.h"

#include "FunctionRewrites.h"
#include "LlvmCode.h"
#include "OutlineLoops.h"
#include "fuse/Execution/CpuLevel.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

#include <mutex>

using namespace mlir;
using namespace mlir::fuse;

void mlir::fuse::initializeNativeTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
  });
}

std::string mlir::fuse::getHostCpu() { return findCpuLevel(kNativeCpu)->cpu; }

std::string mlir::fuse::getHostFeatures() { return findCpuLevel(kNativeCpu)->features; }

llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
mlir::fuse::makeTargetMachine(const CpuCodeOptions &options) {
  llvm::Triple triple(llvm::sys::getProcessTriple());
  std::string text;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, text);
  if (!target)
    return llvm::createStringError("no code generator for " + triple.str() + ": " + text);
  std::string cpu = options.cpu.empty() ? getHostCpu() : options.cpu;
  std::string features = options.cpu.empty() && options.features.empty() ? getHostFeatures()
                                                                          : options.features;
  llvm::TargetOptions targetOptions;
  targetOptions.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, cpu, features, targetOptions, llvm::Reloc::PIC_,
                                  /*CM=*/std::nullopt, llvm::CodeGenOptLevel::Default));
  if (!machine)
    return llvm::createStringError("no code generator for " + triple.str() + " with CPU " + cpu);
  return machine;
}

/// The loop vectorizer asks of every operand whether it is uniform, without remembering what it
/// found: repeated squaring (integer powers) takes it time that doubles with every square. Such
/// loops are not given to it.
static void keepFromVectorizer(llvm::Function &function) {
  llvm::DominatorTree dominators(function);
  llvm::LoopInfo loops(dominators);
  for (llvm::Loop *loop : loops.getLoopsInPreorder()) {
    llvm::DenseMap<llvm::Value *, unsigned> squares; // how often a value has been squared
    unsigned most = 0;
    for (llvm::BasicBlock *block : loop->blocks())
      for (llvm::Instruction &instruction : *block)
        if (instruction.isBinaryOp() && instruction.getOperand(0) == instruction.getOperand(1))
          most = std::max(most, squares[&instruction] =
                                    squares.lookup(instruction.getOperand(0)) + 1);
    if (most > 8)
      llvm::addStringMetadataToLoop(loop, "llvm.loop.vectorize.enable", 0);
  }
}

/// Reads or writes a bf16 of memory as an integer of 16 bits.
static void accessAsBits(llvm::Instruction *access) {
  llvm::IRBuilder<> builder(access);
  llvm::Type *bits = builder.getInt16Ty();
  if (auto *store = llvm::dyn_cast<llvm::StoreInst>(access)) {
    store->setOperand(0, builder.CreateBitCast(store->getValueOperand(), bits));
    return;
  }
  auto *load = llvm::cast<llvm::LoadInst>(access);
  llvm::LoadInst *integer =
      builder.CreateAlignedLoad(bits, load->getPointerOperand(), load->getAlign());
  integer->copyMetadata(*load);
  load->replaceAllUsesWith(builder.CreateBitCast(integer, load->getType()));
  load->eraseFromParent();
}

/// Chooses between integers of 16 bits in place of bf16 numbers or vectors of them.
static void selectAsBits(llvm::SelectInst *select) {
  llvm::IRBuilder<> builder(select);
  llvm::Type *bits = select->getType()->getWithNewType(builder.getInt16Ty());
  llvm::Value *integer =
      builder.CreateSelect(select->getCondition(), builder.CreateBitCast(select->getTrueValue(), bits),
                           builder.CreateBitCast(select->getFalseValue(), bits));
  select->replaceAllUsesWith(builder.CreateBitCast(integer, select->getType()));
  select->eraseFromParent();
}

/// Merges integers of 16 bits in place of bf16 numbers or vectors of them.
static void mergeAsBits(llvm::PHINode *phi) {
  llvm::Type *bits = phi->getType()->getWithNewType(llvm::Type::getInt16Ty(phi->getContext()));
  llvm::IRBuilder<> builder(phi);
  llvm::PHINode *integer = builder.CreatePHI(bits, phi->getNumIncomingValues());
  // A block that comes here by several edges passes the same value along each.
  llvm::SmallDenseMap<llvm::BasicBlock *, llvm::Value *> passed;
  for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
    llvm::BasicBlock *from = phi->getIncomingBlock(i);
    llvm::Value *&value = passed[from];
    if (!value)
      value = llvm::IRBuilder<>(from->getTerminator())
                  .CreateBitCast(phi->getIncomingValue(i), bits);
    integer->addIncoming(value, from);
  }
  builder.SetInsertPoint(phi->getParent(), phi->getParent()->getFirstInsertionPt());
  phi->replaceAllUsesWith(builder.CreateBitCast(integer, phi->getType()));
  phi->eraseFromParent();
}

/// Moves bf16 as integers: code generators for CPUs with bf16 conversions pass single numbers, and
/// choose between numbers, by way of f32, with conversions that flush denormals. All arithmetic on
/// bf16 is expanded to integers before.
static void moveShortFloatsAsBits(llvm::Function &function) {
  llvm::SmallVector<llvm::Instruction *> accesses;
  llvm::SmallVector<llvm::SelectInst *> selects;
  llvm::SmallVector<llvm::PHINode *> merges;
  for (llvm::Instruction &instruction : llvm::instructions(function)) {
    if (llvm::isa<llvm::LoadInst, llvm::StoreInst>(instruction) &&
        llvm::getLoadStoreType(&instruction)->isBFloatTy())
      accesses.push_back(&instruction);
    else if (auto *select = llvm::dyn_cast<llvm::SelectInst>(&instruction);
             select && select->getType()->getScalarType()->isBFloatTy())
      selects.push_back(select);
    else if (auto *phi = llvm::dyn_cast<llvm::PHINode>(&instruction);
             phi && phi->getType()->getScalarType()->isBFloatTy())
      merges.push_back(phi);
  }
  llvm::for_each(accesses, accessAsBits);
  llvm::for_each(selects, selectAsBits);
  llvm::for_each(merges, mergeAsBits);
}

/// The lanes of a masked store that may be the only ones of a part that the code generator makes of
/// it: parts are halves, halves of these, and so on, down to the lanes of the widest elements.
static llvm::SmallVector<unsigned> getSingleLanes(llvm::Constant *mask, unsigned lanes) {
  constexpr unsigned kLeastLanes = 8;
  llvm::SmallVector<unsigned> single;
  for (unsigned size = lanes; size >= std::min(lanes, kLeastLanes) && size > 0; size /= 2)
    for (unsigned from = 0; from + size <= lanes; from += size) {
      unsigned count = 0, last = 0;
      for (unsigned lane = from; lane < from + size; ++lane)
        if (llvm::Constant *bit = mask->getAggregateElement(lane); !bit || !bit->isNullValue()) {
          ++count;
          last = lane;
        }
      if (count == 1 && !llvm::is_contained(single, last))
        single.push_back(last);
    }
  return single;
}

/// Makes masked stores of a single element plain ones, in vectors wider than a register, too. Where
/// the value was truncated, LLVM's code generator for AVX-512 stores the element as wide as it was
/// before, over its neighbours; and it finds no instruction for one of bf16.
static void storeSingleElements(llvm::Function &function) {
  llvm::SmallVector<llvm::IntrinsicInst *> stores;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *store = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
        store && store->getIntrinsicID() == llvm::Intrinsic::masked_store)
      stores.push_back(store);
  for (llvm::IntrinsicInst *store : stores) {
    auto *mask = llvm::dyn_cast<llvm::Constant>(store->getArgOperand(2));
    auto *type = llvm::dyn_cast<llvm::FixedVectorType>(store->getArgOperand(0)->getType());
    if (!mask || !type)
      continue;
    unsigned lanes = type->getNumElements();
    llvm::SmallVector<unsigned> single = getSingleLanes(mask, lanes);
    if (single.empty())
      continue;
    llvm::IRBuilder<> builder(store);
    llvm::Value *values = store->getArgOperand(0);
    if (type->getElementType()->is16bitFPTy())
      values =
          builder.CreateBitCast(values, llvm::FixedVectorType::get(builder.getInt16Ty(), lanes));
    llvm::SmallVector<llvm::Constant *> rest;
    for (unsigned lane = 0; lane < lanes; ++lane)
      rest.push_back(llvm::is_contained(single, lane) ? builder.getFalse()
                                                      : mask->getAggregateElement(lane));
    for (unsigned lane : single) {
      llvm::Value *element = builder.CreateExtractElement(values, lane);
      llvm::Value *at =
          builder.CreateConstInBoundsGEP1_64(element->getType(), store->getArgOperand(1), lane);
      builder.CreateAlignedStore(element, at, llvm::Align(1));
    }
    if (llvm::all_of(rest, [](llvm::Constant *bit) { return bit && bit->isNullValue(); }))
      store->eraseFromParent();
    else if (llvm::all_of(rest, [](llvm::Constant *bit) { return bit; }))
      store->setArgOperand(2, llvm::ConstantVector::get(rest));
  }
}

static llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
emitObject(llvm::Module &code, llvm::TargetMachine &machine, StringRef name) {
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager emission;
  if (machine.addPassesToEmitFile(emission, stream, nullptr, llvm::CodeGenFileType::ObjectFile))
    return llvm::createStringError("this machine's code generator cannot emit objects");
  emission.run(code);
  return std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(object), name,
                                                         /*RequiresNullTerminator=*/false);
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
mlir::fuse::compileAssembly(StringRef assembly, StringRef name, const CpuCodeOptions &options) {
  initializeNativeTarget();
  auto machine = makeTargetMachine(options);
  if (!machine)
    return machine.takeError();
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> code = llvm::parseAssembly(
      llvm::MemoryBufferRef(assembly, name), diagnostic, context);
  if (!code)
    return llvm::createStringError("cannot compile " + name.str() + ": " +
                                   diagnostic.getMessage().str());
  code->setTargetTriple((*machine)->getTargetTriple());
  code->setDataLayout((*machine)->createDataLayout());
  return emitObject(*code, **machine, name);
}

/// Translates a module to LLVM IR. With `emulation` it is device code, and is made code of the CPU.
static llvm::Expected<std::unique_ptr<llvm::Module>> translate(llvm::LLVMContext &context,
                                                               StringRef bytecode, StringRef name,
                                                               StringRef from, StringRef to,
                                                               const EmulationOptions *emulation) {
  auto code = translateBytecode(bytecode, name,
                                emulation ? CodeDialects::Emulated : CodeDialects::Host, context);
  if (!code)
    return code;
  renameFunctions(**code, from, to);
  if (emulation)
    if (llvm::Error error = emulateNvvm(**code, *emulation))
      return llvm::createStringError("cannot compile " + name.str() +
                                     " for the emulator: " + llvm::toString(std::move(error)));
  return code;
}

static bool hasLoops(llvm::Module &code) {
  return llvm::any_of(code, [](llvm::Function &function) {
    return !function.isDeclaration() && !llvm::LoopInfo(llvm::DominatorTree(function)).empty();
  });
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
mlir::fuse::compileCode(llvm::Module &code, llvm::TargetMachine &machine, StringRef name,
                        CodeEffort effort) {
  code.setTargetTriple(machine.getTargetTriple());
  code.setDataLayout(machine.createDataLayout());
  bool hasAvx512 = machine.getTargetFeatureString().contains("+avx512f");
  bool lacksFma =
      machine.getTargetTriple().isX86() && !machine.getMCSubtargetInfo()->checkFeatures("+fma");
  for (llvm::Function &function : code) {
    if (function.isDeclaration())
      continue;
    // No exception passes through generated code; unwind tables would only be loaded in vain.
    function.addFnAttr(llvm::Attribute::NoUnwind);
    // LLVM prefers 256 bits on CPUs whose clock used to drop; code here is planned for 512.
    if (hasAvx512)
      function.addFnAttr("prefer-vector-width", "512");
    if (lacksFma)
      expandFma(function);
    keepFromVectorizer(function);
    moveShortFloatsAsBits(function);
  }
  if (effort == CodeEffort::Least && !hasLoops(code)) {
    simplifyModule(code, machine);
    machine.setOptLevel(llvm::CodeGenOptLevel::None);
  } else {
    outlineLoops(code, machine);
    optimizeModule(code, machine, llvm::OptimizationLevel::O2, /*slp=*/true);
  }
  for (llvm::Function &function : code) {
    storeSingleElements(function);
    moveShortFloatsAsBits(function); // those that were made of branches
  }
  return emitObject(code, machine, name);
}

static llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
compile(StringRef bytecode, StringRef name, StringRef from, StringRef to,
        const CpuCodeOptions &options, const EmulationOptions *emulation,
        CodeEffort effort = CodeEffort::Most) {
  initializeNativeTarget();
  auto machine = makeTargetMachine(options);
  if (!machine)
    return machine.takeError();
  llvm::LLVMContext llvmContext;
  auto translated = translate(llvmContext, bytecode, name, from, to, emulation);
  if (!translated)
    return translated.takeError();
  return compileCode(**translated, **machine, name, effort);
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
mlir::fuse::compileNative(StringRef bytecode, StringRef name, StringRef from, StringRef to,
                          const CpuCodeOptions &options, CodeEffort effort) {
  return compile(bytecode, name, from, to, options, /*emulation=*/nullptr, effort);
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
mlir::fuse::compileEmulated(StringRef bytecode, StringRef name, StringRef from, StringRef to,
                            const CpuCodeOptions &options, const EmulationOptions &emulation) {
  return compile(bytecode, name, from, to, options, &emulation);
}
