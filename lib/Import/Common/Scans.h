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

/// What a step makes of the states before it and of one row of each sequence: the states after it, and behind these a row of
/// each result.
using StepBuilder = llvm::function_ref<SmallVector<Value>(ValueRange states, ValueRange rows)>;

/// The results of a scan along `axis`, one for each of `elements`, which are their types; all have the shape of the first of
/// `sequences`. Each of `starts`, of rank 0, is the first state of every element of a row. A state of unknown size needs a
/// result that has its value in each step.
SmallVector<Value> scanSteps(OpContext &n, ArrayRef<Value> sequences, ArrayRef<Value> starts, ArrayRef<Type> elements,
                             int64_t axis, bool isReversed, StepBuilder step);

/// For an extent along the axis that is not known: a scan of one step for each element.
Value scanOpen(OpContext &n, Value x, BinaryKind kind, int64_t axis, bool exclusive, bool isReversed);

/// The sums (`kind` Add) or products (Mul) of all elements along an axis up to each one, itself included unless
/// `exclusive`; from behind if `isReversed`.
Value scanAxis(OpContext &n, Value x, BinaryKind kind, int64_t axis, bool exclusive, bool isReversed);

} // namespace mlir::fuse::importer

#endif // FUSE_IMPORT_COMMON_SCANS_H
