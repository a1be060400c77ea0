//===- PartialSums.h - How long sums of products are made -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_PARTIALSUMS_H
#define FUSE_ANALYSIS_PARTIALSUMS_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>

namespace mlir::fuse {

/// How a long sum of floats is made on a CPU: each `steps` iterations of reduction `loop`, with all iterations of the
/// loops inside it, have a sum of their own, which is then added to the result.
struct PartialSums {
  unsigned loop; ///< counts the reductions, the outermost first
  int64_t steps;
};

/// The partial sums of a reduction over loops of `extents` (kDynamic where unknown), the outermost first; nothing where one
/// sum has all terms. They depend on these extents alone.
std::optional<PartialSums> getPartialSums(ArrayRef<int64_t> extents);

/// Whether sums over two nests, with the same terms in the same order, are made of the same partial sums.
bool haveSamePartialSums(ArrayRef<int64_t> extents, ArrayRef<int64_t> others);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_PARTIALSUMS_H
