//===- OpKinds.h - The kinds of element-wise and reduce ops -----------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Plain enums with their spellings (stringify…, symbolize…); see OpKinds.td.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_SUPPORT_OPKINDS_H
#define FUSE_SUPPORT_OPKINDS_H

#include "mlir/IR/OpImplementation.h"

#include "fuse/Support/OpKinds.h.inc"

#endif // FUSE_SUPPORT_OPKINDS_H
