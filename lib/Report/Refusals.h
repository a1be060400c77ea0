//===- Refusals.h - The edges between kernels, and why they are there -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_REPORT_REFUSALS_H
#define FUSE_LIB_REPORT_REFUSALS_H

#include "fuse/CostModel/LaunchBlocks.h"
#include "fuse/Report/Report.h"

namespace mlir::fuse {

/// Whether chains alone would have made the kernels of a formed function.
bool areOnlyChains(FunctionOpInterface function);

/// Appends each producer and consumer of the block that are in different launches. What would be
/// legal and pay was not asked for by the plan: where that knows `onlyChains`, their rule says why.
void collectRefusals(const LaunchBlock &block, const InlinedFunction &function, TargetAttr target,
                     const CostModel &costModel, bool onlyChains, std::vector<RefusedReport> &refused);

} // namespace mlir::fuse

#endif // FUSE_LIB_REPORT_REFUSALS_H
