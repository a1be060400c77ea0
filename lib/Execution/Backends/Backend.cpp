//===- Backend.cpp - What a backend does unless it says otherwise ---------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Execution/Backend.h"

#include "../Compile/KernelUnits.h"
#include "fuse/Execution/Session.h"

using namespace mlir;
using namespace mlir::fuse;

Backend::~Backend() = default;

std::string Backend::resolveChip(StringRef chip) const {
  return (chip.empty() && !getChips().empty() ? getChips().front() : chip).str();
}

FailureOr<CompiledObjects> Backend::compileProgram(ModuleOp program,
                                                   const LoweringOptions &lowering,
                                                   const ObjectCompilerOptions &options) const {
  Location place = getPublicPlace(program);
  if (failed(lowerProgram(program, lowering)))
    return failure();
  auto compiled = compileObjects(program, options);
  if (!compiled)
    return emitError(place) << llvm::toString(compiled.takeError());
  return std::move(*compiled);
}

llvm::Expected<UnitCode> Backend::compileKernel(StringRef bytecode, StringRef name, StringRef from,
                                                const ObjectCompilerOptions &options) const {
  return llvm::createStringError("cannot compile " + name + ": '" + getName() +
                                 "' compiles no kernels of the LLVM dialect");
}

llvm::Expected<std::shared_ptr<fuse_device>>
Backend::openDevice(const SessionOptions &options) const {
  return llvm::createStringError("nothing here runs code for '" + getName() + "'");
}

std::vector<MemoryRequests> Backend::takeRequests(fuse_device &device) const { return {}; }
