//===- IoCostModel.h - The cost model io -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_COSTMODEL_IOCOSTMODEL_H
#define FUSE_LIB_COSTMODEL_IOCOSTMODEL_H

#include "fuse/CostModel/CostModel.h"

namespace mlir::fuse {

/// Launches, waits and bytes only; see IoCost.h.
std::unique_ptr<CostModel> createIoCostModel(TargetAttr target, Numerics numerics);

} // namespace mlir::fuse

#endif // FUSE_LIB_COSTMODEL_IOCOSTMODEL_H
