//===- Refusals.h - The edges between kernels, and why they are there -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_REPORT_REFUSALS_H
#define FUSE_LIB_REPORT_REFUSALS_H

#include "fuse/Report/Report.h"

namespace mlir::fuse {

/// Each producer and consumer of one block that are in different kernels of a formed function.
std::vector<RefusedReport> collectRefusals(FunctionOpInterface function);

} // namespace mlir::fuse

#endif // FUSE_LIB_REPORT_REFUSALS_H
