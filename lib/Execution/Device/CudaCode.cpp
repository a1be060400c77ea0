//===- CudaCode.cpp - Device functions to PTX ------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "CudaFiles.h"
#include "DeviceModule.h"
#include "fuse/Execution/DeviceCode.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr StringLiteral kNvidiaTriple = "nvptx64-nvidia-cuda";
static constexpr int kOldestChip = 75;

/// 80 of "sm_80" and "sm_80a"; 0 of anything else.
static int getNumber(StringRef chip) {
  int number = 0;
  if (!chip.consume_front("sm_") || chip.rtrim("af").getAsInteger(10, number))
    return 0;
  return number;
}

static bool isSupportedNvidiaChip(StringRef chip) { return getNumber(chip) >= kOldestChip; }

/// PTX 8.0 is what drivers of CUDA 12.0 and later take; newer chips need more of it.
static StringRef getPtxFeature(StringRef chip) {
  int number = getNumber(chip);
  return number <= 90 ? "+ptx80" : number == 110 ? "+ptx90" : "+ptx88";
}

std::vector<std::string> mlir::fuse::getCudaChips() {
  SmallVector<std::string> chips = listChips(kNvidiaTriple, isSupportedNvidiaChip);
  return {chips.begin(), chips.end()};
}

/// Whatever LLVM made of the module: a function that the driver would have to supply.
static llvm::Error checkNoExternals(StringRef ptx, StringRef name) {
  constexpr StringLiteral declaration = ".extern .func";
  size_t at = ptx.find(declaration);
  if (at == StringRef::npos)
    return llvm::Error::success();
  // `.extern .func  (.param .b32 func_retval0) NAME` or `.extern .func NAME`.
  StringRef rest = ptx.substr(at + declaration.size()).ltrim();
  if (rest.starts_with("("))
    rest = rest.drop_front(rest.find(')') + 1).ltrim();
  StringRef function =
      rest.take_until([](char c) { return !llvm::isAlnum(c) && c != '_' && c != '$'; });
  return llvm::createStringError("cannot compile " + name.str() + ": it calls '" + function.str() +
                                 "', which nothing defines");
}

llvm::Expected<std::string> mlir::fuse::compilePtx(StringRef bytecode, StringRef name,
                                                   StringRef chip, StringRef from, StringRef to) {
  auto machine =
      makeDeviceMachine(kNvidiaTriple, chip, getPtxFeature(chip), isSupportedNvidiaChip, llvm::Reloc::Static);
  if (!machine)
    return machine.takeError();
  llvm::LLVMContext context;
  auto translated = translateForDevice(bytecode, name, from, to, **machine, context);
  if (!translated)
    return translated.takeError();
  llvm::Module &module = **translated;
  if (refersTo(module, "__nv_")) {
    auto library = findCudaFile("nvvm/libdevice/libdevice.10.bc");
    if (!library)
      return llvm::createStringError("cannot compile " + name.str() + ": " +
                                     llvm::toString(library.takeError()));
    // libdevice asks, through __nvvm_reflect, whether denormals may be flushed.
    if (!module.getModuleFlag("nvvm-reflect-ftz"))
      module.addModuleFlag(llvm::Module::Override, "nvvm-reflect-ftz", uint32_t(0));
    if (llvm::Error error = linkBitcode(module, *library))
      return error;
  }
  auto ptx = emitDeviceCode(module, name, **machine, llvm::CodeGenFileType::AssemblyFile);
  if (!ptx)
    return ptx.takeError();
  if (llvm::Error error = checkNoExternals(*ptx, name))
    return error;
  return ptx->str().str();
}

/// Whether the PTX asks for registers for two blocks on a multiprocessor; makes it ask for one.
static bool askForOneBlock(std::string &ptx) {
  constexpr StringLiteral two = ".minnctapersm 2\n", one = ".minnctapersm 1\n";
  size_t at = ptx.find(two);
  if (at != std::string::npos)
    ptx.replace(at, two.size(), one);
  return at != std::string::npos;
}

/// Left alone, ptxas takes as many registers as are of any use: 173 for each of 256 threads of a product of
/// 4096x4096x4096 f16, which runs in 128 as well. Two blocks have that many, but not at the price of values that go to
/// memory.
static llvm::Expected<DeviceCode> assembleWithoutSpills(std::string &ptx, StringRef name, StringRef chip) {
  auto code = assemblePtx(ptx, name, chip);
  if (code && (code->resources.spillStores || code->resources.stack) && askForOneBlock(ptx))
    return assemblePtx(ptx, name, chip);
  return code;
}

llvm::Expected<DeviceCode> mlir::fuse::compileCuda(StringRef bytecode, StringRef name,
                                                   StringRef chip, StringRef from, StringRef to) {
  auto ptx = compilePtx(bytecode, name, chip, from, to);
  if (!ptx)
    return ptx.takeError();
  auto code = assembleWithoutSpills(*ptx, name, chip);
  if (code)
    code->text = std::move(*ptx);
  return code;
}
