//===- Info.h - What a program takes and gives --------------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_FUSE_RUN_INFO_H
#define FUSE_TOOLS_FUSE_RUN_INFO_H

#include "fuse/Driver/LoadProgram.h"
#include "../common/ToolContext.h"
#include "Options.h"

namespace mlir::fuse {

/// Prints what --info tells of a program. A model that cannot be imported is described as far as
/// its file says, with what stands in the way. A diagnostic for a program that cannot be read.
LogicalResult printInfo(const RunOptions &options, ArrayRef<InputFile> files, ToolContext &tool,
                        llvm::raw_ostream &os);
llvm::Error printBundleInfo(const RunOptions &options, llvm::raw_ostream &os);

} // namespace mlir::fuse

#endif // FUSE_TOOLS_FUSE_RUN_INFO_H
