//===- Passes.h - Passes that run pipelines on copies of a program -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_PIPELINES_PASSES_H
#define FUSE_PIPELINES_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::fuse {

#define GEN_PASS_DECL
#include "fuse/Pipelines/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "fuse/Pipelines/Passes.h.inc"

} // namespace mlir::fuse

#endif // FUSE_PIPELINES_PASSES_H
