//===- ReshapePatterns.h - Reshapes next to members, past what lies between -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Members are expanded along a reshape that stands right at them (upstream's patterns). A slice, or
// another reshape, may lie between:
//
//   expand(slice(x))     → slice(expand(x))       what is split was taken whole
//   slice(collapse(x))   → collapse(slice(x))     what was joined is taken whole
//   expand(collapse(x))  → collapse(expand(x))    over the factors of both: (4, 3, 32) read as
//                                                 (12, 2, 16) is (4, 3, 2, 16)
//
// So expansions come to the member that computes x, and what is joined to the one that reads.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_FUSETOLINALG_RESHAPEPATTERNS_H
#define FUSE_LIB_CONVERSION_FUSETOLINALG_RESHAPEPATTERNS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::fuse {

/// Whether `op` is a view that is looked through: a reshape, a slice, a cast.
bool isView(Operation *op);

/// Whether a member computes what `value` is a view of.
bool isComputed(Value value);

/// Adds the patterns above, for values of members with static shapes.
void populateReshapePatterns(RewritePatternSet &patterns);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_FUSETOLINALG_RESHAPEPATTERNS_H
