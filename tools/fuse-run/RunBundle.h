//===- RunBundle.h - What fuse-run does with a bundle -------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_FUSE_RUN_RUNBUNDLE_H
#define FUSE_TOOLS_FUSE_RUN_RUNBUNDLE_H

#include "Options.h"
#include "Ranks.h"

namespace mlir::fuse {

/// Runs the bundle that the options name. Files are written last, after everything else has
/// succeeded. job: of a bundle for several processes, which is opened where it is not yet.
llvm::Error runBundle(const RunOptions &options, std::unique_ptr<Job> &job, llvm::raw_ostream &os);

} // namespace mlir::fuse

#endif // FUSE_TOOLS_FUSE_RUN_RUNBUNDLE_H
