//===- Passes.h - Programs for several processes -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_DISTRIBUTE_PASSES_H
#define FUSE_DISTRIBUTE_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::fuse {

#define GEN_PASS_DECL
#include "fuse/Distribute/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "fuse/Distribute/Passes.h.inc"

} // namespace mlir::fuse

#endif // FUSE_DISTRIBUTE_PASSES_H
