//===- FuseAttributes.h - Targets, schedules, origins and profiles -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IR_FUSEATTRIBUTES_H
#define FUSE_IR_FUSEATTRIBUTES_H

#include "fuse/Support/OpKinds.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

#include "fuse/IR/FuseEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "fuse/IR/FuseAttributes.h.inc"

#endif // FUSE_IR_FUSEATTRIBUTES_H
