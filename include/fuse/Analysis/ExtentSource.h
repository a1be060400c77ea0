//===- ExtentSource.h - Where an extent that is not static comes from -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_EXTENTSOURCE_H
#define FUSE_ANALYSIS_EXTENTSOURCE_H

#include "mlir/IR/Value.h"
#include "mlir/Support/LLVM.h"

namespace mlir::fuse {

/// A dimension of a value.
struct ExtentSource {
  Value value;
  int64_t dim;
};

/// The dimension of a value for which `isSource` holds that has the extent of dimension `dim` of
/// `value`, found through index maps; fails where there is none.
FailureOr<ExtentSource> findExtentSource(Value value, int64_t dim,
                                         llvm::function_ref<bool(Value)> isSource);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_EXTENTSOURCE_H
