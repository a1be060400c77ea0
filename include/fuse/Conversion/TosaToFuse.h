//===- TosaToFuse.h - From TOSA to the dialect ------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_CONVERSION_TOSATOFUSE_H
#define FUSE_CONVERSION_TOSATOFUSE_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::fuse {

/// Each pattern replaces one op by ops of the dialect and of arith, with the same types, or leaves
/// it. They are meant for one walk (`walkAndApplyPatterns`): what they create is done with.
/// docs/conversions.md lists what is recognized.
void populateTosaToFusePatterns(RewritePatternSet &patterns);

} // namespace mlir::fuse

#endif // FUSE_CONVERSION_TOSATOFUSE_H
