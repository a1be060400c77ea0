//===- Options.h - How a program is compiled, from C ---------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CAPI_OPTIONS_H
#define FUSE_LIB_CAPI_OPTIONS_H

#include "fuse/CAPI/Compile.h"
#include "fuse/Driver/PlanningOptions.h"

/// The defaults are those of fuse-compile.
struct fuse_options {
  fuse_options() { planning.automaticVariants = true; }

  mlir::fuse::PlanningOptions planning;
  bool explains = false;
  fuse_progress_fn progress = nullptr;
  void *progressData = nullptr;
};

namespace mlir::fuse {

/// Copies a text to a caller's memory, cut to what is there; returns 1.
int32_t giveError(llvm::StringRef text, char *error, int64_t capacity);
int32_t giveError(llvm::Error given, char *error, int64_t capacity);

} // namespace mlir::fuse

#endif // FUSE_LIB_CAPI_OPTIONS_H
