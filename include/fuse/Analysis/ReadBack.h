//===- ReadBack.h - What the host waits for at a function's end -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_READBACK_H
#define FUSE_ANALYSIS_READBACK_H

#include "mlir/IR/ValueRange.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"

namespace mlir::fuse {

/// What a function hands to the host when it returns.
struct ReadBack {
  /// The results that were computed here, by index: not arguments, constants or views of them. A
  /// value that is returned twice counts as its first result.
  SmallVector<int64_t> results;
  /// Whether a kernel computed one of them: then the host waits for the device once more.
  bool waits = false;
};

/// Of a function whose kernels are formed, outlined or not.
ReadBack computeReadBack(ValueRange returned);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_READBACK_H
