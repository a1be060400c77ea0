//===- ObjectCompiler.cpp - Lowered modules to native objects in memory ----------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Execution/ObjectCompiler.h"

#include "DeviceUnits.h"
#include "NativeCode.h"
#include "fuse/IR/FuseDialect.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/ThreadPool.h"

#include <mutex>

using namespace mlir;
using namespace mlir::fuse;

/// What every kernel's functions are called while kernels are compared.
static constexpr StringLiteral kAnyKernel = "fuse.any_kernel";

static std::string toBytecode(ModuleOp module) {
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  // Writing to memory cannot fail.
  (void)writeBytecodeToFile(module, stream);
  return bytes;
}

/// The first place in a file that a location names, or an unknown one.
static Location getPlace(Location location) {
  Location place = UnknownLoc::get(location.getContext());
  location->walk([&](Location part) {
    if (!isa<FileLineColLoc>(part))
      return WalkResult::advance();
    place = part;
    return WalkResult::interrupt();
  });
  return place;
}

/// Locations and the attributes of other dialects are of no use in an object, and two kernels that
/// differ in nothing else are one. `keepsPlaces`: where ops are in files stays.
static void strip(ModuleOp module, bool keepsPlaces = false) {
  Location unknown = UnknownLoc::get(module.getContext());
  module->walk([&](Operation *op) {
    op->setLoc(keepsPlaces ? getPlace(op->getLoc()) : unknown);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          argument.setLoc(unknown);
    for (NamedAttribute attribute : llvm::to_vector(op->getDiscardableAttrs()))
      if (StringRef name = attribute.getName().strref();
          name.contains('.') && !name.starts_with("llvm.") && !name.starts_with("nvvm.") &&
          !name.starts_with("rocdl."))
        op->removeDiscardableAttr(attribute.getName());
  });
  module.setSymNameAttr(nullptr);
}

/// Bytecode of a kernel's module in which the functions' prefix `name` reads kAnyKernel.
static std::string toAnonymousBytecode(ModuleOp kernel, StringRef name, bool keepsPlaces) {
  gpu::GPUModuleOp device = getDeviceModule(kernel);
  OwningOpRef<ModuleOp> copy =
      device ? cloneDeviceFunctions(device) : OwningOpRef<ModuleOp>(cast<ModuleOp>(kernel->clone()));
  strip(*copy, keepsPlaces);
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

/// An object's context knows the LLVM dialect only.
static llvm::Error checkLowered(ModuleOp module, StringRef name) {
  Operation *stranger = nullptr;
  module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<ModuleOp, gpu::GPUModuleOp>(op) && op != module)
      return WalkResult::skip();
    if (op == module || isa_and_nonnull<LLVM::LLVMDialect>(op->getDialect()))
      return WalkResult::advance();
    stranger = op;
    return WalkResult::interrupt();
  });
  if (!stranger)
    return llvm::Error::success();
  return llvm::createStringError("cannot compile " + name.str() + ": '" +
                                 stranger->getName().getStringRef().str() +
                                 "' is not of the LLVM dialect");
}

/// A non-negative integer attribute of a kernel's module; 0 if it has none.
static llvm::Expected<int64_t> getSize(ModuleOp kernel, StringRef name) {
  Attribute attribute = kernel->getAttr(name);
  if (!attribute)
    return 0;
  auto integer = dyn_cast<IntegerAttr>(attribute);
  if (!integer || integer.getInt() < 0)
    return llvm::createStringError("kernel @" + kernel.getSymName()->str() + ": expected " +
                                   name.str() + " to be an integer of at least 0");
  return integer.getInt();
}

static llvm::Expected<KernelUnit> describeKernel(ModuleOp kernel, StringRef name) {
  KernelUnit unit;
  unit.name = name.str();
  auto scratch = getSize(kernel, attr::kScratchBytes);
  if (!scratch)
    return scratch.takeError();
  auto partials = getSize(kernel, "fuse.partial_bytes");
  if (!partials)
    return partials.takeError();
  auto serial = getSize(kernel, "fuse.serial_below");
  if (!serial)
    return serial.takeError();
  unit.scratchBytes = static_cast<int64_t>(llvm::alignTo(*scratch, 64));
  unit.partialBytes = *partials;
  unit.serialBelow = *serial;
  gpu::GPUModuleOp device = getDeviceModule(kernel);
  if (device) {
    auto described = describeDevice(kernel);
    if (!described)
      return described.takeError();
    unit.device = std::move(*described);
  }
  for (const char *suffix : {"", "_count"}) {
    Operation *place = device && !*suffix ? device.getOperation() : kernel.getOperation();
    if (!isa_and_nonnull<LLVM::LLVMFuncOp>(
            SymbolTable::lookupSymbolIn(place, (name + suffix).str())))
      return llvm::createStringError("kernel @" + name.str() + ": expected its module to define @" +
                                     name.str() + suffix);
  }
  unit.hasScratch = kernel.lookupSymbol<LLVM::LLVMFuncOp>((name + "_scratch").str()) != nullptr;
  unit.hasCombine = kernel.lookupSymbol<LLVM::LLVMFuncOp>((name + "_combine").str()) != nullptr;
  return unit;
}

namespace {
struct Unit {
  std::string name;
  std::string bytecode;
};
} // namespace

/// A cubin, or PTX where nothing assembles it here: the driver does then. For AMD a code object.
static llvm::Expected<DeviceCode> compileImage(StringRef bytecode, StringRef name, StringRef from,
                                               const ObjectCompilerOptions &options) {
  if (options.machine == Machine::Rocm) {
    auto object = compileHsaco(bytecode, name, options.chip, from, name);
    if (!object)
      return object.takeError();
    DeviceCode code;
    code.cubin = std::move(*object);
    return code;
  }
  if (canAssemble())
    return compileCuda(bytecode, name, options.chip, from, name);
  auto ptx = compilePtx(bytecode, name, options.chip, from, name);
  if (!ptx)
    return ptx.takeError();
  DeviceCode code;
  code.ptx = std::move(*ptx);
  return code;
}

llvm::Expected<CompiledObjects>
mlir::fuse::compileObjects(ModuleOp lowered, const ObjectCompilerOptions &options) {
  CompiledObjects result;
  result.machine = options.machine;
  std::vector<Unit> units;
  if (llvm::Error error = checkLowered(lowered, "program"))
    return error;
  {
    OwningOpRef<ModuleOp> main = cast<ModuleOp>(lowered->cloneWithoutRegions());
    main->getBodyRegion().emplaceBlock();
    OpBuilder builder = OpBuilder::atBlockEnd(main->getBody());
    for (Operation &op : *lowered.getBody())
      if (!isa<ModuleOp>(op))
        builder.clone(op);
      else if (auto kernel = cast<ModuleOp>(op); getDeviceModule(kernel))
        cloneHostFunctions(kernel, builder);
    strip(*main);
    units.push_back({"program", toBytecode(*main)});
  }

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
    // The emulator says where a fault is.
    std::string bytecode = toAnonymousBytecode(kernel, name, options.machine == Machine::Emulator);
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
  auto compile = [&](size_t i) {
    StringRef from = i == 0 ? StringRef() : StringRef(kAnyKernel);
    bool isEmulated = i > 0 && options.machine == Machine::Emulator;
    const auto &[name, bytecode] = units[i];
    if (i > 0 && (options.machine == Machine::Cuda || options.machine == Machine::Rocm)) {
      auto image = compileImage(bytecode, name, from, options);
      if (image)
        images[i] = std::move(*image);
      else
        errors[i] = llvm::toString(image.takeError());
      return report(1);
    }
    auto object = isEmulated ? compileEmulated(bytecode, name, from, name, options)
                             : compileNative(bytecode, name, from, name, options);
    if (object)
      result.objects[i] = std::move(*object);
    else
      errors[i] = llvm::toString(object.takeError());
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
    if (!image.ptx.empty() || !image.cubin.empty())
      result.images[i] = std::move(image);
  return result;
}
