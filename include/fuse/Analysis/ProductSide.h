//===- ProductSide.h - Which products are worth tiles of matrices ---------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_PRODUCTSIDE_H
#define FUSE_ANALYSIS_PRODUCTSIDE_H

#include <cstdint>

namespace mlir::fuse {

/// On a GPU: with fewer rows or columns, what a block stages of a product's operands is hardly read
/// again. Schedules, prices and code ask the same.
constexpr int64_t kLeastProductSide = 8;

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_PRODUCTSIDE_H
