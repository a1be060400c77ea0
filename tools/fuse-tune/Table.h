//===- Table.h - What fuse-tune has found, for people --------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_FUSE_TUNE_TABLE_H
#define FUSE_TOOLS_FUSE_TUNE_TABLE_H

#include "fuse/Tune/Tuner.h"

namespace mlir::fuse {

/// A line for each kernel, those that took most time first, with the two schedules where they
/// differ, then what is to be saved in one run, and what was left out.
void printTable(const TuneResult &result, llvm::raw_ostream &os);

} // namespace mlir::fuse

#endif // FUSE_TOOLS_FUSE_TUNE_TABLE_H
