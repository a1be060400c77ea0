//===- TargetFigures.h - What the figures of a target may be ----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Asked by the verifier of `#fuse.target` and by the reader of target files, which says more of
// what it expects.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IR_TARGETFIGURES_H
#define FUSE_IR_TARGETFIGURES_H

#include "mlir/Support/LLVM.h"

namespace mlir::fuse {

/// The largest value of a figure: sizes and counts must fit an integer.
constexpr double kMostOfAFigure = 1e18;

/// Whether a figure counts something, of which a device has at least one.
bool isCountFigure(StringRef key);

/// Whether a figure is a whole number: a count, or a size in bytes.
bool isWholeFigure(StringRef key);

} // namespace mlir::fuse

#endif // FUSE_IR_TARGETFIGURES_H
