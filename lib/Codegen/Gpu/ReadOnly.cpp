//===- ReadOnly.cpp - Buffers that a function only reads ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ReadOnly.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::fuse;

/// The same of an address, and of what is computed from it.
static bool isOnlyReadFrom(Value address) {
  return llvm::all_of(address.getUsers(), [&](Operation *user) {
    if (auto copy = dyn_cast<NVVM::CpAsyncOp>(user))
      return copy.getSrc() == address && copy.getDst() != address;
    if (isa<LLVM::LoadOp>(user))
      return true;
    bool isComputed =
        isa<arith::AddIOp, arith::IndexCastOp, LLVM::IntToPtrOp, LLVM::GEPOp, LLVM::ExtractValueOp>(user);
    return isComputed && isOnlyReadFrom(user->getResult(0));
  });
}

bool mlir::fuse::isOnlyRead(Value buffer) {
  return llvm::all_of(buffer.getUsers(), [&](Operation *user) {
    if (isa<memref::ExtractAlignedPointerAsIndexOp, UnrealizedConversionCastOp>(user))
      return isOnlyReadFrom(user->getResult(0));
    // A view, or the memory that it is one of.
    bool isView = isa<ViewLikeOpInterface, memref::ExtractStridedMetadataOp>(user);
    for (Value result : user->getResults())
      if (isa<BaseMemRefType>(result.getType()) && !(isView && isOnlyRead(result)))
        return false;
    return isMemoryEffectFree(user) || hasSingleEffect<MemoryEffects::Read>(user, buffer);
  });
}

void mlir::fuse::markInvariant(Value buffer) {
  for (Operation *user : buffer.getUsers()) {
    if (auto load = dyn_cast<LLVM::LoadOp>(user))
      load.setInvariant(true);
    else if (isa<UnrealizedConversionCastOp, LLVM::ExtractValueOp, LLVM::GEPOp, ViewLikeOpInterface>(user))
      markInvariant(user->getResult(0));
  }
}
