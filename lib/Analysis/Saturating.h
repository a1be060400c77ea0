//===- Saturating.h - Products of sizes that stay finite ---------*- C++ -*--===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_ANALYSIS_SATURATING_H
#define FUSE_LIB_ANALYSIS_SATURATING_H

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace mlir::fuse {

/// a · b, or `most` where that is less; neither is negative.
inline int64_t multiplySaturating(int64_t a, int64_t b, int64_t most = std::numeric_limits<int64_t>::max()) {
  return static_cast<int64_t>(std::min<uint64_t>(llvm::SaturatingMultiply<uint64_t>(a, b), most));
}

} // namespace mlir::fuse

#endif // FUSE_LIB_ANALYSIS_SATURATING_H
