//===- Models.h - The cost models that fuse has -----------------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_COSTMODEL_MODELS_H
#define FUSE_LIB_COSTMODEL_MODELS_H

#include "fuse/CostModel/CostModel.h"

namespace mlir::fuse {

/// Launches, waits and bytes only; see IoCost.h.
std::unique_ptr<CostModel> createIoCostModel(TargetAttr target, Numerics numerics);

/// Launches and waits as in `io`; then the longer of what overlaps within a launch, moving operands and
/// results and computing; then what several blocks read again from the shared cache, or from memory
/// where it does not fit. That does not overlap: a block packs what it reads before it computes.
std::unique_ptr<CostModel> createRooflineCostModel(TargetAttr target, Numerics numerics);

} // namespace mlir::fuse

#endif // FUSE_LIB_COSTMODEL_MODELS_H
