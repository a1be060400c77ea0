//===- PrivateTiles.h - Temporaries that live in registers -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_GPU_PRIVATETILES_H
#define FUSE_LIB_CODEGEN_GPU_PRIVATETILES_H

#include "MemberLoops.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::fuse {

/// In the order of the program.
using MappedMembers = llvm::MapVector<Operation *, ThreadMapping>;

/// Allocations of `function` whose elements each belong to one thread in all members, as far as
/// registers suffice, by the names that members have for them. Their memory is allocated at the
/// function's begin; what they stand for is left in place, and unused once the members are gone.
DenseMap<Value, PrivateTile> placeInRegisters(func::FuncOp function, const MappedMembers &members);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_GPU_PRIVATETILES_H
