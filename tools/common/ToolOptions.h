//===- ToolOptions.h - Options of every tool that takes programs ---------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_COMMON_TOOLOPTIONS_H
#define FUSE_TOOLS_COMMON_TOOLOPTIONS_H

#include "fuse/Driver/PlanningOptions.h"

namespace mlir::fuse {

/// What every tool answers, beside how it plans.
struct ToolOptions : PlanningOptions {
  bool help = false;
  bool version = false;
};

llvm::ArrayRef<OptionSpec<ToolOptions>> getHelpOptions();
/// Adds options of inputs and planning, and the help's.
void addAllOptions(OptionParser &parser, ToolOptions &options);

} // namespace mlir::fuse

#endif // FUSE_TOOLS_COMMON_TOOLOPTIONS_H
