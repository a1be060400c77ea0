//===- PageFiles.h - The page around the picture's data ---------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Made of the files in lib/Report/page by cmake/JoinPage.cmake when they change.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_REPORT_PAGEFILES_H
#define FUSE_LIB_REPORT_PAGEFILES_H

#include "llvm/ADT/StringRef.h"

namespace mlir::fuse {

/// All before the data, and all behind it.
llvm::StringRef getPageHead();
llvm::StringRef getPageTail();

} // namespace mlir::fuse

#endif // FUSE_LIB_REPORT_PAGEFILES_H
