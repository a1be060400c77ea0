//===- KernelUnits.cpp - What objects are made of -------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "KernelUnits.h"

#include "fuse/IR/FuseDialect.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

std::string mlir::fuse::toBytecode(ModuleOp module) {
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

void mlir::fuse::dropLocations(ModuleOp module, bool keepsPlaces) {
  Location unknown = UnknownLoc::get(module.getContext());
  module->walk([&](Operation *op) {
    op->setLoc(keepsPlaces ? getPlace(op->getLoc()) : unknown);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          argument.setLoc(unknown);
  });
}

Location mlir::fuse::getPublicPlace(ModuleOp program) {
  for (auto function : program.getOps<func::FuncOp>())
    if (function.isPublic())
      return function.getLoc();
  return program.getLoc();
}

void mlir::fuse::stripForObject(ModuleOp module, bool keepsPlaces) {
  dropLocations(module, keepsPlaces);
  module->walk([](Operation *op) {
    for (NamedAttribute attribute : llvm::to_vector(op->getDiscardableAttrs()))
      if (StringRef name = attribute.getName().strref();
          name.contains('.') && !name.starts_with("llvm.") && !name.starts_with("nvvm.") &&
          !name.starts_with("rocdl."))
        op->removeDiscardableAttr(attribute.getName());
  });
  module.setSymNameAttr(nullptr);
}

llvm::Expected<std::string> mlir::fuse::encodeMain(ModuleOp lowered) {
  if (llvm::Error error = checkLowered(lowered, "program"))
    return error;
  OwningOpRef<ModuleOp> main = cast<ModuleOp>(lowered->cloneWithoutRegions());
  main->getBodyRegion().emplaceBlock();
  OpBuilder builder = OpBuilder::atBlockEnd(main->getBody());
  auto add = [&](ModuleOp module) {
    for (Operation &op : *module.getBody())
      if (!isa<ModuleOp, gpu::GPUModuleOp>(op))
        builder.clone(op);
  };
  add(lowered);
  for (auto kernel : lowered.getOps<ModuleOp>())
    if (getDeviceModule(kernel))
      add(kernel);
  stripForObject(*main);
  return toBytecode(*main);
}

llvm::Error mlir::fuse::checkLowered(ModuleOp module, StringRef name) {
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

llvm::Expected<KernelUnit> mlir::fuse::describeKernel(ModuleOp kernel, StringRef name) {
  KernelUnit unit;
  unit.name = name.str();
  auto scratch = getSize(kernel, attr::kScratchBytes);
  if (!scratch)
    return scratch.takeError();
  unit.scratchBytes = static_cast<int64_t>(llvm::alignTo(*scratch, 64));
  if (auto blocks = kernel->getAttrOfType<IntegerAttr>(attr::kBlocks))
    unit.blocks = blocks.getInt();
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
  return unit;
}
