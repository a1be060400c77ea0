//===- HsacoCode.cpp - Device functions to AMD code objects ----------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../MachineCode/MemoryFile.h"
#include "DeviceModule.h"
#include "fuse/Execution/DeviceCode.h"
#include "llvm/IR/Constants.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr StringLiteral kAmdTriple = "amdgcn-amd-amdhsa";
static constexpr uint32_t kCodeObject = 500;

/// GCN 5 and later; "gfx9-generic" and the like stand for several chips.
static bool isSupportedAmdChip(StringRef chip) {
  return (chip.starts_with("gfx9") || chip.starts_with("gfx1")) && !chip.contains('-');
}

/// 9010 of "gfx90a": the last two digits, hexadecimal, are minor version and stepping.
static uint32_t getIsaVersion(StringRef chip) {
  StringRef digits = chip.drop_front(StringRef("gfx").size());
  uint32_t major = 0, minor = 0, stepping = 0;
  if (digits.size() < 3 || digits.drop_back(2).getAsInteger(10, major) ||
      digits.take_back(2).take_front(1).getAsInteger(16, minor) ||
      digits.take_back(1).getAsInteger(16, stepping))
    return 0;
  return major * 1000 + minor * 100 + stepping;
}

/// What the device libraries ask of their user, answered by constants: full accuracy, denormals
/// kept, nothing assumed of the operands.
static void defineLibraryOptions(llvm::Module &module, StringRef chip) {
  auto define = [&](StringRef name, uint64_t value, unsigned bits) {
    llvm::GlobalVariable *old = module.getNamedGlobal(name);
    if (old && !old->isDeclaration())
      return;
    llvm::Type *type = llvm::IntegerType::get(module.getContext(), bits);
    auto *global = new llvm::GlobalVariable(
        module, type, /*isConstant=*/true, llvm::GlobalValue::InternalLinkage,
        llvm::ConstantInt::get(type, value), "", nullptr, llvm::GlobalValue::NotThreadLocal,
        /*AddressSpace=*/4);
    if (old) {
      old->replaceAllUsesWith(global);
      old->eraseFromParent();
    }
    global->setName(name);
  };
  bool isWide = chip.starts_with("gfx9"); // 64 threads per subgroup
  define("__oclc_finite_only_opt", 0, 8);
  define("__oclc_unsafe_math_opt", 0, 8);
  define("__oclc_daz_opt", 0, 8);
  define("__oclc_correctly_rounded_sqrt32", 1, 8);
  define("__oclc_wavefrontsize64", isWide, 8);
  define("__oclc_ISA_version", getIsaVersion(chip), 32);
  define("__oclc_ABI_version", kCodeObject, 32);
}

/// ROCm's folder of bitcode, or that of Debian's package rocm-device-libs.
static llvm::Expected<std::string> findBitcode() {
  std::vector<std::string> folders;
  if (auto rocm = llvm::sys::Process::GetEnv("ROCM_PATH"))
    folders.push_back(*rocm + "/amdgcn/bitcode");
  folders.push_back("/opt/rocm/amdgcn/bitcode");
  for (const char *folder : {"/usr/lib/x86_64-linux-gnu/amdgcn/bitcode", "/usr/lib/amdgcn/bitcode"})
    folders.push_back(folder);
  for (const std::string &folder : folders)
    if (llvm::sys::fs::exists(folder + "/ocml.bc"))
      return folder;
  return llvm::createStringError("cannot find ocml.bc of the ROCm device libraries (ROCM_PATH says "
                                 "where ROCm is; Debian's package rocm-device-libs is enough): "
                                 "looked in " +
                                 llvm::join(folders, ", "));
}

static llvm::Error linkDeviceLibraries(llvm::Module &module, StringRef name, StringRef chip) {
  if (!refersTo(module, "__ocml_") && !refersTo(module, "__ockl_"))
    return llvm::Error::success();
  auto folder = findBitcode();
  if (!folder)
    return llvm::createStringError("cannot compile " + name.str() + ": " +
                                   llvm::toString(folder.takeError()));
  // The first uses the second.
  for (const char *library : {"ocml.bc", "ockl.bc"})
    if (llvm::Error error = linkBitcode(module, *folder + "/" + library))
      return error;
  defineLibraryOptions(module, chip);
  // The libraries may be of an older LLVM, whose attributes name the chip they were made for.
  for (llvm::Function &function : module)
    for (const char *attribute : {"target-cpu", "target-features"})
      function.removeFnAttr(attribute);
  return llvm::Error::success();
}

/// The linker makes of one object what the driver loads.
static llvm::Expected<std::string> link(StringRef object, StringRef name) {
  auto fail = [&](llvm::Error error) {
    return llvm::createStringError("cannot link " + name.str() + ": " +
                                   llvm::toString(std::move(error)));
  };
  auto linker = findLinker();
  if (!linker)
    return fail(linker.takeError());
  MemoryFile input, output;
  if (llvm::Error error = input.write(object))
    return fail(std::move(error));
  auto messages =
      runProgram(*linker, {"-shared", "--no-undefined", "-o", "-", input.getPath()}, &output);
  if (!messages)
    return fail(messages.takeError());
  auto bytes = output.read();
  if (!bytes)
    return fail(llvm::errorCodeToError(bytes.getError()));
  return (*bytes)->getBuffer().str();
}

llvm::Expected<std::string> mlir::fuse::compileHsaco(StringRef bytecode, StringRef name,
                                                     StringRef chip, StringRef from, StringRef to) {
  auto machine = makeDeviceMachine(kAmdTriple, chip, "", isSupportedAmdChip, llvm::Reloc::PIC_);
  if (!machine)
    return machine.takeError();
  llvm::LLVMContext context;
  auto translated = translateForDevice(bytecode, name, from, to, **machine, context);
  if (!translated)
    return translated.takeError();
  llvm::Module &module = **translated;
  if (llvm::Error error = linkDeviceLibraries(module, name, chip))
    return error;
  module.setModuleFlag(llvm::Module::Error, "amdhsa_code_object_version", kCodeObject);
  auto object = emitDeviceCode(module, name, **machine, llvm::CodeGenFileType::ObjectFile);
  if (!object)
    return object.takeError();
  return link(*object, name);
}
