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
#include "llvm/ADT/DenseMap.h"

#include <functional>

namespace mlir::fuse {

/// A dimension of a value.
struct ExtentSource {
  Value value;
  int64_t dim;
};

/// Finds the dimensions that dynamic extents come from, through the index maps of the ops between.
/// It keeps what it has found: values that many others are computed from are looked through once.
/// The program must not change meanwhile.
///
///   %1 = fuse.unary exp %x : tensor<?x8xf32>
///   %2 = fuse.transpose %1 permutation = [1, 0] : tensor<?x8xf32> -> tensor<8x?xf32>
///
/// Where `%x` is a source, dimension 1 of `%2` comes from dimension 0 of `%x`.
class ExtentSources {
public:
  explicit ExtentSources(std::function<bool(Value)> isSource) : isSource(std::move(isSource)) {}

  /// The dimension of a source that has the extent of dimension `dim` of `value`; the first by the
  /// order of operands. Fails where there is none.
  FailureOr<ExtentSource> find(Value value, int64_t dim);

private:
  std::function<bool(Value)> isSource;
  llvm::DenseMap<std::pair<Value, int64_t>, FailureOr<ExtentSource>> known;
};

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_EXTENTSOURCE_H
