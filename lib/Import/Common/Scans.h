//===- Scans.h - Running sums and products -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_COMMON_SCANS_H
#define FUSE_IMPORT_COMMON_SCANS_H

#include "OpContext.h"

namespace mlir::fuse::importer {

/// For an extent along the axis that is not known: a scan of one step for each element.
Value scanOpen(OpContext &n, Value x, BinaryKind kind, int64_t axis, bool exclusive, bool isReversed);

/// The sums (`kind` Add) or products (Mul) of all elements along an axis up to each one, itself included unless
/// `exclusive`; from behind if `isReversed`.
Value scanAxis(OpContext &n, Value x, BinaryKind kind, int64_t axis, bool exclusive, bool isReversed);

} // namespace mlir::fuse::importer

#endif // FUSE_IMPORT_COMMON_SCANS_H
