//===- Progress.h - How far a compilation is ------------------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_DRIVER_PROGRESS_H
#define FUSE_DRIVER_PROGRESS_H

#include <cstddef>
#include <string>

namespace mlir::fuse {

enum class CompileStage { Import, Plan, Lower };

/// What is done of all, from 0 to 1, and what is being done.
struct Progress {
  double part = 0;
  std::string text;
};

/// At the begin of a stage.
Progress getProgress(CompileStage stage);
/// With so many of the objects compiled: the last of the stages.
Progress getProgress(size_t done, size_t total);

} // namespace mlir::fuse

#endif // FUSE_DRIVER_PROGRESS_H
