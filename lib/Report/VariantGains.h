//===- VariantGains.h - What code for some sizes gains ------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_REPORT_VARIANTGAINS_H
#define FUSE_LIB_REPORT_VARIANTGAINS_H

#include "fuse/Report/Report.h"
#include "fuse/Target/Targets.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::fuse {

/// The variants of a function whose kernels are formed, with what the cost model `roofline` says of them. `timed`: as of
/// computeReport.
std::vector<VariantReport> describeVariants(FunctionOpInterface function, Numerics numerics, TargetAttr timed);

} // namespace mlir::fuse

#endif // FUSE_LIB_REPORT_VARIANTGAINS_H
