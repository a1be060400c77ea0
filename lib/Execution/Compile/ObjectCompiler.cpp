//===- ObjectCompiler.cpp - Lowered modules to native objects in memory ----------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Execution/ObjectCompiler.h"

#include "../MachineCode/NativeCode.h"
#include "KernelUnits.h"
#include "fuse/Execution/Backend.h"
#include "fuse/Execution/FatalErrors.h"
#include "fuse/IR/FuseDialect.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/ThreadPool.h"

#include <mutex>

using namespace mlir;
using namespace mlir::fuse;

/// What every kernel's functions are called while kernels are compared.
static constexpr StringLiteral kAnyKernel = "fuse.any_kernel";

/// Bytecode of a kernel's module in which the functions' prefix `name` reads kAnyKernel.
static std::string toAnonymousBytecode(ModuleOp kernel, StringRef name, bool keepsPlaces) {
  gpu::GPUModuleOp device = getDeviceModule(kernel);
  OwningOpRef<ModuleOp> copy =
      device ? cloneDeviceFunctions(device) : OwningOpRef<ModuleOp>(cast<ModuleOp>(kernel->clone()));
  stripForObject(*copy, keepsPlaces);
  for (auto function : copy->getOps<LLVM::LLVMFuncOp>()) {
    StringRef symbol = function.getSymName();
    if (!symbol.consume_front(name))
      continue;
    auto renamed = StringAttr::get(kernel.getContext(), kAnyKernel + symbol);
    // Kernels may share parts through private functions named after them.
    (void)SymbolTable::replaceAllSymbolUses(function, renamed, *copy);
    SymbolTable::setSymbolName(function, renamed);
  }
  return toBytecode(*copy);
}

namespace {
struct Unit {
  std::string name;
  std::string bytecode;
};
} // namespace

llvm::Expected<CompiledObjects> mlir::fuse::compileObjects(ModuleOp lowered,
                                                           const ObjectCompilerOptions &options) {
  return options.backend->compileObjects(lowered, options);
}

llvm::Expected<CompiledObjects>
Backend::compileObjects(ModuleOp lowered, const ObjectCompilerOptions &options) const {
  CompiledObjects result;
  result.backend = this;
  std::vector<Unit> units;
  auto main = encodeMain(lowered);
  if (!main)
    return main.takeError();
  units.push_back({"program", std::move(*main)});

  ArrayAttr names;
  if (Attribute attribute = lowered->getAttr("fuse.kernels")) {
    names = dyn_cast<ArrayAttr>(attribute);
    if (!names || !llvm::all_of(names, llvm::IsaPred<StringAttr>))
      return llvm::createStringError("expected fuse.kernels to be an array of strings");
  }
  llvm::StringMap<size_t> known; // bytecode to unit
  for (Attribute attribute : names ? names.getValue() : ArrayRef<Attribute>()) {
    StringRef name = cast<StringAttr>(attribute).getValue();
    auto kernel = lowered.lookupSymbol<ModuleOp>(name);
    if (!kernel)
      return llvm::createStringError("fuse.kernels names @" + name.str() +
                                     ", but no nested module has that name");
    if (llvm::Error error = checkLowered(kernel, name))
      return error;
    auto unit = describeKernel(kernel, name);
    if (!unit)
      return unit.takeError();
    std::string bytecode = toAnonymousBytecode(kernel, name, keepsLocations());
    auto [entry, isNew] = known.try_emplace(bytecode, units.size());
    if (isNew)
      units.push_back({name.str(), std::move(bytecode)});
    unit->object = entry->second;
    unit->symbol = units[entry->second].name;
    result.kernels.push_back(std::move(*unit));
  }

  initializeNativeTarget();
  std::vector<std::string> errors(units.size());
  result.objects.resize(units.size());
  std::vector<DeviceCode> images(units.size());
  std::mutex progressMutex;
  size_t done = 0;
  auto report = [&](size_t newlyDone) {
    if (!options.progress)
      return;
    std::lock_guard<std::mutex> lock(progressMutex);
    done += newlyDone;
    options.progress(done, units.size());
  };
  report(0);
  auto compileUnit = [&](size_t i) -> llvm::Expected<UnitCode> {
    const auto &[name, bytecode] = units[i];
    if (i > 0)
      return compileKernel(bytecode, name, kAnyKernel, options);
    auto object = compileNative(bytecode, name, "", name, options, CodeEffort::Least);
    if (!object)
      return object.takeError();
    return UnitCode{std::move(*object), {}};
  };
  auto compile = [&](size_t i) {
    llvm::Error fatal = catchFatalErrors([&] {
      auto code = compileUnit(i);
      if (code) {
        result.objects[i] = std::move(code->object);
        images[i] = std::move(code->image);
      } else {
        errors[i] = llvm::toString(code.takeError());
      }
    });
    if (fatal)
      errors[i] = llvm::toString(std::move(fatal));
    report(1);
  };
  {
    llvm::DefaultThreadPool pool(llvm::hardware_concurrency(options.threads));
    for (size_t i = 0; i < units.size(); ++i)
      pool.async(compile, i);
  }
  for (std::string &error : errors)
    if (!error.empty())
      return llvm::createStringError(error);
  for (auto [i, image] : llvm::enumerate(images))
    if (!image.isEmpty())
      result.images[i] = std::move(image);
  return result;
}
